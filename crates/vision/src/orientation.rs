//! Pictures that lie on their side, stand on their head, or were turned by any angle, and do not say so: which way the
//! faces in them are up.

use crate::{
    Face, VisionError,
    crop::{self, nearest_right_angle},
    detect::FaceDetector,
};
use base::Picture;
use pixels::PictureRegion;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// The ways a picture may lie, radians clockwise: on either side, on its head, and between those.
const ORIENTATIONS: [f32; 7] =
    [FRAC_PI_2, -FRAC_PI_2, PI, FRAC_PI_4, -FRAC_PI_4, PI - FRAC_PI_4, FRAC_PI_4 - PI];

/// The part of the input that the picture takes: all of it is seen at any angle, and a face may fill it.
const INPUT_SHARE: f32 = 0.7;

/// A face that leans more than this against the way that is tried belongs to another way.
const MAX_LEAN_RADIANS: f32 = 0.7;

/// Nearer than this to a right angle, a face leans in a picture that lies at one.
const RIGHT_ANGLE_TOLERANCE_RADIANS: f32 = 0.35;

/// A face of this score that hardly leans is upright. Of those that stand on their head the net finds most as well, with
/// the eyes where the mouth is, but none was surer than 0.82.
const UPRIGHT_SCORE: f32 = 0.85;

/// Ways that are looked at from near by.
const MAX_ORIENTATION_CANDIDATES: usize = 4;

/// By so much the other way must be surer: a part of a face alone looks a little like one either way.
const MIN_SCORE_GAIN: f32 = 0.05;

/// A picture that leans less than this shows upright faces, which lean.
const MIN_TURN_RADIANS: f32 = 0.9;

/// Radians within which two ways are one.
const SAME_ORIENTATION_RADIANS: f32 = 0.8;

impl FaceDetector {
    /// Whether a picture whose faces were found upright lies another way all the same, by how much, and the face that says so: the net finds
    /// faces that lie or stand on their head, less surely, with points that lean or are not where they belong. Where the surest
    /// face is no sure one, it takes as many looks as [`Self::find_orientation`], and two more.
    pub(crate) fn find_other_orientation(
        &mut self,
        picture: &Picture,
        found: &[Face],
    ) -> Result<Option<(f32, Face)>, VisionError> {
        let Some(surest) = found.first() else { return Ok(None) };
        let roll = surest.roll();
        if surest.score >= UPRIGHT_SCORE && roll.abs() < RIGHT_ANGLE_TOLERANCE_RADIANS {
            return Ok(None);
        }
        let Some((turn, face)) = self.find_orientation(picture)? else { return Ok(None) };
        if turn.abs() < MIN_TURN_RADIANS {
            return Ok(None);
        }
        if wrap_angle(turn - roll).abs() < SAME_ORIENTATION_RADIANS {
            return Ok(Some((turn, face)));
        }
        // Both straightened and from near by, as none is that only looks like a face from afar.
        let upright = self.recheck(picture, surest, roll)?.map_or(0.0, |again| again.score);
        Ok((face.score > upright + MIN_SCORE_GAIN).then_some((turn, face)))
    }

    /// Of the faces found upright and those found when the picture was turned back, what holds more, surer and straighter
    /// ones.
    pub(crate) fn choose_better(&self, upright: Vec<Face>, turned: Vec<Face>, turn: f32) -> Vec<Face> {
        let worth = |faces: &[Face], turn: f32| -> f32 {
            let counted = faces.iter().filter(|face| face.score >= self.counting_threshold);
            counted.map(|face| face.score * lean(face, turn).cos()).sum()
        };
        if worth(&turned, turn) > worth(&upright, 0.0) { turned } else { upright }
    }

    /// By how much the picture has to be turned back (radians, clockwise) for its surest face to be upright, and that face,
    /// seen so; nothing where no face is found either way. Takes seven looks, and up to two more for each of the four that
    /// show it best.
    pub(crate) fn find_orientation(&mut self, picture: &Picture) -> Result<Option<(f32, Face)>, VisionError> {
        let whole = PictureRegion::whole(picture);
        let scale = crop::fit_scale(whole, &self.input, INPUT_SHARE);
        let mut seen: Vec<(Face, f32)> = Vec::new();
        for turn in ORIENTATIONS {
            let faces = self.detect_in_region(picture, whole, scale, turn)?;
            let upright = faces.into_iter().find(|face| lean(face, turn).abs() < MAX_LEAN_RADIANS);
            seen.extend(upright.map(|face| (face, turn)));
        }
        seen.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score));
        let mut best: Option<(f32, Face)> = None;
        for (face, turn) in seen.into_iter().take(MAX_ORIENTATION_CANDIDATES) {
            // Upright by its own points, it must show again, and surely.
            let turn = snap_to_right_angle(turn + lean(&face, turn));
            if let Some(again) = self.recheck(picture, &face, turn)?
                && lean(&again, turn).abs() < MAX_LEAN_RADIANS
                && best.is_none_or(|(_, best)| again.score > best.score)
            {
                best = Some((turn, again));
            }
        }
        Ok(best)
    }
}

/// How far a face leans against a turn: radians, -pi to pi.
fn lean(face: &Face, turn: f32) -> f32 {
    wrap_angle(face.roll() - turn)
}

fn wrap_angle(angle: f32) -> f32 {
    angle - TAU * (angle / TAU).round()
}

/// The right angle near by, for that is how pictures mostly lie; else the angle itself.
fn snap_to_right_angle(turn: f32) -> f32 {
    let quarter = nearest_right_angle(turn);
    if (turn - quarter).abs() < RIGHT_ANGLE_TOLERANCE_RADIANS { quarter } else { turn }
}
