//! From a picture to a zone: lines of text are looked for, each is read by a small net of our own, and the likeliest
//! zone of all formats is taken.

mod ctc_alignment;
mod curved_line;
mod lattice_decoder;
mod line_detection;
mod line_grouping;
mod mrz_reading;
mod recogniser;

pub use mrz_reading::MrzReading;

use crate::{
    mrz::MrzFormat,
    picture::{GreyImage, ImagePyramid},
};
use base::Picture;
use ctc_alignment::{CharacterScores, align};
use curved_line::{CurvedLine, neighbours, refine, strip};
use line_grouping::{RecognisedLine, align_ends, fits_format, group_lines};
use recogniser::{CtcSteps, read_greedily, recognise};
use std::path::Path;
use vision::{ModelLoadError, NeuralNet, OnnxRuntime, VisionError, model_manifest::ModelPack};

/// Sizes at which lines are looked for, in pixels of the longer side: most zones show at the first.
const SEARCH_SIDES_PIXELS: [usize; 3] = [1000, 1600, 640];
/// A tilt that the search for lines does not put up with by itself, in radians.
const MAX_UNCORRECTED_TILT_RADIANS: f32 = 0.11;
/// Lines that a picture may yield at one size.
const MAX_LINES: usize = 24;
/// Lines that vote on which way is up.
const MAX_ORIENTATION_VOTERS: usize = 4;
/// What a strip has beyond the ends of a known line, in capitals.
const STRIP_MARGIN_CAPITALS: f32 = 0.95;

/// Reads zones. Not shared between threads: each worker has its own.
#[derive(Debug)]
pub struct MrzReader {
    net: Box<dyn NeuralNet>,
    priors: Vec<(MrzFormat, Vec<Vec<CharacterScores>>)>,
}

