//! Finding faces: MediaPipe's BlazeFace (back model, 256 x 256, six key points).

use crate::{
    Face, VisionError,
    crop::{self, Place, nearest_quarter},
    engine::{Net, Tensors},
    find::same,
    pack::Input,
};
use base::Picture;
use pixels::Region;

/// Boxes that overlap more than this (intersection over union) are one face.
const SAME_FACE: f32 = 0.3;

/// A face of this share of the picture's longer side is looked at again, with room around it.
const LARGE: f32 = 0.5;

/// The part of the input that the picture takes when room is made around it, and when that was not enough.
const ROOM: f32 = 0.6;
const MORE_ROOM: f32 = 0.4;

/// Anchors on the two feature maps: cells a side, anchors a cell, pixels a cell.
const MAPS: [(usize, usize, f32); 2] = [(16, 2, 16.0), (8, 6, 32.0)];

/// Values for each anchor: box centre and size, then six points.
const VALUES: usize = 16;

#[derive(Debug)]
pub(crate) struct Detector {
    pub(crate) id: String,
    pub(crate) net: Box<dyn Net>,
    pub(crate) input: Input,
    /// Score from which a face is a face.
    pub(crate) find: f32,
    /// Score from which it counts towards "more than one".
    pub(crate) count: f32,
}

impl Detector {
    /// The faces of a picture, surest first: upright ones, and where there are none those of a picture that lies on its
    /// side or stands on its head.
    ///
    /// Several count as several only where a look from near by confirms each of them: frames of webcams show the net
    /// faces in ears, hands and shelves.
    pub(crate) fn detect(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        let upright = self.upright(picture)?;
        if upright.is_empty() {
            let Some((turn, face)) = self.which_way(picture)? else { return Ok(upright) };
            return self.believed_at_a_turn(picture, turn, face);
        }
        match self.another_way(picture, &upright)? {
            Some((turn, face)) => {
                let turned = self.believed_at_a_turn(picture, turn, face)?;
                Ok(self.better(upright, turned, turn))
            }
            None => Ok(upright),
        }
    }

    /// Less is believed of a picture that was turned until it showed a face: that one, or those that count.
    fn believed_at_a_turn(
        &mut self,
        picture: &Picture,
        turn: f32,
        face: Face,
    ) -> Result<Vec<Face>, VisionError> {
        let mut faces = self.at_a_turn(picture, turn)?;
        faces.retain(|face| face.score >= self.count);
        if faces.is_empty() { Ok(vec![face]) } else { self.confirmed(picture, faces, turn) }
    }

    /// The upright ones alone.
    pub(crate) fn upright(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        let faces = self.at_a_turn(picture, 0.0)?;
        self.confirmed(picture, faces, 0.0)
    }

    /// The faces that look upright when the picture is turned back by `turn` (radians, clockwise), surest first.
    ///
    /// The net was made for faces smaller than the picture: one that fills it is missed, cut short, or found as two
    /// halves. So where there is none, or a large one, a second look with room made around the picture decides, and the
    /// first one counts for faces elsewhere.
    pub(crate) fn at_a_turn(&mut self, picture: &Picture, turn: f32) -> Result<Vec<Face>, VisionError> {
        let whole = Region::whole(picture);
        let first = self.look(picture, whole, crop::fit(whole, &self.input, 1.0), turn)?;
        let large = LARGE * picture.width().max(picture.height()) as f32;
        if !first.is_empty() && first.iter().all(|face| face.width().max(face.height()) < large) {
            return Ok(first);
        }
        let mut faces = self.look(picture, whole, crop::fit(whole, &self.input, ROOM), turn)?;
        if first.is_empty() && faces.is_empty() {
            return self.look(picture, whole, crop::fit(whole, &self.input, MORE_ROOM), turn);
        }
        let elsewhere = |face: &Face| faces.iter().all(|other| common(face, other) < 0.5 * area(face));
        let others: Vec<Face> = first.into_iter().filter(elsewhere).collect();
        faces.extend(others);
        faces.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(faces)
    }

