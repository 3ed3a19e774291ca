//! What specimens are drawn on: millimetres in, pixels out.

use super::{Page, type_face::TypeFace};
use base::Picture;

/// Red, green and blue, 0 to 255.
pub(super) type Colour = [f32; 3];

/// A side of a document while it is drawn.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    scale: f32,
    size: [f32; 2],
    pixels: Vec<Colour>,
    fields: Vec<(&'static str, String)>,
    portrait: Option<[f32; 4]>,
}

pub(super) const INK: Colour = [28.0, 26.0, 34.0];

impl Canvas {
    /// A blank side: size in millimetres, pixels for each.
    pub(super) fn new(size: [f32; 2], scale: f32, paper: Colour) -> Self {
        let (width, height) = ((size[0] * scale).round() as usize, (size[1] * scale).round() as usize);
        Self {
            width,
            height,
            scale,
            size,
            pixels: vec![paper; width * height],
            fields: Vec::new(),
            portrait: None,
        }
    }

    /// Finishes the side.
    pub(super) fn finish(self, radius: f32, mrz: Vec<String>, barcode: Option<String>) -> Page {
        let bytes = self.pixels.iter().flatten().map(|value| value.round().clamp(0.0, 255.0) as u8).collect();
        Page {
            picture: Picture::new(self.width as u32, self.height as u32, bytes).expect("a whole picture"),
            size: self.size,
            radius,
            mrz,
            barcode,
            fields: self.fields,
            portrait: self.portrait,
        }
    }

    fn blend(&mut self, x: i64, y: i64, colour: Colour, share: f32) {
        if (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y) {
            let pixel = &mut self.pixels[y as usize * self.width + x as usize];
            for (value, new) in pixel.iter_mut().zip(colour) {
                *value += (new - *value) * share;
            }
        }
    }

    /// Waves of fine lines in two colours across the side, as security printing has them, and a slow wash.
    pub(super) fn guilloche(&mut self, colours: [Colour; 2], strength: f32) {
        let scale = self.scale;
        for y in 0..self.height {
            for x in 0..self.width {
                let (mx, my) = (x as f32 / scale, y as f32 / scale);
                let wash = 0.5 + 0.5 * ((mx * 0.055).sin() * (my * 0.07 + 0.8).cos());
                let first = my * 1.25 + 2.2 * (mx * 0.16).sin() + 1.1 * (mx * 0.37 + my * 0.11).sin();
                let second = (mx - self.size[0] / 2.0).hypot(my - self.size[1] * 0.45) * 1.1
                    + 1.4 * (my * 0.23 + mx * 0.05).sin();
                let line = |phase: f32| (1.0 - ((phase - phase.floor()) - 0.5).abs() * 5.0).max(0.0);
                let shares = [line(first), line(second)];
                let pixel = &mut self.pixels[y * self.width + x];
                for (colour, share) in colours.iter().zip(shares) {
                    let share = share * strength + wash * strength * 0.25;
                    for (value, new) in pixel.iter_mut().zip(colour) {
                        *value += (new - *value) * share;
                    }
                }
            }
        }
    }

    /// A filled rectangle: left, top, width and height.
    pub(super) fn fill(&mut self, [x, y, w, h]: [f32; 4], colour: Colour, share: f32) {
        let at = |value: f32| (value * self.scale).round() as i64;
        let (left, top, right, bottom) = (at(x), at(y), at(x + w), at(y + h));
        for y in top..bottom {
            for x in left..right {
                self.blend(x, y, colour, share);
            }
        }
    }

    /// Text with its baseline at `y`; gives where it ends.
    pub(super) fn text(
        &mut self,
        face: TypeFace,
        capital: f32,
        [x, y]: [f32; 2],
        colour: Colour,
        text: &str,
    ) -> f32 {
        self.glyphs(face, capital, [x, y], (colour, 1.0), text, None)
    }

    fn glyphs(
        &mut self,
        face: TypeFace,
        capital: f32,
        [x, y]: [f32; 2],
        (colour, share): (Colour, f32),
        text: &str,
        pitch: Option<f32>,
    ) -> f32 {
        let scale = self.scale;
        let pitch = pitch.map(|pitch| pitch * scale);
        let (glyphs, end) = face.set(text, capital * scale, [x * scale, y * scale], pitch);
        for glyph in glyphs {
            let bounds = glyph.px_bounds();
            let (left, top) = (bounds.min.x as i64, bounds.min.y as i64);
            glyph.draw(|x, y, cover| {
                self.blend(left + i64::from(x), top + i64::from(y), colour, cover * share);
            });
        }
        end / scale
    }

