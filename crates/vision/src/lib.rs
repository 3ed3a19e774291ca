//! A face picture in, numbers out: detect, align, estimate age, tell real from fake. Knows no tenant and no HTTP.

mod age;
pub mod challenge;
mod crop;
mod detect;
mod embed;
mod engine;
mod face;
mod find;
pub mod import;
pub mod liveness;
mod models;
mod onnx;
pub mod pack;
mod pool;
mod quality;
mod sweep;
pub mod track;
mod turned;

pub use age::AgeEstimate;
pub use embed::{Space, distance, mean};
pub use engine::{Net, OnnxNet, Runtime, ScriptedNet, Tensors};
pub use face::Face;
pub use models::{ModelInfo, Vision, face_luma, load_net};
pub use pack::Task;
pub use pool::{Busy, Pool, PoolGone, Stats};
pub use quality::Quality;
pub use sweep::Sweep;

/// Why the models gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum VisionError {
    /// A model answered with numbers that mean nothing (not finite, or of the wrong length).
    #[error("model {model} answered with unusable numbers: {what}")]
    Unusable {
        /// Id of the model in the manifest.
        model: String,
        /// What was wrong.
        what: String,
    },
    /// The runtime refused.
    #[error("the inference runtime failed on model {model}: {cause}")]
    Runtime {
        /// Id of the model in the manifest.
        model: String,
        /// The runtime's own words; for the log only.
        cause: String,
    },
}

/// Why models cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The pack is not sound.
    #[error(transparent)]
    Pack(#[from] pack::PackError),
    /// The runtime's library cannot be used.
    #[error("the inference runtime {library} cannot be loaded: {cause}")]
    Runtime {
        /// Which file.
        library: String,
        /// The loader's own words.
        cause: String,
    },
    /// A model cannot be used.
    #[error("model {id} cannot be used: {cause}")]
    Model {
        /// Id of the model in the manifest.
        id: String,
        /// What is wrong.
        cause: String,
    },
    /// A model's probe did not run.
    #[error(transparent)]
    Vision(VisionError),
}

impl LoadError {
    fn wrong(model: &pack::Model, what: &str) -> Self {
        Self::Model { id: model.id.clone(), cause: what.to_owned() }
    }
}