    /// Of several faces that count, those that are seen from near by as well, each once; the surest at least.
    fn confirmed(
        &mut self,
        picture: &Picture,
        faces: Vec<Face>,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        if faces.iter().filter(|face| face.score >= self.count).count() < 2 {
            return Ok(faces);
        }
        let surest = faces.first().copied();
        let mut kept: Vec<Face> = Vec::new();
        for face in faces {
            let again = if face.score >= self.count { self.check(picture, &face, turn)? } else { Some(face) };
            // What looks like another one from here may be the same one from near by.
            let known = |seen: &Face| kept.iter().any(|other| same(other, seen));
            if again.is_some_and(|again| !known(&again) && !known(&face)) {
                kept.push(face);
            }
        }
        if kept.iter().all(|face| face.score < self.count) {
            kept.splice(0..0, surest);
        }
        Ok(kept)
    }

    /// The faces of a region, put in at a scale at which it fits and turned back by `turn`, surest first.
    pub(crate) fn look(
        &mut self,
        picture: &Picture,
        region: Region,
        scale: f32,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        let seen = if turn == 0.0 {
            crop::letterbox(picture, region, scale, &self.input)
        } else {
            crop::turned(picture, region, scale, turn, &self.input)
        };
        let (tensor, place) = seen.ok_or_else(|| self.unusable("the picture cannot be scaled".to_owned()))?;
        let shape = [1, 3, self.input.height as usize, self.input.width as usize];
        let answer = self.net.run(&tensor, shape)?;
        let mut found = Vec::new();
        for (cells, anchors, pixels) in MAPS {
            let count = cells * cells * anchors;
            let scores = self.of_length(&answer, count)?;
            let boxes = self.of_length(&answer, count * VALUES)?;
            for (anchor, (&logit, values)) in scores.iter().zip(boxes.chunks_exact(VALUES)).enumerate() {
                let score = 1.0 / (1.0 + (-logit).exp());
                if score >= self.find {
                    let cell = anchor / anchors;
                    let at = |cell: usize| (cell as f32 + 0.5) * pixels;
                    let face = face(values, [at(cell % cells), at(cell / cells)], score, place);
                    if !is_sound(&face) {
                        return Err(self.unusable(format!("anchor {anchor} gives no box")));
                    }
                    found.push(face);
                }
            }
        }
        Ok(merge(found))
    }

    /// The output of that many values; the four outputs differ in length, and their names mean nothing.
    fn of_length<'a>(&self, answer: &'a Tensors, length: usize) -> Result<&'a [f32], VisionError> {
        let found = answer.iter().find(|(_, values)| values.len() == length);
        found
            .map(|(_, values)| values.as_slice())
            .ok_or_else(|| self.unusable(format!("no output of {length} values")))
    }

    fn unusable(&self, what: String) -> VisionError {
        VisionError::Unusable { model: self.id.clone(), what }
    }
}

/// Reads an anchor's values: offsets from the anchor in input pixels.
fn face(values: &[f32], anchor: [f32; 2], score: f32, place: Place) -> Face {
    let [x, y] = place.back(values[0] + anchor[0], values[1] + anchor[1]);
    let half = [values[2] / 2.0 / place.scale, values[3] / 2.0 / place.scale];
    // A box lies along the picture's axes, whichever way the face in it does.
    let lying = (nearest_quarter(place.turn).sin().abs()) > 0.5;
    let [half_width, half_height] = if lying { [half[1], half[0]] } else { half };
    let mut points = [[0.0; 2]; 6];
    for (point, xy) in points.iter_mut().zip(values[4..].chunks_exact(2)) {
        *point = place.back(xy[0] + anchor[0], xy[1] + anchor[1]);
    }
    let (left, right) = (x - half_width, x + half_width);
    Face { left, top: y - half_height, right, bottom: y + half_height, score, points }
}

/// Finite, and with an inside.
fn is_sound(face: &Face) -> bool {
    let edges = [face.left, face.top, face.right, face.bottom];
    let finite = edges.iter().chain(face.points.as_flattened()).all(|value| value.is_finite());
    finite && face.width() > 0.0 && face.height() > 0.0
}

pub(crate) fn area(face: &Face) -> f32 {
    face.width() * face.height()
}

/// The area that two boxes share.
pub(crate) fn common(a: &Face, b: &Face) -> f32 {
    let width = (a.right.min(b.right) - a.left.max(b.left)).max(0.0);
    let height = (a.bottom.min(b.bottom) - a.top.max(b.top)).max(0.0);
    width * height
}

