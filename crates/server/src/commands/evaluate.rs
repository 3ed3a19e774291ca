//! `assay evaluate …`, by the crate of that name, with this server's settings.

use crate::config::Config;
use evaluate::{EvaluateCommand, EvaluationSettings};

pub(crate) async fn run(command: EvaluateCommand, config: &Config) -> anyhow::Result<()> {
    let settings = EvaluationSettings {
        models: config.model_settings(),
        rules: config.image_analysis_rules(),
        explained_rate: config.estimate.false_positive_rate,
    };
    command.run(&settings).await
}
