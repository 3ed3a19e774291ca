//! A proof as the image of a QR code (ISO/IEC 18004).

use qrcode::{Color, EcLevel, QrCode, Version};
use std::fmt::Write as _;

/// Blank modules around the code, which scanners need to find it.
const QUIET_ZONE_MODULES: usize = 4;
/// Pixels per module in a PNG: the code is about ten centimetres wide on an ordinary screen.
const PIXELS_PER_MODULE: usize = 8;

/// A QR code.
#[derive(Clone)]
pub struct QrImage {
    code: QrCode,
}

// Prints nothing of the text: whoever has it can use it.
impl std::fmt::Debug for QrImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code(version {})", self.version())
    }
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum QrImageError {
    /// The text is too long for a QR code.
    #[error("the text does not fit a QR code: {0}")]
    Code(#[from] qrcode::types::QrError),
    /// The PNG cannot be encoded.
    #[error("the picture cannot be written: {0}")]
    Png(#[from] png::EncodingError),
}

impl QrImage {
    /// Encodes a text with error correction M: screens are clean, and fewer modules can be larger.
    pub fn new(text: &str) -> Result<Self, QrImageError> {
        Ok(Self { code: QrCode::with_error_correction_level(text, EcLevel::M)? })
    }

    /// The version, 1 to 40: the code is `17 + 4 * version` modules wide.
    pub fn version(&self) -> i16 {
        match self.code.version() {
            Version::Normal(version) | Version::Micro(version) => version,
        }
    }

    /// The level of error correction: `L`, `M`, `Q` or `H`.
    pub fn error_correction(&self) -> &'static str {
        match self.code.error_correction_level() {
            EcLevel::L => "L",
            EcLevel::M => "M",
            EcLevel::Q => "Q",
            EcLevel::H => "H",
        }
    }

    /// The width in modules, and whether each module is dark, row by row.
    fn modules(&self) -> (usize, Vec<bool>) {
        let dark = self.code.to_colors().into_iter().map(|colour| colour == Color::Dark).collect();
        (self.code.width(), dark)
    }

    /// As SVG, black on white.
    pub fn svg(&self) -> String {
        let (width, dark) = self.modules();
        let size = width + 2 * QUIET_ZONE_MODULES;
        let mut path = String::new();
        for (y, row) in dark.chunks_exact(width).enumerate() {
            let mut x = 0;
            while x < width {
                let run = row[x..].iter().take_while(|dark| **dark).count();
                if run > 0 {
                    let _never = write!(
                        path,
                        "M{} {}h{run}v1h-{run}z",
                        x + QUIET_ZONE_MODULES,
                        y + QUIET_ZONE_MODULES
                    );
                }
                x += run.max(1);
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
             <path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/><path d=\"{path}\"/></svg>\n"
        )
    }

    /// As PNG, black on white, eight pixels per module.
    pub fn png(&self) -> Result<Vec<u8>, QrImageError> {
        let (width, dark) = self.modules();
        let size = (width + 2 * QUIET_ZONE_MODULES) * PIXELS_PER_MODULE;
        let mut pixels = vec![255_u8; size * size];
        for (y, line) in pixels.chunks_exact_mut(size).enumerate() {
            let Some(row) = (y / PIXELS_PER_MODULE)
                .checked_sub(QUIET_ZONE_MODULES)
                .and_then(|y| dark.chunks_exact(width).nth(y))
            else {
                continue;
            };
            for (x, pixel) in line.iter_mut().enumerate() {
                if (x / PIXELS_PER_MODULE)
                    .checked_sub(QUIET_ZONE_MODULES)
                    .and_then(|x| row.get(x))
                    .is_some_and(|dark| *dark)
                {
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
        let code = QrImage::new(&format!("POA1:{}", "A1".repeat(247))).unwrap();
        assert_eq!(code.error_correction(), "M");
        assert!(code.version() <= 15, "version {}", code.version());
        assert!(code.svg().contains("viewBox"));
        let png = image::load_from_memory(&code.png().unwrap()).unwrap();
        assert_eq!(png.width() as usize, (17 + 4 * code.version() as usize + 8) * PIXELS_PER_MODULE);
        assert!(QrImage::new(&"a".repeat(5000)).is_err());
    }
}
