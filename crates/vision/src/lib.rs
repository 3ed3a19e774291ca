//! Computer vision on faces: detection, age, liveness, embeddings, quality, tracking through video, and active
//! challenges. The only crate that knows ONNX Runtime; it knows no tenant and no HTTP.

mod age;
mod box_overlap;
mod capture_quality;
pub mod challenge;
mod crop;
mod detect;
mod embed;
mod face;
mod face_portrait;
mod face_relief;
mod face_template;
mod inference;
mod job_queue;
pub mod liveness;
mod luma_grid;
pub mod model_manifest;
mod models;
mod orientation;
mod pool;
mod quality;
mod runtime_telemetry;
mod tile_layout;
mod tiled_detection;
pub mod track;
mod upright_face;
mod video_tile_scheduler;

pub use age::AgeEstimate;
pub use box_overlap::is_same_face;
pub use capture_quality::CaptureQuality;
pub use embed::{EmbeddingSpace, embedding_distance, mean_embedding};
pub use face::Face;
pub use face_portrait::face_portrait;
pub use face_relief::{FaceRelief, MIN_HEAD_RELIEF, ReliefVerdict};
pub use face_template::{FaceTemplate, TemplateMatch};
pub use inference::{NamedTensors, NeuralNet, OnnxNet, OnnxRuntime, ScriptedNet};
pub use job_queue::{PoolBusyError, PoolStats, QueueLimits};
pub use luma_grid::{LumaChange, LumaGrid, PictureBox};
pub use model_manifest::ModelTask;
pub use models::{ModelInfo, VisionModels, load_net, verify_probe};
pub use pool::{InferencePool, PoolGoneError};
pub use quality::{FaceQuality, face_luma};
pub use runtime_telemetry::disable_runtime_telemetry;
pub use upright_face::{UPRIGHT_FEATURES, upright_features};
pub use video_tile_scheduler::VideoTileScheduler;

/// Why a model gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum VisionError {
    /// A model's output cannot be used: it is not finite, out of range, or of the wrong length.
    #[error("model {model} answered with unusable numbers: {what}")]
    Unusable {
        /// Id of the model in the manifest.
        model: String,
        what: String,
    },
    /// ONNX Runtime failed.
    #[error("the inference runtime failed on model {model}: {cause}")]
    Runtime {
        /// Id of the model in the manifest.
        model: String,
        /// The runtime's own message; for the log only.
        cause: String,
    },
    /// A model that is loaded when it is needed cannot be loaded.
    #[error(transparent)]
    Load(Box<ModelLoadError>),
}

impl From<ModelLoadError> for VisionError {
    fn from(error: ModelLoadError) -> Self {
        Self::Load(Box::new(error))
    }
}

/// Why models cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ModelLoadError {
    /// The pack's manifest or one of its files is wrong.
    #[error(transparent)]
    Pack(#[from] model_manifest::ModelPackError),
    /// The library of ONNX Runtime cannot be loaded.
    #[error("the inference runtime {library} cannot be loaded: {cause}")]
    Runtime {
        /// Path of the library.
        library: String,
        cause: String,
    },
    /// A model cannot be used.
    #[error("model {id} cannot be used: {cause}")]
    Model {
        /// Id of the model in the manifest.
        id: String,
        cause: String,
    },
    /// A model's probe did not run.
    #[error(transparent)]
    Vision(VisionError),
}

impl ModelLoadError {
    fn wrong(model: &model_manifest::ModelEntry, what: &str) -> Self {
        Self::Model { id: model.id.clone(), cause: what.to_owned() }
    }
}
