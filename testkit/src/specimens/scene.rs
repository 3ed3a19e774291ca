//! What lies under and around a page: desks, sheets and displays.

use super::canvas::Colour;
use crate::spoof::dice::{Dice, cell_noise};
use base::Picture;

/// The colour between pixels, edges repeated.
pub(super) fn between(picture: &Picture, [x, y]: [f32; 2]) -> Colour {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let x = x.clamp(0.0, (width - 1) as f32);
    let y = y.clamp(0.0, (height - 1) as f32);
    let (left, top) = (x as usize, y as usize);
    let (right, bottom) = ((left + 1).min(width - 1), (top + 1).min(height - 1));
    let (across, down) = (x - left as f32, y - top as f32);
    let rgb = picture.rgb();
    let pixel = |x: usize, y: usize, c: usize| f32::from(rgb[(y * width + x) * 3 + c]);
    let mut colour = [0.0; 3];
    for (c, value) in colour.iter_mut().enumerate() {
        let upper = pixel(left, top, c) * (1.0 - across) + pixel(right, top, c) * across;
        let lower = pixel(left, bottom, c) * (1.0 - across) + pixel(right, bottom, c) * across;
        *value = upper * (1.0 - down) + lower * down;
    }
    colour
}

/// Noise that changes slowly: 0 to 1, about a unit from hill to hill.
pub(super) fn slow_noise(x: f32, y: f32, salt: u64) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (across, down) = (ease(x - left), ease(y - top));
    let at = |dx: i32, dy: i32| cell_noise(left as i32 + dx, top as i32 + dy, salt);
    let upper = at(0, 0) + (at(1, 0) - at(0, 0)) * across;
    let lower = at(0, 1) + (at(1, 1) - at(0, 1)) * across;
    upper + (lower - upper) * down
}

#[derive(Clone, Copy, Debug)]
enum Top {
    Wood,
    Cloth,
    Plain,
    Tiles,
}

/// A thing on the desk: a slip of paper, a pen.
#[derive(Clone, Debug)]
struct Thing {
    middle: [f32; 2],
    half: [f32; 2],
    direction: [f32; 2],
    colour: Colour,
}

/// A desk, in pixels of the photo.
#[derive(Clone, Debug)]
pub(super) struct Desk {
    top: Top,
    colour: Colour,
    other: Colour,
    direction: [f32; 2],
    grain: f32,
    salt: u64,
    things: Vec<Thing>,
}

impl Desk {
    pub(super) fn draw(frame: [f32; 2], dice: &mut Dice) -> Self {
        let top = [Top::Wood, Top::Wood, Top::Cloth, Top::Plain, Top::Plain, Top::Tiles]
            [(dice.word() % 6) as usize];
        let dark = dice.between(0.2, 1.0);
        let colour = match top {
            Top::Wood => [190.0, 140.0, 92.0].map(|value| value * dark.max(0.35)),
            Top::Cloth => [dice.between(30.0, 200.0), dice.between(30.0, 200.0), dice.between(30.0, 200.0)],
            Top::Plain | Top::Tiles => {
                let grey = 225.0 * dark;
                [grey * dice.between(0.92, 1.0), grey, grey * dice.between(0.92, 1.0)]
            }
        };
        let angle = dice.between(0.0, std::f32::consts::TAU);
        let things = (0..dice.word() % 4)
            .map(|_| {
                let turned = dice.between(0.0, std::f32::consts::TAU);
                let pen = dice.chance(0.5);
                let long = frame[0] * dice.between(0.08, 0.25);
                let value = dice.between(20.0, 240.0);
                Thing {
                    middle: [frame[0] * dice.unit(), frame[1] * dice.unit()],
                    half: [long, if pen { frame[0] * 0.008 } else { long * dice.between(0.3, 0.9) }],
                    direction: [turned.cos(), turned.sin()],
                    colour: [value, value * dice.between(0.8, 1.0), value * dice.between(0.7, 1.0)],
                }
            })
            .collect();
        Self {
            top,
            colour,
            other: colour.map(|value| value * dice.between(0.62, 0.9)),
            direction: [angle.cos(), angle.sin()],
            grain: dice.between(0.6, 1.6),
            salt: dice.word(),
            things,
        }
    }

