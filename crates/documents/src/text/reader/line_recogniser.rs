//! Recognises strips: the net gives the probabilities of characters at each step, of which the most likely are taken.

use super::{
    line_detector::{to_tensor, unusable_model},
    line_strip::{draw_strip, pad_rows, strip_width},
};
use crate::{picture::homography::Point, text::TextLine};
use base::Picture;
use std::{
    cmp::Reverse,
    panic::resume_unwind,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use vision::{
    ModelLoadError, ModelTask, NeuralNet, VisionError, load_net,
    model_manifest::{ModelInput, ModelOutput, ModelPack},
};

/// Widths of inputs are multiples of this.
const STRIP_WIDTH_MULTIPLE_PIXELS: u32 = 64;
/// Least width of an input: the net was trained on longer ones.
const MIN_STRIP_WIDTH_PIXELS: u32 = 160;
/// Strips that are recognised in parallel, where there are as many processor cores. Each strip is a batch of its own:
/// batches of several take half as long again, because the activations no longer fit into the cache of a core.
const MAX_PARALLEL_STRIPS: usize = 2;
/// Distance between characters, in heights of the strip, from which they belong to different fields in one row.
const MAX_CHARACTER_GAP_HEIGHTS: f32 = 1.7;
/// Lines with a lower mean probability are not text.
const MIN_LINE_CERTAINTY: f32 = 0.5;

#[derive(Debug)]
pub(super) struct LineRecogniser {
    /// An instance of the net for each thread.
    nets: Vec<Box<dyn NeuralNet>>,
    alphabet: RecogniserSpec,
}

/// How a strip is prepared and the output decoded.
#[derive(Debug)]
struct RecogniserSpec {
    id: String,
    input: ModelInput,
    tensor: String,
    /// The classes of the output. The first is the blank, the last a space.
    characters: Vec<String>,
}

/// A recognised character: its class, its probability, and its position along the strip, 0 to 1.
struct RecognisedCharacter {
    character: usize,
    certainty: f32,
    at: f32,
}

impl LineRecogniser {
    pub(super) fn load(folder: &Path, pack: &ModelPack) -> Result<Self, ModelLoadError> {
        let (net, input, model) = load_net(folder, pack, ModelTask::ReadText)?;
        let ModelOutput::TextCharacters { tensor, characters } = &model.output else {
            return Err(unusable_model(&model.id, "its decode reads no text"));
        };
        let listed = String::from_utf8(characters.read(folder)?)
            .map_err(|_| unusable_model(&model.id, "its characters are not UTF-8"))?;
        let characters = [""].into_iter().chain(listed.lines()).chain([" "]).map(str::to_owned).collect();
        let (id, tensor) = (model.id.clone(), tensor.clone());
        let mut nets = vec![net];
        let hands = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_PARALLEL_STRIPS);
        while nets.len() < hands {
            nets.push(load_net(folder, pack, ModelTask::ReadText)?.0);
        }
        Ok(Self { nets, alphabet: RecogniserSpec { id, input, tensor, characters } })
    }

    /// Reads the lines at these corners, in the same order; those without text are left out.
    pub(super) fn read(
        &mut self,
        page: &Picture,
        lines: &[[Point; 4]],
    ) -> Result<Vec<TextLine>, VisionError> {
        let alphabet = &self.alphabet;
        let mut strips: Vec<(usize, &[Point; 4])> = lines.iter().enumerate().collect();
        // The longest strips first, so that no thread is left with a long one at the end.
        strips.sort_by_key(|(_, corners)| Reverse(strip_width(corners, alphabet.input.height)));
        let next = AtomicUsize::new(0);
        let take = |net: &mut Box<dyn NeuralNet>| {
            let mut read = Vec::new();
            while let Some(&(at, corners)) = strips.get(next.fetch_add(1, Relaxed)) {
                read.push((at, alphabet.read(&mut **net, page, corners)?));
            }
            Ok::<_, VisionError>(read)
        };
        let Some((mine, others)) = self.nets.split_first_mut() else { return Ok(Vec::new()) };
        let mut read = std::thread::scope(|scope| {
            let others: Vec<_> = others.iter_mut().map(|net| scope.spawn(|| take(net))).collect();
            let mut read = take(mine)?;
            for other in others {
                read.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok::<_, VisionError>(read)
        })?;
        read.sort_by_key(|&(at, _)| at);
        Ok(read.into_iter().flat_map(|(_, lines)| lines).collect())
    }
}

impl RecogniserSpec {
    /// Recognises a strip. It gives several lines where it has wide gaps.
    fn read(
        &self,
        net: &mut dyn NeuralNet,
        page: &Picture,
        corners: &[Point; 4],
    ) -> Result<Vec<TextLine>, VisionError> {
        let height = self.input.height;
        let width = strip_width(corners, height);
        let bucket = width.next_multiple_of(STRIP_WIDTH_MULTIPLE_PIXELS).max(MIN_STRIP_WIDTH_PIXELS);
        let Some(strip) = draw_strip(page, corners, width, height) else { return Ok(Vec::new()) };
        let values = pad_rows(&to_tensor(&strip, width, height, &self.input), width, bucket);
        let answer = net.run(&values, [1, 3, height as usize, bucket as usize])?;
        let steps = answer.into_iter().find(|(name, _)| *name == self.tensor).map(|(_, values)| values);
        let classes = self.characters.len();
        let whole = |steps: &Vec<f32>| !steps.is_empty() && steps.len().is_multiple_of(classes);
        let Some(steps) = steps.filter(whole) else {
            return Err(VisionError::Unusable {
                model: self.id.clone(),
                what: format!("its output is not a row of {classes} classes"),
            });
        };
        let seen = read_greedily(&steps, classes, bucket as f32 / width as f32);
        let share = height as f32 / width as f32;
        let lines =
            seen.chunk_by(|a, b| b.at - a.at < MAX_CHARACTER_GAP_HEIGHTS * share).filter_map(|part| {
                let whole = part.len() == seen.len();
                let span = if whole { (0.0, 1.0) } else { span(part, share) };
                self.line(part, corners, span).filter(|line| line.confidence >= MIN_LINE_CERTAINTY)
            });
        Ok(lines.collect())
    }

    fn line(
        &self,
        seen: &[RecognisedCharacter],
        corners: &[Point; 4],
        (from, to): (f32, f32),
    ) -> Option<TextLine> {
        let mut text = String::with_capacity(seen.len());
        let mut certainty = Vec::with_capacity(seen.len());
        for one in seen {
            let character = self.characters.get(one.character)?;
            text.push_str(character);
            certainty.extend(character.chars().map(|_| one.certainty));
        }
        // Spaces at the ends are dropped.
        let blank = |c: char| c.is_whitespace();
        let before = text.chars().take_while(|&c| blank(c)).count();
        let kept = text.trim().chars().count();
        let certainty: Vec<f32> = certainty.into_iter().skip(before).take(kept).collect();
        let confidence = certainty.iter().sum::<f32>() / certainty.len().max(1) as f32;
        let [a, b, c, d] = *corners;
        let on = |p: Point, q: Point, t: f32| [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t];
        let corners = [on(a, b, from), on(a, b, to), on(d, c, to), on(d, c, from)];
        (kept > 0).then(|| TextLine { text: text.trim().to_owned(), confidence, corners, certainty })
    }
}

/// Where a part of a strip begins and ends, 0 to 1: 0.4 strip heights beyond the centres of its first and last
/// character.
fn span(part: &[RecognisedCharacter], height: f32) -> (f32, f32) {
    let [first, last] = [part.first(), part.last()].map(|seen| seen.map_or(0.0, |seen| seen.at));
    ((first - 0.4 * height).max(0.0), (last + 0.4 * height).min(1.0))
}

/// Takes the most likely class of each step, and removes repeats and blanks. `stretch` is the width of the padded input
/// divided by that of the strip.
fn read_greedily(steps: &[f32], classes: usize, stretch: f32) -> Vec<RecognisedCharacter> {
    let count = steps.len() / classes.max(1);
    let mut out: Vec<RecognisedCharacter> = Vec::new();
    let mut before = 0;
    for (step, row) in steps.chunks_exact(classes.max(1)).enumerate() {
        let (mut best, mut certainty) = (0, f32::MIN);
        for (class, &value) in row.iter().enumerate() {
            if value > certainty {
                (best, certainty) = (class, value);
            }
        }
        if best > 0 && best != before {
            let at = (step as f32 + 0.5) / count as f32 * stretch;
            out.push(RecognisedCharacter { character: best, certainty: certainty.clamp(0.0, 1.0), at });
        } else if best > 0
            && let Some(last) = out.last_mut()
        {
            last.certainty = last.certainty.max(certainty.clamp(0.0, 1.0));
        }
        before = best;
    }
    out
}
