//! The models, and the workers that use them.

use super::Config;
use domain::image_analysis::ModelPoolSettings;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};
use vision::QueueLimits;

/// As many as a worker analyses in about a second.
const QUEUED_IMAGES_PER_WORKER: usize = 64;

/// The section `[models]`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelsConfig {
    /// The folder with `pack.json`. `None`: see [`Config::models_folder`].
    folder: Option<PathBuf>,
    /// Workers; each uses one core. `None`: one for each core.
    workers: Option<usize>,
    /// Images that may wait for a worker before callers get a 503; bounds what they take in memory. `None`: 64 for each
    /// worker.
    queue: Option<usize>,
    /// How long an image may have to wait before callers get a 503, milliseconds.
    #[serde(deserialize_with = "base::settings::number_of_milliseconds")]
    max_wait_ms: u64,
    /// Whether the models are loaded at the start, or for the first image, which then takes 0.2 s longer.
    preload: bool,
}

impl Default for ModelsConfig {
    fn default() -> Self {
        Self { folder: None, workers: None, queue: None, max_wait_ms: 1000, preload: false }
    }
}

impl Config {
    pub(crate) fn model_settings(&self) -> ModelPoolSettings {
        let workers = self.models.workers.unwrap_or_else(cores).max(1);
        let queue = QueueLimits {
            max_queued: self.models.queue.unwrap_or(workers * QUEUED_IMAGES_PER_WORKER),
            max_wait: Duration::from_millis(self.models.max_wait_ms),
        };
        ModelPoolSettings { folder: self.models_folder(), workers, queue, preload: self.models.preload }
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
