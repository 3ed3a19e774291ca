//! Finding faces in the frames of a video at the cost of about two looks a frame: one at all of it, and one at the part
//! that has waited longest and changed most. Small faces that were found so are looked at again in each frame.

use crate::{
    Face, VisionError, crop,
    detect::{Detector, overlap},
    find::{Candidate, Tile, around, longer, same, tiles},
};
use base::Picture;
use pixels::Region;

/// Faces that one look at all of a frame may miss, by their size in the net's input, are looked at again by themselves.
const SMALL: f32 = 32.0;

/// They are shown at this size then, with more than twice that around them: as far as a head moves in half a second.
const SHOWN: f32 = 44.0;

/// How many of them in a frame; more take turns.
const MOST_KNOWN: usize = 4;

/// For how many frames a face that is not found again is still looked for.
const PATIENCE: u32 = 3;

/// Samples along each side of a tile by which it is told whether it changed.
const SAMPLES: u32 = 16;

/// What waiting alone counts, beside the mean change of the samples (0 to 1).
const WAITING: f32 = 0.02;

/// Where the small faces of one video were looked for, and where some were found.
#[derive(Clone, Debug)]
pub struct Sweep {
    smallest: f32,
    each_frame: usize,
    size: (u32, u32),
    plots: Vec<Plot>,
    known: Vec<Known>,
    frame: u64,
}

/// A tile that has its turn now and then.
#[derive(Clone, Debug)]
struct Plot {
    tile: Tile,
    waited: f32,
    samples: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Known {
    face: Face,
    missed: u32,
}

impl Sweep {
    /// For faces from `smallest` pixels on, one tile a frame.
    pub fn new(smallest: f32) -> Self {
        let (plots, known) = (Vec::new(), Vec::new());
        Self { smallest, each_frame: 1, size: (0, 0), plots, known, frame: 0 }
    }

    /// The same with that many tiles a frame.
    #[must_use]
    pub fn tiles_a_frame(self, each_frame: usize) -> Self {
        Self { each_frame, ..self }
    }

    /// How many tiles a round has, once a frame was looked at.
    pub fn tiles(&self) -> usize {
        self.plots.len()
    }

    /// The tiles whose turn it is, which begin to wait again.
    fn turn(&mut self, picture: &Picture) -> Vec<Tile> {
        let mut due: Vec<(f32, usize, Vec<u8>)> = Vec::new();
        for (at, plot) in self.plots.iter_mut().enumerate() {
            plot.waited += 1.0;
            let samples = sample(picture, plot.tile.region);
            due.push((plot.waited * (WAITING + change(&plot.samples, &samples)), at, samples));
        }
        due.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut turn = Vec::new();
        for (_, at, samples) in due.into_iter().take(self.each_frame) {
            if let Some(plot) = self.plots.get_mut(at) {
                (plot.waited, plot.samples) = (0.0, samples);
                turn.push(plot.tile);
            }
        }
        turn
    }
}

/// Luma at evenly spread points.
fn sample(picture: &Picture, region: Region) -> Vec<u8> {
    let at = |from: u32, length: u32, step: u32| {
        i64::from(from) + i64::from(length) * (2 * i64::from(step) + 1) / (2 * i64::from(SAMPLES))
    };
    let mut samples = Vec::with_capacity((SAMPLES * SAMPLES) as usize);
    for row in 0..SAMPLES {
        for column in 0..SAMPLES {
            let (x, y) = (at(region.left, region.width, column), at(region.top, region.height, row));
            let [red, green, blue] = picture.pixel(x, y).map(u32::from);
            samples.push(((red + 2 * green + blue) / 4) as u8);
        }
    }
    samples
}

/// Mean difference, 0 to 1; all of it where there was nothing before.
fn change(before: &[u8], now: &[u8]) -> f32 {
    if before.len() != now.len() || now.is_empty() {
        return 1.0;
    }
    let sum: u32 = before.iter().zip(now).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    sum as f32 / (255.0 * now.len() as f32)
}

impl Detector {
    /// The faces of the next frame, surest first, each sure enough to count.
    pub(crate) fn glance(&mut self, picture: &Picture, sweep: &mut Sweep) -> Result<Vec<Face>, VisionError> {
        let size = (picture.width(), picture.height());
        if sweep.size != size {
            let lay = |tile| Plot { tile, waited: 0.0, samples: Vec::new() };
            sweep.plots =
                tiles(size.0, size.1, sweep.smallest, self.input.width).into_iter().map(lay).collect();
            (sweep.size, sweep.known) = (size, Vec::new());
        }
        sweep.frame += 1;
        let mut found = self.at_once(picture, sweep.frame)?;
        for tile in sweep.turn(picture) {
            found.extend(self.tile(picture, tile, 0.0)?);
        }
        found.extend(self.again(picture, sweep, &found)?);
        // What was confirmed in the frames before need not be again.
        let known: Vec<Face> = sweep.known.iter().map(|known| known.face).collect();
        let faces = self.settle(picture, found, sweep.smallest, &known, 0.0)?;
        sweep.remember(&faces, crop::fit(Region::whole(picture), &self.input, 1.0));
        Ok(faces)
    }

