//! The image and face rows of image analysis's error table, each reached with a picture that is made here.

use base::{Picture, PictureSize};
use domain::image_analysis::sample_faces;
use image::{ExtendedColorType, ImageEncoder as _, codecs::png::PngEncoder};
use serde_json::{Value, json};
use testkit::{SignedCall, TestApp, TestResponse, edits, face_jpeg, face_pictures, media_fixtures::png};

async fn analyse(app: &TestApp, image: &[u8], relaxed: bool) -> TestResponse {
    let mut body = json!({ "img": api::base64(image) });
    if relaxed {
        body["img_validation_level"] = "low".into();
    }
    SignedCall::post("/ai/v1/age").json(&body).send(app).await
}

/// Asserts the code, and that a broken limit says what was measured.
#[track_caller]
fn assert_refused(answer: &TestResponse, line: &str) -> Value {
    assert_eq!(answer.status_and_code(), line);
    let json = answer.json();
    assert!(json["measured"].is_number() && json["limit"].is_string() && json["hint"].is_string(), "{json}");
    json
}

fn drawn(width: u32, height: u32, mut pixel: impl FnMut(u32, u32) -> [u8; 3]) -> Picture {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    Picture::new(width, height, places.flat_map(|(x, y)| pixel(x, y)).collect()).unwrap()
}

/// Noise that no encoder compresses well, so that a picture has the size that a test needs.
fn noise(width: u32, height: u32) -> Picture {
    let mut state = 1_u32;
    drawn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        [(state >> 24) as u8, (state >> 16) as u8, (state >> 8) as u8]
    })
}

/// The first face on a plain grey-blue canvas, scaled to `width` x `height`, its top left corner at (x, y).
fn placed(canvas: PictureSize, width: u32, height: u32, x: u32, y: u32) -> Picture {
    let face = edits::resized_sharply(&face_pictures()[0], PictureSize { width, height });
    edits::placed(canvas, [120, 130, 150], &face, x, y)
}

#[tokio::test]
async fn invalid_b64_image() {
    let app = TestApp::start().await;
    for img in ["abc", "????", "data:image/jpeg;base64,", "AAAA"] {
        let answer = SignedCall::post("/ai/v1/age").json(&json!({ "img": img })).send(&app).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_B64_IMAGE", "{img}");
    }
    let whole = face_jpeg();
    assert_eq!(
        analyse(&app, &whole[..whole.len() * 6 / 10], false).await.status_and_code(),
        "400 INVALID_B64_IMAGE",
        "broken off"
    );
}

#[tokio::test]
async fn unsupported_image_format() {
    let app = TestApp::start().await;
    for magic in [
        &b"GIF89a"[..],
        b"RIFF\x24\0\0\0WEBPVP8 ",
        b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
        b"II*\0\x08\0\0\0",
    ] {
        let mut file = magic.to_vec();
        file.resize(60_000, 0);
        assert_eq!(
            analyse(&app, &file, false).await.status_and_code(),
            "400 UNSUPPORTED_IMAGE_FORMAT",
            "{magic:?}"
        );
    }
    let json = assert_refused(
        &analyse(&app, &sample_faces::encode_jpeg(&face_pictures()[0], 94), false).await,
        "400 UNSUPPORTED_IMAGE_FORMAT",
    );
    assert_eq!(json["measured"], 94.0);
    assert_eq!(
        analyse(&app, &sample_faces::encode_jpeg(&face_pictures()[0], 95), false).await.status_and_code(),
        "200"
    );
}

#[tokio::test]
async fn image_size_too_big_and_too_small() {
    let app = TestApp::start().await;
    let mut big = face_jpeg().to_vec();
    big.resize(1_500_001, 0);
    assert_refused(&analyse(&app, &big, false).await, "400 IMAGE_SIZE_TOO_BIG");
    let small =
        sample_faces::encode_jpeg(&placed(PictureSize { width: 320, height: 320 }, 260, 290, 30, 15), 95);
    assert!(small.len() < 50_000);
    assert_refused(&analyse(&app, &small, false).await, "400 IMAGE_SIZE_TOO_SMALL");
}

#[tokio::test]
async fn sides_and_pixels_above_and_below_their_limits() {
    let app = TestApp::start().await;
    for (width, height, code) in [
        (400, 299, "MIN_HEIGHT"),
        (300, 2001, "MAX_HEIGHT"),
        (299, 400, "MIN_WIDTH"),
        (2001, 300, "MAX_WIDTH"),
        (1500, 1401, "MAX_PIXELS"),
    ] {
        let waves = |x: u32, y: u32| [(x / 2) as u8, (y / 3) as u8, ((x + y) / 4) as u8];
        let file = sample_faces::encode_jpeg(&drawn(width, height, waves), 97);
        let mut padded = file.clone();
        padded.resize(file.len().max(50_000), 0);
        assert_refused(&analyse(&app, &padded, false).await, &format!("400 {code}"));
        assert_refused(&analyse(&app, &file, true).await, &format!("400 {code}"));
    }
}

