//! Telling a live face from a picture of one (ISO/IEC 30107-3: presentation attack detection).
//!
//! The built-in model is experimental. It measures what can be measured without a trained net: lines and
//! grain that print and panel leave in the spectrum, the tones they lose, the border they show. Every measure
//! can only speak against a face; none vouches for one. A good photo print and a fine display held close
//! leave none of these traces and pass. `docs/ACCURACY.md` has the numbers.

mod colour_range;
mod frame_edges;
mod presentation_cues;
mod spectrum;
mod weights;

use crate::Face;
use base::Picture;
use spectrum::SpectrumAnalyser;
use std::fmt::Write as _;

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

/// A face counts as live when its score is at least the threshold of the level of assurance asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CueThresholds {
    /// Low assurance: few live faces are refused.
    pub low: f32,
    /// Medium assurance, the default.
    pub medium: f32,
    /// High assurance: fewer attacks pass, more live faces are refused.
    pub high: f32,
}

/// The built-in model: measures, weighed and summed.
pub struct BuiltInCues {
    spectrum: SpectrumAnalyser,
}

/// The model that is there without any file.
pub fn built_in() -> BuiltInCues {
    BuiltInCues { spectrum: SpectrumAnalyser::new() }
}

impl BuiltInCues {
    /// Name and edition of the model.
    pub const MODEL_ID: &'static str = "liveness-cues-1";

    /// Chosen on the live pictures that the weights were fitted on: low refuses 1 % of those, medium 3 %,
    /// high 10 %. Other pictures fare worse; see `docs/ACCURACY.md`.
    pub const THRESHOLDS: CueThresholds = weights::THRESHOLDS;

    /// SHA-256, in hexadecimal, over a text of every parameter: two builds with the same digest weigh alike.
    pub fn digest() -> String {
        hex::encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, parameters().as_bytes()))
    }
}

impl LivenessModel for BuiltInCues {
    fn score(&mut self, picture: &Picture, face: &Face) -> Result<LivenessScore, crate::VisionError> {
        let measures = presentation_cues::measure(&mut self.spectrum, picture, face);
        let mut odds = weights::BIAS;
        for (measure, weight) in measures.iter().zip(&weights::WEIGHTS) {
            let share = ((measure - weight.from) / (weight.to - weight.from)).clamp(0.0, 1.0);
            odds -= weight.most * share;
        }
        let real = 1.0 / (1.0 + (-odds).exp());
        Ok(LivenessScore { real, cues: presentation_cues::CUE_NAMES.into_iter().zip(measures).collect() })
    }
}

/// One line a parameter, in a fixed order. The first names the code: change it when a measure changes.
fn parameters() -> String {
    let mut text = format!("{}\nbias {:?}\n", BuiltInCues::MODEL_ID, weights::BIAS);
    for (name, weight) in presentation_cues::CUE_NAMES.iter().zip(&weights::WEIGHTS) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name} {:?} {:?} {:?}", weight.from, weight.to, weight.most);
    }
    let CueThresholds { low, medium, high } = BuiltInCues::THRESHOLDS;
    let _ = writeln!(text, "thresholds {low:?} {medium:?} {high:?}");
    text
}

#[cfg(test)]
mod tests;
