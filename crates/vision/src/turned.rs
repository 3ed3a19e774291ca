//! Pictures that lie on their side, stand on their head, or were turned by any angle, and do not say so: which way the
//! faces in them are up.

use crate::{
    Face, VisionError,
    crop::{Region, nearest_quarter},
    detect::Detector,
};
use base::Picture;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// The ways a picture may lie, radians clockwise: on either side, on its head, and between those.
const WAYS: [f32; 7] = [FRAC_PI_2, -FRAC_PI_2, PI, FRAC_PI_4, -FRAC_PI_4, PI - FRAC_PI_4, FRAC_PI_4 - PI];

/// The part of the input that the picture takes: all of it is seen at any angle, and a face may fill it.
const PART: f32 = 0.7;

/// A face that leans more than this against the way that is tried belongs to another way.
const LEANS: f32 = 0.7;

/// Nearer than this to a right angle, a face leans in a picture that lies at one.
const NEARLY: f32 = 0.35;

/// A face of this score that hardly leans is upright. Of those that stand on their head the net finds most as well, with
/// the eyes where the mouth is, but none was surer than 0.82.
const SURE: f32 = 0.85;

/// By so much the other way must be surer: a part of a face alone looks a little like one either way.
const SURER: f32 = 0.05;

impl Detector {
    /// Whether a picture whose faces were found upright lies another way all the same, and by which right angle: the net
    /// finds faces that lie or stand on their head, less surely, with points that lean or are not where they belong.
    pub(crate) fn another_way(
        &mut self,
        picture: &Picture,
        found: &[Face],
    ) -> Result<Option<f32>, VisionError> {
        let Some(surest) = found.first() else { return Ok(None) };
        if surest.score >= SURE && surest.roll().abs() < NEARLY {
            return Ok(None);
        }
        let whole = Region::whole(picture);
        let mut best = (surest.score * surest.roll().cos() + SURER, None);
        for turn in [FRAC_PI_2, -FRAC_PI_2, PI] {
            for face in self.look(picture, whole, whole.fit(&self.input, PART), turn)? {
                let worth = face.score * lean(&face, turn).cos();
                if lean(&face, turn).abs() < LEANS && worth > best.0 {
                    best = (worth, Some(turn));
                }
            }
        }
        Ok(best.1)
    }

    /// Of the faces found upright and those found when the picture was turned back, what holds more, surer and straighter
    /// ones.
    pub(crate) fn better(&self, upright: Vec<Face>, turned: Vec<Face>, turn: f32) -> Vec<Face> {
        let worth = |faces: &[Face], turn: f32| -> f32 {
            let counted = faces.iter().filter(|face| face.score >= self.count);
            counted.map(|face| face.score * lean(face, turn).cos()).sum()
        };
        if worth(&turned, turn) > worth(&upright, 0.0) { turned } else { upright }
    }

    /// By how much the picture has to be turned back (radians, clockwise) for its surest face to be upright, and that face,
    /// seen so; nothing where no face is found either way. Takes seven looks, and up to two more for each that shows
    /// something.
    pub(crate) fn which_way(&mut self, picture: &Picture) -> Result<Option<(f32, Face)>, VisionError> {
        let whole = Region::whole(picture);
        let scale = whole.fit(&self.input, PART);
        let mut seen: Vec<(Face, f32)> = Vec::new();
        for turn in WAYS {
            let faces = self.look(picture, whole, scale, turn)?;
            let upright = faces.into_iter().find(|face| lean(face, turn).abs() < LEANS);
            seen.extend(upright.map(|face| (face, turn)));
        }
        seen.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score));
        for (face, turn) in seen {
            // Upright by its own points, it must show again, and surely.
            let turn = snapped(turn + lean(&face, turn));
            if let Some(again) = self.check(picture, &face, turn)?
                && lean(&again, turn).abs() < LEANS
            {
                return Ok(Some((turn, again)));
            }
        }
        Ok(None)
    }
}

/// How far a face leans against a turn: radians, -pi to pi.
fn lean(face: &Face, turn: f32) -> f32 {
    let lean = face.roll() - turn;
    lean - TAU * (lean / TAU).round()
}

/// The right angle near by, for that is how pictures mostly lie; else the angle itself.
fn snapped(turn: f32) -> f32 {
    let quarter = nearest_quarter(turn);
    if (turn - quarter).abs() < NEARLY { quarter } else { turn }
}