    /// One look at all of it, and a second one where a face fills it, or now and then where there is none: the net was
    /// made for faces smaller than the picture.
    fn at_once(&mut self, picture: &Picture, frame: u64) -> Result<Vec<Candidate>, VisionError> {
        let whole = Region::whole(picture);
        let scale = crop::fit(whole, &self.input, 1.0);
        let first = self.look(picture, whole, scale, 0.0)?;
        let filled = first.iter().any(|face| longer(face) * scale >= self.input.width as f32 / 2.0);
        if filled || (first.is_empty() && frame % 4 == 1) {
            return self.whole(picture, 0.0);
        }
        Ok(first.into_iter().map(|face| Candidate { face, seen: longer(&face) * scale }).collect())
    }

    /// Looks again at small faces that were found before, unless this frame has shown them already.
    fn again(
        &mut self,
        picture: &Picture,
        sweep: &Sweep,
        found: &[Candidate],
    ) -> Result<Vec<Candidate>, VisionError> {
        let scale = crop::fit(Region::whole(picture), &self.input, 1.0);
        let side = self.input.width as f32;
        let shown = |face: &Face, found: &[Candidate]| {
            found.iter().any(|other| other.face.score >= self.count && same(&other.face, face))
        };
        let start = sweep.frame as usize % sweep.known.len().max(1);
        let turn = sweep.known.iter().cycle().skip(start).take(sweep.known.len());
        let wanted: Vec<Face> = turn
            .map(|known| known.face)
            .filter(|face| longer(face) * scale < SMALL && !shown(face, found))
            .collect();
        let mut more: Vec<Candidate> = Vec::new();
        let mut looks = 0;
        for face in wanted {
            let seen_beside = more.iter().any(|other| same(&other.face, &face));
            if seen_beside || looks == MOST_KNOWN {
                continue;
            }
            looks += 1;
            if let Some(region) = around(picture, &face, longer(&face) * side / SHOWN) {
                more.extend(self.tile(
                    picture,
                    Tile { region, scale: crop::fit(region, &self.input, 1.0) },
                    0.0,
                )?);
            }
        }
        Ok(more)
    }
}

impl Sweep {
    /// Keeps in mind what this frame showed, and for a while what it did not show again.
    fn remember(&mut self, faces: &[Face], scale: f32) {
        let small = |face: &&Face| longer(face) * scale < SMALL;
        let mut known: Vec<Known> =
            faces.iter().filter(small).map(|face| Known { face: *face, missed: 0 }).collect();
        for old in self.known.drain(..) {
            let gone = known.iter().all(|known| !near(&known.face, &old.face));
            if gone && old.missed < PATIENCE {
                known.push(Known { missed: old.missed + 1, ..old });
            }
        }
        self.known = known;
    }
}

/// Whether a face of the next frame may be this one.
pub(crate) fn near(a: &Face, b: &Face) -> bool {
    if overlap(a, b) > 0.0 {
        return true;
    }
    let apart = (a.left + a.right - b.left - b.right).hypot(a.top + a.bottom - b.top - b.bottom) / 2.0;
    apart < 1.5 * longer(a).max(longer(b))
}
