//! Pictures that are rotated, by a right angle or any other, without saying so in their metadata: finds the rotation in
//! which the faces are upright.

use crate::{
    Face, VisionError,
    box_overlap::longer_side,
    crop::{self, nearest_right_angle},
    detect::FaceDetector,
    upright_face::{UPRIGHT_FITTED_INPUT_PIXELS, is_clearly_upright, is_level, is_probably_upright},
};
use base::Picture;
use pixels::PictureRegion;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// The rotations that are tried, radians clockwise: both quarter turns, upside down, and the diagonals between them.
const ORIENTATIONS: [f32; 7] =
    [FRAC_PI_2, -FRAC_PI_2, PI, FRAC_PI_4, -FRAC_PI_4, PI - FRAC_PI_4, FRAC_PI_4 - PI];

/// The share of the input that the picture fills: so all of it is visible at any angle, and there is padding around a
/// face that fills it.
const INPUT_SHARE: f32 = 0.7;

/// A face that leans more than this in the rotated picture belongs to another orientation.
const MAX_LEAN_RADIANS: f32 = 0.7;

/// Where a face's roll is closer than this to a right angle, the picture is rotated by that right angle and the head
/// leans.
const RIGHT_ANGLE_TOLERANCE_RADIANS: f32 = 0.35;

/// A face with this score and hardly any roll is probably upright. So are one in eight upside-down faces, though, with
/// the eyes where the mouth is.
const UPRIGHT_SCORE: f32 = 0.85;

/// Size of a face in pixels of the input when it is judged whether it is upright.
const UPRIGHT_FACE_INPUT_PIXELS: f32 = 96.0;

/// Orientations that are rechecked in a closer crop.
const MAX_ORIENTATION_CANDIDATES: usize = 4;

/// By how much the score in another orientation must be greater: part of a face looks a little like a face in any.
const MIN_SCORE_GAIN: f32 = 0.05;

/// Below this rotation the picture counts as upright, and its faces as leaning.
const MIN_TURN_RADIANS: f32 = 0.9;

/// Orientations that differ by less are the same.
const SAME_ORIENTATION_RADIANS: f32 = 0.8;

impl FaceDetector {
    /// Whether a picture in which faces were found upright is rotated nevertheless: the rotation, and the face that
    /// shows it. The net also finds faces that are sideways or upside down, with a lower score and with points that
    /// lean or are misplaced.
    ///
    /// Takes no run of the net or one where the best face is clearly upright; else as many as [`Self::find_orientation`],
    /// and four more.
    pub(crate) fn find_other_orientation(
        &mut self,
        picture: &Picture,
        found: &[Face],
    ) -> Result<Option<(f32, Face)>, VisionError> {
        let Some(best) = found.first() else { return Ok(None) };
        let roll = best.roll();
        if self.is_upright(picture, best)? {
            return Ok(None);
        }
        let by_whole_picture = self.find_orientation(picture)?;
        let found = match by_whole_picture {
            Some(_) => by_whole_picture,
            // Those of a crowd are too small there.
            None => self.orientation_of(picture, best)?,
        };
        let Some((turn, face)) = found else { return Ok(None) };
        if turn.abs() < MIN_TURN_RADIANS {
            return Ok(None);
        }
        if wrap_angle(turn - roll).abs() < SAME_ORIENTATION_RADIANS {
            return Ok(Some((turn, face)));
        }
        // Two people who lean to different sides show the right angle between them.
        let quarter = nearest_right_angle(turn);
        if quarter != 0.0 && wrap_angle(quarter - nearest_right_angle(roll)).abs() < MIN_TURN_RADIANS {
            return Ok(Some((quarter, face)));
        }
        // Compared with the upright reading, also derotated and in a closer crop, where false detections disappear.
        let upright = self.recheck(picture, best, roll)?.map_or(0.0, |again| again.score);
        Ok((face.score > upright + MIN_SCORE_GAIN).then_some((turn, face)))
    }

