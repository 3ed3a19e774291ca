//! The weights of the cues. `training/liveness-cues/README.md` describes how they were fitted.

use super::presentation_cues::CUE_COUNT;

/// Log odds against a live face from the value of one cue: 0 up to `from`, `max` from `to` on, linear in between.
pub(super) struct CueWeight {
    pub(super) from: f32,
    pub(super) to: f32,
    pub(super) max: f32,
}

/// Log odds of a live face where no cue speaks against it.
pub(super) const BIAS: f32 = 1.15;

/// In the order of [`super::presentation_cues::CUE_NAMES`].
pub(super) const WEIGHTS: [CueWeight; CUE_COUNT] = [
    // grid_fine
    CueWeight { from: 1.286, to: 5.778, max: 6.65 },
    // grid_coarse
    CueWeight { from: 1.061, to: 1.897, max: 0.86 },
    // grid_colour
    CueWeight { from: 1.392, to: 4.521, max: 5.03 },
    // grain
    CueWeight { from: -2.325, to: 0.344, max: 4.55 },
    // lifted_black: also depends on clothes and walls, so it must not decide alone
    CueWeight { from: 0.291, to: 0.488, max: 1.2 },
    // pale: the same
    CueWeight { from: 0.639, to: 0.8, max: 0.8 },
    // rim
    CueWeight { from: 0.8, to: 1.051, max: 2.5 },
];

/// See [`super::BuiltInCues::THRESHOLDS`].
pub(super) const THRESHOLDS: super::CueThresholds =
    super::CueThresholds { low: 0.641, medium: 0.704, high: 0.744 };
