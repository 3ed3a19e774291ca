//! Chance with a seed, so that a simulated picture can be made again.

use super::Half;

/// A small generator (SplitMix64): the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

/// Into how many cells a range is cut before the two halves take turns.
const CELLS: u32 = 8;

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// At least 0 and below 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.word() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn chance(&mut self, share: f32) -> bool {
        self.unit() < share
    }

    /// A value of `low..high` that the other half never draws: the range is cut into cells, the halves own
    /// every other one.
    pub(crate) fn held(&mut self, half: Half, low: f32, high: f32) -> f32 {
        let cell = (self.unit() * (CELLS / 2) as f32) as u32 * 2 + u32::from(half == Half::Report);
        low + (high - low) * (cell as f32 + self.unit()) / CELLS as f32
    }

    /// About a normal deviate: mean 0, variance 1, never beyond 3.5.
    pub(crate) fn gauss(&mut self) -> f32 {
        let word = self.word();
        let sum: u32 = (0..4).map(|i| (word >> (16 * i)) as u32 & 0xffff).sum();
        (sum as f32 / 65536.0 - 2.0) * 3f32.sqrt()
    }
}

/// A number of 0 to below 1 that depends on nothing but the cell.
pub(crate) fn cell_noise(x: i32, y: i32, salt: u64) -> f32 {
    let key = salt ^ ((x as u32 as u64) << 32 | y as u32 as u64);
    (mix(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 40) as f32 / (1u64 << 24) as f32
}

fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
