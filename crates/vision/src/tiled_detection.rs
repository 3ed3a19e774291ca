//! Finding small faces: a large picture is looked at in overlapping tiles of several sizes, and what is found small is
//! looked at again from near by.

use crate::{
    Face, VisionError,
    box_overlap::{intersection_over_union, is_same_face, longer_side, may_be_same_face},
    crop,
    detect::FaceDetector,
};
use base::Picture;
use pixels::PictureRegion;
use std::f32::consts::{FRAC_PI_2, PI};

/// Pixels of the net's input that a face is high at least where it is looked for. Of the faces in group photos the net
/// finds all at 16 pixels, and nine of ten at 12.
const MIN_FACE_INPUT_PIXELS: f32 = 20.0;

/// Pixels of the input that neighbouring tiles share: a face of up to that size lies whole in one of them, and a larger
/// one is small in the next coarser tiles.
const TILE_OVERLAP_INPUT_PIXELS: f32 = 72.0;

/// From tiles of one size to the next coarser.
const TILE_SCALE_STEP: f32 = 3.0;

/// Small faces of a picture that lies are looked for at first as if they were so much larger: that finds most of them, in
/// half the looks.
const ROTATED_COARSENING: f32 = 1.5;

/// A picture has no more tiles than this: in larger ones the smallest face grows.
const MAX_TILES: usize = 400;

/// What is looked at again in one picture at most, the surest first.
const MAX_RECHECKED_FACES: usize = 256;

/// From this size on, in pixels of the input, one look is enough.
const SURE_FACE_INPUT_PIXELS: f32 = 64.0;

/// A square of the picture that is looked at by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PictureTile {
    pub(crate) region: PictureRegion,
    pub(crate) scale: f32,
}

/// A face and how large it was in the net's input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileCandidate {
    pub(crate) face: Face,
    /// Longer side in pixels of the input.
    pub(crate) input_side: f32,
}

/// The tiles in which every face from `smallest` pixels on is at least [`MIN_FACE_INPUT_PIXELS`] high, fine ones first; none where one
/// look at the whole picture shows that much.
pub(crate) fn tiles(width: u32, height: u32, smallest: f32, side: u32) -> Vec<PictureTile> {
    let longer = width.max(height) as f32;
    let whole = side as f32 / longer;
    // Nothing is enlarged more than four times: there is nothing more to be seen.
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

/// Covers the picture with squares at a scale, evenly spread.
fn lay_tiles(width: u32, height: u32, scale: f32, side: u32, tiles: &mut Vec<PictureTile>) {
    let reach = ((side as f32 / scale) as u32).max(1);
    let shared = TILE_OVERLAP_INPUT_PIXELS / scale;
    let starts = |length: u32| -> Vec<u32> {
        if length <= reach {
            return vec![0];
        }
        let steps = ((length as f32 - shared) / (reach as f32 - shared)).ceil().max(2.0) as u32;
        (0..steps)
            .map(|at| (u64::from(length - reach) * u64::from(at) / u64::from(steps - 1)) as u32)
            .collect()
    };
    for top in starts(height) {
        for left in starts(width) {
            let region =
                PictureRegion { left, top, width: reach.min(width - left), height: reach.min(height - top) };
            tiles.push(PictureTile { region, scale });
        }
    }
}

impl FaceDetector {
    /// Every face from `smallest` pixels on, surest first; where there is none upright, those of a picture that lies on its
    /// side or stands on its head.
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
            // Coarser tiles tell whether a crowd is there, and all of them who is in it.
            let crowd = self.candidates_in_tiles(picture, smallest * ROTATED_COARSENING, turn)?;
            if !self.merge_candidates(picture, crowd, smallest, &[], turn)?.is_empty() {
                return self.detect_tiled_rotated(picture, smallest, turn);
            }
        }
        Ok(upright)
    }

    /// The faces from `smallest` pixels on that look upright when the picture is turned back by `turn`, surest first.
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

    /// What the tiles for faces from `smallest` pixels on show.
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

    /// What one look at all of it shows.
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

    /// The faces of a tile that it does not cut.
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
        let seen = |face: Face| TileCandidate { face, input_side: longer_side(&face) * tile.scale };
        Ok(faces.into_iter().filter(whole).map(seen).collect())
    }

    /// Of everything that was found, each face once: those seen large and sure enough as they are, the others where a
    /// look from near by confirms them, or where they were `known` near by in the frame before.
    pub(crate) fn merge_candidates(
        &mut self,
        picture: &Picture,
        mut found: Vec<TileCandidate>,
        smallest: f32,
        known: &[Face],
        turn: f32,
    ) -> Result<Vec<Face>, VisionError> {
        // Seen large first: their boxes are the better ones.
        found.sort_by(|a, b| candidate_preference(b).total_cmp(&candidate_preference(a)));
        let mut candidates: Vec<TileCandidate> = Vec::new();
        for candidate in found {
            // The rest of the size classes below: a net says where faces of half the size are, but less surely.
            let large_enough = longer_side(&candidate.face) >= 0.7 * smallest;
            if large_enough
                && candidates.iter().all(|other| intersection_over_union(&other.face, &candidate.face) < 0.4)
            {
                candidates.push(candidate);
            }
        }
        candidates.truncate(MAX_RECHECKED_FACES);
        let mut faces: Vec<Face> = Vec::new();
        for TileCandidate { face, input_side: seen } in candidates {
            let near_by =
                seen >= SURE_FACE_INPUT_PIXELS || known.iter().any(|known| may_be_same_face(known, &face));
            let sure = if near_by && face.score >= self.counting_threshold {
                Some(face)
            } else {
                self.recheck(picture, &face, turn)?
            };
            faces.extend(sure.filter(|face| longer_side(face) >= 0.8 * smallest));
        }
        faces.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut each: Vec<Face> = Vec::new();
        for face in faces {
            if each.iter().all(|other| !is_same_face(other, &face)) {
                each.push(face);
            }
        }
        Ok(each)
    }
}

/// How much a candidate's box is to be preferred to another of the same face.
fn candidate_preference(candidate: &TileCandidate) -> f32 {
    candidate.face.score * (candidate.input_side / SURE_FACE_INPUT_PIXELS).min(1.0)
}
