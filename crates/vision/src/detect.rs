//! Finding faces: MediaPipe's BlazeFace (back model, 256 x 256, six key points).

use crate::{
    Face, VisionError,
    box_overlap::{area, intersection_area, intersection_over_union, is_same_face, longer_side},
    crop::{self, InputMapping, nearest_right_angle},
    inference::{NamedTensors, NeuralNet},
    model_manifest::ModelInput,
};
use base::Picture;
use pixels::PictureRegion;

/// Boxes that overlap more than this (intersection over union) are one face.
const SAME_FACE_OVERLAP: f32 = 0.3;

/// A face of this share of the picture's longer side is looked at again, with room around it.
const LARGE_FACE_SHARE: f32 = 0.5;

/// The part of the input that the picture takes when room is made around it, and when that was not enough.
const PADDED_PICTURE_SHARE: f32 = 0.6;
const WIDELY_PADDED_PICTURE_SHARE: f32 = 0.4;

/// A second look shows a face at this size, in pixels of the input; where that does not do, a third at the other. Larger
/// would show small faces too blurred.
const RECHECK_FACE_INPUT_PIXELS: [f32; 2] = [64.0, 44.0];

/// Anchors on the two feature maps: cells a side, anchors a cell, pixels a cell.
const ANCHOR_MAPS: [(usize, usize, f32); 2] = [(16, 2, 16.0), (8, 6, 32.0)];

/// Values for each anchor: box centre and size, then six points.
const VALUES_PER_ANCHOR: usize = 16;

#[derive(Debug)]
pub(crate) struct FaceDetector {
    pub(crate) id: String,
    pub(crate) net: Box<dyn NeuralNet>,
    pub(crate) input: ModelInput,
    /// Score from which a face is a face.
    pub(crate) detection_threshold: f32,
    /// Score from which it counts towards "more than one".
    pub(crate) counting_threshold: f32,
}

impl FaceDetector {
    /// The faces of a picture, surest first: upright ones, and where there are none those of a picture that lies on its
    /// side or stands on its head.
    ///
    /// Several count as several only where a look from near by confirms each of them: frames of webcams show the net
    /// faces in ears, hands and shelves.
    pub(crate) fn detect(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        let upright = self.detect_upright(picture)?;
        if upright.is_empty() {
            let Some((turn, face)) = self.find_orientation(picture)? else { return Ok(upright) };
            return self.detect_confident_rotated(picture, turn, face);
        }
        match self.find_other_orientation(picture, &upright)? {
            Some((turn, face)) => {
                let turned = self.detect_confident_rotated(picture, turn, face)?;
                Ok(self.choose_better(upright, turned, turn))
            }
            None => Ok(upright),
        }
    }

    /// Less is believed of a picture that was turned until it showed a face: that one, or those that count.
    fn detect_confident_rotated(
        &mut self,
        picture: &Picture,
        turn: f32,
        face: Face,
    ) -> Result<Vec<Face>, VisionError> {
        let mut faces = self.detect_rotated(picture, turn)?;
        faces.retain(|face| face.score >= self.counting_threshold);
        if faces.is_empty() { Ok(vec![face]) } else { self.confirm_several(picture, faces, turn) }
    }

    /// The upright ones alone.
    pub(crate) fn detect_upright(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        let faces = self.detect_rotated(picture, 0.0)?;
        self.confirm_several(picture, faces, 0.0)
    }

    /// The faces that look upright when the picture is turned back by `turn` (radians, clockwise), surest first.
    ///
    /// The net was made for faces smaller than the picture: one that fills it is missed, cut short, or found as two
    /// halves. So where there is none, or a large one, a second look with room made around the picture decides, and the
    /// first one counts for faces elsewhere.
    pub(crate) fn detect_rotated(&mut self, picture: &Picture, turn: f32) -> Result<Vec<Face>, VisionError> {
        let whole = PictureRegion::whole(picture);
        let first = self.detect_in_region(picture, whole, crop::fit_scale(whole, &self.input, 1.0), turn)?;
        let large = LARGE_FACE_SHARE * picture.width().max(picture.height()) as f32;
        if !first.is_empty() && first.iter().all(|face| face.width().max(face.height()) < large) {
            return Ok(first);
        }
        let mut faces = self.detect_in_region(
            picture,
            whole,
            crop::fit_scale(whole, &self.input, PADDED_PICTURE_SHARE),
            turn,
        )?;
        if first.is_empty() && faces.is_empty() {
            return self.detect_in_region(
                picture,
                whole,
                crop::fit_scale(whole, &self.input, WIDELY_PADDED_PICTURE_SHARE),
                turn,
            );
        }
        let elsewhere =
            |face: &Face| faces.iter().all(|other| intersection_area(face, other) < 0.5 * area(face));
        let others: Vec<Face> = first.into_iter().filter(elsewhere).collect();
        faces.extend(others);
        faces.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(faces)
    }

