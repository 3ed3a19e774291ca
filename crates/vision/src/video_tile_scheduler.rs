//! Finding faces in the frames of a video at the cost of about two looks a frame: one at all of it, and one at the part
//! that has waited longest and changed most. Small faces that were found so are looked at again in each frame.

use crate::{
    Face, VisionError,
    box_overlap::{is_same_face, longer_side, may_be_same_face},
    crop,
    detect::{FaceDetector, square_around},
    tiled_detection::{PictureTile, TileCandidate, tiles},
};
use base::Picture;
use pixels::PictureRegion;

/// Faces that one look at all of a frame may miss, by their size in the net's input, are looked at again by themselves.
const SMALL_FACE_INPUT_PIXELS: f32 = 32.0;

/// They are shown at this size then, with more than twice that around them: as far as a head moves in half a second.
const RECHECK_INPUT_PIXELS: f32 = 44.0;

/// How many of them in a frame; more take turns.
const MAX_RECHECKED_PER_FRAME: usize = 4;

/// For how many frames a face that is not found again is still looked for.
const MAX_MISSED_FRAMES: u32 = 3;

/// Samples along each side of a tile by which it is told whether it changed.
const SAMPLES_PER_SIDE: u32 = 16;

/// What waiting alone counts, beside the mean change of the samples (0 to 1).
const WAITING_WEIGHT: f32 = 0.02;

/// Where the small faces of one video were looked for, and where some were found.
#[derive(Clone, Debug)]
pub struct VideoTileScheduler {
    smallest: f32,
    tiles_per_frame: usize,
    size: (u32, u32),
    tiles: Vec<ScheduledTile>,
    known_faces: Vec<KnownFace>,
    frame: u64,
}

/// A tile that has its turn now and then.
#[derive(Clone, Debug)]
struct ScheduledTile {
    tile: PictureTile,
    frames_waited: f32,
    samples: Vec<u8>,
}

#[derive(Clone, Debug)]
struct KnownFace {
    face: Face,
    missed_frames: u32,
}

impl VideoTileScheduler {
    /// For faces from `smallest` pixels on, one tile a frame.
    pub fn new(smallest: f32) -> Self {
        let (plots, known) = (Vec::new(), Vec::new());
        Self { smallest, tiles_per_frame: 1, size: (0, 0), tiles: plots, known_faces: known, frame: 0 }
    }

    /// The same with that many tiles a frame.
    #[must_use]
    pub fn tiles_per_frame(self, each_frame: usize) -> Self {
        Self { tiles_per_frame: each_frame, ..self }
    }

    /// How many tiles a round has, once a frame was looked at.
    pub fn tile_count(&self) -> usize {
        self.tiles.len()
    }

    /// The tiles whose turn it is, which begin to wait again.
    fn due_tiles(&mut self, picture: &Picture) -> Vec<PictureTile> {
        let mut due: Vec<(f32, usize, Vec<u8>)> = Vec::new();
        for (at, plot) in self.tiles.iter_mut().enumerate() {
            plot.frames_waited += 1.0;
            let samples = sample_luma(picture, plot.tile.region);
            due.push((
                plot.frames_waited * (WAITING_WEIGHT + mean_change(&plot.samples, &samples)),
                at,
                samples,
            ));
        }
        due.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut turn = Vec::new();
        for (_, at, samples) in due.into_iter().take(self.tiles_per_frame) {
            if let Some(plot) = self.tiles.get_mut(at) {
                (plot.frames_waited, plot.samples) = (0.0, samples);
                turn.push(plot.tile);
            }
        }
        turn
    }
}

/// Luma at evenly spread points.
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

/// Mean difference, 0 to 1; all of it where there was nothing before.
fn mean_change(before: &[u8], now: &[u8]) -> f32 {
    if before.len() != now.len() || now.is_empty() {
        return 1.0;
    }
    let sum: u32 = before.iter().zip(now).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    sum as f32 / (255.0 * now.len() as f32)
}

