//! The limits on images, and the errors for those that break them.

use base::{LimitViolation, PictureSize};

/// Error codes for images of image analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageErrorCode {
    /// The text is not base64, or the bytes are not a picture or are cut off.
    InvalidB64Image,
    /// The format is not accepted, or the JPEG's quality is too low.
    UnsupportedImageFormat,
    ImageSizeTooBig,
    ImageSizeTooSmall,
    /// The height is too small.
    MinHeight,
    /// The height is too large.
    MaxHeight,
    /// The width is too small.
    MinWidth,
    /// The width is too large.
    MaxWidth,
    /// Too few pixels.
    MinPixels,
    /// Too many pixels.
    MaxPixels,
    /// The pixels are neither RGB nor RGBA with 8 bits per channel.
    ImageWrongChannels,
    /// The image is greyscale, stored as such or as RGB.
    ImageGrayscaleNotSupported,
}

impl ImageErrorCode {
    /// The code as the interface spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidB64Image => "INVALID_B64_IMAGE",
            Self::UnsupportedImageFormat => "UNSUPPORTED_IMAGE_FORMAT",
            Self::ImageSizeTooBig => "IMAGE_SIZE_TOO_BIG",
            Self::ImageSizeTooSmall => "IMAGE_SIZE_TOO_SMALL",
            Self::MinHeight => "MIN_HEIGHT",
            Self::MaxHeight => "MAX_HEIGHT",
            Self::MinWidth => "MIN_WIDTH",
            Self::MaxWidth => "MAX_WIDTH",
            Self::MinPixels => "MIN_PIXELS",
            Self::MaxPixels => "MAX_PIXELS",
            Self::ImageWrongChannels => "IMAGE_WRONG_CHANNELS",
            Self::ImageGrayscaleNotSupported => "IMAGE_GRAYSCALE_NOT_SUPPORTED",
        }
    }
}

/// Why an image is not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageError {
    pub code: ImageErrorCode,
    pub message: &'static str,
    /// The measurement and the limit, if a limit was broken.
    pub measured: Option<LimitViolation>,
}

impl ImageError {
    pub(super) fn new(code: ImageErrorCode, message: &'static str) -> Self {
        Self { code, message, measured: None }
    }

    fn limit(
        code: ImageErrorCode,
        message: &'static str,
        measured: impl Into<f64>,
        limit: String,
        hint: &'static str,
    ) -> Self {
        Self { code, message, measured: Some(LimitViolation::new(measured, limit, hint)) }
    }
}

/// Limits on image files; the section `[image]`. All bounds are inclusive.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImageLimits {
    /// File size in bytes, at least. 50 KB is read as 50 000 bytes. `None`: not checked.
    #[serde(deserialize_with = "base::settings::optional_number_of_bytes")]
    pub min_bytes: Option<usize>,
    /// File size in bytes, at most. 1.5 MB is read as 1 500 000 bytes. `None`: not checked.
    #[serde(deserialize_with = "base::settings::optional_number_of_bytes")]
    pub max_bytes: Option<usize>,
    /// JPEG quality, at least. `None`: not checked.
    pub min_jpeg_quality: Option<u8>,
    /// Height in pixels, at least.
    pub min_height: u32,
    /// Height in pixels, at most.
    pub max_height: u32,
    /// Width in pixels, at least.
    pub min_width: u32,
    /// Width in pixels, at most.
    pub max_width: u32,
    /// Pixels in all, at least.
    pub min_pixels: u32,
    /// Pixels in all, at most.
    pub max_pixels: u32,
    /// Share of pixels that have a colour, 0 to 1, at least. Below it, the image is taken for greyscale stored as RGB.
    pub min_coloured: f32,
}

impl Default for ImageLimits {
    fn default() -> Self {
        Self {
            min_bytes: Some(50_000),
            max_bytes: Some(1_500_000),
            min_jpeg_quality: Some(95),
            min_height: 300,
            max_height: 2000,
            min_width: 300,
            max_width: 2000,
            min_pixels: 90_000,
            max_pixels: 2_100_000,
            min_coloured: 0.005,
        }
    }
}

impl ImageLimits {
    /// The same limits without those on file size and JPEG quality.
    #[must_use]
    pub fn relaxed(&self) -> Self {
        Self { min_bytes: None, max_bytes: None, min_jpeg_quality: None, ..self.clone() }
    }

    pub(super) fn check_quality(&self, quality: Option<u8>) -> Result<(), ImageError> {
        match (quality, self.min_jpeg_quality) {
            (Some(quality), Some(least)) if quality < least => Err(ImageError::limit(
                ImageErrorCode::UnsupportedImageFormat,
                "the JPEG quality is too low",
                quality,
                format!("JPEG quality {least} to 100"),
                "encode the original once, with a higher quality, or send PNG",
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn check_bytes(&self, bytes: usize) -> Result<(), ImageError> {
        if let Some(most) = self.max_bytes.filter(|&most| bytes > most) {
            let hint = "send a smaller image";
            let limit = format!("at most {most} bytes");
            return Err(ImageError::limit(
                ImageErrorCode::ImageSizeTooBig,
                "the file is too big",
                bytes as f64,
                limit,
                hint,
            ));
        }
        if let Some(least) = self.min_bytes.filter(|&least| bytes < least) {
            let hint = "send a larger image, or one that was compressed less";
            let limit = format!("at least {least} bytes");
            return Err(ImageError::limit(
                ImageErrorCode::ImageSizeTooSmall,
                "the file is too small",
                bytes as f64,
                limit,
                hint,
            ));
        }
        Ok(())
    }

    pub(super) fn check_size(&self, PictureSize { width, height }: PictureSize) -> Result<(), ImageError> {
        let (larger, smaller) = ("send a larger image", "scale the image down");
        let sides = [
            (
                ImageErrorCode::MinHeight,
                ImageErrorCode::MaxHeight,
                height,
                self.min_height,
                self.max_height,
                "high",
            ),
            (
                ImageErrorCode::MinWidth,
                ImageErrorCode::MaxWidth,
                width,
                self.min_width,
                self.max_width,
                "wide",
            ),
        ];
        for (low, high, side, least, most, word) in sides {
            if side < least {
                let limit = format!("at least {least} pixels {word}");
                return Err(ImageError::limit(low, "the image has too few pixels", side, limit, larger));
            }
            if side > most {
                let limit = format!("at most {most} pixels {word}");
                return Err(ImageError::limit(high, "the image has too many pixels", side, limit, smaller));
            }
        }
        let pixels = u64::from(width) * u64::from(height);
        if pixels < u64::from(self.min_pixels) {
            let limit = format!("at least {} pixels", self.min_pixels);
            return Err(ImageError::limit(
                ImageErrorCode::MinPixels,
                "the image has too few pixels",
                pixels as f64,
                limit,
                larger,
            ));
        }
        if pixels > u64::from(self.max_pixels) {
            let limit = format!("at most {} pixels", self.max_pixels);
            return Err(ImageError::limit(
                ImageErrorCode::MaxPixels,
                "the image has too many pixels",
                pixels as f64,
                limit,
                smaller,
            ));
        }
        Ok(())
    }

    pub(super) fn check_colour(&self, coloured: f32) -> Result<(), ImageError> {
        if coloured >= self.min_coloured {
            return Ok(());
        }
        Err(ImageError::limit(
            ImageErrorCode::ImageGrayscaleNotSupported,
            "the image is greyscale stored as RGB",
            coloured,
            format!("at least {} of the pixels have a colour", self.min_coloured),
            "send the image in colour",
        ))
    }
}
