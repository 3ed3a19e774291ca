//! Face detection with MediaPipe's BlazeFace (back model, input 256 x 256, six key points), and the rules that make one
//! run of the net into a reliable answer: padding for large faces, a recheck of each of several faces.

use crate::{
    Face, VisionError,
    box_overlap::{area, intersection_area, intersection_over_union, is_same_face, longer_side},
    crop::{self, InputMapping, SeenRegion, nearest_right_angle},
    inference::{NamedTensors, NeuralNet},
    model_manifest::ModelInput,
    tile_layout::{MIN_TILE_SIDE_PIXELS, PictureTile},
    upright_face::is_clearly_upright,
};
use base::Picture;
use pixels::PictureRegion;

/// Non-maximum suppression: boxes with a greater intersection over union are merged into one face.
const NMS_IOU: f32 = 0.3;

/// A face whose longer side is at least this share of the picture's is detected again with padding around the picture.
const LARGE_FACE_SHARE: f32 = 0.5;

/// The share of the input that the picture fills with padding around it, and with more where that was not enough.
const PADDED_PICTURE_SHARE: f32 = 0.6;
const WIDELY_PADDED_PICTURE_SHARE: f32 = 0.4;

/// The longer side of the picture when a single large face is looked for, as a share of the usual input's: the net was trained on
/// smaller faces, and finds the box of a large one more exactly where it is seen smaller.
const SINGLE_FACE_PICTURE_SHARE: f32 = 0.75;

/// Least room on each side of the picture then, in pixels of the input: without any, fewer small faces at the edges are told in the end
/// (`docs/ACCURACY.md`).
const SINGLE_FACE_MARGIN_PIXELS: u32 = 8;

/// A face is large from this share of the picture's longer side on.
const SINGLE_FACE_MIN_SHARE: f32 = 0.25;

/// Candidates with this score, too low to be a face, leave the doubt that there is another one.
const MIN_DOUBT_SCORE: f32 = 0.2;

/// Size of a face in pixels of the input when it is rechecked, and when it is rechecked a second time. Larger sizes
/// would show small faces too blurred.
const RECHECK_FACE_INPUT_PIXELS: [f32; 2] = [64.0, 44.0];

/// The anchors of the two feature maps: input pixels per cell, anchors per cell.
const ANCHOR_MAPS: [(u32, usize); 2] = [(16, 2), (32, 6)];

/// Sides of any input are multiples of this: the cells of the coarser feature map.
const INPUT_SIDE_STEP_PIXELS: u32 = ANCHOR_MAPS[1].0;

/// Values for each anchor: centre and size of the box, then six points.
const VALUES_PER_ANCHOR: usize = 16;

#[derive(Debug)]
pub(crate) struct FaceDetector {
    pub(crate) id: String,
    pub(crate) net: Box<dyn NeuralNet>,
    /// For a look at a picture as a whole: a square.
    pub(crate) input: ModelInput,
    /// The greatest side of an input, pixels: a multiple of 64, or that of [`Self::input`] where the net takes no other size.
    pub(crate) max_input_side: u32,
    /// Score from which a candidate is a face.
    pub(crate) detection_threshold: f32,
    /// Score from which a face counts towards "more than one face".
    pub(crate) counting_threshold: f32,
}

impl FaceDetector {
    /// Detects the faces of a picture, highest score first: upright ones, or, where there are none, those of a picture
    /// that is rotated. One run of the net suffices where it leaves no doubt, see [`Self::detect_single`].
    ///
    /// Of several confident faces each must be confirmed by a closer crop, because in webcam frames the net also fires
    /// on ears, hands and shelves.
    pub(crate) fn detect(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        match self.detect_single(picture)? {
            Some(face) => Ok(vec![face]),
            None => self.detect_thoroughly(picture),
        }
    }

    /// As [`Self::detect`], with half the score from which a candidate is a face. As many confident faces count as
    /// otherwise.
    pub(crate) fn detect_relaxed(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        let strict = self.detection_threshold;
        self.detection_threshold = strict / 2.0;
        // Though a panic ends only this job, the worker keeps its detector: the next one must not find half the score.
        let mut relaxed = scopeguard::guard(self, |detector| detector.detection_threshold = strict);
        relaxed.detect(picture)
    }

