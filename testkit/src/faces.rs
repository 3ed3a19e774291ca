//! Faces for tests: cut out of the sample photos inside the locked npm packages, by the real detector.

use base::Picture;
use domain::estimate::{Estimator, Models, Rules, sample};
use fixtures::{pack, packages};
use std::sync::LazyLock;
use vision::Vision;

/// The models, loaded once for all tests of a process: one worker, and a queue no test fills by accident.
pub fn estimator() -> Estimator {
    static ESTIMATOR: LazyLock<Estimator> = LazyLock::new(|| {
        let estimator = Estimator::new(Rules::default());
        estimator.load(&Models { folder: pack(), workers: 2, queue: 256 }).expect("the models load");
        estimator
    });
    ESTIMATOR.clone()
}

/// A sample photo of the locked packages: 1 to 6, group photographs of adults.
///
/// # Panics
/// When the packages are not installed.
pub fn group_photo(number: u8) -> Picture {
    let file = packages().join(format!("@vladmandic/face-api/demo/sample{number}.jpg"));
    let photo = image::open(&file).expect("the locked packages are installed (`make setup`)").into_rgb8();
    let (width, height) = photo.dimensions();
    Picture::new(width, height, photo.into_raw()).expect("a whole picture")
}

/// Single faces, 720 x 800 pixels each.
pub fn faces() -> &'static [Picture] {
    static FACES: LazyLock<Vec<Picture>> = LazyLock::new(|| {
        let mut vision = Vision::load(&pack()).expect("the models load");
        let cut =
            |number| sample::cut_out_faces(&mut vision, &group_photo(number)).expect("the models answer");
        (1..=3).flat_map(cut).collect()
    });
    &FACES
}

/// One face as a JPEG that the strict gate accepts.
pub fn face() -> &'static [u8] {
    static FACE: LazyLock<Vec<u8>> = LazyLock::new(|| sample::jpeg(&faces()[0], 96));
    &FACE
}

/// The same in base64.
pub fn face_base64() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| api::base64(face()));
    &TEXT
}
