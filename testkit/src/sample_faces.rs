//! Faces for tests, cut out of the sample photos inside the locked npm packages by the real detector.

use base::Picture;
use domain::image_analysis::{AnalysisRules, ImageAnalyser, ModelPoolSettings, sample_faces};
use fixtures::{pack, packages};
use std::sync::LazyLock;
use vision::VisionModels;

/// The real models: two workers, and a queue that no test fills by accident.
pub fn model_settings() -> ModelPoolSettings {
    ModelPoolSettings { folder: pack(), workers: 2, queue: vision::QueueLimits::by_count(256), preload: true }
}

/// [`model_settings`], loaded once for all tests of a process.
pub fn image_analyser() -> ImageAnalyser {
    static ANALYSER: LazyLock<ImageAnalyser> = LazyLock::new(|| {
        let analyser = ImageAnalyser::new(AnalysisRules::default());
        analyser.load(&model_settings()).expect("the models load");
        analyser
    });
    ANALYSER.clone()
}

/// One of the six sample photos of the locked packages, which show groups of adults.
///
/// # Panics
/// When the packages are not installed.
pub fn group_photo(number: u8) -> Picture {
    let file = packages().join(format!("@vladmandic/face-api/demo/sample{number}.jpg"));
    let photo = image::open(&file).expect("the locked packages are installed (`make setup`)").into_rgb8();
    let (width, height) = photo.dimensions();
    Picture::new(width, height, photo.into_raw()).expect("a whole picture")
}

/// Single faces, 720 x 800 pixels each; the face is about 300 pixels wide.
pub fn face_pictures() -> &'static [Picture] {
    static FACE_PICTURES: LazyLock<Vec<Picture>> = LazyLock::new(|| {
        let mut vision = VisionModels::load(&pack()).expect("the models load");
        let cut =
            |number| sample_faces::crop_faces(&mut vision, &group_photo(number)).expect("the models answer");
        (1..=3).flat_map(cut).collect()
    });
    &FACE_PICTURES
}

/// One face as a JPEG that strict image validation accepts.
pub fn face_jpeg() -> &'static [u8] {
    static FACE_JPEG: LazyLock<Vec<u8>> =
        LazyLock::new(|| sample_faces::encode_jpeg(&face_pictures()[0], 96));
    &FACE_JPEG
}

/// [`face_jpeg`] in base64.
pub fn face_base64() -> &'static str {
    static FACE_BASE64: LazyLock<String> = LazyLock::new(|| api::base64(face_jpeg()));
    &FACE_BASE64
}
