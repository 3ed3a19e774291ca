//! Age estimation of the level ACTIVE, with frames of a moving head: a photo wrapped around a model of one
//! (`testkit::head_model`).

use crate::age_verification::{AgeSessionFixture, AttemptTurn, BASE};
use base::SignedDuration;
use domain::image_analysis::sample_faces;
use serde_json::{Value, json};
use std::sync::LazyLock;
use testkit::{
    TestApp,
    composite_scene::CompositeScene,
    head_model::{HeadModel, HeadStance, PhotoSurface, stance_path},
};
use vision::VisionModels;

/// The sample face that looks straightest into the camera.
const SAMPLE_FACE_INDEX: usize = 8;

const FRAME_INTERVAL_MS: usize = 300;

/// What the camera sees of a head that makes these movements, or of a sheet of paper that is moved instead.
fn film(form: PhotoSurface, moves: &[&str]) -> Vec<String> {
    static FACE: LazyLock<[f32; 4]> = LazyLock::new(|| {
        let found = VisionModels::load(&testkit::pack())
            .unwrap()
            .detect_tiled(&testkit::face_pictures()[SAMPLE_FACE_INDEX], 40.0)
            .unwrap();
        let face = found.first().unwrap();
        [face.left, face.top, face.right, face.bottom]
    });
    let model = HeadModel::new(&testkit::face_pictures()[SAMPLE_FACE_INDEX], *FACE, form);
    // The front of a head is nearer than its middle.
    let front = if form == PhotoSurface::Head { 0.0 } else { 0.8 };
    let mut ahead = HeadStance { distance: 4.0 - front, ..HeadStance::default() };
    let mut stops = vec![ahead];
    for one in moves {
        let there = match *one {
            "LEFT" => HeadStance { yaw: 0.56, ..ahead },
            "RIGHT" => HeadStance { yaw: -0.56, ..ahead },
            "UP" => HeadStance { pitch: 0.45, ..ahead },
            "NEARER" => HeadStance { distance: 2.75 - front, ..ahead },
            "FARTHER" => HeadStance { distance: 5.6 - front, ..ahead },
            other => panic!("nobody knows the move {other}"),
        };
        ahead.distance = there.distance;
        stops.extend([there, ahead]);
    }
    let room = CompositeScene::draw(480, 640, 3, 3.0).picture();
    let look = |stance| api::base64(&sample_faces::encode_jpeg(&model.render(stance, &room), 92));
    stance_path(&stops, 3).into_iter().map(look).collect()
}

/// A session that offers this method only, and its first step.
async fn begin(app: &TestApp) -> (AgeSessionFixture, AttemptTurn) {
    let payload = json!({
        "type": "AGE", "block_biometric_consent": true, "retry_enabled": true, "age_estimation": { "level": "ACTIVE" },
    });
    let session = AgeSessionFixture::create(app, BASE, &payload).await;
    let opened = session.open_attempt(app, "AGE_ESTIMATION").await;
    assert_eq!(opened.step()["kind"], "frames");
    (session, opened)
}

