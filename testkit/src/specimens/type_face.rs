//! Fonts of Debian packages.

use ab_glyph::{Font, FontVec, GlyphId, OutlinedGlyph, PxScale, ScaleFont};
use std::{path::Path, sync::OnceLock};

/// Which font.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeFace {
    Sans,
    SansBold,
    Serif,
    OcrB,
}

const FOLDERS: [&str; 3] = ["/usr/share/fonts", "/usr/local/share/fonts", "/opt/homebrew/share/fonts"];

impl TypeFace {
    fn font(self) -> &'static FontVec {
        static FONTS: [OnceLock<FontVec>; 4] = [const { OnceLock::new() }; 4];
        let file = match self {
            Self::Sans => "truetype/dejavu/DejaVuSans.ttf",
            Self::SansBold => "truetype/dejavu/DejaVuSans-Bold.ttf",
            Self::Serif => "truetype/dejavu/DejaVuSerif.ttf",
            Self::OcrB => "opentype/ocr-b/OCRB.otf",
        };
        FONTS[self as usize].get_or_init(|| {
            let bytes = FOLDERS.iter().find_map(|folder| std::fs::read(Path::new(folder).join(file)).ok());
            let bytes = bytes.expect("the fonts are installed (`scripts/system-packages.sh tests`)");
            FontVec::try_from_vec(bytes).expect("a font")
        })
    }

    /// How high an `H` is, as a share of the font's scale.
    fn capital(self) -> f32 {
        let font = self.font();
        let bounds = font.outline(font.glyph_id('H')).map(|outline| outline.bounds);
        bounds.map_or(0.7, |bounds| (bounds.max.y - bounds.min.y).abs() / font.height_unscaled())
    }

    /// A line of text whose capitals are `capital` pixels high, its baseline beginning at `x`, `y`; and where it ends.
    /// With a `pitch`, every letter gets that width and stands in its middle.
    pub(super) fn set(
        self,
        text: &str,
        capital: f32,
        [x, y]: [f32; 2],
        pitch: Option<f32>,
    ) -> (Vec<OutlinedGlyph>, f32) {
        let font = self.font();
        let scale = PxScale::from(capital / self.capital());
        let scaled = font.as_scaled(scale);
        let mut at = x;
        let mut before: Option<GlyphId> = None;
        let mut glyphs = Vec::with_capacity(text.len());
        for letter in text.chars() {
            let id = font.glyph_id(letter);
            let advance = scaled.h_advance(id);
            let begin = match (pitch, before) {
                (Some(pitch), _) => at + (pitch - advance) / 2.0,
                (None, Some(before)) => {
                    at += scaled.kern(before, id);
                    at
                }
                (None, None) => at,
            };
            let glyph = id.with_scale_and_position(scale, ab_glyph::point(begin, y));
            glyphs.extend(font.outline_glyph(glyph));
            at += pitch.unwrap_or(advance);
            before = Some(id);
        }
        (glyphs, at)
    }
}