    /// A field of the visual zone: its caption small, its value under it.
    pub(super) fn field(
        &mut self,
        name: &'static str,
        caption: &str,
        value: &str,
        [x, y]: [f32; 2],
        capital: f32,
    ) {
        self.text(TypeFace::Sans, capital * 0.5, [x, y], [70.0, 76.0, 110.0], caption);
        self.text(TypeFace::SansBold, capital, [x, y + capital * 1.75], INK, value);
        self.fields.push((name, value.to_owned()));
    }

    /// Writes down a field that was printed in another way.
    pub(super) fn note(&mut self, name: &'static str, value: &str) {
        self.fields.push((name, value.to_owned()));
    }

    /// Lines of OCR-B, 2.54 mm to the letter; `y` is the baseline of the last, 6.35 mm below the one before, or less on
    /// small cards.
    pub(super) fn mrz(&mut self, lines: &[String], x: f32, y: f32, spacing: f32) {
        for (at, line) in lines.iter().enumerate() {
            let y = y - (lines.len() - 1 - at) as f32 * spacing;
            self.glyphs(TypeFace::OcrB, 2.5, [x, y], ([22.0, 22.0, 24.0], 1.0), line, Some(2.54));
        }
    }

    /// A picture, fitted into a rectangle: left, top, width and height.
    pub(super) fn picture(&mut self, picture: &Picture, [x, y, w, h]: [f32; 4], grey: bool, share: f32) {
        let at = |value: f32| (value * self.scale).round() as i64;
        let (left, top, right, bottom) = (at(x), at(y), at(x + w), at(y + h));
        let steps =
            [picture.width() as f32 / (right - left) as f32, picture.height() as f32 / (bottom - top) as f32];
        for py in top..bottom {
            for px in left..right {
                let from =
                    [((px - left) as f32 + 0.5) * steps[0] - 0.5, ((py - top) as f32 + 0.5) * steps[1] - 0.5];
                let mut colour = super::scene::between(picture, from);
                if grey {
                    let luma = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
                    colour = [luma; 3];
                }
                self.blend(px, py, colour, share);
            }
        }
    }

    /// The holder's portrait, noted.
    pub(super) fn portrait(&mut self, number: u8, place: [f32; 4]) {
        self.picture(super::portrait(number), place, false, 1.0);
        let [x, y, w, h] = place.map(|value| value * self.scale);
        self.portrait = Some([x, y, x + w, y + h]);
    }

    /// Rows of modules in a rectangle on white, with a quiet zone of two modules.
    pub(super) fn modules(&mut self, rows: &[Vec<bool>], [x, y, w, h]: [f32; 4]) {
        let columns = rows.first().map_or(1, Vec::len) as f32;
        let (module, row) = (w / columns, h / rows.len() as f32);
        self.fill([x - 2.0 * module, y - 2.0 * module, w + 4.0 * module, h + 4.0 * module], [250.0; 3], 1.0);
        // Whole pixels at the edges and parts of one between, as a printer of 300 dots an inch would.
        let scale = self.scale;
        for py in (y * scale) as i64..=((y + h) * scale) as i64 {
            let line = ((py as f32 + 0.5) / scale - y) / row;
            let Some(line) = (line >= 0.0).then(|| rows.get(line as usize)).flatten() else { continue };
            for px in (x * scale) as i64..=((x + w) * scale) as i64 {
                let dark = (0..4)
                    .filter(|part| {
                        let place = ((px as f32 + (*part as f32 + 0.5) / 4.0) / scale - x) / module;
                        place >= 0.0 && line.get(place as usize) == Some(&true)
                    })
                    .count();
                self.blend(px, py, [18.0; 3], dark as f32 / 4.0);
            }
        }
    }

    /// SPECIMEN across the side.
    pub(super) fn overprint(&mut self) {
        let capital = self.size[0] / 13.0;
        let place = [self.size[0] * 0.24, self.size[1] * 0.56];
        self.glyphs(TypeFace::SansBold, capital, place, ([196.0, 40.0, 52.0], 0.16), "SPECIMEN", None);
    }
}
