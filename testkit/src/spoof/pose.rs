//! How the thing before the lens lies in the frame.

use super::FaceBox;
use super::dice::Dice;
use super::light::Source;

/// From a point of the frame (pixels) to a point of the portrait (its own pixels).
pub(super) struct Pose {
    frame: (f32, f32),
    anchor: (f32, f32),
    scale: f32,
    turn: (f32, f32),
    tilt: (f32, f32),
    bend: f32,
    height: f32,
}

impl Pose {
    /// Fills the frame, or, `framed`, leaves a rim around the portrait.
    pub(super) fn draw(
        source: &Source,
        face: FaceBox,
        size: (usize, usize),
        flat: Option<bool>,
        dice: &mut Dice,
    ) -> Self {
        let (w, h) = (size.0 as f32, size.1 as f32);
        let (fit, fill) = {
            let (across, down) = (w / source.width, h / source.height);
            (across.min(down), across.max(down))
        };
        let framed = flat == Some(true);
        let scale = if framed { fit * dice.between(0.62, 0.88) } else { fill * dice.between(1.07, 1.4) };
        let middle = (source.width / 2.0, source.height / 2.0);
        let (fx, fy) = face.centre();
        let anchor = if framed {
            (
                middle.0 + dice.between(-0.04, 0.04) * w / scale,
                middle.1 + dice.between(-0.04, 0.04) * h / scale,
            )
        } else {
            // As near the face as the border allows.
            let keep = |at: f32, len: f32, seen: f32| {
                at.clamp((seen / 2.0).min(len / 2.0), (len - seen / 2.0).max(len / 2.0))
            };
            (keep(fx, source.width, w / scale * 1.05), keep(fy, source.height, h / scale * 1.05))
        };
        let degrees = if flat.is_some() { dice.between(-6.0, 6.0) } else { dice.between(-3.0, 3.0) };
        // A head has no plane to tilt: only flat things get perspective and bend.
        let tilt = if flat.is_some() { 0.12 } else { 0.0 };
        Self {
            frame: (w / 2.0, h / 2.0),
            anchor,
            scale,
            turn: degrees.to_radians().sin_cos(),
            tilt: (dice.between(-tilt, tilt) / w, dice.between(-tilt, tilt) / h),
            bend: 0.0,
            height: source.height,
        }
    }

    /// Bends the sheet: its middle stands out sideways by this share of its height.
    pub(super) fn bent(mut self, share: f32) -> Self {
        self.bend = share * self.height;
        self
    }

    /// Frame pixels for each pixel of the portrait.
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// The point of the portrait seen at a point of the frame.
    pub(super) fn back(&self, x: f32, y: f32) -> (f32, f32) {
        let (dx, dy) = (x - self.frame.0, y - self.frame.1);
        let (sin, cos) = self.turn;
        let (rx, ry) = (dx * cos + dy * sin, dy * cos - dx * sin);
        let depth = (1.0 + self.tilt.0 * rx + self.tilt.1 * ry) * self.scale;
        let v = self.anchor.1 + ry / depth;
        let off = v / self.height - 0.5;
        (self.anchor.0 + rx / depth + self.bend * off * off, v)
    }

    /// Where a point of the portrait lands in the frame.
    pub(super) fn forth(&self, u: f32, v: f32) -> (f32, f32) {
        let mut at = self.frame;
        for _ in 0..12 {
            let (bu, bv) = self.back(at.0, at.1);
            at = (at.0 + (u - bu) * self.scale, at.1 + (v - bv) * self.scale);
        }
        at
    }

    /// The upright box around where a face lands.
    pub(super) fn place(&self, face: FaceBox) -> FaceBox {
        let corners = [
            self.forth(face.left, face.top),
            self.forth(face.right, face.top),
            self.forth(face.left, face.bottom),
            self.forth(face.right, face.bottom),
        ];
        // The mean of each side: a box that holds every turned corner would be too large.
        FaceBox {
            left: f32::midpoint(corners[0].0, corners[2].0),
            top: f32::midpoint(corners[0].1, corners[1].1),
            right: f32::midpoint(corners[1].0, corners[3].0),
            bottom: f32::midpoint(corners[2].1, corners[3].1),
        }
    }
}
