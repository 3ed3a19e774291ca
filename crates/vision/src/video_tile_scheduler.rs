//! Detection in the frames of a video at the cost of about two runs of the net for each frame: one on the whole frame,
//! and one on the tile that has waited longest and changed most. Small faces that were found so are detected again in
//! each frame.

use crate::{
    Face, VisionError,
    box_overlap::{is_same_face, longer_side, may_be_same_face},
    crop,
    detect::{FaceDetector, square_around},
    tile_layout::{PictureTile, TileLayout, tiles},
    tiled_detection::TileCandidate,
};
use base::Picture;
use pixels::PictureRegion;

/// Faces below this size in the net's input may be missed by the run on the whole frame, so they are detected by
/// themselves.
const SMALL_FACE_INPUT_PIXELS: f32 = 32.0;

/// Size of such a face in the input then. More than twice that is around it, which is as far as a head moves in half a
/// second.
const RECHECK_INPUT_PIXELS: f32 = 44.0;

/// Most of them in one frame; further ones take turns.
const MAX_RECHECKED_PER_FRAME: usize = 4;

/// Number of frames for which a face that was not found again is still searched for.
const MAX_MISSED_FRAMES: u32 = 3;

/// Samples along each side of a tile that measure whether it changed.
const SAMPLES_PER_SIDE: u32 = 16;

/// Weight of waiting alone, added to the mean change of the samples (0 to 1).
const WAITING_WEIGHT: f32 = 0.02;

/// Which tiles of one video are due, and where small faces were found; one for each video.
#[derive(Clone, Debug)]
pub struct VideoTileScheduler {
    /// Smallest face that is searched for, pixels.
    smallest: f32,
    tiles_per_frame: usize,
    /// Width and height of the frames; 0 before the first one.
    size: (u32, u32),
    tiles: Vec<ScheduledTile>,
    known_faces: Vec<KnownFace>,
    /// Faces of the next frame that were found there by other means.
    trusted: Vec<Face>,
    frame: u64,
}

/// A tile and when it was searched.
#[derive(Clone, Debug)]
struct ScheduledTile {
    tile: PictureTile,
    /// Frames since it was last searched.
    frames_waited: f32,
    /// Luma samples of the frame in which it was last searched; empty before that.
    samples: Vec<u8>,
}

#[derive(Clone, Debug)]
struct KnownFace {
    face: Face,
    /// Frames in a row in which it was not found.
    missed_frames: u32,
}

impl VideoTileScheduler {
    /// For faces of at least `smallest` pixels (longer side of the box), with one tile for each frame.
    pub fn new(smallest: f32) -> Self {
        let (tiles, known_faces) = (Vec::new(), Vec::new());
        Self { smallest, tiles_per_frame: 1, size: (0, 0), tiles, known_faces, trusted: Vec::new(), frame: 0 }
    }

    #[must_use]
    pub fn tiles_per_frame(self, tiles_per_frame: usize) -> Self {
        Self { tiles_per_frame, ..self }
    }

    /// Tells that these faces are in the next frame, so that what the net finds there needs no recheck. Their boxes are
    /// then only as precise as one run on the whole frame makes them.
    pub fn trust(&mut self, faces: Vec<Face>) {
        self.trusted = faces;
    }

    /// Number of tiles that cover a frame; 0 before the first frame.
    pub fn tile_count(&self) -> usize {
        self.tiles.len()
    }

    /// The tiles to search in this frame; their waiting time starts again.
    fn due_tiles(&mut self, picture: &Picture) -> Vec<PictureTile> {
        let mut due: Vec<(f32, usize, Vec<u8>)> = Vec::new();
        for (at, scheduled) in self.tiles.iter_mut().enumerate() {
            scheduled.frames_waited += 1.0;
            let samples = sample_luma(picture, scheduled.tile.region);
            due.push((
                scheduled.frames_waited * (WAITING_WEIGHT + mean_change(&scheduled.samples, &samples)),
                at,
                samples,
            ));
        }
        due.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut tiles = Vec::new();
        for (_, at, samples) in due.into_iter().take(self.tiles_per_frame) {
            if let Some(scheduled) = self.tiles.get_mut(at) {
                (scheduled.frames_waited, scheduled.samples) = (0.0, samples);
                tiles.push(scheduled.tile);
            }
        }
        tiles
    }
}

/// Luma at evenly spaced points of a region.
fn sample_luma(picture: &Picture, region: PictureRegion) -> Vec<u8> {
    let at = |from: u32, length: u32, step: u32| {
        i64::from(from) + i64::from(length) * (2 * i64::from(step) + 1) / (2 * i64::from(SAMPLES_PER_SIDE))
    };
    let mut samples = Vec::with_capacity((SAMPLES_PER_SIDE * SAMPLES_PER_SIDE) as usize);
    for row in 0..SAMPLES_PER_SIDE {
        for column in 0..SAMPLES_PER_SIDE {
            let (x, y) = (at(region.left, region.width, column), at(region.top, region.height, row));
            let [red, green, blue] = picture.pixel(x, y).map(u32::from);
            samples.push(((red + 2 * green + blue) / 4) as u8);
        }
    }
    samples
}

