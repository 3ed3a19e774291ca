//! Presentation attack detection (ISO/IEC 30107-3): tells a live face from a picture of one.
//!
//! The built-in model is experimental. It measures cues that need no trained net: lines and grain that prints and
//! panels leave in the spectrum, the tones that they lose, the borders that they show. A cue can only speak against a
//! face, never for it. A good photo print and a fine display held close show none of these cues and pass.
//! `docs/ACCURACY.md` has the numbers.

mod colour_range;
mod frame_edges;
mod presentation_cues;
mod spectrum;
mod weights;

use crate::Face;
use base::Picture;
use spectrum::SpectrumAnalyser;
use std::fmt::Write as _;

/// The score of one face.
#[derive(Clone, Debug, PartialEq)]
pub struct LivenessScore {
    /// 0 (certainly an attack) to 1 (certainly a live face).
    pub real: f32,
    /// The cues behind the score, by name, for `explain`; no picture can be reconstructed from them. Empty for nets.
    pub cues: Vec<(&'static str, f32)>,
}

/// A model that scores faces: the built-in cues, or a net that the manifest describes.
pub trait LivenessModel: Send {
    fn score(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, crate::VisionError>;
}

/// Scores from which a face counts as live, by level of assurance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CueThresholds {
    /// Refuses the fewest live faces.
    pub low: f32,
    /// The default.
    pub medium: f32,
    /// Lets the fewest attacks pass.
    pub high: f32,
}

/// The built-in model: a weighted sum of cues.
pub struct BuiltInCues {
    spectrum: SpectrumAnalyser,
}

/// The model that needs no file.
pub fn built_in() -> BuiltInCues {
    BuiltInCues { spectrum: SpectrumAnalyser::new() }
}

impl BuiltInCues {
    /// Id of the model in manifests, with its version.
    pub const MODEL_ID: &'static str = "liveness-cues-1";

    /// Chosen on the live pictures that the weights were fitted on: low refuses 1 % of them, medium 3 %, high 10 %.
    /// More of other pictures are refused; see `docs/ACCURACY.md`.
    pub const THRESHOLDS: CueThresholds = weights::THRESHOLDS;

    /// SHA-256 in hexadecimal over all parameters as text: builds with the same digest score the same.
    pub fn digest() -> String {
        hex::encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, parameters().as_bytes()))
    }
}

impl LivenessModel for BuiltInCues {
    fn score(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, crate::VisionError> {
        let cues = presentation_cues::measure(&mut self.spectrum, picture, face);
        let mut odds = weights::BIAS;
        for (cue, weight) in cues.iter().zip(&weights::WEIGHTS) {
            let share = ((cue - weight.from) / (weight.to - weight.from)).clamp(0.0, 1.0);
            odds -= weight.max * share;
        }
        let real = 1.0 / (1.0 + (-odds).exp());
        Ok(LivenessScore { real, cues: presentation_cues::CUE_NAMES.into_iter().zip(cues).collect() })
    }
}

/// The parameters, one a line in a fixed order. The first line is the model's id, which must change when the code of a
/// cue does.
fn parameters() -> String {
    let mut text = format!("{}\nbias {:?}\n", BuiltInCues::MODEL_ID, weights::BIAS);
    for (name, weight) in presentation_cues::CUE_NAMES.iter().zip(&weights::WEIGHTS) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name} {:?} {:?} {:?}", weight.from, weight.to, weight.max);
    }
    let CueThresholds { low, medium, high } = BuiltInCues::THRESHOLDS;
    let _ = writeln!(text, "thresholds {low:?} {medium:?} {high:?}");
    text
}

#[cfg(test)]
mod tests;
