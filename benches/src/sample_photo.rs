//! The photo for all measurements: one face from a sample photo in the locked packages, 720 x 800 pixels.

use crate::checkout_paths::CheckoutPaths;
use anyhow::Context as _;
use base::Picture;
use domain::image_analysis::sample_faces;
use vision::VisionModels;

#[derive(Debug)]
pub(crate) struct SamplePhoto {
    pub(crate) jpeg: Vec<u8>,
    /// A request body that contains the photo.
    pub(crate) body: Vec<u8>,
}

impl SamplePhoto {
    pub(crate) fn cut_out(place: &CheckoutPaths, vision: &mut VisionModels) -> anyhow::Result<Self> {
        let file = place.photos.join("sample1.jpg");
        let group =
            image::open(&file).with_context(|| format!("{} cannot be read", file.display()))?.into_rgb8();
        let (width, height) = group.dimensions();
        let group = Picture::new(width, height, group.into_raw()).context("a photo has pixels")?;
        let faces = sample_faces::crop_faces(vision, &group)?;
        let face = faces.first().context("the sample photo shows a face")?;
        let jpeg = sample_faces::encode_jpeg(face, 96);
        let base64 = base64_simd::STANDARD.encode_to_string(&jpeg);
        Ok(Self { jpeg, body: format!("{{\"img\":\"{base64}\"}}").into_bytes() })
    }
}
