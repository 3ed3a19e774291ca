//! A portrait on paper.

use super::dice::Dice;
use super::light::Source;
use super::pose::Pose;
use super::{Half, Species};
use std::f32::consts::TAU;

/// How the ink lies.
enum Laying {
    /// Clustered dots on a turned grid for each ink. The cell is in frame pixels.
    Halftone { cell: f32, angles: [(f32, f32); 4] },
    /// Single drops, placed by error diffusion; one byte a place, one bit an ink.
    Drops { pitch: f32, across: usize, down: usize, inks: Vec<u8> },
    /// Dye without dots, as from a photo laboratory.
    Dye,
}

/// A print: paper, inks and how they were laid.
pub(super) struct Print {
    laying: Laying,
    white: [f32; 3],
    black: f32,
    gain: f32,
    wave: Vec<f32>,
    /// Width of the white rim, in pixels of the portrait; 0 when the frame lies within the picture.
    pub(super) rim: f32,
}

const WAVE: usize = 1024;

impl Print {
    pub(super) fn draw(species: Species, half: Half, source: &Source, pose: &Pose, dice: &mut Dice) -> Self {
        let white = dice.held(half, 0.72, 0.93);
        let tint = dice.between(-0.03, 0.03);
        let gain = dice.between(0.8, 1.05);
        let laying = match species {
            Species::HalftoneCoarse => halftone(dice.held(half, 2.8, 6.0), dice),
            Species::HalftoneFine => halftone(dice.held(half, 1.4, 2.8), dice),
            Species::Inkjet => drops(dice.held(half, 0.5, 1.1), gain, source, pose),
            _ => Laying::Dye,
        };
        Self {
            laying,
            white: [white * (1.0 + tint), white, white * (1.0 - tint)],
            black: dice.held(half, 0.015, 0.09),
            gain,
            wave: (0..WAVE).map(|i| 0.25 * (TAU * i as f32 / WAVE as f32).cos()).collect(),
            rim: dice.between(0.0, 0.07) * source.width,
        }
    }

    /// Light that the sheet sends back at a point of the portrait.
    pub(super) fn at(&self, source: &Source, scale: f32, u: f32, v: f32) -> [f32; 3] {
        if u < 0.0 || v < 0.0 || u >= source.width || v >= source.height {
            return self.white;
        }
        match &self.laying {
            Laying::Dye => {
                let light = source.at(u, v);
                let mut out = [0.0; 3];
                for c in 0..3 {
                    out[c] = self.white[c] * (self.black + (1.0 - self.black) * light[c].min(1.0));
                }
                out
            }
            Laying::Halftone { cell, angles } => {
                let cover = separate(source.at(u, v), self.gain);
                let (x, y) = (u * scale / cell, v * scale / cell);
                let mut inks = 0u8;
                for (i, (sin, cos)) in angles.iter().enumerate() {
                    let spot = 0.5 + self.ripple(x * cos + y * sin) + self.ripple(y * cos - x * sin);
                    inks |= u8::from(cover[i] > spot) << i;
                }
                self.inked(inks)
            }
            Laying::Drops { pitch, across, down, inks } => {
                let column = ((u * scale / pitch) as usize).min(across - 1);
                let row = ((v * scale / pitch) as usize).min(down - 1);
                self.inked(inks[row * across + column])
            }
        }
    }

    fn ripple(&self, turns: f32) -> f32 {
        self.wave[((turns - turns.floor()) * WAVE as f32) as usize & (WAVE - 1)]
    }

    /// Inks are not pure: cyan takes some green, magenta some blue.
    fn inked(&self, inks: u8) -> [f32; 3] {
        const LET_THROUGH: [[f32; 3]; 4] =
            [[0.12, 0.62, 0.85], [0.88, 0.12, 0.55], [0.97, 0.9, 0.12], [0.08; 3]];
        let mut out = self.white;
        for (i, ink) in LET_THROUGH.iter().enumerate() {
            if inks >> i & 1 == 1 {
                for c in 0..3 {
                    out[c] *= ink[c].max(self.black);
                }
            }
        }
        out
    }
}

fn halftone(cell: f32, dice: &mut Dice) -> Laying {
    // The trade's angles keep the four grids from beating against one another.
    let base = dice.between(-20.0, 20.0);
    let angles = [15.0, 75.0, 0.0, 45.0].map(|degrees: f32| (degrees + base).to_radians().sin_cos());
    Laying::Halftone { cell, angles }
}

/// Share of the paper that cyan, magenta, yellow and black cover.
fn separate(light: [f32; 3], gain: f32) -> [f32; 4] {
    let [c, m, y] = light.map(|v| (1.0 - v.clamp(0.0, 1.0).powf(0.75)).powf(gain));
    let k = c.min(m).min(y) * 0.6;
    [c - k, m - k, y - k, k]
}

fn drops(pitch: f32, gain: f32, source: &Source, pose: &Pose) -> Laying {
    let scale = pose.scale();
    let across = ((source.width * scale / pitch) as usize).clamp(8, 4000);
    let down = ((source.height * scale / pitch) as usize).clamp(8, 4000);
    let mut inks = vec![0u8; across * down];
    let mut owed = vec![[0f32; 4]; across + 2];
    let mut next = vec![[0f32; 4]; across + 2];
    for row in 0..down {
        next.fill([0.0; 4]);
        for step in 0..across {
            // Back and forth, so that no diagonal worms grow.
            let ahead = row % 2 == 0;
            let column = if ahead { step } else { across - 1 - step };
            let light = source.at((column as f32 + 0.5) * pitch / scale, (row as f32 + 0.5) * pitch / scale);
            let want = separate(light, gain);
            let (before, after) = if ahead { (column, column + 2) } else { (column + 2, column) };
            for i in 0..4 {
                let sum = want[i] + owed[column + 1][i];
                let fired = sum > 0.5;
                let debt = sum - f32::from(u8::from(fired));
                inks[row * across + column] |= u8::from(fired) << i;
                owed[after][i] += debt * 7.0 / 16.0;
                next[before][i] += debt * 3.0 / 16.0;
                next[column + 1][i] += debt * 5.0 / 16.0;
                next[after][i] += debt / 16.0;
            }
        }
        std::mem::swap(&mut owed, &mut next);
    }
    Laying::Drops { pitch, across, down, inks }
}