/// Mean difference of the samples, 0 to 1; 1 where there are none from before.
fn mean_change(before: &[u8], now: &[u8]) -> f32 {
    if before.len() != now.len() || now.is_empty() {
        return 1.0;
    }
    let sum: u32 = before.iter().zip(now).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    sum as f32 / (255.0 * now.len() as f32)
}

impl FaceDetector {
    /// Detects the confident faces of the next frame, highest score first.
    pub(crate) fn detect_in_video(
        &mut self,
        picture: &Picture,
        scheduler: &mut VideoTileScheduler,
    ) -> Result<Vec<Face>, VisionError> {
        let size = (picture.width(), picture.height());
        if scheduler.size != size {
            let unsearched = |tile| ScheduledTile { tile, frames_waited: 0.0, samples: Vec::new() };
            let tiles = tiles(size.0, size.1, scheduler.smallest, TileLayout::of_video(self.input.width));
            scheduler.tiles = tiles.into_iter().map(unsearched).collect();
            (scheduler.size, scheduler.known_faces) = (size, Vec::new());
        }
        scheduler.frame += 1;
        let mut found = self.detect_whole_frame(picture, scheduler.frame)?;
        for tile in scheduler.due_tiles(picture) {
            found.extend(self.candidates_in_tile(picture, tile, 0.0)?);
        }
        found.extend(self.redetect_known(picture, scheduler, &found)?);
        // Faces that were confirmed in earlier frames need no recheck.
        let mut known = std::mem::take(&mut scheduler.trusted);
        known.extend(scheduler.known_faces.iter().map(|known| known.face));
        let faces = self.merge_candidates(picture, found, scheduler.smallest, &known, 0.0)?;
        scheduler.remember(&faces, crop::fit_scale(PictureRegion::whole(picture), &self.input, 1.0));
        Ok(faces)
    }

    /// Candidates of the whole frame: one run, and further ones with padding where a face fills the frame or, in every
    /// fourth frame, where none was found. The net was trained on faces smaller than the picture.
    fn detect_whole_frame(
        &mut self,
        picture: &Picture,
        frame: u64,
    ) -> Result<Vec<TileCandidate>, VisionError> {
        let whole = PictureRegion::whole(picture);
        let scale = crop::fit_scale(whole, &self.input, 1.0);
        let first = self.detect_in_region(picture, whole, scale, 0.0)?;
        let filled = first.iter().any(|face| longer_side(face) * scale >= self.input.width as f32 / 2.0);
        if filled || (first.is_empty() && frame % 4 == 1) {
            return self.candidates_in_whole(picture, 0.0);
        }
        Ok(first
            .into_iter()
            .map(|face| TileCandidate { face, input_side: longer_side(&face) * scale })
            .collect())
    }

    /// Detects small faces of earlier frames again, each in a crop of its own, unless this frame has shown them
    /// already.
    fn redetect_known(
        &mut self,
        picture: &Picture,
        scheduler: &VideoTileScheduler,
        found: &[TileCandidate],
    ) -> Result<Vec<TileCandidate>, VisionError> {
        let scale = crop::fit_scale(PictureRegion::whole(picture), &self.input, 1.0);
        let side = self.input.width as f32;
        let is_found = |face: &Face, found: &[TileCandidate]| {
            found
                .iter()
                .any(|other| other.face.score >= self.counting_threshold && is_same_face(&other.face, face))
        };
        let start = scheduler.frame as usize % scheduler.known_faces.len().max(1);
        let in_turn = scheduler.known_faces.iter().cycle().skip(start).take(scheduler.known_faces.len());
        let missing: Vec<Face> = in_turn
            .map(|known| known.face)
            .filter(|face| longer_side(face) * scale < SMALL_FACE_INPUT_PIXELS && !is_found(face, found))
            .collect();
        let mut redetected: Vec<TileCandidate> = Vec::new();
        let mut crops = 0;
        for face in missing {
            let in_other_crop = redetected.iter().any(|other| is_same_face(&other.face, &face));
            if in_other_crop || crops == MAX_RECHECKED_PER_FRAME {
                continue;
            }
            crops += 1;
            if let Some(region) =
                square_around(picture, &face, longer_side(&face) * side / RECHECK_INPUT_PIXELS)
            {
                redetected.extend(self.candidates_in_tile(
                    picture,
                    self.square_tile(region, crop::fit_scale(region, &self.input, 1.0)),
                    0.0,
                )?);
            }
        }
        Ok(redetected)
    }
}

impl VideoTileScheduler {
    /// Remembers the small faces of this frame, and for [`MAX_MISSED_FRAMES`] those that it did not show again. `scale`
    /// is that of the whole frame in the input.
    fn remember(&mut self, faces: &[Face], scale: f32) {
        let small = |face: &&Face| longer_side(face) * scale < SMALL_FACE_INPUT_PIXELS;
        let mut known: Vec<KnownFace> =
            faces.iter().filter(small).map(|face| KnownFace { face: *face, missed_frames: 0 }).collect();
        for old in self.known_faces.drain(..) {
            let missed = known.iter().all(|known| !may_be_same_face(&known.face, &old.face));
            if missed && old.missed_frames < MAX_MISSED_FRAMES {
                known.push(KnownFace { missed_frames: old.missed_frames + 1, ..old });
            }
        }
        self.known_faces = known;
    }
}
