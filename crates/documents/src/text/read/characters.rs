//! What a strip says: probabilities of characters for each step along it, the likeliest taken.

use super::{
    find::{tensor_of, unfit},
    strip::{draw, pad, width_of},
};
use crate::{picture::page_homography::Point, text::Line};
use base::Picture;
use std::path::Path;
use vision::{
    LoadError, Net, Task, VisionError, load_net,
    pack::{Input, Output, Pack},
};

/// Strips of a batch end at multiples of this many pixels.
const BUCKET: u32 = 64;
/// No strip is narrower than this: the net was trained on longer ones.
const NARROWEST: u32 = 160;
/// Strips that go in together.
const BATCH: usize = 6;
/// Between two characters, in heights of the strip: from here on they belong to different fields that stand in one row.
const GAP: f32 = 1.7;
/// Lines that are read with less certainty than this are no text.
const LEAST: f32 = 0.5;

#[derive(Debug)]
pub(super) struct Recogniser {
    id: String,
    net: Box<dyn Net>,
    input: Input,
    tensor: String,
    /// The first is nothing.
    characters: Vec<String>,
}

/// A character that was read: which, how probable it is, and where along the strip, 0 to 1.
struct Seen {
    character: usize,
    certainty: f32,
    at: f32,
}

impl Recogniser {
    pub(super) fn load(folder: &Path, pack: &Pack) -> Result<Self, LoadError> {
        let (net, input, model) = load_net(folder, pack, Task::ReadText)?;
        let Output::TextCharacters { tensor, characters } = &model.output else {
            return Err(unfit(&model.id, "its decode reads no text"));
        };
        let listed = String::from_utf8(characters.read(folder)?)
            .map_err(|_| unfit(&model.id, "its characters are not UTF-8"))?;
        let characters = [""].into_iter().chain(listed.lines()).chain([" "]).map(str::to_owned).collect();
        Ok(Self { id: model.id.clone(), net, tensor: tensor.clone(), input, characters })
    }

    /// The lines at these corners, less those that are none.
    pub(super) fn read(&mut self, page: &Picture, lines: &[[Point; 4]]) -> Result<Vec<Line>, VisionError> {
        let height = self.input.height;
        let mut strips: Vec<(u32, u32, &[Point; 4])> = lines
            .iter()
            .map(|corners| {
                let width = width_of(corners, height);
                (width.next_multiple_of(BUCKET).max(NARROWEST), width, corners)
            })
            .collect();
        strips.sort_by_key(|&(bucket, ..)| bucket);
        let mut out = Vec::with_capacity(lines.len());
        for group in strips.chunk_by(|a, b| a.0 == b.0) {
            for batch in group.chunks(BATCH) {
                self.read_batch(page, batch, &mut out)?;
            }
        }
        Ok(out)
    }

    fn read_batch(
        &mut self,
        page: &Picture,
        batch: &[(u32, u32, &[Point; 4])],
        out: &mut Vec<Line>,
    ) -> Result<(), VisionError> {
        let height = self.input.height;
        let mut values = Vec::new();
        let mut drawn = Vec::with_capacity(batch.len());
        for &(bucket, width, corners) in batch {
            let Some(strip) = draw(page, corners, width, height) else { continue };
            values.extend(pad(&tensor_of(&strip, width, height, &self.input), width, bucket));
            drawn.push((bucket, width, corners));
        }
        let Some(&(bucket, ..)) = drawn.first() else { return Ok(()) };
        let answer = self.net.run(&values, [drawn.len(), 3, height as usize, bucket as usize])?;
        let answer = answer.into_iter().find(|(name, _)| *name == self.tensor).map(|(_, values)| values);
        let each = answer.as_ref().map_or(0, |values| values.len() / drawn.len());
        let classes = self.characters.len();
        let Some(answer) = answer.filter(|_| each > 0 && each.is_multiple_of(classes)) else {
            return Err(VisionError::Unusable {
                model: self.id.clone(),
                what: format!("its output is no row of {classes} classes"),
            });
        };
        for (steps, (bucket, width, corners)) in answer.chunks_exact(each).zip(drawn) {
            let seen = read_greedily(steps, classes, bucket as f32 / width as f32);
            let gap = GAP * height as f32 / width as f32;
            for part in seen.chunk_by(|a, b| b.at - a.at < gap) {
                let whole = part.len() == seen.len();
                let span = if whole { (0.0, 1.0) } else { span(part, height as f32 / width as f32) };
                out.extend(self.line(part, corners, span).filter(|line| line.confidence >= LEAST));
            }
        }
        Ok(())
    }

    fn line(&self, seen: &[Seen], corners: &[Point; 4], (from, to): (f32, f32)) -> Option<Line> {
        let mut text = String::with_capacity(seen.len());
        let mut certainty = Vec::with_capacity(seen.len());
        for one in seen {
            let character = self.characters.get(one.character)?;
            text.push_str(character);
            certainty.extend(character.chars().map(|_| one.certainty));
        }
        // Blanks at the ends say nothing.
        let blank = |c: char| c.is_whitespace();
        let before = text.chars().take_while(|&c| blank(c)).count();
        let kept = text.trim().chars().count();
        let certainty: Vec<f32> = certainty.into_iter().skip(before).take(kept).collect();
        let confidence = certainty.iter().sum::<f32>() / certainty.len().max(1) as f32;
        let [a, b, c, d] = *corners;
        let on = |p: Point, q: Point, t: f32| [p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t];
        let corners = [on(a, b, from), on(a, b, to), on(d, c, to), on(d, c, from)];
        (kept > 0).then(|| Line { text: text.trim().to_owned(), confidence, corners, certainty })
    }
}

/// Where a part of a strip begins and ends: half a height beyond the middles of its first and last character, roughly.
fn span(part: &[Seen], height: f32) -> (f32, f32) {
    let [first, last] = [part.first(), part.last()].map(|seen| seen.map_or(0.0, |seen| seen.at));
    ((first - 0.4 * height).max(0.0), (last + 0.4 * height).min(1.0))
}

/// The best class of each step, repeats and nothings taken out. `stretch` is the width of what went in over that of the
/// strip.
fn read_greedily(steps: &[f32], classes: usize, stretch: f32) -> Vec<Seen> {
    let count = steps.len() / classes.max(1);
    let mut out: Vec<Seen> = Vec::new();
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
            out.push(Seen { character: best, certainty: certainty.clamp(0.0, 1.0), at });
        } else if best > 0
            && let Some(last) = out.last_mut()
        {
            last.certainty = last.certainty.max(certainty.clamp(0.0, 1.0));
        }
        before = best;
    }
    out
}
