//! `assay sample-face`

use crate::{config::Config, out};
use anyhow::{Context as _, bail};
use base::Picture;
use domain::image_analysis::sample_faces;
use std::path::{Path, PathBuf};

/// A sample photo of the locked npm packages, and an adult in it, counted from the left, whom the default limits of liveness
/// and of age (18) let pass.
const SAMPLE_PHOTO: (&str, usize) = ("models/node_modules/@vladmandic/face-api/demo/sample3.jpg", 1);

/// Cut one face out of a group photo, to the limits of the interface, for trying it out.
#[derive(clap::Args)]
pub(crate) struct SampleFaceArgs {
    /// Where the JPEG goes.
    out: PathBuf,
    /// The photo. Default: a sample photo of the locked npm packages.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Which face, counted from the left, from 0. Default: 0; of the sample photo 1.
    #[arg(long)]
    face: Option<usize>,
}

impl SampleFaceArgs {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let (from, usual) =
            self.from.map_or_else(|| (SAMPLE_PHOTO.0.into(), SAMPLE_PHOTO.1), |from| (from, 0));
        let photo = open_photo(&from)?;
        let mut vision = vision::VisionModels::load(&config.models_folder())?;
        let faces = sample_faces::crop_faces(&mut vision, &photo)?;
        let Some(face) = faces.get(self.face.unwrap_or(usual)) else {
            bail!("{} has {} faces that stand alone", from.display(), faces.len());
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
