//! Single faces cropped from group photos, for trying things out: the sample photos in the locked npm packages show
//! several people each, and the interfaces expect one per image.

use base::Picture;
use image::{RgbImage, imageops};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
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
    if left + width > photo.width() || top + height > photo.height() {
        return None;
    }
    let whole = RgbImage::from_raw(photo.width(), photo.height(), photo.rgb().to_vec())?;
    let part = imageops::crop_imm(&whole, left, top, width, height).to_image();
    let scaled =
        imageops::resize(&part, SAMPLE_WIDTH_PIXELS, SAMPLE_HEIGHT_PIXELS, imageops::FilterType::CatmullRom);
    Picture::new(SAMPLE_WIDTH_PIXELS, SAMPLE_HEIGHT_PIXELS, scaled.into_raw())
}

/// How exact the colour of a JPEG is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourDetail {
    /// Every pixel has its own: of faces, which are looked at closely.
    Full,
    /// Four pixels share one, so that there is half as much to encode.
    Half,
}

/// Encodes a picture as JPEG with a quality from 1 to 100, and the full detail of its colour.
///
/// # Panics
/// If a side is longer than 65,535 pixels, which no JPEG can have; else never: writing to memory does not fail.
pub fn encode_jpeg(picture: &Picture, quality: u8) -> Vec<u8> {
    encode_jpeg_of(picture, quality, ColourDetail::Full)
}

/// As [`encode_jpeg`], with less detail of colour if wanted.
pub fn encode_jpeg_of(picture: &Picture, quality: u8, colour: ColourDetail) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, quality);
    encoder.set_sampling_factor(match colour {
        ColourDetail::Full => SamplingFactor::F_1_1,
        ColourDetail::Half => SamplingFactor::F_2_2,
    });
    let side = |pixels: u32| u16::try_from(pixels).expect("a picture's side is one that a JPEG can have");
    encoder
        .encode(picture.rgb(), side(picture.width()), side(picture.height()), ColorType::Rgb)
        .expect("a picture has the bytes its size says, and writing to memory does not fail");
    out
}
