//! Age and liveness from one image. Nothing of the image is kept after the call.

mod analyser;
mod face_rules;
pub mod sample_faces;
mod threshold;

pub use analyser::{
    AnalysisError, AnalysisRequest, AnalysisRules, ImageAnalyser, ImageAnalysis, LivenessResult,
    ModelPoolSettings, ModelsNotReadyError,
};
pub(crate) use analyser::{MODELS_RETRY_WAIT, single_face};
pub use face_rules::{FaceError, FaceErrorCode, FaceRules};
pub use threshold::{AgeThreshold, InvalidThresholdError, ThresholdOperator};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// How much evidence a liveness answer needs before it is `real`.
    pub enum LivenessAssurance {
        /// Rejects the fewest people, and stops the fewest attacks.
        Low => "low",
        /// The default.
        Medium => "medium",
        /// Stops the most attacks, and rejects the most people.
        High => "high",
    }
}

wire_enum! {
    /// How strictly an image is validated before its age is estimated.
    pub enum ValidationLevel {
        /// Relaxed: the limits on face and image are halved; file size, JPEG quality and light are not checked.
        Low => "low",
        /// The default.
        High => "high",
    }
}

wire_enum! {
    /// A liveness answer.
    pub enum LivenessPrediction {
        Real => "real",
        /// A presentation attack, or not enough evidence against one.
        Fake => "fake",
    }
}
