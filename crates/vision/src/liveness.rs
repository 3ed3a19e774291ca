//! Telling a live face from a picture of one (ISO/IEC 30107-3: presentation attack detection).

use crate::Face;
use base::Picture;

/// What a liveness model says of one face.
#[derive(Clone, Debug, PartialEq)]
pub struct LivenessScore {
    /// 0 (surely an attack) to 1 (surely a live face).
    pub real: f32,
    /// The measures behind the score, by name, for `explain`; no picture can be rebuilt from them.
    pub cues: Vec<(&'static str, f32)>,
}

/// Anything that can score a face. The default one measures cues; a net is a manifest away.
pub trait LivenessModel: Send {
    /// Scores one face of a picture.
    fn score(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, crate::VisionError>;
}
