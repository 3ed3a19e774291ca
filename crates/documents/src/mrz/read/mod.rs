//! From a picture to a zone: lines of text are looked for, each is read by a small net of our own, and the likeliest
//! zone of all formats is taken.

mod align;
mod decide;
mod group;
mod line;
mod locate;
mod net;
mod zone;

pub use zone::Zone;

use crate::{
    mrz::Format,
    picture::{Grey, Pyramid},
};
use align::{Prior, align};
use base::Picture;
use group::{Read, group, level_ends, may_be};
use line::{Line, neighbours, refine, strip};
use net::{Steps, read_greedily, recognise};
use std::path::Path;
use vision::{LoadError, Net, Runtime, VisionError, pack::Pack};

/// Sizes at which lines are looked for, in pixels of the longer side: most zones show at the first.
const SIDES: [usize; 3] = [1000, 1600, 640];
/// A tilt that the search for lines does not put up with by itself, in radians.
const STEEP: f32 = 0.11;
/// Lines that a picture may yield at one size.
const MOST_LINES: usize = 24;
/// Lines that vote on which way is up.
const VOTERS: usize = 4;
/// What a strip has beyond the ends of a known line, in capitals.
const EDGE: f32 = 0.95;

/// Reads zones. Not shared between threads: each worker has its own.
#[derive(Debug)]
pub struct Reader {
    net: Box<dyn Net>,
    priors: Vec<(Format, Vec<Vec<Prior>>)>,
}

