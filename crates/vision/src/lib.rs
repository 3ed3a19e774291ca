//! A face picture in, numbers out: detect, align, estimate age, tell real from fake. Knows no tenant and no HTTP.

mod face;
pub mod liveness;

pub use face::Face;

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
