//! Age and liveness from one image. Nothing of an image outlives the call.

mod estimator;
mod faces;
pub mod sample;
mod threshold;

pub(crate) use estimator::only_face;
pub use estimator::{Ask, Estimator, Finding, Liveness, Models, NotReady, Refusal, Rules};
pub use faces::{FaceCode, FaceProblem, FaceRules};
pub use threshold::{BadThreshold, Operator, Threshold};

use crate::words::wire_enum;

wire_enum! {
    /// How sure a liveness answer must be before it says `real`.
    pub enum Assurance {
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
    pub enum Validation {
        /// Relaxed: face and image limits halved; file size, JPEG quality and light are not checked.
        Low => "low",
        /// The default.
        High => "high",
    }
}

wire_enum! {
    /// A liveness answer.
    pub enum Prediction {
        /// A live face.
        Real => "real",
        /// An attack, or not enough to tell it from one.
        Fake => "fake",
    }
}