#[tokio::test]
async fn min_pixels_is_reached_if_the_operator_allows_smaller_sides() {
    let mut rules = domain::image_analysis::AnalysisRules::default();
    rules.image.min_width = 100;
    rules.image.min_height = 100;
    let estimator = domain::image_analysis::ImageAnalyser::new(rules);
    let models = domain::image_analysis::ModelPoolSettings {
        folder: testkit::pack(),
        workers: 1,
        queue: vision::QueueLimits::by_count(4),
        preload: true,
    };
    estimator.load(&models).unwrap();
    let app = TestApp::start_with_image_analyser(estimator).await;
    assert_refused(&analyse(&app, &png(&noise(299, 299)), false).await, "400 MIN_PIXELS");
}

#[tokio::test]
async fn image_wrong_channels_and_grayscale_not_supported() {
    let app = TestApp::start().await;
    let as_rgb = edits::grey(&face_pictures()[0]);
    let grey: Vec<u8> = as_rgb.rgb().iter().step_by(3).copied().collect();
    let mut file = Vec::new();
    PngEncoder::new(&mut file)
        .write_image(&grey, as_rgb.width(), as_rgb.height(), ExtendedColorType::L8)
        .unwrap();
    assert_eq!(analyse(&app, &file, false).await.status_and_code(), "400 IMAGE_GRAYSCALE_NOT_SUPPORTED");

    for file in [png(&as_rgb), sample_faces::encode_jpeg(&as_rgb, 96)] {
        assert_eq!(
            analyse(&app, &file, false).await.status_and_code(),
            "400 IMAGE_GRAYSCALE_NOT_SUPPORTED",
            "grey stored as RGB"
        );
    }

    let wide: Vec<u8> = face_pictures()[0].rgb().iter().flat_map(|&value| [value, value]).collect();
    let mut file = Vec::new();
    PngEncoder::new(&mut file).write_image(&wide, 720, 800, ExtendedColorType::Rgb16).unwrap();
    assert!(
        ["400 IMAGE_WRONG_CHANNELS", "400 IMAGE_SIZE_TOO_BIG"]
            .contains(&analyse(&app, &file, false).await.status_and_code().as_str())
    );
    assert_eq!(
        analyse(&app, &file, true).await.status_and_code(),
        "400 IMAGE_WRONG_CHANNELS",
        "16 bits a channel"
    );
}

#[tokio::test]
async fn face_not_found() {
    let app = TestApp::start().await;
    let empty = drawn(600, 600, |x, y| [(x / 3) as u8, 90, (y / 3) as u8]);
    let mut file = sample_faces::encode_jpeg(&empty, 99);
    file.resize(file.len().max(50_000), 0);
    assert_refused(&analyse(&app, &file, false).await, "400 FACE_NOT_FOUND");
}

#[tokio::test]
async fn multiple_faces() {
    let app = TestApp::start().await;
    let both = edits::tiled(&face_pictures()[..2], 2);
    let file = sample_faces::encode_jpeg(&both, 95);
    let json = assert_refused(&analyse(&app, &file, false).await, "400 MULTIPLE_FACES");
    assert_eq!(json["measured"], 2.0);
    assert_refused(&analyse(&app, &file, true).await, "400 MULTIPLE_FACES");
}

#[tokio::test]
async fn a_face_with_a_mask_is_refused_and_makes_a_relaxed_answer_less_certain() {
    let app = TestApp::start().await;
    let [left, top, right, bottom] = face_box(&app, 0).await;
    let high = bottom - top;
    let face = &face_pictures()[0];
    let mut masked = face.rgb().to_vec();
    for (at, pixel) in masked.chunks_exact_mut(3).enumerate() {
        let (x, y) = ((at % face.width() as usize) as f64, (at / face.width() as usize) as f64);
        if (left..right).contains(&x) && (top + 0.47 * high..bottom + 0.05 * high).contains(&y) {
            pixel.copy_from_slice(&[176, 203, 219]);
        }
    }
    let file = jpeg(&Picture::new(face.width(), face.height(), masked).unwrap());
    let json = assert_refused(&analyse(&app, &file, false).await, "400 FACE_NOT_FOUND");
    assert!(json["measured"].as_f64().unwrap() > 0.5, "{json}");
    assert!(json["hint"].as_str().unwrap().contains("take off the mask"), "{json}");
    let relaxed = analyse(&app, &file, true).await.json();
    let bare = analyse(&app, &jpeg(&face_pictures()[0]), true).await.json();
    assert!(relaxed["st_dev"].as_f64().unwrap() > bare["st_dev"].as_f64().unwrap() + 5.0, "{relaxed} {bare}");
}

