//! `assay faces …`

use crate::{config::Config, out, services::Services};
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum FacesCommand {
    /// Count the faces of each account as JSON: how many are of another model than the one that serves, how many of those
    /// can be embedded anew from kept pictures, and how many profiles must be enrolled anew.
    Status,
}

impl FacesCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { db, image_analyser: estimator, face_index: faces, .. } =
            Services::open_for_tool(config).await?;
        db.migrate().await?;
        let models = config.model_settings();
        match self {
            Self::Status => {
                tokio::task::spawn_blocking(move || estimator.load(&models)).await??;
                out::json(&faces.index_statuses().await?)
            }
        }
    }
}
