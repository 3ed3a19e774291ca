//! Head pose and depth from the six points of a face.

use super::head_movements::RelativePose;
use crate::Face;
use serde::{Deserialize, Serialize};

/// How far the tip of the nose protrudes from the line between eyes and mouth, in eye distances: by this it shifts
/// sideways for each unit of the tangent of the yaw. `docs/ACCURACY.md` has its source.
const NOSE_PROTRUSION: f32 = 0.32;

/// The same for pitch, in distances from eyes to mouth.
const NOSE_PROTRUSION_UPWARDS: f32 = 0.29;

/// [`HeadPose::height`] of the mean face.
const MEAN_NOSE_HEIGHT: f32 = 0.55;

/// The pose of a head from the six points of its face.
///
/// All values but `roll` and `scale` are invariant under affine maps of a plane: when a flat photo is turned, tilted or
/// shifted they stay the same, except for the perspective of a plane close to the camera.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadPose {
    /// Approximate degrees to the person's own left, from the position of the nose between eyes and mouth; -90 to 90.
    pub yaw: f32,
    /// Approximate degrees up, relative to a mean face, from which faces differ by ten and more; -90 to 90.
    pub pitch: f32,
    /// Degrees clockwise, -180 to 180.
    pub roll: f32,
    /// Size in pixels: the root of the sum of the squares of the eye distance and of the distance from eyes to mouth.
    pub scale: f32,
    /// Shift of the nose to the person's left of the line from eyes to mouth, in eye distances.
    pub nose: f32,
    /// Shift of the nose to the person's left of the mouth, in eye distances.
    pub nose_to_mouth: f32,
    /// Shift of the midpoint of the ears to the person's left of the line from eyes to mouth, in eye distances.
    pub ears: f32,
    /// Distance of the ears by `scale`, about 1 to 2; less close to the lens, because the ears are farther away than
    /// the face.
    pub width: f32,
    /// Position of the nose between eyes (0) and mouth (1).
    pub height: f32,
}

impl HeadPose {
    /// The pose of a face; `None` where its points are degenerate.
    pub fn of(face: &Face) -> Option<Self> {
        let [right_eye, left_eye, nose, mouth, right_ear, left_ear] = face.points;
        let eyes = [left_eye[0] - right_eye[0], left_eye[1] - right_eye[1]];
        let eye_distance = eyes[0].hypot(eyes[1]);
        let along = eyes.map(|part| part / eye_distance);
        let middle = |a: [f32; 2], b: [f32; 2]| [f32::midpoint(a[0], b[0]), f32::midpoint(a[1], b[1])];
        let origin = middle(right_eye, left_eye);
        // Coordinates along the line of the eyes and down, in eye distances.
        let in_face_axes = |point: [f32; 2]| {
            let [x, y] = [point[0] - origin[0], point[1] - origin[1]];
            [(x * along[0] + y * along[1]) / eye_distance, (y * along[0] - x * along[1]) / eye_distance]
        };
        let ([nose_x, nose_y], [mouth_x, mouth_y]) = (in_face_axes(nose), in_face_axes(mouth));
        let [ears_x, ears_y] = in_face_axes(middle(right_ear, left_ear));
        let apart = [left_ear[0] - right_ear[0], left_ear[1] - right_ear[1]];
        // Shift against the line from eyes to mouth, at the point's own height.
        let shift = |x: f32, y: f32| x - mouth_x * y / mouth_y;
        let (nose, height) = (shift(nose_x, nose_y), nose_y / mouth_y);
        let size = (1.0 + mouth_x * mouth_x + mouth_y * mouth_y).sqrt();
        let pose = Self {
            yaw: (nose / NOSE_PROTRUSION).atan().to_degrees(),
            pitch: ((MEAN_NOSE_HEIGHT - height) / NOSE_PROTRUSION_UPWARDS).atan().to_degrees(),
            roll: eyes[1].atan2(eyes[0]).to_degrees(),
            scale: eye_distance * size,
            nose,
            nose_to_mouth: nose_x - mouth_x,
            ears: shift(ears_x, ears_y),
            width: apart[0].hypot(apart[1]) / (eye_distance * size),
            height,
        };
        let numbers = [pose.scale, nose, pose.nose_to_mouth, pose.ears, pose.width, height];
        (numbers.iter().all(|number| number.is_finite()) && mouth_y > 0.0).then_some(pose)
    }

    /// The pose relative to `opening`.
    pub(super) fn relative_to(&self, opening: &Self) -> RelativePose {
        RelativePose {
            yaw: ((self.nose - opening.nose) / NOSE_PROTRUSION).atan().to_degrees(),
            pitch: ((opening.height - self.height) / NOSE_PROTRUSION_UPWARDS).atan().to_degrees(),
            scale: self.scale / opening.scale,
        }
    }
}
