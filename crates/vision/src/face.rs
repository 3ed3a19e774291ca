//! A detected face: its box, score and key points.

/// A detected face. Coordinates are pixels of the upright picture with the origin at its top left corner; they may lie
/// outside the picture where the face is cut off.
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
    /// The six key points of BlazeFace as `[x, y]`: the subject's right eye, left eye, nose tip, mouth centre, right
    /// ear, left ear.
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

    /// Roll, the rotation in the picture's plane: radians, clockwise, -pi to pi, 0 for an upright face.
    ///
    /// Computed from the line between the eyes and the line from mouth to eyes together, because the first is short in
    /// a profile and the second when the head is pitched up or down.
    pub fn roll(&self) -> f32 {
        let [right_eye, left_eye, _, mouth, ..] = self.points;
        let along = [left_eye[0] - right_eye[0], left_eye[1] - right_eye[1]];
        let middle = [f32::midpoint(right_eye[0], left_eye[0]), f32::midpoint(right_eye[1], left_eye[1])];
        let up = [middle[0] - mouth[0], middle[1] - mouth[1]];
        (along[1] + up[0]).atan2(along[0] - up[1])
    }
}
