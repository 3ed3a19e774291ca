//! A portrait on a display.

use super::dice::Dice;
use super::light::Source;
use super::{Half, Species};

/// A panel of red, green and blue stripes, seen through its glass.
pub(super) struct Screen {
    /// Frame pixels for each pixel of the panel.
    pub(super) pitch: f32,
    /// How much of the stripes is left: finer panels than the lens can tell apart are flat light.
    structure: f32,
    lit: f32,
    gap: f32,
    diamond: bool,
    gamma: f32,
    black: f32,
    tint: [f32; 3],
    glare: [f32; 5],
    bars: bool,
    /// Light of the rim around the panel.
    pub(super) bezel: f32,
    /// Width of that rim, in pixels of the portrait.
    pub(super) rim: f32,
}

impl Screen {
    pub(super) fn draw(species: Species, half: Half, source: &Source, dice: &mut Dice) -> Self {
        let pitch = match species {
            Species::ScreenMonitor => dice.held(half, 1.7, 3.5),
            Species::ScreenLaptop => dice.held(half, 1.0, 1.7),
            Species::ScreenTablet => dice.held(half, 0.72, 1.0),
            _ => dice.held(half, 0.4, 0.62),
        };
        Self {
            pitch,
            structure: ((pitch - 0.5) / 0.4).clamp(0.0, 1.0),
            lit: dice.between(0.7, 0.95),
            gap: dice.between(0.08, 0.25),
            diamond: species == Species::ScreenPhone || species == Species::ScreenTablet && dice.chance(0.3),
            gamma: dice.held(half, 0.9, 1.25),
            black: dice.held(half, 0.002, 0.03),
            tint: [dice.between(0.88, 1.0), 1.0, dice.between(1.0, 1.18)],
            glare: [
                dice.unit(),
                dice.unit(),
                dice.between(0.1, 0.5),
                if dice.chance(0.5) { dice.between(0.0, 0.12) } else { 0.0 },
                dice.between(0.0, 0.02),
            ],
            bars: dice.chance(0.3),
            bezel: if dice.chance(0.85) { dice.between(0.004, 0.03) } else { dice.between(0.4, 0.7) },
            rim: dice.between(0.02, 0.09) * source.width,
        }
    }

    /// Light from a point of the portrait.
    pub(super) fn at(&self, source: &Source, scale: f32, u: f32, v: f32) -> [f32; 3] {
        let (px, py) = (u * scale / self.pitch, v * scale / self.pitch);
        let (column, row) = (px.floor(), py.floor());
        // A panel pixel has one colour: that of the portrait at its centre.
        let shown = source.at((column + 0.5) * self.pitch / scale, (row + 0.5) * self.pitch / scale);
        let stripe = (px - column) * 3.0;
        let lamp = (stripe as usize).min(2);
        let on = (stripe - lamp as f32) < self.lit && (py - row) < 1.0 - self.gap;
        let haze = self.reflected(u / source.width, v / source.height);
        let full = 1.0 / (self.lit * (1.0 - self.gap));
        let mut out = [0.0; 3];
        for (c, value) in out.iter_mut().enumerate() {
            let emitted =
                (self.black + (1.0 - self.black) * shown[c].clamp(0.0, 1.0).powf(self.gamma)) * self.tint[c];
            let own = if self.diamond { diamond_lamp(c, column, row) } else { lamp == c };
            let struck = if own && on { if self.diamond { full * 1.5 } else { full * 3.0 } } else { 0.0 };
            *value = emitted * (1.0 + (struck - 1.0) * self.structure) + haze;
        }
        out
    }

    /// The room in the glass: a veil and a lamp's soft spot, or a window with straight bars.
    fn reflected(&self, u: f32, v: f32) -> f32 {
        let [x, y, radius, strength, veil] = self.glare;
        let (dx, dy) = ((u - x) / radius, (v - y) / radius);
        let spot = if self.bars {
            f32::from(u8::from(dx.abs() < 0.8 && dy.abs() < 0.8 && dx.abs() > 0.06 && dy.abs() > 0.06))
        } else {
            (1.0 - dx * dx - dy * dy).max(0.0)
        };
        veil + strength * spot
    }
}

/// Green in each pixel, red and blue in turns.
fn diamond_lamp(c: usize, column: f32, row: f32) -> bool {
    let even = (column as i64 + row as i64) % 2 == 0;
    match c {
        1 => true,
        0 => even,
        _ => !even,
    }
}
