//! The models, and the workers that use them.

use super::Config;
use domain::image_analysis::ModelPoolSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The section `[models]`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelsConfig {
    /// The folder with `pack.json`. `None`: see [`Config::models_folder`].
    folder: Option<PathBuf>,
    /// Workers; each uses one core. `None`: one for each core.
    workers: Option<usize>,
    /// Images that may wait for a worker before callers get a 503. `None`: two for each worker.
    queue: Option<usize>,
}

impl Config {
    pub(crate) fn model_settings(&self) -> ModelPoolSettings {
        let workers = self.models.workers.unwrap_or_else(cores).max(1);
        let max_queued = self.models.queue.unwrap_or(workers * 2);
        ModelPoolSettings { folder: self.models_folder(), workers, max_queued }
    }

    /// The folder of the models: the one that is set, or the first that contains a `pack.json` of `models` in the data
    /// folder, `models/pack` in the checkout that the binary was built in, and `models/pack` in the working folder. If none
    /// does, the last.
    pub(crate) fn models_folder(&self) -> PathBuf {
        if let Some(folder) = &self.models.folder {
            return folder.clone();
        }
        let in_checkout = std::env::current_exe()
            .ok()
            .and_then(|binary| Some(binary.parent()?.parent()?.parent()?.join("models").join("pack")));
        let in_working_dir = PathBuf::from("models/pack");
        [Some(self.data_dir.join("models")), in_checkout, Some(in_working_dir.clone())]
            .into_iter()
            .flatten()
            .find(|folder| folder.join("pack.json").is_file())
            .unwrap_or(in_working_dir)
    }
}

/// The cores of this machine.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
