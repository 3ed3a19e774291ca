//! `assay faces …`

use crate::{config::Config, house::House, out};
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Faces {
    /// Count the faces of each account as JSON: how many are of another model than the one that serves, how many of those
    /// can be embedded anew from kept pictures, and how many profiles must be enrolled anew.
    Status,
}

impl Faces {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let House { db, estimator, faces, .. } = House::of_tool(config).await?;
        db.migrate().await?;
        let models = config.models();
        match self {
            Self::Status => {
                tokio::task::spawn_blocking(move || estimator.load(&models)).await??;
                out::json(&faces.standings().await?)
            }
        }
    }
}
