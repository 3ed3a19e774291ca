//! Shared by the tests: models, sample photos, and copies of the pack to be changed or damaged.

use base::Picture;
use fixtures::{pack, packages};
use serde_json::Value;
use std::{fs, os::unix::fs::symlink, path::Path, sync::LazyLock};
use tempfile::TempDir;
use vision::{Face, VisionModels};

pub(crate) fn load() -> VisionModels {
    VisionModels::load(&pack()).expect("the models load")
}

/// A copy of the pack; its files are symbolic links, its manifest a file.
pub(crate) fn copy_of_pack() -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in fs::read_dir(pack()).unwrap().map(Result::unwrap) {
        let copy = folder.path().join(file.file_name());
        if file.file_name() == "pack.json" {
            fs::copy(file.path(), copy).unwrap();
        } else {
            symlink(file.path(), copy).unwrap();
        }
    }
    folder
}

/// A copy of the pack with an edited manifest.
pub(crate) fn edited_pack(edit: impl FnOnce(&mut Value)) -> TempDir {
    let folder = copy_of_pack();
    edit_manifest(folder.path(), edit);
    folder
}

pub(crate) fn edit_manifest(folder: &Path, edit: impl FnOnce(&mut Value)) {
    let file = folder.join("pack.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    edit(&mut manifest);
    fs::write(file, serde_json::to_vec(&manifest).unwrap()).unwrap();
}

/// The entry of a model in a manifest.
pub(crate) fn model<'a>(manifest: &'a mut Value, id: &str) -> &'a mut Value {
    let models = manifest["models"].as_array_mut().unwrap();
    models.iter_mut().find(|model| model["id"] == id).expect("the model is in the manifest")
}

/// Replaces a link by a file with changed content.
pub(crate) fn damage(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    change(&mut bytes);
    fs::remove_file(file).unwrap();
    fs::write(file, bytes).unwrap();
}

/// A sample photo of the packages, 1 to 6.
pub(crate) fn photo(number: usize) -> Picture {
    let file = packages().join(format!("@vladmandic/face-api/demo/sample{number}.jpg"));
    let photo = image::open(file).expect("a sample photo").into_rgb8();
    Picture::new(photo.width(), photo.height(), photo.into_raw()).unwrap()
}

/// A part of a picture; black outside.
pub(crate) fn part(picture: &Picture, [left, top, width, height]: [i64; 4]) -> Picture {
    painted(width as u32, height as u32, |x, y| {
        let (x, y) = (left + i64::from(x), top + i64::from(y));
        let inside = (0..picture.width().into()).contains(&x) && (0..picture.height().into()).contains(&y);
        if inside { picture.pixel(x, y) } else { [0; 3] }
    })
}

pub(crate) fn painted(width: u32, height: u32, mut paint: impl FnMut(u32, u32) -> [u8; 3]) -> Picture {
    let mut rgb = Vec::new();
    for y in 0..height {
        for x in 0..width {
            rgb.extend(paint(x, y));
        }
    }
    Picture::new(width, height, rgb).unwrap()
}

/// Every confident face of the sample photos, cut out with its surroundings.
pub(crate) fn faces() -> &'static [Picture] {
    static FACES: LazyLock<Vec<Picture>> = LazyLock::new(|| {
        let mut vision = load();
        let mut faces = Vec::new();
        for number in 1..=6 {
            let photo = photo(number);
            let found = vision.detect(&photo).unwrap();
            faces.extend(
                found.iter().filter(|face| vision.is_confident(face)).map(|face| around(&photo, face, 2.0)),
            );
        }
        faces
    });
    &FACES
}

/// A square around a face, `scale` times its longer side.
pub(crate) fn around(photo: &Picture, face: &Face, scale: f32) -> Picture {
    let side = face.width().max(face.height()) * scale;
    let (x, y) = (f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom));
    part(photo, [x - side / 2.0, y - side / 2.0, side, side].map(|value| value as i64))
}

/// The face with the highest score in a picture.
pub(crate) fn best_face(vision: &mut VisionModels, picture: &Picture) -> Face {
    *vision.detect(picture).unwrap().first().expect("a face is found")
}