    /// The rotation that a face's own points show, and the face as it is found when the picture is turned back by that.
    fn orientation_of(&mut self, picture: &Picture, face: &Face) -> Result<Option<(f32, Face)>, VisionError> {
        let turn = snap_to_right_angle(face.roll());
        let again = self.recheck(picture, face, turn)?;
        Ok(again.filter(|again| lean(again, turn).abs() < MAX_LEAN_RADIANS).map(|again| (turn, again)))
    }

    /// Whether a face that was found without rotating the picture is upright; judged in a closer crop, unless the whole
    /// picture showed it large enough.
    fn is_upright(&mut self, picture: &Picture, face: &Face) -> Result<bool, VisionError> {
        let scale = crop::fit_scale(PictureRegion::whole(picture), &self.input, 1.0);
        if UPRIGHT_FITTED_INPUT_PIXELS.contains(&(longer_side(face) * scale)) && is_clearly_upright(face) {
            return Ok(true);
        }
        let is_probable = face.score >= UPRIGHT_SCORE && is_level(face);
        // A face that the picture's edge cuts off is often found in the whole picture only.
        let Some(closer) = self.detect_closer(picture, face, 0.0, UPRIGHT_FACE_INPUT_PIXELS)? else {
            return Ok(is_probable);
        };
        // Two looks that are probable are as certain as one that is clear.
        Ok(is_clearly_upright(&closer) || is_probable && is_probably_upright(&closer))
    }

    /// Chooses between the faces found in two orientations, each with the rotation (radians, clockwise) by which the picture was
    /// turned back: the set with more, more confident and straighter faces; the first where there is no difference, unless it is empty.
    pub(crate) fn choose_better(&self, a: (Vec<Face>, f32), b: (Vec<Face>, f32)) -> (Vec<Face>, f32) {
        let worth = |(faces, turn): &(Vec<Face>, f32)| -> f32 {
            let counted = faces.iter().filter(|face| face.score >= self.counting_threshold);
            counted.map(|face| face.score * lean(face, *turn).cos()).sum()
        };
        if a.0.is_empty() || worth(&b) > worth(&a) { b } else { a }
    }

    /// The rotation (radians, clockwise) by which the picture must be turned back for its best face to be upright, and
    /// that face; `None` where no orientation shows one. Takes seven runs of the net, and up to two more for each of
    /// the four best orientations.
    pub(crate) fn find_orientation(&mut self, picture: &Picture) -> Result<Option<(f32, Face)>, VisionError> {
        let whole = PictureRegion::whole(picture);
        let scale = crop::fit_scale(whole, &self.input, INPUT_SHARE);
        let mut candidates: Vec<Face> = Vec::new();
        for turn in ORIENTATIONS {
            let faces = self.detect_in_region(picture, whole, scale, turn)?;
            candidates.extend(faces.into_iter().find(|face| lean(face, turn).abs() < MAX_LEAN_RADIANS));
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut best: Option<(f32, Face)> = None;
        for face in candidates.into_iter().take(MAX_ORIENTATION_CANDIDATES) {
            // Derotated by the roll of its own points, it must be detected again, confidently.
            if let Some((turn, again)) = self.orientation_of(picture, &face)?
                && best.is_none_or(|(_, best)| again.score > best.score)
            {
                best = Some((turn, again));
            }
        }
        Ok(best)
    }
}

/// Roll of a face in a picture that is rotated back by `turn`: radians, -pi to pi.
fn lean(face: &Face, turn: f32) -> f32 {
    wrap_angle(face.roll() - turn)
}

/// The same angle between -pi and pi.
fn wrap_angle(angle: f32) -> f32 {
    angle - TAU * (angle / TAU).round()
}

/// The nearest right angle where it is close, because most rotated pictures are rotated by one; else the angle itself.
fn snap_to_right_angle(turn: f32) -> f32 {
    let quarter = nearest_right_angle(turn);
    if (turn - quarter).abs() < RIGHT_ANGLE_TOLERANCE_RADIANS { quarter } else { turn }
}
