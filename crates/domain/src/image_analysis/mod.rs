//! Age and liveness from one image. Nothing of an image outlives the call.

mod analyser;
mod face_rules;
pub mod sample_faces;
mod threshold;

pub(crate) use analyser::single_face;
pub use analyser::{
    AnalysisError, AnalysisRequest, AnalysisRules, ImageAnalyser, ImageAnalysis, LivenessResult,
    ModelPoolSettings, ModelsNotReadyError,
};
pub use face_rules::{FaceError, FaceErrorCode, FaceRules};
pub use threshold::{AgeThreshold, InvalidThresholdError, ThresholdOperator};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// How sure a liveness answer must be before it says `real`.
    pub enum LivenessAssurance {
        /// Refuses the fewest people.
        Low => "low",
        /// The default.
        Medium => "medium",
        /// Refuses the most attacks, and the most people.
        High => "high",
    }
}

wire_enum! {
    /// How strictly an image is looked at before its age is estimated.
    pub enum ValidationLevel {
        /// Relaxed: face and image limits halved; file size, JPEG quality and light are not checked.
        Low => "low",
        /// The default.
        High => "high",
    }
}

wire_enum! {
    /// A liveness answer.
    pub enum LivenessPrediction {
        /// A live face.
        Real => "real",
        /// An attack, or not enough to tell it from one.
        Fake => "fake",
    }
}
