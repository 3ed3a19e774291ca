//! Where a face is.

/// A detected face. Coordinates are pixels of the upright picture, origin at its top left corner; they may
/// lie outside the picture when the face is cut off.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Face {
    /// Left edge of the box.
    pub left: f32,
    /// Top edge of the box.
    pub top: f32,
    /// Right edge of the box, greater than `left`.
    pub right: f32,
    /// Bottom edge of the box, greater than `top`.
    pub bottom: f32,
    /// Confidence of the detector, 0 to 1.
    pub score: f32,
    /// The six points of BlazeFace as `[x, y]`: the subject's right eye, left eye, nose tip, mouth centre,
    /// right ear, left ear.
    pub points: [[f32; 2]; 6],
}

impl Face {
    /// Width of the box in pixels.
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Height of the box in pixels.
    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }
}
