//! Finding faces: MediaPipe's BlazeFace (back model, 256 x 256, six key points).

use crate::{
    Face, VisionError,
    crop::{self, Letterbox},
    engine::{Net, Tensors},
    pack::Input,
};
use base::Picture;

/// Boxes that overlap more than this (intersection over union) are one face.
const SAME_FACE: f32 = 0.3;

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
    /// The faces of a picture, surest first. A face that fills the picture is found on a second look, with room made
    /// around it.
    pub(crate) fn detect(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        for part in [1.0, 0.6] {
            let faces = self.look(picture, part)?;
            if !faces.is_empty() {
                return Ok(faces);
            }
        }
        Ok(Vec::new())
    }

    fn look(&mut self, picture: &Picture, part: f32) -> Result<Vec<Face>, VisionError> {
        let (tensor, place) = crop::letterbox(picture, &self.input, part)
            .ok_or_else(|| self.unusable("the picture cannot be scaled".to_owned()))?;
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
fn face(values: &[f32], anchor: [f32; 2], score: f32, place: Letterbox) -> Face {
    let centre = [values[0] + anchor[0], values[1] + anchor[1]];
    let (half_width, half_height) = (values[2] / 2.0, values[3] / 2.0);
    let [left, top] = place.back(centre[0] - half_width, centre[1] - half_height);
    let [right, bottom] = place.back(centre[0] + half_width, centre[1] + half_height);
    let mut points = [[0.0; 2]; 6];
    for (point, xy) in points.iter_mut().zip(values[4..].chunks_exact(2)) {
        *point = place.back(xy[0] + anchor[0], xy[1] + anchor[1]);
    }
    Face { left, top, right, bottom, score, points }
}

/// Finite, and with an inside.
fn is_sound(face: &Face) -> bool {
    let edges = [face.left, face.top, face.right, face.bottom];
    let finite = edges.iter().chain(face.points.as_flattened()).all(|value| value.is_finite());
    finite && face.width() > 0.0 && face.height() > 0.0
}

fn overlap(a: &Face, b: &Face) -> f32 {
    let width = (a.right.min(b.right) - a.left.max(b.left)).max(0.0);
    let height = (a.bottom.min(b.bottom) - a.top.max(b.top)).max(0.0);
    let both = width * height;
    both / (a.width() * a.height() + b.width() * b.height() - both).max(f32::EPSILON)
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
