//! Scenes of known content: faces cut out of photos, pasted at a known size into drawn backgrounds.

use crate::spoof::dice::Dice;
use base::Picture;
use image::{Rgb, RgbImage, imageops};

/// A face with what surrounds it.
#[derive(Clone, Debug)]
pub struct Cutout {
    rgb: RgbImage,
    /// The face in it: left, top, right, bottom in its pixels.
    face: [f32; 4],
}

impl Cutout {
    /// A face (left, top, right, bottom) of a photo with hair, chin and neck: a square of about twice its size, as far as
    /// the photo reaches.
    ///
    /// # Panics
    /// When no part of the face lies in the photo.
    pub fn new(photo: &Picture, [left, top, right, bottom]: [f32; 4]) -> Self {
        let side = (right - left).max(bottom - top) * 2.0;
        let (x, y) = (f32::midpoint(left, right), f32::midpoint(top, bottom));
        let bound = |centre: f32, size: u32| {
            let from = (centre - side / 2.0).clamp(0.0, size as f32) as u32;
            (from, ((centre + side / 2.0).clamp(0.0, size as f32) as u32) - from)
        };
        let (from_x, width) = bound(x, photo.width());
        let (from_y, height) = bound(y, photo.height());
        let rgb = RgbImage::from_fn(width, height, |x, y| {
            Rgb(photo.pixel((from_x + x).into(), (from_y + y).into()))
        });
        let (dx, dy) = (from_x as f32, from_y as f32);
        Self { rgb, face: [left - dx, top - dy, right - dx, bottom - dy] }
    }
}

/// A picture in the making.
#[derive(Clone, Debug)]
pub struct Scene {
    rgb: RgbImage,
}

impl Scene {
    /// A background without a face: lumps of colour, straight edges, and `noise` (standard deviation, 0 to 100).
    pub fn draw(width: u32, height: u32, seed: u64, noise: f32) -> Self {
        let mut dice = Dice::new(seed);
        let mut lumps = Vec::new();
        for _ in 0..24 {
            let place = [dice.between(0.0, width as f32), dice.between(0.0, height as f32)];
            let reach = dice.between(0.05, 0.35) * width as f32;
            let colour = [0; 3].map(|_: i32| dice.between(-70.0, 70.0));
            let edged = dice.between(0.0, 1.0) < 0.4;
            lumps.push((place, reach, colour, edged));
        }
        let base = [0; 3].map(|_: i32| dice.between(60.0, 190.0));
        let rgb = RgbImage::from_fn(width, height, |x, y| {
            let mut colour = base;
            for (place, reach, lump, edged) in &lumps {
                let (dx, dy) = ((x as f32 - place[0]).abs(), (y as f32 - place[1]).abs());
                let share = if *edged {
                    f32::from(dx < reach * 0.5 && dy < reach * 0.3)
                } else {
                    (1.0 - (dx * dx + dy * dy) / (reach * reach)).max(0.0)
                };
                for (sum, part) in colour.iter_mut().zip(lump) {
                    *sum += share * part;
                }
            }
            Rgb(colour.map(|value| (value + noise * dice.gauss()).clamp(0.0, 255.0) as u8))
        });
        Self { rgb }
    }

    /// A scene that starts from a picture.
    ///
    /// # Panics
    /// Never: a picture has the bytes its size says.
    pub fn of(picture: &Picture) -> Self {
        let rgb = RgbImage::from_raw(picture.width(), picture.height(), picture.rgb().to_vec());
        Self { rgb: rgb.expect("a picture has the bytes its size says") }
    }

    /// Pastes a face so that its box is `size` pixels high and has its middle at `x`, `y`; the edge of the cutout fades
    /// into the scene. Tells where the box lies: left, top, right, bottom.
    pub fn paste(&mut self, cutout: &Cutout, [x, y]: [f32; 2], size: f32) -> [f32; 4] {
        let [left, top, right, bottom] = cutout.face;
        let scale = size / (bottom - top);
        let to = |side: u32| ((side as f32 * scale).round() as u32).max(1);
        let (width, height) = (to(cutout.rgb.width()), to(cutout.rgb.height()));
        let small = imageops::resize(&cutout.rgb, width, height, imageops::FilterType::CatmullRom);
        let (from_x, from_y) = (
            (x - f32::midpoint(left, right) * scale).round() as i64,
            (y - f32::midpoint(top, bottom) * scale).round() as i64,
        );
        for (at_x, at_y, colour) in small.enumerate_pixels() {
            let (u, v) = (
                (at_x as f32 + 0.5) / width as f32 * 2.0 - 1.0,
                (at_y as f32 + 0.5) / height as f32 * 2.0 - 1.0,
            );
            let share = ((1.0 - u.hypot(v)) * 6.0).clamp(0.0, 1.0);
            let (x, y) = (from_x + i64::from(at_x), from_y + i64::from(at_y));
            let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { continue };
            if let Some(under) = self.rgb.get_pixel_mut_checked(x, y) {
                for (below, above) in under.0.iter_mut().zip(colour.0) {
                    *below = (f32::from(*below) * (1.0 - share) + f32::from(above) * share) as u8;
                }
            }
        }
        let (dx, dy) = (from_x as f32, from_y as f32);
        [left * scale + dx, top * scale + dy, right * scale + dx, bottom * scale + dy]
    }

    /// The picture.
    ///
    /// # Panics
    /// When the scene has no pixels.
    pub fn picture(&self) -> Picture {
        let (width, height) = self.rgb.dimensions();
        Picture::new(width, height, self.rgb.as_raw().clone()).expect("a scene has pixels")
    }
}