    pub(super) fn colour(&self, [x, y]: [f32; 2]) -> Colour {
        for thing in &self.things {
            let (dx, dy) = (x - thing.middle[0], y - thing.middle[1]);
            let along = dx * thing.direction[0] + dy * thing.direction[1];
            let across = dy * thing.direction[0] - dx * thing.direction[1];
            if along.abs() < thing.half[0] && across.abs() < thing.half[1] {
                return thing.colour;
            }
        }
        let along = (x * self.direction[0] + y * self.direction[1]) * self.grain;
        let across = (y * self.direction[0] - x * self.direction[1]) * self.grain;
        let share = match self.top {
            Top::Wood => {
                let warp = slow_noise(along * 0.004, across * 0.012, self.salt) * 60.0;
                let ring = ((across + warp) * 0.09).sin() * 0.5 + 0.5;
                ring * 0.7 + slow_noise(along * 0.02, across * 0.5, self.salt) * 0.3
            }
            Top::Cloth => {
                let weave = ((along * 0.8).sin() * (across * 0.8).sin()) * 0.25 + 0.5;
                weave * 0.7 + slow_noise(along * 0.05, across * 0.05, self.salt) * 0.3
            }
            Top::Plain => slow_noise(along * 0.006, across * 0.006, self.salt) * 0.6,
            Top::Tiles => {
                let joint = |value: f32| (value / 180.0 - (value / 180.0).floor()) < 0.025;
                if joint(along) || joint(across) {
                    1.5
                } else {
                    slow_noise(along * 0.03, across * 0.03, self.salt) * 0.4
                }
            }
        };
        let mut colour = self.colour;
        for (value, other) in colour.iter_mut().zip(self.other) {
            *value += (other - *value) * share;
        }
        colour
    }
}

/// The page as a copier gives it back: grey, hard, with specks of toner.
pub(super) fn photocopy(picture: &Picture, dice: &mut Dice) -> Picture {
    let (gain, streak) = (dice.between(1.25, 1.7), dice.between(0.0, 10.0));
    let salt = dice.word();
    let width = picture.width() as usize;
    let mut copied = Vec::with_capacity(picture.rgb().len());
    for (at, pixel) in picture.rgb().as_chunks::<3>().0.iter().enumerate() {
        let (x, y) = (at % width, at / width);
        let luma = 0.299 * f32::from(pixel[0]) + 0.587 * f32::from(pixel[1]) + 0.114 * f32::from(pixel[2]);
        let mut grey = (luma - 120.0) * gain + 128.0;
        grey -= streak * slow_noise(x as f32 * 0.05, 0.0, salt);
        // Screened into lines of toner, which the eye takes for grey.
        let screen = (((x + y) as f32) * 0.75).sin() * (((x as f32) - (y as f32)) * 0.75).sin();
        grey += screen * 34.0 * (1.0 - ((grey - 128.0) / 128.0).abs()).clamp(0.0, 1.0);
        if cell_noise(x as i32 / 2, y as i32 / 2, salt) > 0.9985 {
            grey -= 90.0;
        }
        let grey = grey.clamp(22.0, 252.0) as u8;
        copied.extend([grey; 3]);
    }
    Picture::new(picture.width(), picture.height(), copied).expect("as large as before")
}

/// Half the size, each pixel the mean of four.
pub(super) fn halve(picture: &Picture) -> Option<Picture> {
    let (width, height) = (picture.width() as usize / 2, picture.height() as usize / 2);
    let from = picture.width() as usize;
    let rgb = picture.rgb();
    let mut halved = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            for c in 0..3 {
                let at = |dx: usize, dy: usize| u16::from(rgb[((2 * y + dy) * from + 2 * x + dx) * 3 + c]);
                halved.push(((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4) as u8);
            }
        }
    }
    Picture::new(width as u32, height as u32, halved)
}
