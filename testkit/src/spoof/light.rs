//! A picture in linear light, with the dressing that a studio portrait lacks.

use super::dice::{Dice, cell_noise};
use super::{FaceBox, Portrait};
use image::imageops::FilterType;

/// Linear light, three floats a pixel, 0 (black) to 1 (white).
pub(super) struct Light {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) rgb: Vec<[f32; 3]>,
}

/// A portrait enlarged for sampling; coordinates stay those of the portrait.
pub(super) struct Source {
    light: Light,
    enlarged: f32,
    /// Size of the portrait in its own pixels.
    pub(super) width: f32,
    pub(super) height: f32,
}

impl Source {
    /// Enlarges a portrait until its face is about 450 pixels wide, then gives it skin detail and, behind
    /// the person, the straight edges of a room. All of it goes into live pictures and attacks alike.
    pub(super) fn dress(portrait: &Portrait, dice: &mut Dice) -> Self {
        let (width, height) = (portrait.picture.width(), portrait.picture.height());
        let enlarged = (450.0 / portrait.face.width().max(1.0)).clamp(1.0, 3.0);
        let size = ((width as f32 * enlarged) as u32, (height as f32 * enlarged) as u32);
        let big = image::RgbImage::from_raw(width, height, portrait.picture.rgb().to_vec())
            .map(|small| image::imageops::resize(&small, size.0, size.1, FilterType::Lanczos3))
            .unwrap_or_default();
        let to_linear: Vec<f32> = (0..=255u8).map(linear_of).collect();
        let rgb = big.pixels().map(|p| p.0.map(|byte| to_linear[usize::from(byte)])).collect();
        let mut light = Light { width: size.0 as usize, height: size.1 as usize, rgb };
        let face = portrait.face.scaled(enlarged);
        if dice.chance(0.45) {
            furnish(&mut light, face, dice);
        }
        if dice.chance(0.7) {
            roughen(&mut light, dice);
        }
        shade(&mut light, dice);
        Self { light, enlarged, width: width as f32, height: height as f32 }
    }

    /// Light at a point of the portrait; the border goes on outside.
    pub(super) fn at(&self, x: f32, y: f32) -> [f32; 3] {
        self.light.at(x * self.enlarged - 0.5, y * self.enlarged - 0.5)
    }
}

impl Light {
    pub(super) fn black(width: usize, height: usize) -> Self {
        Self { width, height, rgb: vec![[0.0; 3]; width * height] }
    }

    fn at(&self, x: f32, y: f32) -> [f32; 3] {
        let x = x.clamp(0.0, self.width as f32 - 1.001);
        let y = y.clamp(0.0, self.height as f32 - 1.001);
        let (left, top) = (x as usize, y as usize);
        let (fx, fy) = (x - left as f32, y - top as f32);
        let at = top * self.width + left;
        let (above, below) = (at, at + self.width);
        let mut out = [0.0; 3];
        for (c, value) in out.iter_mut().enumerate() {
            let upper = self.rgb[above][c] * (1.0 - fx) + self.rgb[above + 1][c] * fx;
            let lower = self.rgb[below][c] * (1.0 - fx) + self.rgb[below + 1][c] * fx;
            *value = upper * (1.0 - fy) + lower * fy;
        }
        out
    }
}

/// Linear light of an sRGB byte.
pub(super) fn linear_of(byte: u8) -> f32 {
    let v = f32::from(byte) / 255.0;
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// sRGB value, 0 to 1, of linear light.
pub(super) fn srgb_of(linear: f32) -> f32 {
    let v = linear.clamp(0.0, 1.0);
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

/// Door frames, shelves, window bars: straight edges that are no bezel, kept off the person.
fn furnish(light: &mut Light, face: FaceBox, dice: &mut Dice) {
    let (cx, cy) = face.centre();
    let (rx, ry) = (face.width() * 0.85, face.height() * 1.0);
    for _ in 0..=(dice.unit() * 4.0) as usize {
        let upright = dice.chance(0.6);
        let slant = dice.between(-0.04, 0.04);
        let from = dice.unit() * if upright { light.width } else { light.height } as f32;
        let wide = dice.between(0.03, 0.5) * light.width as f32;
        let gain = [0; 3].map(|_| dice.between(0.35, 1.7));
        for y in 0..light.height {
            for x in 0..light.width {
                let (fx, fy) = (x as f32, y as f32);
                let along = if upright { fx + slant * fy } else { fy + slant * fx };
                let (dx, dy) = ((fx - cx) / rx, (fy - cy) / ry);
                // Shoulders: everything below the chin that is nearer than a widening cone.
                let body = fy > cy + ry * 0.7 && (fx - cx).abs() < rx * (0.8 + 1.6 * (dy - 0.7));
                if along >= from && along < from + wide && dx * dx + dy * dy > 1.0 && !body {
                    let pixel = &mut light.rgb[y * light.width + x];
                    for c in 0..3 {
                        pixel[c] = (pixel[c] * gain[c]).min(1.0);
                    }
                }
            }
        }
    }
}

/// Pores and hair: multiplicative noise in two octaves, which enlarging has no way to bring back.
fn roughen(light: &mut Light, dice: &mut Dice) {
    let (fine, coarse) = (dice.between(0.01, 0.09), dice.between(0.01, 0.06));
    let (salt, other) = (dice.word(), dice.word());
    for y in 0..light.height {
        for x in 0..light.width {
            let gain = 1.0
                + fine * (smooth_noise(x as f32 / 1.7, y as f32 / 1.7, salt) - 0.5)
                + coarse * (smooth_noise(x as f32 / 4.3, y as f32 / 4.3, other) - 0.5);
            light.rgb[y * light.width + x].iter_mut().for_each(|v| *v *= gain);
        }
    }
}

fn smooth_noise(x: f32, y: f32, salt: u64) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (fx, fy) = (x - left, y - top);
    let at = |dx: i32, dy: i32| cell_noise(left as i32 + dx, top as i32 + dy, salt);
    let upper = at(0, 0) * (1.0 - fx) + at(1, 0) * fx;
    let lower = at(0, 1) * (1.0 - fx) + at(1, 1) * fx;
    upper * (1.0 - fy) + lower * fy
}

/// Light from one side.
fn shade(light: &mut Light, dice: &mut Dice) {
    let (across, down) = (dice.between(-0.35, 0.35), dice.between(-0.25, 0.25));
    for y in 0..light.height {
        let v = y as f32 / light.height as f32 - 0.5;
        for x in 0..light.width {
            let u = x as f32 / light.width as f32 - 0.5;
            light.rgb[y * light.width + x].iter_mut().for_each(|value| *value *= 1.0 + across * u + down * v);
        }
    }
}