    /// Of several faces that count, those that are seen from near by as well, each once; the surest at least.
    fn confirm_several(
        &mut self,
        picture: &Picture,
        faces: Vec<Face>,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        if faces.iter().filter(|face| face.score >= self.counting_threshold).count() < 2 {
            return Ok(faces);
        }
        let surest = faces.first().copied();
        let mut kept: Vec<Face> = Vec::new();
        for face in faces {
            let again = if face.score >= self.counting_threshold {
                self.recheck(picture, &face, turn)?
            } else {
                Some(face)
            };
            // What looks like another one from here may be the same one from near by.
            let known = |seen: &Face| kept.iter().any(|other| is_same_face(other, seen));
            if again.is_some_and(|again| !known(&again) && !known(&face)) {
                kept.push(face);
            }
        }
        if kept.iter().all(|face| face.score < self.counting_threshold) {
            kept.splice(0..0, surest);
        }
        Ok(kept)
    }

    /// Looks at a face again, in the middle and at a good size. What is not found there, and surely, is none.
    pub(crate) fn recheck(
        &mut self,
        picture: &Picture,
        face: &Face,
        turn: f32,
    ) -> Result<Option<Face>, VisionError> {
        let side = self.input.width as f32;
        for close in RECHECK_FACE_INPUT_PIXELS {
            let Some(region) = square_around(picture, face, longer_side(face) * side / close) else {
                return Ok(None);
            };
            let again =
                self.detect_in_region(picture, region, side / region.width.max(region.height) as f32, turn)?;
            let sure = again.into_iter().filter(|other| {
                other.score >= self.counting_threshold && intersection_over_union(other, face) > 0.3
            });
            if let Some(best) = sure
                .max_by(|a, b| intersection_over_union(a, face).total_cmp(&intersection_over_union(b, face)))
            {
                return Ok(Some(best));
            }
        }
        Ok(None)
    }

    /// The faces of a region, put in at a scale at which it fits and turned back by `turn`, surest first.
    pub(crate) fn detect_in_region(
        &mut self,
        picture: &Picture,
        region: PictureRegion,
        scale: f32,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        let seen = if turn == 0.0 {
            crop::letterbox(picture, region, scale, &self.input)
        } else {
            crop::letterbox_rotated(picture, region, scale, turn, &self.input)
        };
        let (tensor, place) = seen.ok_or_else(|| self.unusable("the picture cannot be scaled".to_owned()))?;
        let shape = [1, 3, self.input.height as usize, self.input.width as usize];
        let answer = self.net.run(&tensor, shape)?;
        let mut found = Vec::new();
        for (cells, anchors, pixels) in ANCHOR_MAPS {
            let count = cells * cells * anchors;
            let scores = self.output_of_length(&answer, count)?;
            let boxes = self.output_of_length(&answer, count * VALUES_PER_ANCHOR)?;
            for (anchor, (&logit, values)) in
                scores.iter().zip(boxes.chunks_exact(VALUES_PER_ANCHOR)).enumerate()
            {
                let score = 1.0 / (1.0 + (-logit).exp());
                if score >= self.detection_threshold {
                    let cell = anchor / anchors;
                    let at = |cell: usize| (cell as f32 + 0.5) * pixels;
                    let face = decode_face(values, [at(cell % cells), at(cell / cells)], score, place);
                    if !is_sound(&face) {
                        return Err(self.unusable(format!("anchor {anchor} gives no box")));
                    }
                    found.push(face);
                }
            }
        }
        Ok(merge_overlapping(found))
    }

