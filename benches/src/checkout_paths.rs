//! Where things are in this checkout.

use anyhow::bail;
use std::path::{Path, PathBuf};

/// Where the server's program is, beside the bench's, and where models and photos are in this checkout.
#[derive(Clone, Debug)]
pub(crate) struct CheckoutPaths {
    pub(crate) server: PathBuf,
    pub(crate) model_pack: PathBuf,
    pub(crate) photos: PathBuf,
    pub(crate) peer: PathBuf,
}

impl CheckoutPaths {
    pub(crate) fn in_checkout(root: &Path) -> anyhow::Result<Self> {
        let place = Self {
            server: std::env::current_exe()?.with_file_name("assay"),
            model_pack: root.join("models/pack"),
            photos: root.join("models/node_modules/@vladmandic/face-api/demo"),
            peer: root.join("benches"),
        };
        for needed in [&place.server, &place.model_pack.join("pack.json"), &place.photos] {
            if !needed.exists() {
                bail!("{} is missing; `make bench` makes it", needed.display());
            }
        }
        Ok(place)
    }
}
