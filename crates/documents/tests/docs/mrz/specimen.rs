//! A page with an MRZ, printed in Debian's OCR-B and photographed in a simple way.

use ab_glyph::{Font, FontVec, PxScale, ScaleFont};
use base::Picture;
use std::path::PathBuf;

const FOLDERS: [&str; 3] = ["/usr/share/fonts", "/usr/local/share/fonts", "/opt/homebrew/share/fonts"];

fn ocr_b() -> FontVec {
    let paths = FOLDERS.map(|folder| PathBuf::from(folder).join("opentype/ocr-b/OCRB.otf"));
    let path =
        paths.into_iter().find(|path| path.is_file()).expect("fonts-ocr-b is installed (`make setup`)");
    FontVec::try_from_vec(std::fs::read(path).expect("it can be read")).expect("it is a font")
}

/// How a page is placed and photographed.
#[derive(Clone, Copy)]
pub(crate) struct View {
    /// Rotation in degrees, clockwise.
    pub(crate) turn: f32,
    /// Distance between characters in pixels.
    pub(crate) pitch: f32,
    /// Passes of a 3 x 3 blur.
    pub(crate) blur: usize,
    /// Largest change of a pixel by noise.
    pub(crate) noise: i32,
    /// How far the middle of the page bends upwards, in distances between characters.
    pub(crate) bend: f32,
}

pub(crate) const PLAIN: View = View { turn: 0.0, pitch: 18.0, blur: 1, noise: 6, bend: 0.0 };

pub(crate) const SIDE: usize = 1100;

/// Draws a light page on a dark desk, with the lines near its lower edge. Also returns the positions of the first
/// character and of the last character of the last line.
pub(crate) fn photograph(lines: &[&str], view: View) -> (Picture, [(f32, f32); 2]) {
    let font = ocr_b();
    let scale = PxScale::from(400.0);
    let em = font.as_scaled(scale).h_advance(font.glyph_id('0'));
    let size = 400.0 * view.pitch / em;
    let (sin, cos) = view.turn.to_radians().sin_cos();
    let middle = SIDE as f32 / 2.0;
    let length = lines[0].len() as f32 * view.pitch;
    let half = (length / 2.0 + 2.0 * view.pitch, 0.36 * length);
    // From the photo to the page: relative to the centre, rotated back, unbent.
    let to_page = |x: f32, y: f32| {
        let (dx, dy) = (x - middle, y - middle);
        let (u, v) = (dx * cos + dy * sin, dy * cos - dx * sin);
        let s = u / (length / 2.0);
        (u, v + view.bend * view.pitch * (1.0 - s * s))
    };
    let spacing = 2.5 * view.pitch;
    let bottom = half.1 - 2.0 * view.pitch;
    let base_of = |line: usize| bottom - (lines.len() - 1 - line) as f32 * spacing;
    // The ink on the page, at three times the resolution.
    let (fine, wide, high) = (3.0_f32, (half.0 * 6.0) as usize, (half.1 * 6.0) as usize);
    let mut ink = vec![0.0_f32; wide * high];
    for (number, line) in lines.iter().enumerate() {
        for (at, character) in line.chars().enumerate() {
            let x = (at as f32 * view.pitch - length / 2.0 + half.0) * fine;
            let y = (base_of(number) + half.1) * fine;
            let glyph = font.glyph_id(character).with_scale_and_position(size * fine, ab_glyph::point(x, y));
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let bounds = outline.px_bounds();
            outline.draw(|dx, dy, covered| {
                let (x, y) = (bounds.min.x as usize + dx as usize, bounds.min.y as usize + dy as usize);
                if x < wide && y < high {
                    ink[y * wide + x] = ink[y * wide + x].max(covered);
                }
            });
        }
    }
    let mut grey = vec![0_i32; SIDE * SIDE];
    let mut seed = 12_345_u32;
    for y in 0..SIDE {
        for x in 0..SIDE {
            let mut sum = 0.0;
            for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                let (u, v) = to_page(x as f32 + dx, y as f32 + dy);
                sum += if u.abs() > half.0 || v.abs() > half.1 {
                    60.0
                } else {
                    let at = |side: f32, most: usize| ((side * fine) as usize).min(most - 1);
                    let ink = ink[at(v + half.1, high) * wide + at(u + half.0, wide)];
                    // A pattern of fine lines, as documents have.
                    215.0 + 12.0 * (u * 0.05 + (v * 0.11).sin() * 2.0).sin() - 165.0 * ink
                };
            }
            grey[y * SIDE + x] = (sum / 4.0) as i32;
        }
    }
    for _ in 0..view.blur {
        grey = blur(&grey);
    }
    let rgb = grey.iter().flat_map(|&v| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (seed >> 16) as i32 % (2 * view.noise + 1) - view.noise;
        [(v + noise).clamp(0, 255) as u8; 3]
    });
    let picture = Picture::new(SIDE as u32, SIDE as u32, rgb.collect()).expect("a whole picture");
    let back = |u: f32, v: f32| (middle + u * cos - v * sin, middle + u * sin + v * cos);
    let capital = 0.9 * view.pitch;
    let corners = [back(-length / 2.0, base_of(0) - capital), back(length / 2.0, base_of(lines.len() - 1))];
    (picture, corners)
}

fn blur(grey: &[i32]) -> Vec<i32> {
    let at = |x: usize, y: usize| grey[y.min(SIDE - 1) * SIDE + x.min(SIDE - 1)];
    (0..SIDE * SIDE)
        .map(|i| {
            let (x, y) = (i % SIDE, i / SIDE);
            let (a, b) = (x.saturating_sub(1), y.saturating_sub(1));
            let sum: i32 = [a, x, x + 1].iter().map(|&x| at(x, b) + at(x, y) + at(x, y + 1)).sum();
            sum / 9
        })
        .collect()
}
