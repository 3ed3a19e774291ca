//! `assay sample-face`

use crate::{config::Config, out};
use anyhow::{Context as _, bail};
use base::Picture;
use domain::image_analysis::sample_faces;
use std::path::{Path, PathBuf};

/// A sample photo in the locked npm packages, and the index of an adult in it, counted from the left, who passes the default
/// limits of liveness and age (18).
const SAMPLE_PHOTO: (&str, usize) = ("models/node_modules/@vladmandic/face-api/demo/sample6.jpg", 3);

/// Cut one face out of a group photo, within the limits of image analysis, to try the interface with.
#[derive(clap::Args)]
pub(crate) struct SampleFaceArgs {
    /// The JPEG file to write.
    out: PathBuf,
    /// The photo. Default: a sample photo in the locked npm packages.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// The face, counted from the left, from 0. Default: 0; 3 for the sample photo.
    #[arg(long)]
    face: Option<usize>,
}

impl SampleFaceArgs {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let (photo_file, default_face) =
            self.from.map_or_else(|| (SAMPLE_PHOTO.0.into(), SAMPLE_PHOTO.1), |from| (from, 0));
        let photo = open_photo(&photo_file)?;
        let mut vision = vision::VisionModels::load(&config.models_folder())?;
        let faces = sample_faces::crop_faces(&mut vision, &photo)?;
        let Some(face) = faces.get(self.face.unwrap_or(default_face)) else {
            bail!(
                "{} has {} faces that can be cut out without another in the picture",
                photo_file.display(),
                faces.len()
            );
        };
        std::fs::write(&self.out, sample_faces::encode_jpeg(face, 96))
            .with_context(|| format!("{} cannot be written", self.out.display()))?;
        out::line(format_args!("{}", self.out.display()));
        Ok(())
    }
}

/// Decodes a picture file of any size; requests go through the strict image gate instead.
fn open_photo(file: &Path) -> anyhow::Result<Picture> {
    let photo = image::open(file).with_context(|| format!("{} cannot be read", file.display()))?.into_rgb8();
    let (width, height) = photo.dimensions();
    Picture::new(width, height, photo.into_raw()).context("the picture is empty")
}
