//! The camera. Live faces and attacks pass the very same one, so that no model can learn "studio is real".

use super::dice::Dice;
use super::light::{Light, srgb_of};

/// Gaussian blur, pixel aperture, colour mosaic, noise, exposure, tone and sharpening.
pub(super) struct Camera {
    blur: f32,
    mosaic: bool,
    grain: f32,
    dark: f32,
    balance: [f32; 3],
    target: f32,
    contrast: f32,
    stretch: f32,
    sharpen: f32,
    halved_colour: bool,
}

impl Camera {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        Self {
            blur: dice.between(0.35, 0.95),
            mosaic: dice.chance(0.6),
            grain: dice.between(0.0001, 0.0012),
            dark: dice.between(0.0005, 0.003),
            balance: [dice.between(0.92, 1.08), 1.0, dice.between(0.92, 1.08)],
            target: dice.between(0.2, 0.42),
            contrast: dice.between(0.0, 0.35),
            stretch: if dice.chance(0.5) { dice.between(0.2, 0.9) } else { 0.0 },
            sharpen: dice.between(0.0, 0.9),
            halved_colour: dice.chance(0.6),
        }
    }

    /// Takes light at twice the frame's size and gives sRGB bytes of the frame.
    pub(super) fn take(&self, mut scene: Light, meter: [usize; 4], dice: &mut Dice) -> (u32, u32, Vec<u8>) {
        blur(&mut scene, self.blur * 2.0);
        let mut frame = gather(&scene);
        drop(scene);
        if self.mosaic {
            frame = demosaic(&frame);
        }
        let exposure = self.target / metered(&frame, meter).max(1e-3);
        for pixel in &mut frame.rgb {
            for (c, value) in pixel.iter_mut().enumerate() {
                let light = (*value * exposure * self.balance[c]).max(0.0);
                let noise = (self.grain * light + self.dark * self.dark).sqrt() * dice.gauss();
                *value = srgb_of(light + noise);
            }
        }
        self.develop(&mut frame);
        if self.halved_colour {
            halve_colour(&mut frame);
        }
        let bytes = frame.rgb.iter().flatten().map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
        (frame.width as u32, frame.height as u32, bytes)
    }

    fn develop(&self, frame: &mut Light) {
        let (low, high) = ends(frame);
        let (low, high) = (low * self.stretch, 1.0 - (1.0 - high) * self.stretch);
        for value in frame.rgb.iter_mut().flatten() {
            let v = ((*value - low) / (high - low).max(0.2)).clamp(0.0, 1.0);
            *value = v + self.contrast * (v * v * (3.0 - 2.0 * v) - v);
        }
        let mut soft = Light { width: frame.width, height: frame.height, rgb: frame.rgb.clone() };
        blur(&mut soft, 1.0);
        for (value, soft) in frame.rgb.iter_mut().flatten().zip(soft.rgb.iter().flatten()) {
            *value += self.sharpen * (*value - soft);
        }
    }
}

fn metered(frame: &Light, [left, top, right, bottom]: [usize; 4]) -> f32 {
    let mut sum = 0.0;
    let mut count = 1e-6;
    for y in (top..bottom.min(frame.height)).step_by(4) {
        for x in (left..right.min(frame.width)).step_by(4) {
            sum += luma(frame.rgb[y * frame.width + x]);
            count += 1.0;
        }
    }
    sum / count
}

fn luma([r, g, b]: [f32; 3]) -> f32 {
    0.299 * r + 0.587 * g + 0.114 * b
}

/// Luma that half a per cent of the frame lies below, and above.
fn ends(frame: &Light) -> (f32, f32) {
    let mut values: Vec<f32> = frame.rgb.iter().step_by(7).map(|&p| luma(p)).collect();
    values.sort_by(f32::total_cmp);
    let at = |share: f32| values[((values.len() - 1) as f32 * share) as usize];
    (at(0.005), at(0.995))
}

