//! Single faces cropped from group photos, for trying things out: the sample photos in the locked npm packages show
//! several people each, and the interfaces expect one per image.

use base::Picture;
pub use pixels::{ColourDetail, encode_jpeg, encode_jpeg_of};
use pixels::{PictureRegion, ResampleFilter};
use vision::{Face, VisionError, VisionModels};

/// Width of the crops.
pub const SAMPLE_WIDTH_PIXELS: u32 = 720;
/// Height of the crops.
pub const SAMPLE_HEIGHT_PIXELS: u32 = 800;
/// The share of a crop's width that the face fills.
const FACE_WIDTH_SHARE: f32 = 0.42;

/// Crops of 720 x 800 pixels around the faces of a photo, from left to right, without those that show another face,
/// too.
///
/// Small faces are enlarged, which invents pixels, so do not measure anything on them.
pub fn crop_faces(vision: &mut VisionModels, photo: &Picture) -> Result<Vec<Picture>, VisionError> {
    let mut faces = vision.detect(photo)?;
    faces.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut crops = Vec::new();
    for face in &faces {
        let Some(picture) = crop_face(photo, face) else { continue };
        if vision.detect(&picture)?.len() == 1 {
            crops.push(picture);
        }
    }
    Ok(crops)
}

fn crop_face(photo: &Picture, face: &Face) -> Option<Picture> {
    let width = face.width().max(face.height()) / FACE_WIDTH_SHARE;
    let height = width * SAMPLE_HEIGHT_PIXELS as f32 / SAMPLE_WIDTH_PIXELS as f32;
    let left = (f32::midpoint(face.left, face.right) - width / 2.0).max(0.0) as u32;
    let top = (f32::midpoint(face.top, face.bottom) - height / 2.0).max(0.0) as u32;
    let (width, height) = (width as u32, height as u32);
    let part = pixels::crop(photo, PictureRegion { left, top, width, height })?;
    pixels::resample(&part, SAMPLE_WIDTH_PIXELS, SAMPLE_HEIGHT_PIXELS, ResampleFilter::CatmullRom)
}
