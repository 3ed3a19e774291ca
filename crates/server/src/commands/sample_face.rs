//! `assay sample-face`

use crate::{config::Config, out};
use anyhow::{Context as _, bail};
use domain::estimate::sample;
use std::path::PathBuf;

/// Cut one face out of a group photo, to the limits of the interface, for trying it out.
#[derive(clap::Args)]
pub(crate) struct SampleFace {
    /// Where the JPEG goes.
    out: PathBuf,
    /// The photo. Default: a sample photo of the locked npm packages.
    #[arg(
        long,
        default_value = "models/node_modules/@vladmandic/face-api/demo/sample1.jpg",
        value_name = "FILE"
    )]
    from: PathBuf,
    /// Which face, counted from the left, from 0.
    #[arg(long, default_value_t = 0)]
    face: usize,
}

impl SampleFace {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let photo = super::evaluate::open_photo(&self.from)?;
        let mut vision = vision::Vision::load(&config.models_folder())?;
        let faces = sample::cut_out_faces(&mut vision, &photo)?;
        let Some(face) = faces.get(self.face) else {
            bail!("{} has {} faces that stand alone", self.from.display(), faces.len());
        };
        std::fs::write(&self.out, sample::jpeg(face, 96))
            .with_context(|| format!("{} cannot be written", self.out.display()))?;
        out::line(format_args!("{}", self.out.display()));
        Ok(())
    }
}