/// The face of a cut-out, in its pixels.
async fn face_box(app: &TestApp, number: usize) -> [f64; 4] {
    let body = json!({ "img": api::base64(&sample_faces::encode_jpeg(&face_pictures()[number], 95)) });
    let answer = SignedCall::post("/ai/v1/age").json(&body).query("explain", "true").send(app).await;
    let found = answer.json()["explain"]["face"]["box"].clone();
    [0, 1, 2, 3].map(|side| found[side].as_f64().unwrap())
}

/// A JPEG that is no smaller than the strict limit.
fn jpeg(picture: &Picture) -> Vec<u8> {
    let mut file = sample_faces::encode_jpeg(picture, 95);
    file.resize(file.len().max(50_000), 0);
    file
}

#[tokio::test]
async fn face_box_too_small() {
    let app = TestApp::start().await;
    // The face of the cut-out is a little over 300 pixels wide: a quarter of that is below the limit of 80, and above
    // half of it.
    let small = jpeg(&placed(PictureSize { width: 320, height: 320 }, 160, 178, 80, 70));
    let json = assert_refused(&analyse(&app, &small, false).await, "400 FACE_BOX_TOO_SMALL");
    assert!((40.0..80.0).contains(&json["measured"].as_f64().unwrap()), "{json}");
    assert_eq!(analyse(&app, &small, true).await.status_and_code(), "200", "relaxed mode halves the limit");
}

#[tokio::test]
async fn face_to_image_ratio_too_low_and_too_high() {
    let app = TestApp::start().await;
    let far = jpeg(&placed(PictureSize { width: 1400, height: 1400 }, 400, 444, 500, 450));
    let json = assert_refused(&analyse(&app, &far, false).await, "400 FACE_TO_IMAGE_RATIO_TOO_LOW");
    assert!((0.01..0.02).contains(&json["measured"].as_f64().unwrap()), "{json}");
    assert_eq!(analyse(&app, &far, true).await.status_and_code(), "200", "relaxed mode halves the limit");

    // Only a part of a face: its box reaches beyond every edge.
    let [left, top, right, bottom] = face_box(&app, 2).await.map(|side| side as u32);
    let inset = (right - left) * 3 / 20;
    let (width, height) = (right - left - 2 * inset, bottom - top - 2 * inset);
    let tight = edits::cropped(&face_pictures()[2], left + inset, top + inset, PictureSize { width, height });
    let tight = edits::resized_sharply(&tight, PictureSize { width: 300, height: 500 });
    let json = assert_refused(&analyse(&app, &jpeg(&tight), false).await, "400 FACE_TO_IMAGE_RATIO_TOO_HIGH");
    assert!(json["measured"].as_f64().unwrap() > 0.9, "{json}");
}

#[tokio::test]
async fn insufficient_area_around_the_face() {
    let app = TestApp::start().await;
    let [left, ..] = face_box(&app, 0).await;
    let size = PictureSize { width: 700 - left as u32, height: 800 };
    let cut = edits::cropped(&face_pictures()[0], left as u32 + 4, 0, size);
    let json =
        assert_refused(&analyse(&app, &jpeg(&cut), false).await, "400 INSUFFICIENT_AREA_AROUND_THE_FACE");
    assert!(json["measured"].as_f64().unwrap() < 0.05, "{json}");
}

#[tokio::test]
async fn image_too_dark_and_too_bright() {
    let app = TestApp::start().await;
    let shade = |gain: f32, lift: f32| {
        let face = &face_pictures()[0];
        let shaded = face.rgb().iter().map(|&value| (f32::from(value) * gain + lift) as u8);
        png(&Picture::new(face.width(), face.height(), shaded.collect()).unwrap())
    };
    let dark = analyse(&app, &shade(0.15, 0.0), true).await;
    assert_eq!(dark.status_and_code(), "200", "relaxed mode looks at no light");
    assert_refused(&analyse(&app, &shade(0.15, 0.0), false).await, "400 IMAGE_TOO_DARK");
    assert_refused(&analyse(&app, &shade(0.2, 204.0), false).await, "400 IMAGE_TOO_BRIGHT");
}