/// Mean of each two by two: the aperture of a sensor's pixel.
fn gather(scene: &Light) -> Light {
    let mut out = Light::black(scene.width / 2, scene.height / 2);
    for y in 0..out.height {
        for x in 0..out.width {
            let at = 2 * y * scene.width + 2 * x;
            let four = [at, at + 1, at + scene.width, at + scene.width + 1].map(|i| scene.rgb[i]);
            for c in 0..3 {
                out.rgb[y * out.width + x][c] = four.iter().map(|p| p[c]).sum::<f32>() / 4.0;
            }
        }
    }
    out
}

/// One colour a pixel (red green / green blue), the others from the neighbours.
fn demosaic(frame: &Light) -> Light {
    let colour = |x: usize, y: usize| match (x % 2, y % 2) {
        (0, 0) => 0,
        (1, 1) => 2,
        _ => 1,
    };
    let mut out = Light::black(frame.width, frame.height);
    for y in 0..frame.height {
        for x in 0..frame.width {
            let mut sums = [(0.0f32, 0.0f32); 3];
            for ny in y.saturating_sub(1)..(y + 2).min(frame.height) {
                for nx in x.saturating_sub(1)..(x + 2).min(frame.width) {
                    let near = 1.0 / (1.0 + (nx.abs_diff(x) + ny.abs_diff(y)) as f32);
                    let c = colour(nx, ny);
                    sums[c].0 += near * frame.rgb[ny * frame.width + nx][c];
                    sums[c].1 += near;
                }
            }
            let own = colour(x, y);
            for (c, (sum, weight)) in sums.into_iter().enumerate() {
                let value = if c == own { frame.rgb[y * frame.width + x][c] } else { sum / weight.max(1e-6) };
                out.rgb[y * frame.width + x][c] = value;
            }
        }
    }
    out
}

/// Colour at half resolution, as JPEG files of cameras keep it.
fn halve_colour(frame: &mut Light) {
    for y in (0..frame.height - 1).step_by(2) {
        for x in (0..frame.width - 1).step_by(2) {
            let at = y * frame.width + x;
            let four = [at, at + 1, at + frame.width, at + frame.width + 1];
            let mut mean = [0.0; 3];
            for i in four {
                let grey = luma(frame.rgb[i]);
                for (sum, value) in mean.iter_mut().zip(frame.rgb[i]) {
                    *sum += (value - grey) / 4.0;
                }
            }
            for i in four {
                let grey = luma(frame.rgb[i]);
                frame.rgb[i] = mean.map(|m| grey + m);
            }
        }
    }
}

fn blur(light: &mut Light, sigma: f32) {
    let reach = (sigma * 2.5).ceil() as usize;
    let mut taps: Vec<f32> = (0..=reach).map(|i| (-0.5 * (i as f32 / sigma).powi(2)).exp()).collect();
    let total = taps[0] + 2.0 * taps[1..].iter().sum::<f32>();
    for tap in &mut taps {
        *tap /= total;
    }
    let (w, h) = (light.width, light.height);
    let mut row = vec![[0.0; 3]; w];
    for y in 0..h {
        row.copy_from_slice(&light.rgb[y * w..(y + 1) * w]);
        for x in 0..w {
            light.rgb[y * w + x] = weigh(&taps, |i| (row[x.saturating_sub(i)], row[(x + i).min(w - 1)]));
        }
    }
    let source = light.rgb.clone();
    for y in 0..h {
        for x in 0..w {
            light.rgb[y * w + x] =
                weigh(&taps, |i| (source[y.saturating_sub(i) * w + x], source[(y + i).min(h - 1) * w + x]));
        }
    }
}

fn weigh(taps: &[f32], pair: impl Fn(usize) -> ([f32; 3], [f32; 3])) -> [f32; 3] {
    let mut out = pair(0).0.map(|v| v * taps[0]);
    for (i, tap) in taps.iter().enumerate().skip(1) {
        let (a, b) = pair(i);
        for c in 0..3 {
            out[c] += tap * (a[c] + b[c]);
        }
    }
    out
}
