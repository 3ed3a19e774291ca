//! Detection of small faces: the net runs on overlapping tiles of a large picture at several scales, and small faces
//! are rechecked in a closer crop.

use crate::{
    Face, VisionError,
    box_overlap::{intersection_over_union, is_same_face, longer_side, may_be_same_face},
    crop::{self, is_right_angle, nearest_right_angle},
    detect::FaceDetector,
};
use base::Picture;
use pixels::PictureRegion;
use std::f32::consts::{FRAC_PI_2, PI};

/// Smallest size of a face in pixels of the net's input. Of the faces in group photos the net finds all at 16 pixels,
/// and nine of ten at 12; of snapshots, turned away and badly lit, seven of ten at 24 (`docs/ACCURACY.md`).
const MIN_FACE_INPUT_PIXELS: f32 = 24.0;

/// The same in a video, which shows a face more than once.
const MIN_VIDEO_FACE_INPUT_PIXELS: f32 = 20.0;

/// Overlap of neighbouring tiles in pixels of the input: a face of up to that size lies completely in one of them, and
/// a larger one is found in the next coarser tiles.
const TILE_OVERLAP_INPUT_PIXELS: f32 = 64.0;

/// Sides of a tile's input are multiples of this, so that there are few sizes of inputs; each takes a session of its own.
const TILE_SIDE_STEP_PIXELS: u32 = 64;

/// The smallest side of a tile's input, where it is smaller than the usual one.
const MIN_TILE_SIDE_PIXELS: u32 = 128;

/// Ratio between the scale of tiles and that of the next coarser ones.
const TILE_SCALE_STEP: f32 = 3.0;

/// In a rotated picture the first search is for faces larger by this factor: that finds most of a crowd with half the
/// runs of the net.
const ROTATED_COARSENING: f32 = 1.5;

/// Most tiles of a picture, counted in squares of the usual size: a larger tile counts as several. Where it would take more, the
/// size of the smallest face is raised.
const MAX_TILES: u64 = 400;

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
    /// Width and height of the input, pixels.
    pub(crate) input_size: [u32; 2],
}

/// A detected face and its size in the net's input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileCandidate {
    pub(crate) face: Face,
    /// Longer side of the box in pixels of the input.
    pub(crate) input_side: f32,
}

/// What tiles look like in a net's input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileLayout {
    /// Side of the square for a picture as a whole, pixels.
    usual_side: u32,
    /// The greatest side that a tile may have, pixels.
    max_side: u32,
    /// Size of the smallest face that is searched for, pixels.
    min_face: f32,
}

impl TileLayout {
    /// For the frames of a video: squares of the usual size, so that each frame costs the same.
    pub(crate) fn of_video(detector: &FaceDetector) -> Self {
        let side = detector.input.width;
        Self { usual_side: side, max_side: side, min_face: MIN_VIDEO_FACE_INPUT_PIXELS }
    }

    /// For a picture that is rotated by `turn` (radians).
    fn of_photo(detector: &FaceDetector, turn: f32) -> Self {
        let usual_side = detector.input.width;
        let max_side = if is_right_angle(turn) { detector.max_input_side } else { usual_side };
        Self { usual_side, max_side, min_face: MIN_FACE_INPUT_PIXELS }
    }
}

/// The tiles in which every face of at least `smallest` pixels is as large as the layout wants it, fine ones first;
/// none where one run on the whole picture suffices.
pub(crate) fn tiles(width: u32, height: u32, smallest: f32, layout: TileLayout) -> Vec<PictureTile> {
    let longer = width.max(height) as f32;
    let whole = layout.usual_side as f32 / longer;
    // Enlarging more than four times shows no further detail.
    let mut finest = (layout.min_face / smallest.max(1.0)).min(4.0);
    let max_area = MAX_TILES * u64::from(layout.usual_side).pow(2);
    let area = |tiles: &[PictureTile]| -> u64 {
        tiles.iter().map(|tile| tile.input_size.into_iter().map(u64::from).product::<u64>()).sum()
    };
    loop {
        let mut tiles = Vec::new();
        let mut scale = finest;
        while scale > whole * 1.1 && area(&tiles) <= max_area {
            lay_tiles([width, height], scale, layout, &mut tiles);
            scale /= TILE_SCALE_STEP;
        }
        if area(&tiles) <= max_area {
            return tiles;
        }
        finest /= 1.25;
    }
}

/// Covers the picture with evenly spaced tiles of one size at one scale.
fn lay_tiles([width, height]: [u32; 2], scale: f32, layout: TileLayout, tiles: &mut Vec<PictureTile>) {
    let [(input_width, columns), (input_height, rows)] =
        [width, height].map(|length| divide(length, scale, layout));
    for &(top, height) in &rows {
        for &(left, width) in &columns {
            let region = PictureRegion { left, top, width, height };
            tiles.push(PictureTile { region, scale, input_size: [input_width, input_height] });
        }
    }
}