/// Intersection over union.
pub(crate) fn overlap(a: &Face, b: &Face) -> f32 {
    let both = common(a, b);
    both / (area(a) + area(b) - both).max(f32::EPSILON)
}

/// Overlapping boxes become one: their mean, weighted by score (Bazarevsky et al., BlazeFace, 2019, section 4).
fn merge(mut found: Vec<Face>) -> Vec<Face> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut merged = Vec::new();
    while let Some(&best) = found.first() {
        let (same, other): (Vec<Face>, Vec<Face>) =
            found.iter().partition(|face| **face == best || overlap(&best, face) > SAME_FACE);
        found = other;
        let total: f32 = same.iter().map(|face| face.score).sum();
        let mean =
            |value: fn(&Face) -> f32| same.iter().map(|face| face.score * value(face)).sum::<f32>() / total;
        let mut points = [[0.0; 2]; 6];
        for face in &same {
            for (sum, point) in points.iter_mut().zip(face.points) {
                sum[0] += face.score * point[0] / total;
                sum[1] += face.score * point[1] / total;
            }
        }
        merged.push(Face {
            left: mean(|face| face.left),
            top: mean(|face| face.top),
            right: mean(|face| face.right),
            bottom: mean(|face| face.bottom),
            score: best.score,
            points,
        });
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::ScriptedNet,
        pack::{Colour, Crop, CropRule},
    };

    /// A detector whose net gives these values for one anchor, at cell (8, 8) of the fine map.
    fn detector(logit: f32, values: [f32; VALUES]) -> Detector {
        let anchor = (8 * 16 + 8) * 2;
        let mut scores = vec![-100.0; 512];
        scores[anchor] = logit;
        let mut boxes = vec![0.0; 512 * VALUES];
        boxes[anchor * VALUES..(anchor + 1) * VALUES].copy_from_slice(&values);
        let tensors = [scores, vec![-100.0; 384], boxes, vec![0.0; 384 * VALUES]];
        Detector {
            id: "scripted".to_owned(),
            net: Box::new(ScriptedNet(tensors.into_iter().map(|values| (String::new(), values)).collect())),
            input: Input {
                name: "input".to_owned(),
                width: 256,
                height: 256,
                colour: Colour::Rgb,
                mean: [0.0; 3],
                scale: [1.0; 3],
                crop: Crop { rule: CropRule::Letterbox, scales: vec![1.0], joined: false },
            },
            find: 0.5,
            count: 0.7,
        }
    }

    fn picture() -> Picture {
        Picture::new(512, 256, vec![128; 512 * 256 * 3]).unwrap()
    }

    fn sized(width: f32, height: f32) -> [f32; VALUES] {
        let mut values = [0.0; VALUES];
        values[2..4].copy_from_slice(&[width, height]);
        values
    }

    #[test]
    fn a_box_is_read_in_the_pixels_of_the_picture() {
        let faces = detector(10.0, sized(40.0, 60.0)).detect(&picture()).unwrap();
        let [face] = faces[..] else { panic!("{faces:?}") };
        // The anchor stands at 136, 136 of 256; the picture is halved, with 64 rows of black above it.
        assert_eq!([face.left, face.top, face.right, face.bottom], [232.0, 84.0, 312.0, 204.0]);
        assert_eq!(face.points, [[272.0, 144.0]; 6]);
    }

    #[test]
    fn nothing_is_found_below_the_score() {
        assert_eq!(detector(-0.01, sized(40.0, 60.0)).detect(&picture()).unwrap(), []);
        assert_eq!(detector(f32::NAN, sized(40.0, 60.0)).detect(&picture()).unwrap(), []);
    }

    #[test]
    fn a_box_that_is_none_is_an_error() {
        let boxes = [
            sized(0.0, 60.0),
            sized(40.0, -60.0),
            sized(f32::NAN, 60.0),
            sized(40.0, f32::INFINITY),
            [f32::NEG_INFINITY; VALUES],
            std::array::from_fn(|at| if at < 4 { 40.0 } else { f32::NAN }),
        ];
        for values in boxes {
            let answer = detector(10.0, values).detect(&picture());
            assert!(matches!(answer, Err(VisionError::Unusable { .. })), "{values:?}: {answer:?}");
        }
    }
}
