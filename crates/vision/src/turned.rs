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

/// A face of this score, and not lying, is upright. Of those that stand on their head the net finds most as well, with the
/// eyes where the mouth is, but none was surer than 0.82.
const SURE: f32 = 0.85;

/// By so much the other way must be surer: a part of a face alone looks a little like one both ways.
const SURER: f32 = 0.1;

impl Detector {
    /// Whether a picture whose faces were found upright lies another way all the same, and by how much: the net finds faces
    /// that lie, less surely, and says so by their points; those that stand on their head it takes for upright.
    pub(crate) fn another_way(
        &mut self,
        picture: &Picture,
        found: &[Face],
    ) -> Result<Option<f32>, VisionError> {
        let Some(surest) = found.first() else { return Ok(None) };
        let roll = surest.roll();
        if roll.abs() > LEANS {
            return Ok(Some(snapped(roll)));
        }
        if surest.score >= SURE {
            return Ok(None);
        }
        let whole = Region::whole(picture);
        let turned = self.look(picture, whole, whole.fit(&self.input, PART), PI)?;
        let surer =
            turned.iter().any(|face| lean(face, PI).abs() < LEANS && face.score > surest.score + SURER);
        Ok(surer.then_some(PI))
    }

    /// Of what was found either way, what holds more faces, and surer ones.
    pub(crate) fn better(&self, one: Vec<Face>, other: Vec<Face>) -> Vec<Face> {
        let worth = |faces: &[Face]| -> f32 {
            faces.iter().map(|face| face.score).filter(|score| *score >= self.count).sum()
        };
        if worth(&other) > worth(&one) { other } else { one }
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
