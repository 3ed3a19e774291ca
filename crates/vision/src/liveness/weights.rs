//! What the measures are worth. `training/liveness-cues/README.md` says how these numbers came about.

use super::presentation_cues::CUE_COUNT;

/// One measure: below `from` it says nothing, above `to` it says no more; in between its word grows evenly
/// up to `most`, in log odds against a live face.
pub(super) struct Weight {
    pub(super) from: f32,
    pub(super) to: f32,
    pub(super) most: f32,
}

/// Log odds of a live face when no measure raises suspicion.
pub(super) const BIAS: f32 = 1.15;

/// In the order of [`super::presentation_cues::CUE_NAMES`].
pub(super) const WEIGHTS: [Weight; CUE_COUNT] = [
    // grid_fine
    Weight { from: 1.286, to: 5.778, most: 6.65 },
    // grid_coarse
    Weight { from: 1.061, to: 1.897, most: 0.86 },
    // grid_colour
    Weight { from: 1.392, to: 4.521, most: 5.03 },
    // grain
    Weight { from: -2.325, to: 0.344, most: 4.55 },
    // lifted_black: clothes and walls have their own tones, so it must not decide alone
    Weight { from: 0.291, to: 0.488, most: 1.2 },
    // pale: likewise
    Weight { from: 0.639, to: 0.8, most: 0.8 },
    // rim
    Weight { from: 0.8, to: 1.051, most: 2.5 },
];

/// See [`super::BuiltInCues::THRESHOLDS`].
pub(super) const THRESHOLDS: super::CueThresholds =
    super::CueThresholds { low: 0.641, medium: 0.704, high: 0.744 };
