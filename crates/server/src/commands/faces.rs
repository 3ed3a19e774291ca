//! `assay faces …`

use crate::{config::Config, out};
use clap::Subcommand;
use services::Services;

#[derive(Subcommand)]
pub(crate) enum FacesCommand {
    /// Count the faces of each account, as JSON: how many were embedded by another model than the current one, how many of
    /// those can be embedded again from stored pictures, and how many profiles must be enrolled again.
    Status,
}

impl FacesCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { image_analyser, faces, .. } = config.open_services_for_tool(false).await?;
        let models = config.model_settings();
        match self {
            Self::Status => {
                tokio::task::spawn_blocking(move || image_analyser.load(&models)).await??;
                out::json(&faces.index_statuses().await?)
            }
        }
    }
}