    /// The output of that many values; the four outputs differ in length, and their names mean nothing.
    fn output_of_length<'a>(
        &self,
        answer: &'a NamedTensors,
        length: usize,
    ) -> Result<&'a [f32], VisionError> {
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
fn decode_face(values: &[f32], anchor: [f32; 2], score: f32, place: InputMapping) -> Face {
    let [x, y] = place.picture_point(values[0] + anchor[0], values[1] + anchor[1]);
    let half = [values[2] / 2.0 / place.scale, values[3] / 2.0 / place.scale];
    // A box lies along the picture's axes, whichever way the face in it does.
    let lying = (nearest_right_angle(place.turn_radians).sin().abs()) > 0.5;
    let [half_width, half_height] = if lying { [half[1], half[0]] } else { half };
    let mut points = [[0.0; 2]; 6];
    for (point, xy) in points.iter_mut().zip(values[4..].chunks_exact(2)) {
        *point = place.picture_point(xy[0] + anchor[0], xy[1] + anchor[1]);
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

/// The part of a square around a face that lies in the picture; `None` where too little of it does.
pub(crate) fn square_around(picture: &Picture, face: &Face, side: f32) -> Option<PictureRegion> {
    let bound = |low: f32, high: f32, size: u32| {
        let centre = f32::midpoint(low, high);
        let from = (centre - side / 2.0).clamp(0.0, size as f32) as u32;
        let to = (centre + side / 2.0).clamp(0.0, size as f32) as u32;
        (to > from + 1).then_some((from, to - from))
    };
    let (left, width) = bound(face.left, face.right, picture.width())?;
    let (top, height) = bound(face.top, face.bottom, picture.height())?;
    Some(PictureRegion { left, top, width, height })
}

/// Overlapping boxes become one: their mean, weighted by score (Bazarevsky et al., BlazeFace, 2019, section 4).
fn merge_overlapping(mut found: Vec<Face>) -> Vec<Face> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut merged = Vec::new();
    while let Some(&best) = found.first() {
        let (same, other): (Vec<Face>, Vec<Face>) = found
            .iter()
            .partition(|face| **face == best || intersection_over_union(&best, face) > SAME_FACE_OVERLAP);
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
        inference::ScriptedNet,
        model_manifest::{ChannelOrder, CropRule, CropSpec},
    };

    /// A detector whose net gives these values for one anchor, at cell (8, 8) of the fine map.
    fn detector(logit: f32, values: [f32; VALUES_PER_ANCHOR]) -> FaceDetector {
        let anchor = (8 * 16 + 8) * 2;
        let mut scores = vec![-100.0; 512];
        scores[anchor] = logit;
        let mut boxes = vec![0.0; 512 * VALUES_PER_ANCHOR];
        boxes[anchor * VALUES_PER_ANCHOR..(anchor + 1) * VALUES_PER_ANCHOR].copy_from_slice(&values);
        let tensors = [scores, vec![-100.0; 384], boxes, vec![0.0; 384 * VALUES_PER_ANCHOR]];
        FaceDetector {
            id: "scripted".to_owned(),
            net: Box::new(ScriptedNet(tensors.into_iter().map(|values| (String::new(), values)).collect())),
            input: ModelInput {
                name: "input".to_owned(),
                width: 256,
                height: 256,
                colour: ChannelOrder::Rgb,
                mean: [0.0; 3],
                scale: [1.0; 3],
                crop: CropSpec { rule: CropRule::Letterbox, scales: vec![1.0], joined: false },
            },
            detection_threshold: 0.5,
            counting_threshold: 0.7,
        }
    }

    fn picture() -> Picture {
        Picture::new(512, 256, vec![128; 512 * 256 * 3]).unwrap()
    }

    fn sized(width: f32, height: f32) -> [f32; VALUES_PER_ANCHOR] {
        let mut values = [0.0; VALUES_PER_ANCHOR];
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
            [f32::NEG_INFINITY; VALUES_PER_ANCHOR],
            std::array::from_fn(|at| if at < 4 { 40.0 } else { f32::NAN }),
        ];
        for values in boxes {
            let answer = detector(10.0, values).detect(&picture());
            assert!(matches!(answer, Err(VisionError::Unusable { .. })), "{values:?}: {answer:?}");
        }
    }
}