/// Divides a side of a picture, `length` pixels: the side of the tiles' input, and where each begins and how long it is.
fn divide(length: u32, scale: f32, layout: TileLayout) -> (u32, Vec<(u32, u32)>) {
    let seen = length as f32 * scale;
    let input_side = if layout.max_side > layout.usual_side {
        let greatest = layout.max_side as f32;
        let count =
            ((seen - TILE_OVERLAP_INPUT_PIXELS) / (greatest - TILE_OVERLAP_INPUT_PIXELS)).ceil().max(1.0);
        let needed = (seen + (count - 1.0) * TILE_OVERLAP_INPUT_PIXELS) / count;
        (needed.ceil() as u32)
            .next_multiple_of(TILE_SIDE_STEP_PIXELS)
            .clamp(MIN_TILE_SIDE_PIXELS, layout.max_side)
    } else {
        layout.usual_side
    };
    let tile = ((input_side as f32 / scale) as u32).max(1);
    if length <= tile {
        return (input_side, vec![(0, length)]);
    }
    let overlap = TILE_OVERLAP_INPUT_PIXELS / scale;
    let count = ((length as f32 - overlap) / (tile as f32 - overlap)).ceil().max(2.0) as u32;
    let start = |at: u32| (u64::from(length - tile) * u64::from(at) / u64::from(count - 1)) as u32;
    (input_side, (0..count).map(|at| (start(at), tile)).collect())
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
            let (coarse_smallest, layout) = (smallest * ROTATED_COARSENING, TileLayout::of_photo(self, turn));
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
        let tiles = tiles(picture.width(), picture.height(), smallest, TileLayout::of_photo(self, turn));
        let mut in_tiles = self.candidates_in_tiles(picture, &tiles, turn)?;
        // The whole picture shows where a large face ends better than a tile does.
        in_tiles.retain(|seen| sure.iter().all(|face| !is_same_face(face, &seen.face)));
        found.extend(in_tiles);
        self.merge_candidates(picture, found, smallest, &[], turn)
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

#[cfg(test)]
mod tests {
    use super::*;

    const PHOTO: TileLayout = TileLayout { usual_side: 256, max_side: 512, min_face: 24.0 };
    const VIDEO: TileLayout = TileLayout { usual_side: 256, max_side: 256, min_face: 20.0 };

    fn sizes(width: u32, height: u32, layout: TileLayout) -> Vec<[u32; 2]> {
        tiles(width, height, 40.0, layout).iter().map(|tile| tile.input_size).collect()
    }

    #[test]
    fn a_photo_takes_few_tiles_of_its_own_shape() {
        assert_eq!(sizes(720, 800, PHOTO), [[448, 512]]);
        assert_eq!(sizes(1280, 400, PHOTO), [[448, 256]; 2]);
        let film = sizes(1920, 1080, PHOTO);
        assert_eq!((&film[..6], &film[6..]), (&[[448, 384]; 6][..], &[[384, 256]][..]), "and a coarser one");
        assert_eq!(sizes(400, 400, PHOTO), [] as [[u32; 2]; 0], "one look shows it all");
        assert_eq!(sizes(1920, 1080, VIDEO), [[256, 256]; 17], "squares of the usual size");
    }

    #[test]
    fn tiles_cover_the_picture_and_overlap_by_a_face() {
        for layout in [PHOTO, VIDEO] {
            for (width, height) in
                [(720, 800), (1920, 1080), (4032, 3024), (5000, 300), (1, 9000), (640, 481)]
            {
                let all = tiles(width, height, 40.0, layout);
                let finest = all.first().map_or(0.0, |tile| tile.scale);
                let overlap = TILE_OVERLAP_INPUT_PIXELS / finest - 2.0;
                let finest: Vec<_> = all.iter().filter(|tile| tile.scale == finest).collect();
                for PictureTile { region, scale, input_size } in &all {
                    let seen = [region.width, region.height].map(|side| (side as f32 * scale).round() as u32);
                    assert!(
                        seen[0] <= input_size[0] && seen[1] <= input_size[1],
                        "{seen:?} in {input_size:?}"
                    );
                    assert!(
                        input_size.iter().all(|side| side.is_multiple_of(32) && *side <= layout.max_side)
                    );
                    assert!(region.left + region.width <= width && region.top + region.height <= height);
                }
                // A face anywhere, as large as the overlap, is completely in a tile.
                let face = (overlap.max(1.0) as u32).min(width).min(height);
                for at in 0..200 {
                    let (x, y) = ((width - face) * (at % 20) / 19, (height - face) * (at / 20) / 9);
                    let shows = |tile: &&PictureTile| {
                        let PictureRegion { left, top, width, height } = tile.region;
                        left <= x && top <= y && x + face <= left + width && y + face <= top + height
                    };
                    assert!(
                        finest.is_empty() || finest.iter().any(shows),
                        "{face} pixels at {x}, {y} of {width} x {height}"
                    );
                }
            }
        }
    }
}
