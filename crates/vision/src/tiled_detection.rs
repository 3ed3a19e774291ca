//! Detection of small faces: the net runs on overlapping tiles of a large picture at several scales
//! (`tile_layout`), and small faces are rechecked in a closer crop.

use crate::{
    Face, VisionError,
    box_overlap::{intersection_over_union, is_same_face, longer_side, may_be_same_face},
    crop::{self, is_right_angle, nearest_right_angle},
    detect::FaceDetector,
    tile_layout::{PictureTile, TileLayout, tiles},
};
use base::Picture;
use pixels::PictureRegion;
use std::f32::consts::{FRAC_PI_2, PI};

/// In a rotated picture the first search is for faces larger by this factor: that finds most of a crowd with half the
/// runs of the net.
const ROTATED_COARSENING: f32 = 1.5;

/// Most candidates of a picture that are rechecked, the best ones first.
const MAX_RECHECKED_FACES: usize = 256;

/// Faces of at least this size in pixels of the input need no recheck.
const SURE_FACE_INPUT_PIXELS: f32 = 64.0;

/// A detected face and its size in the net's input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileCandidate {
    pub(crate) face: Face,
    /// Longer side of the box in pixels of the input.
    pub(crate) input_side: f32,
}

impl FaceDetector {
    /// Detects every face of at least `smallest` pixels, highest score first; where none is upright, those of a picture
    /// that is rotated.
    pub(crate) fn detect_tiled(
        &mut self,
        picture: &Picture,
        smallest: f32,
    ) -> Result<Vec<Face>, VisionError> {
        let upright = self.detect_tiled_rotated(picture, smallest, 0.0)?;
        let turned = if upright.is_empty() {
            self.find_orientation(picture)?
        } else {
            self.find_other_orientation(picture, &upright)?
        };
        if let Some((turn, _)) = turned {
            // Most pictures are rotated by a right angle, and the face that shows it may lean.
            let quarter = nearest_right_angle(turn);
            let other = (quarter != 0.0 && !is_right_angle(turn)).then_some(quarter);
            let mut best = (upright, 0.0);
            for turn in [Some(turn), other].into_iter().flatten() {
                let found = self.detect_tiled_rotated(picture, smallest, turn)?;
                best = self.choose_better(best, (found, turn));
            }
            return Ok(best.0);
        }
        if !upright.is_empty() {
            return Ok(upright);
        }
        for turn in [FRAC_PI_2, -FRAC_PI_2, PI] {
            // Coarse tiles tell whether there are faces in this orientation; if so, all tiles are searched.
            let (coarse_smallest, layout) = (smallest * ROTATED_COARSENING, self.photo_layout(turn));
            let tiles = tiles(picture.width(), picture.height(), coarse_smallest, layout);
            let crowd = self.candidates_in_tiles(picture, &tiles, turn)?;
            if !self.merge_candidates(picture, crowd, smallest, &[], turn)?.is_empty() {
                return self.detect_tiled_rotated(picture, smallest, turn);
            }
        }
        Ok(upright)
    }

    /// Detects the faces of at least `smallest` pixels that are upright when the picture is rotated back by `turn`,
    /// highest score first.
    fn detect_tiled_rotated(
        &mut self,
        picture: &Picture,
        smallest: f32,
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        let mut found = self.candidates_in_whole(picture, turn)?;
        let is_sure = |seen: &&TileCandidate| {
            seen.input_side >= SURE_FACE_INPUT_PIXELS && seen.face.score >= self.counting_threshold
        };
        let sure: Vec<Face> = found.iter().filter(is_sure).map(|seen| seen.face).collect();
        let tiles = tiles(picture.width(), picture.height(), smallest, self.photo_layout(turn));
        let mut in_tiles = self.candidates_in_tiles(picture, &tiles, turn)?;
        // The whole picture shows where a large face ends better than a tile does.
        in_tiles.retain(|seen| sure.iter().all(|face| !is_same_face(face, &seen.face)));
        found.extend(in_tiles);
        self.merge_candidates(picture, found, smallest, &[], turn)
    }