    /// Detects by as many runs of the net as it takes.
    pub(crate) fn detect_thoroughly(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        let upright = self.detect_upright(picture)?;
        if upright.is_empty() {
            let Some((turn, face)) = self.find_orientation(picture)? else { return Ok(upright) };
            return self.detect_confident_rotated(picture, turn, face);
        }
        match self.find_other_orientation(picture, &upright)? {
            Some((turn, face)) => {
                let turned = self.detect_confident_rotated(picture, turn, face)?;
                Ok(self.choose_better((upright, 0.0), (turned, turn)).0)
            }
            None => Ok(upright),
        }
    }

    /// The face of a picture with one large, upright face and nothing else that resembles a face, by one run of the net.
    /// `None` where that run leaves a doubt: no face, several, a small one, one that leans, is cut off or may be
    /// upside down.
    ///
    /// The picture is seen at [`SINGLE_FACE_PICTURE_SHARE`], where boxes are so exact that ages estimated from them are as accurate
    /// as with further runs (`docs/ACCURACY.md`), and with little around it: black beside a picture costs time.
    fn detect_single(&mut self, picture: &Picture) -> Result<Option<Face>, VisionError> {
        let (weak, confident): (Vec<Face>, Vec<Face>) = self
            .unmerged_candidates_in_tile(picture, self.first_look(picture), 0.0, MIN_DOUBT_SCORE)?
            .into_iter()
            .partition(|face| face.score < self.detection_threshold);
        let [face] = merge_overlapping(confident)[..] else { return Ok(None) };
        let (width, height) = (picture.width() as f32, picture.height() as f32);
        let is_alone = weak.iter().all(|other| is_same_face(other, &face));
        let is_whole = face.left >= 0.0 && face.top >= 0.0 && face.right <= width && face.bottom <= height;
        let is_large = longer_side(&face) >= SINGLE_FACE_MIN_SHARE * width.max(height);
        let certain = face.score >= self.counting_threshold
            && is_alone
            && is_whole
            && is_large
            && is_clearly_upright(&face);
        Ok(certain.then_some(face))
    }

    /// Detects by one run of the net on the whole picture, which fills the share `part` of the input.
    pub(crate) fn detect_once(&mut self, picture: &Picture, part: f32) -> Result<Vec<Face>, VisionError> {
        let whole = PictureRegion::whole(picture);
        let scale = crop::fit_scale(whole, &self.input, part);
        self.detect_in_region(picture, whole, scale, 0.0)
    }

    /// Detects in a rotated picture. Rotating until something looks like a face makes false detections likelier, so
    /// only confident faces count, or else the face `found` by which the rotation was chosen.
    fn detect_confident_rotated(
        &mut self,
        picture: &Picture,
        turn: f32,
        found: Face,
    ) -> Result<Vec<Face>, VisionError> {
        let mut faces = self.detect_rotated(picture, turn)?;
        faces.retain(|face| face.score >= self.counting_threshold);
        if faces.is_empty() { Ok(vec![found]) } else { self.confirm_several(picture, faces, turn) }
    }

    /// Detects upright faces only, highest score first.
    pub(crate) fn detect_upright(&mut self, picture: &Picture) -> Result<Vec<Face>, VisionError> {
        let faces = self.detect_rotated(picture, 0.0)?;
        self.confirm_several(picture, faces, 0.0)
    }

    /// Detects the faces that are upright when the picture is rotated back by `turn` (radians, clockwise), highest
    /// score first.
    ///
    /// The net was trained on faces smaller than the picture: one that fills it is missed, cut short, or found as two
    /// halves. So where the first run finds no face or a large one, a second run with padding around the picture
    /// decides, and the first one only adds faces elsewhere.
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

    /// Where several faces are confident, keeps those that a closer crop confirms, each once; at least the one with the
    /// highest score.
    fn confirm_several(
        &mut self,
        picture: &Picture,
        faces: Vec<Face>,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        if faces.iter().filter(|face| face.score >= self.counting_threshold).count() < 2 {
            return Ok(faces);
        }
        let best = faces.first().copied();
        let mut confirmed: Vec<Face> = Vec::new();
        for face in faces {
            let again = if face.score >= self.counting_threshold {
                self.recheck(picture, &face, turn)?
            } else {
                Some(face)
            };
            // Two boxes of the whole picture may turn out to be the same face in the closer crop.
            let is_known = |face: &Face| confirmed.iter().any(|other| is_same_face(other, face));
            if again.is_some_and(|again| !is_known(&again) && !is_known(&face)) {
                confirmed.push(face);
            }
        }
        if confirmed.iter().all(|face| face.score < self.counting_threshold) {
            confirmed.splice(0..0, best);
        }
        Ok(confirmed)
    }

