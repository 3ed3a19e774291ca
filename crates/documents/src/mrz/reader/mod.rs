//! Reads an MRZ from a picture: finds lines of text, recognises each with a small net of our own, and decodes the most
//! likely MRZ of all formats.

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

/// Scales at which lines are searched, as the longer side of the picture in pixels. Most MRZs are found at the first.
const SEARCH_SIDES_PIXELS: [usize; 3] = [1000, 1600, 640];
/// Tilt from which the picture is rotated before lines are searched; smaller tilts need no correction.
const MAX_UNCORRECTED_TILT_RADIANS: f32 = 0.11;
/// Lines that are recognised at one scale, at most.
const MAX_LINES: usize = 24;
/// Lines that vote on the upright direction.
const MAX_ORIENTATION_VOTERS: usize = 4;
/// Margin of a strip beyond the ends of a known line, in heights of a capital.
const STRIP_MARGIN_CAPITALS: f32 = 0.95;

/// Reads MRZs from pictures. It is not shared between threads: each worker has its own.
#[derive(Debug)]
pub struct MrzReader {
    net: Box<dyn NeuralNet>,
    priors: Vec<(MrzFormat, Vec<Vec<CharacterScores>>)>,
}

impl MrzReader {
    /// Loads the net into the runtime of a model pack.
    pub fn load(folder: &Path) -> Result<Self, ModelLoadError> {
        let pack = ModelPack::read(folder)?;
        Self::new(&OnnxRuntime::open(folder, &pack.runtime)?)
    }

    /// Loads the net into a runtime.
    pub fn new(runtime: &OnnxRuntime) -> Result<Self, ModelLoadError> {
        Ok(Self::with_net(Box::new(recogniser::load(runtime)?)))
    }

    /// A reader with another net that has the same input and output.
    pub fn with_net(net: Box<dyn NeuralNet>) -> Self {
        Self {
            net,
            priors: MrzFormat::ALL.map(|format| (format, lattice_decoder::format_priors(format))).to_vec(),
        }
    }

    /// Reads the MRZ of a picture, at any rotation; `None` where none can be read. The time is bounded and grows with
    /// the picture: four directions at one scale, three scales, one tilt.
    pub fn read(&mut self, picture: &Picture) -> Result<Option<MrzReading>, VisionError> {
        self.read_grey(GreyImage::of(picture))
    }

    /// The same for a grey image.
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
        // Try a quarter turn before other scales: a card held sideways is more common than a tiny MRZ.
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

    /// Searches at one scale and tilt. Returns whether the best reading is now certain.
    fn read_at_scale(
        &mut self,
        pyramid: &ImagePyramid,
        side: usize,
        tilt: f32,
        best: &mut Option<MrzReading>,
    ) -> Result<bool, VisionError> {
        let found = line_detection::find_lines(pyramid, side, tilt);
        let lines: Vec<CurvedLine> = found.iter().filter_map(|line| refine(pyramid, line)).collect();
        // The longest lines decide the upright direction.
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
            // Try the other direction only where both had similar votes.
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

    /// Searches above and below the longest lines for lines that were not detected: a line of fillers is faint. Returns
    /// whether any were found.
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

    /// Recognises a line, and adds it where it looks like text of an MRZ.
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

    /// The most likely MRZ among groups of successive lines.
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
        // The exact ends of the text, for the corners.
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

/// Weight of a line in the vote on the direction in which it was read.
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

/// Converts a reading of the picture rotated clockwise by a right angle into coordinates of the original picture;
/// `width` is that of the rotated one.
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