    fn photo_layout(&self, turn: f32) -> TileLayout {
        TileLayout::of_photo(self.input.width, self.max_input_side, turn)
    }

    /// Candidates of all tiles.
    fn candidates_in_tiles(
        &mut self,
        picture: &Picture,
        tiles: &[PictureTile],
        turn: f32,
    ) -> Result<Vec<TileCandidate>, VisionError> {
        let mut found = Vec::new();
        for &tile in tiles {
            found.extend(self.candidates_in_tile(picture, tile, turn)?);
        }
        Ok(found)
    }

    /// Candidates of one run on the whole picture.
    pub(crate) fn candidates_in_whole(
        &mut self,
        picture: &Picture,
        turn: f32,
    ) -> Result<Vec<TileCandidate>, VisionError> {
        let scale = crop::fit_scale(PictureRegion::whole(picture), &self.input, 1.0);
        let faces = self.detect_rotated(picture, turn)?;
        Ok(faces
            .into_iter()
            .map(|face| TileCandidate { face, input_side: longer_side(&face) * scale })
            .collect())
    }

    /// Candidates of a tile, without those that its edges cut off.
    pub(crate) fn candidates_in_tile(
        &mut self,
        picture: &Picture,
        tile: PictureTile,
        turn: f32,
    ) -> Result<Vec<TileCandidate>, VisionError> {
        let PictureRegion { left, top, width, height } = tile.region;
        let faces = self.detect_in_tile(picture, tile, turn)?;
        let whole = |face: &Face| {
            let margin = 0.02 * longer_side(face);
            let cut_before = |edge: f32, from: u32| from > 0 && edge < from as f32 + margin;
            let cut_behind = |edge: f32, to: u32, end: u32| to < end && edge > to as f32 - margin;
            !(cut_before(face.left, left)
                || cut_before(face.top, top)
                || cut_behind(face.right, left + width, picture.width())
                || cut_behind(face.bottom, top + height, picture.height()))
        };
        let candidate = |face: Face| TileCandidate { face, input_side: longer_side(&face) * tile.scale };
        Ok(faces.into_iter().filter(whole).map(candidate).collect())
    }

    /// Merges candidates to faces, each once. Large, confident candidates are taken as they are, and so are those close
    /// to a face `known` from the frame before; all others must be confirmed by a recheck.
    pub(crate) fn merge_candidates(
        &mut self,
        picture: &Picture,
        mut found: Vec<TileCandidate>,
        smallest: f32,
        known: &[Face],
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        // Large ones first: their boxes are more precise.
        found.sort_by(|a, b| candidate_preference(b).total_cmp(&candidate_preference(a)));
        let mut candidates: Vec<TileCandidate> = Vec::new();
        for candidate in found {
            // Smaller faces belong to a smaller `smallest`; the net finds them here too, but with less confidence.
            let large_enough = longer_side(&candidate.face) >= 0.7 * smallest;
            if large_enough
                && candidates.iter().all(|other| intersection_over_union(&other.face, &candidate.face) < 0.4)
            {
                candidates.push(candidate);
            }
        }
        candidates.truncate(MAX_RECHECKED_FACES);
        let mut faces: Vec<Face> = Vec::new();
        for TileCandidate { face, input_side } in candidates {
            let needs_no_recheck = input_side >= SURE_FACE_INPUT_PIXELS
                || known.iter().any(|known| may_be_same_face(known, &face));
            let confirmed = if needs_no_recheck && face.score >= self.counting_threshold {
                Some(face)
            } else {
                self.recheck(picture, &face, turn)?
            };
            faces.extend(confirmed.filter(|face| longer_side(face) >= 0.8 * smallest));
        }
        faces.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut distinct: Vec<Face> = Vec::new();
        for face in faces {
            if distinct.iter().all(|other| !is_same_face(other, &face)) {
                distinct.push(face);
            }
        }
        Ok(distinct)
    }
}

/// Of two candidates of the same face, the one with the greater value has the better box.
fn candidate_preference(candidate: &TileCandidate) -> f32 {
    candidate.face.score * (candidate.input_side / SURE_FACE_INPUT_PIXELS).min(1.0)
}