    /// Detects a face again in a crop that shows it centred and at a favourable size. `None` where it is not found
    /// there confidently: then it is a false detection.
    pub(crate) fn recheck(
        &mut self,
        picture: &Picture,
        face: &Face,
        turn: f32,
    ) -> Result<Option<Face>, VisionError> {
        for face_side in RECHECK_FACE_INPUT_PIXELS {
            let again = self.detect_closer(picture, face, turn, face_side)?;
            if again.is_some() {
                return Ok(again);
            }
        }
        Ok(None)
    }

    /// Detects a face in a crop that shows it centred, with its longer side at `face_side` pixels of the input: of what
    /// counts as a face there, the box that is nearest to the one known.
    pub(crate) fn detect_closer(
        &mut self,
        picture: &Picture,
        face: &Face,
        turn: f32,
        face_side: f32,
    ) -> Result<Option<Face>, VisionError> {
        let side = self.input.width as f32;
        let Some(region) = square_around(picture, face, longer_side(face) * side / face_side) else {
            return Ok(None);
        };
        let scale = side / region.width.max(region.height) as f32;
        let again = self.detect_in_region(picture, region, scale, turn)?;
        let counting = |other: &Face| {
            other.score >= self.counting_threshold && intersection_over_union(other, face) > 0.3
        };
        Ok(again
            .into_iter()
            .filter(counting)
            .max_by(|a, b| intersection_over_union(a, face).total_cmp(&intersection_over_union(b, face))))
    }

    /// Runs the net on a region of the picture, letterboxed at `scale` (at which it must fit the input) and rotated
    /// back by `turn` (radians). The faces after non-maximum suppression, highest score first, in pixels of the
    /// picture.
    pub(crate) fn detect_in_region(
        &mut self,
        picture: &Picture,
        region: PictureRegion,
        scale: f32,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        self.detect_in_tile(picture, self.square_tile(region, scale), turn)
    }

    /// The same, on a tile, whose input is a square unless `turn` is a right angle.
    pub(crate) fn detect_in_tile(
        &mut self,
        picture: &Picture,
        tile: PictureTile,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        let threshold = self.detection_threshold;
        Ok(merge_overlapping(self.unmerged_candidates_in_tile(picture, tile, turn, threshold)?))
    }

    /// A region, seen at `scale` in an input of the usual size.
    pub(crate) fn square_tile(&self, region: PictureRegion, scale: f32) -> PictureTile {
        PictureTile { region, scale, input_size: [self.input.width, self.input.height] }
    }

    /// How a picture is seen when a single large face is looked for: in the smallest input that shows it all with some room, where
    /// the net takes inputs of any size.
    pub(crate) fn first_look(&self, picture: &Picture) -> PictureTile {
        let whole = PictureRegion::whole(picture);
        let look = self.square_tile(whole, crop::fit_scale(whole, &self.input, SINGLE_FACE_PICTURE_SHARE));
        if self.max_input_side == self.input.width {
            return look;
        }
        let side = |length: u32, most: u32| {
            let seen = (length as f32 * look.scale).round() as u32;
            let wanted = seen + 2 * SINGLE_FACE_MARGIN_PIXELS;
            wanted.next_multiple_of(INPUT_SIDE_STEP_PIXELS).clamp(MIN_TILE_SIDE_PIXELS, most)
        };
        let input_size = [side(whole.width, self.input.width), side(whole.height, self.input.height)];
        PictureTile { input_size, ..look }
    }

