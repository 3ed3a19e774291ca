//! A decoded picture, as decoders hand it to the models.

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PictureSize {
    /// Pixels from left to right, at least 1.
    pub width: u32,
    /// Pixels from top to bottom, at least 1.
    pub height: u32,
}

/// An upright picture of 8-bit sRGB pixels: row after row, three bytes for each pixel (height, width, channel), no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    size: PictureSize,
    rgb: Vec<u8>,
}

impl Picture {
    /// Makes a picture of `width * height * 3` bytes; `None` if a side is 0 or the number of bytes differs.
    pub fn new(width: u32, height: u32, rgb: Vec<u8>) -> Option<Self> {
        let bytes = (width as usize).checked_mul(height as usize)?.checked_mul(3)?;
        (bytes > 0 && bytes == rgb.len()).then_some(Self { size: PictureSize { width, height }, rgb })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> PictureSize {
        self.size
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.size.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.size.height
    }

    /// All bytes, row after row, `r`, `g` and `b` of each pixel.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// All bytes, without copying them.
    pub fn into_rgb(self) -> Vec<u8> {
        self.rgb
    }

    /// The pixel at `x` and `y` as `[r, g, b]`; outside of the picture, the nearest pixel of its edge.
    pub fn pixel(&self, x: i64, y: i64) -> [u8; 3] {
        let x = x.clamp(0, i64::from(self.size.width) - 1) as usize;
        let y = y.clamp(0, i64::from(self.size.height) - 1) as usize;
        let at = (y * self.size.width as usize + x) * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }
}

// Not derived: a face must not get into a log through `{:?}`.
impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}x{})", self.size.width, self.size.height)
    }
}