fn asked(turn: &AttemptTurn) -> Vec<&str> {
    turn.step()["moves"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

/// What a page sends: a photo with its proof of capture, and frames.
async fn answer(app: &TestApp, session: &AgeSessionFixture, photo: &[u8], frames: Vec<String>) -> Value {
    let times: Vec<usize> = (0..frames.len()).map(|frame| frame * FRAME_INTERVAL_MS).collect();
    json!({
        "img": api::base64(photo), "secure": session.capture(app, photo, true).await, "frames": frames, "times": times,
    })
}

fn photo(of: usize) -> Vec<u8> {
    sample_faces::encode_jpeg(&testkit::face_pictures()[of], 96)
}

fn reason(turn: &AttemptTurn) -> &Value {
    &turn.0["session"]["result"]["reason"]
}

#[tokio::test]
async fn a_head_that_makes_the_requested_movements_proves_an_age() {
    let app = TestApp::start().await;
    let (session, opened) = begin(&app).await;
    let frames = film(PhotoSurface::Head, &asked(&opened));
    assert!(frames.len() <= 24, "more are not looked at: {}", frames.len());
    let ended = session
        .take_turn(&app, &opened, answer(&app, &session, &photo(SAMPLE_FACE_INDEX), frames).await)
        .await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
    let result = session.result(&app).await;
    assert!(result["age"].as_i64().is_some_and(|age| (15..60).contains(&age)), "{result}");
}

#[tokio::test]
async fn other_movements_a_sheet_of_paper_and_another_person_prove_nothing_on_sqlite() {
    let app = TestApp::start().await;
    let sheet = PhotoSurface::Sheet { bend: 1.0, lean: 0.0 };
    for (what, form, otherwise, of) in [
        ("other moves", PhotoSurface::Head, true, SAMPLE_FACE_INDEX),
        ("a sheet", sheet, false, SAMPLE_FACE_INDEX),
        ("the photo is another person's", PhotoSurface::Head, false, 6),
    ] {
        let (session, opened) = begin(&app).await;
        let mut moves = asked(&opened);
        if otherwise {
            for one in &mut moves {
                *one = match *one {
                    "LEFT" => "RIGHT",
                    "RIGHT" | "UP" => "LEFT",
                    other => other,
                };
            }
        }
        let sent = answer(&app, &session, &photo(of), film(form, &moves)).await;
        let ended = session.take_turn(&app, &opened, sent).await;
        assert_eq!(reason(&ended), "CHALLENGE_NOT_MET", "{what}: {}", ended.0);
        assert_eq!(session.result(&app).await["status"], "IN_PROGRESS", "it may be tried again");
    }
    let (session, opened) = begin(&app).await;
    let sent =
        answer(&app, &session, &photo(SAMPLE_FACE_INDEX), film(PhotoSurface::Head, &asked(&opened))).await;
    app.environment.advance(SignedDuration::from_secs(91));
    let late = session.take_turn(&app, &opened, sent).await;
    assert_eq!((&late.step()["kind"], &late.0["problem"]["code"]), (&json!("frames"), &json!("TRY_AGAIN")));
    assert_eq!(session.result(&app).await["age_estimation"]["attempts"], 0, "a phone may have slept");
}

#[tokio::test]
async fn unusable_frames_are_requested_again() {
    let app = TestApp::start().await;
    let (session, opened) = begin(&app).await;
    let path = format!("/attempts/{}", opened.attempt());
    let mut sent = answer(&app, &session, &photo(SAMPLE_FACE_INDEX), vec![String::new(); 25]).await;
    sent["continuation"] = opened.0["continuation"].clone();
    let refused = session.end_user_call(&app, "POST", &path, Some(sent.clone())).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "too many");
    sent.as_object_mut().unwrap().remove("frames");
    let refused = session.end_user_call(&app, "POST", &path, Some(sent)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "none");

    let mut single = answer(&app, &session, &photo(SAMPLE_FACE_INDEX), Vec::new()).await;
    single["secure"] = session.capture(&app, &photo(SAMPLE_FACE_INDEX), false).await;
    let again = session.take_turn(&app, &opened, single).await;
    assert_eq!(again.0["problem"]["code"], "TRY_AGAIN", "vouched for as a single picture");
    let broken =
        answer(&app, &session, &photo(SAMPLE_FACE_INDEX), vec![api::base64(b"no picture"); 12]).await;
    let again = session.take_turn(&app, &again, broken).await;
    assert_eq!(
        (&again.0["problem"]["code"], &again.step()["kind"]),
        (&json!("UNUSABLE_IMAGE"), &json!("frames"))
    );
    let frames = film(PhotoSurface::Head, &asked(&again));
    let ended = session
        .take_turn(&app, &again, answer(&app, &session, &photo(SAMPLE_FACE_INDEX), frames).await)
        .await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
}

#[tokio::test]
async fn frames_obey_the_limits_of_images() {
    let app = TestApp::start().await;
    let (session, mut turn) = begin(&app).await;
    // The defaults of `[image]`: 300 to 2,000 pixels each way, 2,100,000 in all.
    for (width, height) in [(2001, 400), (400, 2001), (299, 400), (400, 299), (1500, 1401)] {
        let frame = sample_faces::encode_jpeg(&CompositeScene::draw(width, height, 3, 3.0).picture(), 92);
        let frames = vec![api::base64(&photo(SAMPLE_FACE_INDEX)), api::base64(&frame)];
        let sent = answer(&app, &session, &photo(SAMPLE_FACE_INDEX), frames).await;
        turn = session.take_turn(&app, &turn, sent).await;
        assert_eq!(turn.0["problem"]["code"], "UNUSABLE_IMAGE", "{width} x {height}: {}", turn.0);
    }
    // Frames within them are looked at, and do not show the movements.
    let frames = vec![api::base64(&photo(SAMPLE_FACE_INDEX)); 2];
    let sent = answer(&app, &session, &photo(SAMPLE_FACE_INDEX), frames).await;
    assert_eq!(reason(&session.take_turn(&app, &turn, sent).await), "CHALLENGE_NOT_MET");
}