impl MrzReader {
    /// Loads the net into the runtime of a pack of models.
    pub fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        let pack = ModelPack::read(folder)?;
        Self::new(&OnnxRuntime::open(folder, &pack.runtime)?)
    }

    /// Loads the net into a runtime.
    pub fn new(runtime: &OnnxRuntime) -> Result<Self, ModelLoadError> {
        Ok(Self::with_net(Box::new(recogniser::load(runtime)?)))
    }

    /// A reader over any net that answers as ours does.
    pub fn with_net(net: Box<dyn NeuralNet>) -> Self {
        Self {
            net,
            priors: MrzFormat::ALL.map(|format| (format, lattice_decoder::format_priors(format))).to_vec(),
        }
    }

    /// The zone of a picture, however it is turned; `None` where there is none to be read. The time it takes grows
    /// with the picture and is bounded: four directions at one size, three sizes, one tilt.
    pub fn read(&mut self, picture: &Picture) -> Result<Option<MrzReading>, VisionError> {
        self.read_grey(GreyImage::of(picture))
    }

    /// The same for a plane of brightness.
    pub fn read_grey(&mut self, plane: GreyImage) -> Result<Option<MrzReading>, VisionError> {
        let pyramid = ImagePyramid::new(plane);
        let mut best = None;
        if self.read_at_scale(&pyramid, SEARCH_SIDES_PIXELS[0], 0.0, &mut best)? {
            return Ok(best);
        }
        let tilt =
            line_detection::estimate_tilt(&pyramid).filter(|tilt| tilt.abs() > MAX_UNCORRECTED_TILT_RADIANS);
        if let Some(tilt) = tilt
            && self.read_at_scale(&pyramid, SEARCH_SIDES_PIXELS[0], tilt, &mut best)?
        {
            return Ok(best);
        }
        // A quarter turn before other sizes: a card held sideways is commoner than a tiny zone.
        let turned = ImagePyramid::new(pyramid.base().rotate_quarter());
        let mut sideways = None;
        let mut certain = self.read_at_scale(&turned, SEARCH_SIDES_PIXELS[0], 0.0, &mut sideways)?;
        if !certain
            && let Some(tilt) = line_detection::estimate_tilt(&turned)
                .filter(|tilt| tilt.abs() > MAX_UNCORRECTED_TILT_RADIANS)
        {
            certain = self.read_at_scale(&turned, SEARCH_SIDES_PIXELS[0], tilt, &mut sideways)?;
        }
        keep_better(&mut best, sideways.map(|zone| rotate_back(zone, turned.base().width() as f32)));
        for &side in &SEARCH_SIDES_PIXELS[1..] {
            if !certain {
                certain = self.read_at_scale(&pyramid, side, tilt.unwrap_or(0.0), &mut best)?;
            }
        }
        Ok(best)
    }

    /// Looks once; whether what is best now is certain.
    fn read_at_scale(
        &mut self,
        pyramid: &ImagePyramid,
        side: usize,
        tilt: f32,
        best: &mut Option<MrzReading>,
    ) -> Result<bool, VisionError> {
        let found = line_detection::find_lines(pyramid, side, tilt);
        let lines: Vec<CurvedLine> = found.iter().filter_map(|line| refine(pyramid, line)).collect();
        // Which way is up, the longest lines tell.
        let mut votes = [0.0_f32; 2];
        let mut reads = [Vec::new(), Vec::new()];
        for line in lines.iter().take(MAX_ORIENTATION_VOTERS) {
            for ((vote, reads), line) in votes.iter_mut().zip(&mut reads).zip([*line, line.reversed()]) {
                let before = reads.len();
                self.read_line(pyramid, &line, reads)?;
                *vote += reads[before..].iter().map(line_weight).sum::<f32>();
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
            for line in lines.iter().skip(MAX_ORIENTATION_VOTERS) {
                self.read_line(pyramid, &if flip { line.reversed() } else { *line }, &mut reads)?;
            }
            keep_better(best, self.best_zone(pyramid, &reads)?);
            if best.as_ref().is_some_and(MrzReading::is_certain) {
                return Ok(true);
            }
            if self.read_neighbours(pyramid, &mut reads)? {
                keep_better(best, self.best_zone(pyramid, &reads)?);
                if best.as_ref().is_some_and(MrzReading::is_certain) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Looks above and below the longest lines, whose neighbours may not have been found: a line of fillers is faint.
    /// Whether there was something new.
    fn read_neighbours(
        &mut self,
        pyramid: &ImagePyramid,
        reads: &mut Vec<RecognisedLine>,
    ) -> Result<bool, VisionError> {
        let before = reads.len();
        let mut known: Vec<CurvedLine> =
            reads.iter().filter(|read| read.characters >= 20).map(|read| read.line).collect();
        known.sort_by(|a, b| b.length.total_cmp(&a.length));
        for line in known.into_iter().take(3) {
            for guess in neighbours(pyramid, &line) {
                if reads.len() >= MAX_LINES || reads.iter().any(|read| read.line.overlaps(&guess)) {
                    continue;
                }
                let alike = |found: &CurvedLine| (0.55..1.7).contains(&(found.capital / line.capital));
                if let Some(found) = refine(pyramid, &guess).filter(alike) {
                    self.read_line(pyramid, &found, reads)?;
                }
            }
        }
        Ok(reads.len() > before)
    }

    /// Lets the net read a line, and keeps it if it is text of a zone.
    fn read_line(
        &mut self,
        pyramid: &ImagePyramid,
        line: &CurvedLine,
        reads: &mut Vec<RecognisedLine>,
    ) -> Result<(), VisionError> {
        if reads.len() >= MAX_LINES || reads.iter().any(|read| read.line.overlaps(line)) {
            return Ok(());
        }
        let margin = 1.3 * line.capital;
        let steps = recognise(&mut *self.net, &strip(pyramid, line, margin, None))?;
        reads.extend(RecognisedLine::new(line, margin, steps.len(), &read_greedily(&steps)));
        Ok(())
    }

    /// The likeliest zone among groups of lines below each other.
    fn best_zone(
        &mut self,
        pyramid: &ImagePyramid,
        reads: &[RecognisedLine],
    ) -> Result<Option<MrzReading>, VisionError> {
        let mut best: Option<MrzReading> = None;
        for group in group_lines(reads) {
            let formats: Vec<MrzFormat> =
                MrzFormat::ALL.into_iter().filter(|format| fits_format(*format, &group)).collect();
            let Some(length) = formats.iter().map(|format| format.length()).max() else { continue };
            let lines = align_ends(&group);
            let mut steps = Vec::with_capacity(lines.len());
            for line in &lines {
                let pitch = line.length / length as f32;
                steps.push(recognise(
                    &mut *self.net,
                    &strip(pyramid, line, STRIP_MARGIN_CAPITALS * line.capital, Some(pitch)),
                )?);
            }
            for format in formats {
                keep_better(&mut best, self.decode_as(format, &steps, &lines));
            }
        }
        Ok(best)
    }

    fn decode_as(&self, format: MrzFormat, steps: &[CtcSteps], lines: &[CurvedLine]) -> Option<MrzReading> {
        let (_, priors) = self.priors.iter().find(|(of, _)| *of == format)?;
        let aligned = steps
            .iter()
            .zip(priors)
            .map(|(steps, priors)| align(steps, priors))
            .collect::<Option<Vec<_>>>()?;
        let seen: Vec<Vec<CharacterScores>> = aligned.iter().map(|line| line.places.clone()).collect();
        let decided = lattice_decoder::decode(format, &seen, priors);
        if !format.may_begin(decided[0][0], decided[0][1]) {
            return None;
        }
        // Where the text truly begins and ends, for the corners.
        let tight = lines.iter().zip(&aligned).zip(steps).map(|((line, aligned), steps)| {
            let length = line.length + 2.0 * STRIP_MARGIN_CAPITALS * line.capital;
            let along = |step: usize| ((step as f32 + 0.5) / steps.len() as f32 - 0.5) * length;
            let half = line.length / format.length() as f32 / 2.0;
            line.segment(along(aligned.steps.0) - half, along(aligned.steps.1) + half)
        });
        let zone = mrz_reading::assemble(format, &decided, &seen, priors, &tight.collect::<Vec<_>>());
        zone.is_credible().then_some(zone)
    }
}

/// How much a line says for the way it was read.
fn line_weight(read: &RecognisedLine) -> f32 {
    (read.confidence - 0.3) * read.characters.min(50) as f32
}

fn keep_better(best: &mut Option<MrzReading>, zone: Option<MrzReading>) {
    if let Some(zone) = zone
        && best.as_ref().is_none_or(|best| zone.evidence() > best.evidence())
    {
        *best = Some(zone);
    }
}

/// A zone of the picture turned by a quarter clockwise, in the coordinates of the picture itself; `width` is that of
/// the turned one.
fn rotate_back(mut zone: MrzReading, width: f32) -> MrzReading {
    for corner in &mut zone.corners {
        *corner = (corner.1, width - 1.0 - corner.0);
    }
    zone.rotation -= 90.0;
    if zone.rotation < -180.0 {
        zone.rotation += 360.0;
    }
    zone
}
