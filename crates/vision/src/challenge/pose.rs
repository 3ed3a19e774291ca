//! How a head is turned, and how deep it is, from six points.

use super::head_movements::RelativePose;
use crate::Face;
use serde::{Deserialize, Serialize};

/// How far the tip of the nose stands out before the line from the eyes to the mouth, in distances between the eyes: so
/// much does it move sideways for each unit of the tangent of the yaw. See `docs/ACCURACY.md` for where it comes from.
const NOSE_PROTRUSION: f32 = 0.32;

/// The same for looking up, in distances from eyes to mouth.
const NOSE_PROTRUSION_UPWARDS: f32 = 0.29;

/// Where the nose is in the mean face, as [`HeadPose::height`].
const MEAN_NOSE_HEIGHT: f32 = 0.55;

/// What the six points of a face say of its pose.
///
/// All but `roll` and `scale` are the same for every affine picture of one plane: a flat photo may be turned, leant and
/// shifted, and they stay what they were, but for the perspective of a plane near by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadPose {
    /// Degrees to the person's own left, about: from where the nose lies between eyes and mouth. -90 to 90.
    pub yaw: f32,
    /// Degrees up, about, against a mean face; faces differ by ten and more. -90 to 90.
    pub pitch: f32,
    /// Degrees clockwise, -180 to 180.
    pub roll: f32,
    /// Size in pixels: of the eyes' distance and that from eyes to mouth the root of their squares' sum.
    pub scale: f32,
    /// How far the nose lies to the left (of the person) of the line from eyes to mouth, in distances between the eyes.
    pub nose: f32,
    /// How far it lies to the left of the mouth, in the same.
    pub nose_to_mouth: f32,
    /// How far the middle of the ears lies to the left of the line from eyes to mouth, in the same.
    pub ears: f32,
    /// Distance of the ears over `scale`, about 1 to 2: less where the lens is near, for the ears are farther away.
    pub width: f32,
    /// Where the nose is on the way from eyes (0) to mouth (1).
    pub height: f32,
}

impl HeadPose {
    /// Of a face; nothing where its points make none.
    pub fn of(face: &Face) -> Option<Self> {
        let [right_eye, left_eye, nose, mouth, right_ear, left_ear] = face.points;
        let eyes = [left_eye[0] - right_eye[0], left_eye[1] - right_eye[1]];
        let between = eyes[0].hypot(eyes[1]);
        let along = eyes.map(|part| part / between);
        let middle = |a: [f32; 2], b: [f32; 2]| [f32::midpoint(a[0], b[0]), f32::midpoint(a[1], b[1])];
        let origin = middle(right_eye, left_eye);
        let place = |point: [f32; 2]| {
            let [x, y] = [point[0] - origin[0], point[1] - origin[1]];
            [(x * along[0] + y * along[1]) / between, (y * along[0] - x * along[1]) / between]
        };
        let ([nose_x, nose_y], [mouth_x, mouth_y]) = (place(nose), place(mouth));
        let [ears_x, ears_y] = place(middle(right_ear, left_ear));
        let apart = [left_ear[0] - right_ear[0], left_ear[1] - right_ear[1]];
        // Beside the line from eyes to mouth, at the point's own height.
        let beside = |x: f32, y: f32| x - mouth_x * y / mouth_y;
        let (nose, height) = (beside(nose_x, nose_y), nose_y / mouth_y);
        let size = (1.0 + mouth_x * mouth_x + mouth_y * mouth_y).sqrt();
        let pose = Self {
            yaw: (nose / NOSE_PROTRUSION).atan().to_degrees(),
            pitch: ((MEAN_NOSE_HEIGHT - height) / NOSE_PROTRUSION_UPWARDS).atan().to_degrees(),
            roll: eyes[1].atan2(eyes[0]).to_degrees(),
            scale: between * size,
            nose,
            nose_to_mouth: nose_x - mouth_x,
            ears: beside(ears_x, ears_y),
            width: apart[0].hypot(apart[1]) / (between * size),
            height,
        };
        let numbers = [pose.scale, nose, pose.nose_to_mouth, pose.ears, pose.width, height];
        (numbers.iter().all(|number| number.is_finite()) && mouth_y > 0.0).then_some(pose)
    }

    /// Degrees to the left and up that the head has turned since it had another pose, and how often larger it is.
    pub(super) fn relative_to(&self, opening: &Self) -> RelativePose {
        RelativePose {
            yaw: ((self.nose - opening.nose) / NOSE_PROTRUSION).atan().to_degrees(),
            pitch: ((opening.height - self.height) / NOSE_PROTRUSION_UPWARDS).atan().to_degrees(),
            scale: self.scale / opening.scale,
        }
    }
}