impl FaceDetector {
    /// The faces of the next frame, surest first, each sure enough to count.
    pub(crate) fn detect_in_video(
        &mut self,
        picture: &Picture,
        sweep: &mut VideoTileScheduler,
    ) -> Result<Vec<Face>, VisionError> {
        let size = (picture.width(), picture.height());
        if sweep.size != size {
            let lay = |tile| ScheduledTile { tile, frames_waited: 0.0, samples: Vec::new() };
            sweep.tiles =
                tiles(size.0, size.1, sweep.smallest, self.input.width).into_iter().map(lay).collect();
            (sweep.size, sweep.known_faces) = (size, Vec::new());
        }
        sweep.frame += 1;
        let mut found = self.detect_whole_frame(picture, sweep.frame)?;
        for tile in sweep.due_tiles(picture) {
            found.extend(self.candidates_in_tile(picture, tile, 0.0)?);
        }
        found.extend(self.redetect_known(picture, sweep, &found)?);
        // What was confirmed in the frames before need not be again.
        let known: Vec<Face> = sweep.known_faces.iter().map(|known| known.face).collect();
        let faces = self.merge_candidates(picture, found, sweep.smallest, &known, 0.0)?;
        sweep.remember(&faces, crop::fit_scale(PictureRegion::whole(picture), &self.input, 1.0));
        Ok(faces)
    }

    /// One look at all of it, and a second one where a face fills it, or now and then where there is none: the net was
    /// made for faces smaller than the picture.
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

    /// Looks again at small faces that were found before, unless this frame has shown them already.
    fn redetect_known(
        &mut self,
        picture: &Picture,
        sweep: &VideoTileScheduler,
        found: &[TileCandidate],
    ) -> Result<Vec<TileCandidate>, VisionError> {
        let scale = crop::fit_scale(PictureRegion::whole(picture), &self.input, 1.0);
        let side = self.input.width as f32;
        let shown = |face: &Face, found: &[TileCandidate]| {
            found
                .iter()
                .any(|other| other.face.score >= self.counting_threshold && is_same_face(&other.face, face))
        };
        let start = sweep.frame as usize % sweep.known_faces.len().max(1);
        let turn = sweep.known_faces.iter().cycle().skip(start).take(sweep.known_faces.len());
        let wanted: Vec<Face> = turn
            .map(|known| known.face)
            .filter(|face| longer_side(face) * scale < SMALL_FACE_INPUT_PIXELS && !shown(face, found))
            .collect();
        let mut more: Vec<TileCandidate> = Vec::new();
        let mut looks = 0;
        for face in wanted {
            let seen_beside = more.iter().any(|other| is_same_face(&other.face, &face));
            if seen_beside || looks == MAX_RECHECKED_PER_FRAME {
                continue;
            }
            looks += 1;
            if let Some(region) =
                square_around(picture, &face, longer_side(&face) * side / RECHECK_INPUT_PIXELS)
            {
                more.extend(self.candidates_in_tile(
                    picture,
                    PictureTile { region, scale: crop::fit_scale(region, &self.input, 1.0) },
                    0.0,
                )?);
            }
        }
        Ok(more)
    }
}

impl VideoTileScheduler {
    /// Keeps in mind what this frame showed, and for a while what it did not show again.
    fn remember(&mut self, faces: &[Face], scale: f32) {
        let small = |face: &&Face| longer_side(face) * scale < SMALL_FACE_INPUT_PIXELS;
        let mut known: Vec<KnownFace> =
            faces.iter().filter(small).map(|face| KnownFace { face: *face, missed_frames: 0 }).collect();
        for old in self.known_faces.drain(..) {
            let gone = known.iter().all(|known| !may_be_same_face(&known.face, &old.face));
            if gone && old.missed_frames < MAX_MISSED_FRAMES {
                known.push(KnownFace { missed_frames: old.missed_frames + 1, ..old });
            }
        }
        self.known_faces = known;
    }
}