impl Reader {
    /// Loads the net into the runtime of a pack of models.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let pack = Pack::read(folder)?;
        Self::new(&Runtime::open(folder, &pack.runtime)?)
    }

    /// Loads the net into a runtime.
    pub fn new(runtime: &Runtime) -> Result<Self, LoadError> {
        Ok(Self::with_net(Box::new(net::load(runtime)?)))
    }

    /// A reader over any net that answers as ours does.
    pub fn with_net(net: Box<dyn Net>) -> Self {
        Self { net, priors: Format::ALL.map(|format| (format, decide::priors(format))).to_vec() }
    }

    /// The zone of a picture, however it is turned; `None` where there is none to be read. The time it takes grows
    /// with the picture and is bounded: four directions at one size, three sizes, one tilt.
    pub fn read(&mut self, picture: &Picture) -> Result<Option<Zone>, VisionError> {
        self.read_grey(Grey::of(picture))
    }

    /// The same for a plane of brightness.
    pub fn read_grey(&mut self, plane: Grey) -> Result<Option<Zone>, VisionError> {
        let pyramid = Pyramid::new(plane);
        let mut best = None;
        if self.attempt(&pyramid, SIDES[0], 0.0, &mut best)? {
            return Ok(best);
        }
        let tilt = locate::estimate_tilt(&pyramid).filter(|tilt| tilt.abs() > STEEP);
        if let Some(tilt) = tilt
            && self.attempt(&pyramid, SIDES[0], tilt, &mut best)?
        {
            return Ok(best);
        }
        // A quarter turn before other sizes: a card held sideways is commoner than a tiny zone.
        let turned = Pyramid::new(pyramid.base().quarter());
        let mut sideways = None;
        let mut certain = self.attempt(&turned, SIDES[0], 0.0, &mut sideways)?;
        if !certain && let Some(tilt) = locate::estimate_tilt(&turned).filter(|tilt| tilt.abs() > STEEP) {
            certain = self.attempt(&turned, SIDES[0], tilt, &mut sideways)?;
        }
        keep_better(&mut best, sideways.map(|zone| turn_back(zone, turned.base().width() as f32)));
        for &side in &SIDES[1..] {
            if !certain {
                certain = self.attempt(&pyramid, side, tilt.unwrap_or(0.0), &mut best)?;
            }
        }
        Ok(best)
    }

    /// Looks once; whether what is best now is certain.
    fn attempt(
        &mut self,
        pyramid: &Pyramid,
        side: usize,
        tilt: f32,
        best: &mut Option<Zone>,
    ) -> Result<bool, VisionError> {
        let found = locate::find_lines(pyramid, side, tilt);
        let lines: Vec<Line> = found.iter().filter_map(|line| refine(pyramid, line)).collect();
        // Which way is up, the longest lines tell.
        let mut votes = [0.0_f32; 2];
        let mut reads = [Vec::new(), Vec::new()];
        for line in lines.iter().take(VOTERS) {
            for ((vote, reads), line) in votes.iter_mut().zip(&mut reads).zip([*line, line.reversed()]) {
                let before = reads.len();
                self.look_at(pyramid, &line, reads)?;
                *vote += reads[before..].iter().map(weigh).sum::<f32>();
            }
        }
        let flipped = votes[1] > votes[0];
        for (turn, flip) in [flipped, !flipped].into_iter().enumerate() {
            let [own, other] = if flip { [votes[1], votes[0]] } else { votes };
            // The other way round only where both looked alike.
            if turn == 1 && own < 0.6 * other {
                break;
            }
            let mut reads = std::mem::take(&mut reads[usize::from(flip)]);
            for line in lines.iter().skip(VOTERS) {
                self.look_at(pyramid, &if flip { line.reversed() } else { *line }, &mut reads)?;
            }
            keep_better(best, self.choose(pyramid, &reads)?);
            if best.as_ref().is_some_and(Zone::is_certain) {
                return Ok(true);
            }
            if self.look_beside(pyramid, &mut reads)? {
                keep_better(best, self.choose(pyramid, &reads)?);
                if best.as_ref().is_some_and(Zone::is_certain) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Looks above and below the longest lines, whose neighbours may not have been found: a line of fillers is faint.
    /// Whether there was something new.
    fn look_beside(&mut self, pyramid: &Pyramid, reads: &mut Vec<Read>) -> Result<bool, VisionError> {
        let before = reads.len();
        let mut known: Vec<Line> =
            reads.iter().filter(|read| read.characters >= 20).map(|read| read.line).collect();
        known.sort_by(|a, b| b.length.total_cmp(&a.length));
        for line in known.into_iter().take(3) {
            for guess in neighbours(pyramid, &line) {
                if reads.len() >= MOST_LINES || reads.iter().any(|read| read.line.overlaps(&guess)) {
                    continue;
                }
                let alike = |found: &Line| (0.55..1.7).contains(&(found.capital / line.capital));
                if let Some(found) = refine(pyramid, &guess).filter(alike) {
                    self.look_at(pyramid, &found, reads)?;
                }
            }
        }
        Ok(reads.len() > before)
    }

    /// Lets the net read a line, and keeps it if it is text of a zone.
    fn look_at(&mut self, pyramid: &Pyramid, line: &Line, reads: &mut Vec<Read>) -> Result<(), VisionError> {
        if reads.len() >= MOST_LINES || reads.iter().any(|read| read.line.overlaps(line)) {
            return Ok(());
        }
        let margin = 1.3 * line.capital;
        let steps = recognise(&mut *self.net, &strip(pyramid, line, margin, None))?;
        reads.extend(Read::new(line, margin, steps.len(), &read_greedily(&steps)));
        Ok(())
    }

    /// The likeliest zone among groups of lines below each other.
    fn choose(&mut self, pyramid: &Pyramid, reads: &[Read]) -> Result<Option<Zone>, VisionError> {
        let mut best: Option<Zone> = None;
        for group in group(reads) {
            let formats: Vec<Format> =
                Format::ALL.into_iter().filter(|format| may_be(*format, &group)).collect();
            let Some(length) = formats.iter().map(|format| format.length()).max() else { continue };
            let lines = level_ends(&group);
            let mut steps = Vec::with_capacity(lines.len());
            for line in &lines {
                let pitch = line.length / length as f32;
                steps.push(recognise(
                    &mut *self.net,
                    &strip(pyramid, line, EDGE * line.capital, Some(pitch)),
                )?);
            }
            for format in formats {
                keep_better(&mut best, self.read_as(format, &steps, &lines));
            }
        }
        Ok(best)
    }

    fn read_as(&self, format: Format, steps: &[Steps], lines: &[Line]) -> Option<Zone> {
        let (_, priors) = self.priors.iter().find(|(of, _)| *of == format)?;
        let aligned = steps
            .iter()
            .zip(priors)
            .map(|(steps, priors)| align(steps, priors))
            .collect::<Option<Vec<_>>>()?;
        let seen: Vec<Vec<Prior>> = aligned.iter().map(|line| line.places.clone()).collect();
        let decided = decide::decide(format, &seen, priors);
        if !format.may_begin(decided[0][0], decided[0][1]) {
            return None;
        }
        // Where the text truly begins and ends, for the corners.
        let tight = lines.iter().zip(&aligned).zip(steps).map(|((line, aligned), steps)| {
            let length = line.length + 2.0 * EDGE * line.capital;
            let along = |step: usize| ((step as f32 + 0.5) / steps.len() as f32 - 0.5) * length;
            let half = line.length / format.length() as f32 / 2.0;
            line.part(along(aligned.steps.0) - half, along(aligned.steps.1) + half)
        });
        let zone = zone::assemble(format, &decided, &seen, priors, &tight.collect::<Vec<_>>());
        zone.is_credible().then_some(zone)
    }
}

/// How much a line says for the way it was read.
fn weigh(read: &Read) -> f32 {
    (read.confidence - 0.3) * read.characters.min(50) as f32
}

fn keep_better(best: &mut Option<Zone>, zone: Option<Zone>) {
    if let Some(zone) = zone
        && best.as_ref().is_none_or(|best| zone.evidence() > best.evidence())
    {
        *best = Some(zone);
    }
}

/// A zone of the picture turned by a quarter clockwise, in the coordinates of the picture itself; `width` is that of
/// the turned one.
fn turn_back(mut zone: Zone, width: f32) -> Zone {
    for corner in &mut zone.corners {
        *corner = (corner.1, width - 1.0 - corner.0);
    }
    zone.rotation -= 90.0;
    if zone.rotation < -180.0 {
        zone.rotation += 360.0;
    }
    zone
}