    /// All candidates of such a run that score at least `min_score`; the same face is usually among them several times.
    fn unmerged_candidates_in_tile(
        &mut self,
        picture: &Picture,
        tile: PictureTile,
        turn: f32,
        min_score: f32,
    ) -> Result<Vec<Face>, VisionError> {
        let PictureTile { region, scale, input_size: [width, height] } = tile;
        let input = ModelInput { width, height, ..self.input.clone() };
        let seen = crop::letterbox_rotated(picture, region, scale, turn, &input)
            .ok_or_else(|| self.unusable("the picture cannot be scaled".to_owned()))?;
        let (SeenRegion { tensor, mapping, .. }, [width, height]) = (&seen, seen.size);
        let answer = self.net.run(tensor, [1, 3, height, width])?;
        let mut found = Vec::new();
        for (pixels, anchors) in ANCHOR_MAPS {
            let (columns, rows) = (width / pixels as usize, height / pixels as usize);
            let count = columns * rows * anchors;
            let scores = self.output_of_length(&answer, count)?;
            let boxes = self.output_of_length(&answer, count * VALUES_PER_ANCHOR)?;
            for (anchor, (&logit, values)) in
                scores.iter().zip(boxes.chunks_exact(VALUES_PER_ANCHOR)).enumerate()
            {
                let score = 1.0 / (1.0 + (-logit).exp());
                if score >= min_score {
                    let cell = anchor / anchors;
                    let at = |cell: usize| (cell as f32 + 0.5) * pixels as f32;
                    let face = decode_face(values, [at(cell % columns), at(cell / columns)], score, *mapping);
                    if !is_finite(&face) {
                        return Err(self.unusable(format!("anchor {anchor} gives no numbers")));
                    }
                    // Of a picture that resembles no face, a weak candidate may have no extent.
                    if face.width() > 0.0 && face.height() > 0.0 {
                        found.push(face);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The output with that many values: the four outputs differ in length, and their names say nothing.
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

/// Decodes the values of an anchor, which are offsets from it in input pixels, to pixels of the picture.
fn decode_face(values: &[f32], anchor: [f32; 2], score: f32, mapping: InputMapping) -> Face {
    let [x, y] = mapping.picture_point(values[0] + anchor[0], values[1] + anchor[1]);
    let half = [values[2] / 2.0 / mapping.scale, values[3] / 2.0 / mapping.scale];
    // The box is parallel to the picture's axes even where the face is rotated by a right angle.
    let sideways = (nearest_right_angle(mapping.turn_radians).sin().abs()) > 0.5;
    let [half_width, half_height] = if sideways { [half[1], half[0]] } else { half };
    let mut points = [[0.0; 2]; 6];
    for (point, xy) in points.iter_mut().zip(values[4..].chunks_exact(2)) {
        *point = mapping.picture_point(xy[0] + anchor[0], xy[1] + anchor[1]);
    }
    let (left, right) = (x - half_width, x + half_width);
    Face { left, top: y - half_height, right, bottom: y + half_height, score, points }
}

fn is_finite(face: &Face) -> bool {
    let edges = [face.left, face.top, face.right, face.bottom];
    edges.iter().chain(face.points.as_flattened()).all(|value| value.is_finite())
}

/// A square of `side` pixels around a face, clipped to the picture; `None` where less than two pixels remain.
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

/// Non-maximum suppression that blends: overlapping boxes become their mean, weighted by score (Bazarevsky et al.,
/// BlazeFace, 2019, section 4).
fn merge_overlapping(mut found: Vec<Face>) -> Vec<Face> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut merged = Vec::new();
    while let Some(&best) = found.first() {
        let (same, other): (Vec<Face>, Vec<Face>) =
            found.iter().partition(|face| **face == best || intersection_over_union(&best, face) > NMS_IOU);
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
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{Arc, Mutex},
    };

    /// A detector whose net answers with these values for one anchor, in cell (8, 8) of the fine feature map.
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
            max_input_side: 256,
            detection_threshold: 0.5,
            counting_threshold: 0.7,
        }
    }

    /// A net that finds nothing in inputs of any size, and keeps their widths and heights.
    #[derive(Debug, Default)]
    struct InputSizes(Arc<Mutex<Vec<[usize; 2]>>>);

    impl NeuralNet for InputSizes {
        fn run(&mut self, _: &[f32], [.., height, width]: [usize; 4]) -> Result<NamedTensors, VisionError> {
            self.0.lock().unwrap().push([width, height]);
            let tensors = ANCHOR_MAPS.into_iter().flat_map(|(pixels, anchors)| {
                let count = (width / pixels as usize) * (height / pixels as usize) * anchors;
                [vec![-100.0; count], vec![0.0; count * VALUES_PER_ANCHOR]]
            });
            Ok(tensors.map(|values| (String::new(), values)).collect())
        }
    }

    #[test]
    fn the_first_look_takes_an_input_hardly_larger_than_the_picture_if_the_net_can() {
        let sizes = Arc::<Mutex<Vec<[usize; 2]>>>::default();
        let net = Box::new(InputSizes(Arc::clone(&sizes)));
        let mut detector = FaceDetector { net, ..detector(0.0, sized(0.0, 0.0)) };
        let mut first_size = |most: u32, [width, height]: [u32; 2]| {
            detector.max_input_side = most;
            let picture = Picture::new(width, height, vec![0; (3 * width * height) as usize]).unwrap();
            assert_eq!(detector.detect(&picture).unwrap(), []);
            std::mem::take(&mut *sizes.lock().unwrap())[0]
        };
        assert_eq!(first_size(256, [720, 800]), [256, 256], "the net takes no other");
        let pictures = [[720, 800], [300, 400], [400, 300], [1920, 1080], [90, 900], [7, 5]];
        assert_eq!(
            pictures.map(|picture| first_size(512, picture)),
            [[192, 224], [160, 224], [224, 160], [224, 128], [128, 224], [224, 160]]
        );
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
        // The anchor is at 136, 136 of 256; the picture is halved, with 64 rows of black above it.
        assert_eq!([face.left, face.top, face.right, face.bottom], [232.0, 84.0, 312.0, 204.0]);
        assert_eq!(face.points, [[272.0, 144.0]; 6]);
    }

    #[test]
    fn nothing_is_found_below_the_score() {
        assert_eq!(detector(-0.01, sized(40.0, 60.0)).detect(&picture()).unwrap(), []);
        assert_eq!(detector(f32::NAN, sized(40.0, 60.0)).detect(&picture()).unwrap(), []);
    }

    #[test]
    fn relaxed_half_the_score_is_enough_and_only_then() {
        let mut detector = detector(-0.5, sized(40.0, 60.0));
        assert_eq!(detector.detect(&picture()).unwrap(), []);
        let [face] = detector.detect_relaxed(&picture()).unwrap()[..] else { panic!("one face") };
        assert!((0.25..0.5).contains(&face.score), "{face:?}");
        assert_eq!(detector.detect(&picture()).unwrap(), [], "the next picture is judged as before");
    }

    #[test]
    fn what_follows_a_panic_is_not_relaxed() {
        #[derive(Debug)]
        struct PanickingNet;
        impl NeuralNet for PanickingNet {
            fn run(&mut self, _: &[f32], _: [usize; 4]) -> Result<NamedTensors, VisionError> {
                panic!("on purpose")
            }
        }
        let mut detector = detector(10.0, sized(40.0, 60.0));
        let strict = detector.detection_threshold;
        detector.net = Box::new(PanickingNet);
        let relaxed = AssertUnwindSafe(|| detector.detect_relaxed(&picture()));
        assert!(catch_unwind(relaxed).is_err());
        assert_eq!(detector.detection_threshold, strict);
    }

    #[test]
    fn faces_that_are_upside_down_are_better_than_none() {
        let points = [[60.0, 60.0], [40.0, 60.0], [50.0, 50.0], [50.0, 40.0], [70.0, 60.0], [30.0, 60.0]];
        let face = Face { left: 30.0, top: 30.0, right: 70.0, bottom: 70.0, score: 0.9, points };
        let detector = detector(10.0, sized(40.0, 60.0));
        assert_eq!(detector.choose_better((Vec::new(), 0.0), (vec![face], 0.0)).0, [face]);
        let upright = Face { points: points.map(|[x, y]| [100.0 - x, 100.0 - y]), ..face };
        assert_eq!(detector.choose_better((vec![upright], 0.0), (vec![face], 0.0)).0, [upright]);
    }

    #[test]
    fn a_box_without_extent_is_no_face() {
        for values in [sized(0.0, 60.0), sized(40.0, -60.0)] {
            assert_eq!(detector(10.0, values).detect(&picture()).unwrap(), [], "{values:?}");
        }
    }

    #[test]
    fn a_box_that_is_not_finite_is_an_error() {
        let boxes = [
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
