//! Lines that the net has looked at, and which of them make a zone.

use super::{curved_line::CurvedLine, recogniser::GreedyText};
use crate::mrz::MrzFormat;

/// A line that the net has looked at, its ends where its characters are.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecognisedLine {
    pub(super) line: CurvedLine,
    /// Characters that the net saw.
    pub(super) characters: usize,
    /// Mean probability of them.
    pub(super) confidence: f32,
    /// From one character to the next, in pixels of the base plane.
    pub(super) pitch: f32,
}

/// A line that is worth looking at has so many characters, read with this confidence, so many of them evenly spaced:
/// a zone is printed with one pitch, other text hardly ever is.
const MIN_CHARACTERS: usize = 12;
const MIN_CONFIDENCE: f32 = 0.5;
const MIN_EVENLY_SPACED_SHARE: f32 = 0.6;

impl RecognisedLine {
    /// What a greedy reading over `steps` steps says of a line whose strip had `margin` at both ends; `None` where it
    /// is no text of a zone.
    pub(super) fn new(line: &CurvedLine, margin: f32, steps: usize, read: &GreedyText) -> Option<Self> {
        let (first, last) = (read.characters.first()?, read.characters.last()?);
        let count = read.characters.len();
        if count < MIN_CHARACTERS || read.confidence < MIN_CONFIDENCE {
            return None;
        }
        let step = (line.length + 2.0 * margin) / steps as f32;
        let mut gaps: Vec<f32> =
            read.characters.windows(2).map(|pair| (pair[1].1 - pair[0].1) as f32).collect();
        gaps.sort_by(f32::total_cmp);
        let middle = gaps[gaps.len() / 2];
        let even: Vec<f32> =
            gaps.iter().copied().filter(|gap| (gap - middle).abs() <= 0.3 * middle.max(3.0)).collect();
        if (even.len() as f32) < MIN_EVENLY_SPACED_SHARE * gaps.len() as f32 {
            return None;
        }
        let pitch = even.iter().sum::<f32>() / even.len() as f32 * step;
        let along = |at: usize| (at as f32 + 0.5 - steps as f32 / 2.0) * step;
        let line = line.segment(along(first.1) - pitch / 2.0, along(last.1) + pitch / 2.0);
        Some(Self { line, characters: count, confidence: read.confidence, pitch })
    }

    /// How many characters fit between its ends.
    fn character_capacity(&self) -> f32 {
        self.line.length / self.pitch
    }
}

/// Groups of two and three lines below each other that may be a zone. Each group takes the next line below that
/// stands under it, whatever else is printed beside.
pub(super) fn group_lines(reads: &[RecognisedLine]) -> Vec<Vec<RecognisedLine>> {
    let mut groups = Vec::new();
    for first in reads {
        let mut chain = vec![*first];
        while chain.len() < 3 {
            let above = chain[chain.len() - 1];
            let next = reads
                .iter()
                .filter(|read| follows(&above, read))
                .min_by(|a, b| gap(&above, a).total_cmp(&gap(&above, b)));
            let Some(next) = next else { break };
            chain.push(*next);
            if evenly_spaced(&chain) {
                groups.push(chain.clone());
            }
        }
    }
    groups
}

/// How far a line lies below another, in capitals.
fn gap(above: &RecognisedLine, below: &RecognisedLine) -> f32 {
    let capital = f32::midpoint(above.line.capital, below.line.capital);
    above.line.coordinates(below.line.x, below.line.y).1 / capital
}

fn follows(above: &RecognisedLine, below: &RecognisedLine) -> bool {
    let (a, b) = (&above.line, &below.line);
    let along = a.coordinates(b.x, b.y).0;
    let shared = (a.length / 2.0).min(along + b.length / 2.0) - (-a.length / 2.0).max(along - b.length / 2.0);
    a.ux * b.ux + a.uy * b.uy > 0.97
        && (1.15..5.5).contains(&gap(above, below))
        && shared > 0.5 * a.length.min(b.length)
        && (0.55..1.8).contains(&(a.capital / b.capital))
        && (0.75..1.33).contains(&(above.pitch / below.pitch))
}

fn evenly_spaced(chain: &[RecognisedLine]) -> bool {
    let gaps: Vec<f32> = chain.windows(2).map(|pair| gap(&pair[0], &pair[1])).collect();
    gaps.windows(2).all(|pair| (0.6..1.67).contains(&(pair[0] / pair[1])))
}

/// Whether a format is worth trying: the longest line has about as many places.
pub(super) fn fits_format(format: MrzFormat, group: &[RecognisedLine]) -> bool {
    let length = format.length() as f32;
    let most = group.iter().map(RecognisedLine::character_capacity).fold(0.0, f32::max);
    format.lines() == group.len() && (0.86..1.14).contains(&(most / length))
}

/// Lines of a zone begin and end together: each is made as long as all of them. With each its pitch for so many
/// characters.
pub(super) fn align_ends(group: &[RecognisedLine]) -> Vec<CurvedLine> {
    let reach = |line: &CurvedLine| {
        let ends =
            group.iter().flat_map(|read| [-0.5, 0.5].map(|end| read.line.point(end * read.line.length, 0.0)));
        let along = ends.map(|(x, y)| line.coordinates(x, y).0);
        along.fold((0.0_f32, 0.0_f32), |(from, to), at| (from.min(at), to.max(at)))
    };
    group
        .iter()
        .map(|read| {
            let (from, to) = reach(&read.line);
            read.line.segment(from, to)
        })
        .collect()
}
