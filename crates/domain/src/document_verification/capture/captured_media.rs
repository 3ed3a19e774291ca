//! Files that were uploaded, and whether they can be used.

use crate::document_verification::{
    error::DocumentSessionError,
    types::{CaptureMethod, MediaType},
};
use media::image_validation::{self, ImageErrorCode, ImageLimits};

/// The pictures that are accepted: sides in pixels, and pixels altogether.
const CAPTURED_IMAGE_LIMITS: ImageLimits = ImageLimits {
    min_bytes: None,
    max_bytes: None,
    min_jpeg_quality: None,
    min_height: 200,
    max_height: 12_000,
    min_width: 200,
    max_width: 12_000,
    min_pixels: 60_000,
    max_pixels: 50_000_000,
    min_coloured: 0.0,
};

/// A file that was uploaded.
#[derive(Clone, Debug)]
pub struct CapturedMedia {
    pub bytes: Vec<u8>,
    /// Whether a camera or a file of the end user's is its source.
    pub capture_method: CaptureMethod,
}

impl CapturedMedia {
    /// Its kind and content type, by its first bytes. PDF files are accepted only with `pdf`; with `strict` a picture
    /// must be well-formed and within the limits of size.
    pub(super) fn inspect(
        &self,
        pdf: bool,
        strict: bool,
    ) -> Result<(MediaType, &'static str), DocumentSessionError> {
        let content_type = match self.bytes.as_slice() {
            [] => return Err(DocumentSessionError::Unprocessable("binary-content has no bytes".to_owned())),
            [0xff, 0xd8, ..] => "image/jpeg",
            bytes if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => "image/png",
            bytes if pdf && bytes.starts_with(b"%PDF-") => return Ok((MediaType::Pdf, "application/pdf")),
            _ => {
                let accepted = if pdf { "JPEG, PNG or PDF" } else { "JPEG or PNG" };
                return Err(DocumentSessionError::Unsupported(format!(
                    "the file is of a type that is not accepted; send {accepted}"
                )));
            }
        };
        if strict && let Err(refusal) = image_validation::inspect(&self.bytes, &CAPTURED_IMAGE_LIMITS) {
            match refusal.code {
                // The checks report a lack of colour themselves.
                ImageErrorCode::ImageGrayscaleNotSupported => {}
                ImageErrorCode::UnsupportedImageFormat => {
                    return Err(DocumentSessionError::Unsupported(refusal.message.to_owned()));
                }
                _ => {
                    let limit = refusal
                        .measured
                        .map(|measured| format!(" ({}; {} were found)", measured.limit, measured.measured));
                    return Err(DocumentSessionError::Unprocessable(format!(
                        "{}{}",
                        refusal.message,
                        limit.unwrap_or_default()
                    )));
                }
            }
        }
        Ok((MediaType::Image, content_type))
    }
}
