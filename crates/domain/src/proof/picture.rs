//! A proof as a QR code (ISO/IEC 18004) that a till's scanner reads.

use qrcode::{Color, EcLevel, QrCode, Version};
use std::fmt::Write as _;

/// Blank modules around the code, which scanners need to find it.
const QUIET: usize = 4;
/// Pixels of a module in a PNG: ten centimetres across on an ordinary screen.
const SCALE: usize = 8;

/// A QR code.
#[derive(Clone)]
pub struct Code {
    code: QrCode,
}

// What it shows lets its finder in.
impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code(version {})", self.version())
    }
}

/// Text that no QR code holds, or a picture that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum NoPicture {
    /// The text is too long.
    #[error("the text does not fit a QR code: {0}")]
    Code(#[from] qrcode::types::QrError),
    /// The PNG cannot be written.
    #[error("the picture cannot be written: {0}")]
    Png(#[from] png::EncodingError),
}

impl Code {
    /// Draws a text, with error correction M: a screen is clean, and fewer modules are larger ones.
    pub fn new(text: &str) -> Result<Self, NoPicture> {
        Ok(Self { code: QrCode::with_error_correction_level(text, EcLevel::M)? })
    }

    /// The version, 1 to 40: the code is `17 + 4 * version` modules across.
    pub fn version(&self) -> i16 {
        match self.code.version() {
            Version::Normal(version) | Version::Micro(version) => version,
        }
    }

    /// The level of error correction.
    pub fn correction(&self) -> &'static str {
        match self.code.error_correction_level() {
            EcLevel::L => "L",
            EcLevel::M => "M",
            EcLevel::Q => "Q",
            EcLevel::H => "H",
        }
    }

    /// Whether a module is dark, row by row.
    fn rows(&self) -> (usize, Vec<bool>) {
        let dark = self.code.to_colors().into_iter().map(|colour| colour == Color::Dark).collect();
        (self.code.width(), dark)
    }

    /// As a scalable picture, black on white.
    pub fn svg(&self) -> String {
        let (width, dark) = self.rows();
        let size = width + 2 * QUIET;
        let mut path = String::new();
        for (y, row) in dark.chunks_exact(width).enumerate() {
            let mut x = 0;
            while x < width {
                let run = row[x..].iter().take_while(|dark| **dark).count();
                if run > 0 {
                    let _never = write!(path, "M{} {}h{run}v1h-{run}z", x + QUIET, y + QUIET);
                }
                x += run.max(1);
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
             <path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/><path d=\"{path}\"/></svg>\n"
        )
    }

    /// As a PNG, black on white, eight pixels to a module.
    pub fn png(&self) -> Result<Vec<u8>, NoPicture> {
        let (width, dark) = self.rows();
        let size = (width + 2 * QUIET) * SCALE;
        let mut pixels = vec![255_u8; size * size];
        for (y, line) in pixels.chunks_exact_mut(size).enumerate() {
            let Some(row) = (y / SCALE).checked_sub(QUIET).and_then(|y| dark.chunks_exact(width).nth(y))
            else {
                continue;
            };
            for (x, pixel) in line.iter_mut().enumerate() {
                if (x / SCALE).checked_sub(QUIET).and_then(|x| row.get(x)).is_some_and(|dark| *dark) {
                    *pixel = 0;
                }
            }
        }
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size as u32, size as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base45_fits_a_code_that_old_scanners_read() {
        let code = Code::new(&format!("POA1:{}", "A1".repeat(247))).unwrap();
        assert_eq!(code.correction(), "M");
        assert!(code.version() <= 15, "version {}", code.version());
        assert!(code.svg().contains("viewBox"));
        let png = image::load_from_memory(&code.png().unwrap()).unwrap();
        assert_eq!(png.width() as usize, (17 + 4 * code.version() as usize + 8) * SCALE);
        assert!(Code::new(&"a".repeat(5000)).is_err());
    }
}
