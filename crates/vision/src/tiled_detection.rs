//! Detection of small faces: the net runs on overlapping tiles of a large picture at several scales, and small faces
//! are rechecked in a closer crop.

use crate::{
    Face, VisionError,
    box_overlap::{intersection_over_union, is_same_face, longer_side, may_be_same_face},
    crop,
    detect::FaceDetector,
};
use base::Picture;
use pixels::PictureRegion;
use std::f32::consts::{FRAC_PI_2, PI};

/// Smallest size of a face in pixels of the net's input. Of the faces in group photos the net finds all at 16 pixels,
/// and nine of ten at 12.
const MIN_FACE_INPUT_PIXELS: f32 = 20.0;

/// Overlap of neighbouring tiles in pixels of the input: a face of up to that size lies completely in one of them, and
/// a larger one is found in the next coarser tiles.
const TILE_OVERLAP_INPUT_PIXELS: f32 = 72.0;

/// Ratio between the scale of tiles and that of the next coarser ones.
const TILE_SCALE_STEP: f32 = 3.0;

/// In a rotated picture the first search is for faces larger by this factor: that finds most of a crowd with half the
/// runs of the net.
const ROTATED_COARSENING: f32 = 1.5;

/// Most tiles of a picture. Where it would take more, the size of the smallest face is raised.
const MAX_TILES: usize = 400;

/// Most candidates of a picture that are rechecked, the best ones first.
const MAX_RECHECKED_FACES: usize = 256;

/// Faces of at least this size in pixels of the input need no recheck.
const SURE_FACE_INPUT_PIXELS: f32 = 64.0;

/// A part of the picture on which the net runs by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PictureTile {
    pub(crate) region: PictureRegion,
    /// Pixels of the input for one of the picture.
    pub(crate) scale: f32,
}

/// A detected face and its size in the net's input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileCandidate {
    pub(crate) face: Face,
    /// Longer side of the box in pixels of the input.
    pub(crate) input_side: f32,
}

/// The tiles in which every face of at least `smallest` pixels has at least [`MIN_FACE_INPUT_PIXELS`], fine ones first;
/// none where one run on the whole picture suffices. `side` is that of the net's input.
pub(crate) fn tiles(width: u32, height: u32, smallest: f32, side: u32) -> Vec<PictureTile> {
    let longer = width.max(height) as f32;
    let whole = side as f32 / longer;
    // Enlarging more than four times shows no further detail.
    let mut finest = (MIN_FACE_INPUT_PIXELS / smallest.max(1.0)).min(4.0);
    loop {
        let mut tiles = Vec::new();
        let mut scale = finest;
        while scale > whole * 1.1 && tiles.len() <= MAX_TILES {
            lay_tiles(width, height, scale, side, &mut tiles);
            scale /= TILE_SCALE_STEP;
        }
        if tiles.len() <= MAX_TILES {
            return tiles;
        }
        finest /= 1.25;
    }
}

/// Covers the picture with evenly spaced square tiles at one scale.
fn lay_tiles(width: u32, height: u32, scale: f32, side: u32, tiles: &mut Vec<PictureTile>) {
    let tile_side = ((side as f32 / scale) as u32).max(1);
    let overlap = TILE_OVERLAP_INPUT_PIXELS / scale;
    let starts = |length: u32| -> Vec<u32> {
        if length <= tile_side {
            return vec![0];
        }
        let steps = ((length as f32 - overlap) / (tile_side as f32 - overlap)).ceil().max(2.0) as u32;
        (0..steps)
            .map(|at| (u64::from(length - tile_side) * u64::from(at) / u64::from(steps - 1)) as u32)
            .collect()
    };
    for top in starts(height) {
        for left in starts(width) {
            let region = PictureRegion {
                left,
                top,
                width: tile_side.min(width - left),
                height: tile_side.min(height - top),
            };
            tiles.push(PictureTile { region, scale });
        }
    }
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
        if !upright.is_empty() {
            return match self.find_other_orientation(picture, &upright)? {
                Some((turn, _)) => {
                    let turned = self.detect_tiled_rotated(picture, smallest, turn)?;
                    Ok(self.choose_better(upright, turned, turn))
                }
                None => Ok(upright),
            };
        }
        if let Some((turn, _)) = self.find_orientation(picture)? {
            return self.detect_tiled_rotated(picture, smallest, turn);
        }
        for turn in [FRAC_PI_2, -FRAC_PI_2, PI] {
            // Coarse tiles tell whether there are faces in this orientation; if so, all tiles are searched.
            let crowd = self.candidates_in_tiles(picture, smallest * ROTATED_COARSENING, turn)?;
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
        found.extend(self.candidates_in_tiles(picture, smallest, turn)?);
        self.merge_candidates(picture, found, smallest, &[], turn)
    }

    /// Candidates of all tiles for faces of at least `smallest` pixels.
    fn candidates_in_tiles(
        &mut self,
        picture: &Picture,
        smallest: f32,
        turn: f32,
    ) -> Result<Vec<TileCandidate>, VisionError> {
        let mut found = Vec::new();
        for tile in tiles(picture.width(), picture.height(), smallest, self.input.width) {
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
        let faces = self.detect_in_region(picture, tile.region, tile.scale, turn)?;
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
