//! Recognises the characters of a strip: the net gives the probability of every character at every step.

use super::curved_line::STRIP_HEIGHT_PIXELS;
use crate::mrz::ALPHABET;
use vision::{ModelLoadError, NeuralNet, OnnxNet, OnnxRuntime, VisionError};

/// The characters and the blank of CTC.
pub(super) const CTC_CLASSES: usize = ALPHABET.len() + 1;

/// The weights; `crates/documents/training/mrz` trains them.
const MODEL_BYTES: &[u8] = include_bytes!("../../../models/mrz.onnx");
const MODEL_ID: &str = "mrz-lines";

/// Log-probabilities of [`CTC_CLASSES`] classes at each step: the blank first, then the characters of [`ALPHABET`].
#[derive(Clone, Debug)]
pub(super) struct CtcSteps(Vec<f32>);

impl CtcSteps {
    pub(super) fn len(&self) -> usize {
        self.0.len() / CTC_CLASSES
    }

    pub(super) fn at(&self, step: usize) -> &[f32] {
        &self.0[step * CTC_CLASSES..(step + 1) * CTC_CLASSES]
    }

    #[cfg(test)]
    pub(super) fn new(values: Vec<f32>) -> Self {
        Self(values)
    }
}

/// A greedy reading, without grammar.
#[derive(Clone, Debug, Default)]
pub(super) struct GreedyText {
    /// Each character as its index into [`ALPHABET`], and the step at which it begins.
    pub(super) characters: Vec<(usize, usize)>,
    /// Mean probability of the characters.
    pub(super) confidence: f32,
}

pub(super) fn load(runtime: &OnnxRuntime) -> Result<OnnxNet, ModelLoadError> {
    OnnxNet::load(MODEL_ID, MODEL_BYTES, "strip", runtime)
}

/// Runs the net over one strip.
pub(super) fn recognise(net: &mut dyn NeuralNet, strip: &[f32]) -> Result<CtcSteps, VisionError> {
    let width = strip.len() / STRIP_HEIGHT_PIXELS;
    let outputs = net.run(strip, [1, 1, STRIP_HEIGHT_PIXELS, width])?;
    let unusable = |what: &str| VisionError::Unusable { model: MODEL_ID.to_owned(), what: what.to_owned() };
    let logits = &outputs.first().ok_or_else(|| unusable("there is no output"))?.1;
    let count = logits.len() / CTC_CLASSES;
    if count == 0 || count * CTC_CLASSES != logits.len() || logits.iter().any(|v| !v.is_finite()) {
        return Err(unusable("its output is not a row of classes"));
    }
    let mut steps = vec![0.0; logits.len()];
    for step in 0..count {
        let out = &mut steps[step * CTC_CLASSES..(step + 1) * CTC_CLASSES];
        for (class, out) in out.iter_mut().enumerate() {
            *out = logits[class * count + step];
        }
        let most = out.iter().copied().fold(f32::MIN, f32::max);
        let sum = out.iter().map(|v| (v - most).exp()).sum::<f32>().ln() + most;
        for v in out {
            *v -= sum;
        }
    }
    Ok(CtcSteps(steps))
}

/// Takes the most likely class of every step, and removes repeats and blanks.
pub(super) fn read_greedily(steps: &CtcSteps) -> GreedyText {
    let mut out = GreedyText::default();
    let (mut before, mut sum) = (0, 0.0);
    for step in 0..steps.len() {
        let row = steps.at(step);
        let best = (0..CTC_CLASSES).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0);
        if best > 0 && best != before {
            out.characters.push((best - 1, step));
            sum += row[best].exp();
        }
        before = best;
    }
    out.confidence = sum / out.characters.len().max(1) as f32;
    out
}
