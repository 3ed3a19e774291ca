//! Recognised lines, and which of them form an MRZ.

use super::{curved_line::CurvedLine, recogniser::GreedyText};
use crate::mrz::MrzFormat;

/// A recognised line, with its ends at the outer characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecognisedLine {
    pub(super) line: CurvedLine,
    /// Number of characters read.
    pub(super) characters: usize,
    /// Mean probability of the characters.
    pub(super) confidence: f32,
    /// Distance between characters in pixels of the full picture.
    pub(super) pitch: f32,
}

/// Fewest recognised characters of a line that may belong to an MRZ.
const MIN_CHARACTERS: usize = 12;
/// Least mean probability of the characters of such a line.
const MIN_CONFIDENCE: f32 = 0.5;
/// Least share of even distances between characters: an MRZ has a fixed pitch, other text hardly ever has.
const MIN_EVENLY_SPACED_SHARE: f32 = 0.6;

impl RecognisedLine {
    /// Measures a line from its greedy reading over `steps` steps, for a strip with `margin` at both ends. `None` where
    /// it does not look like text of an MRZ.
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

    /// Number of characters that fit between the ends.
    fn character_capacity(&self) -> f32 {
        self.line.length / self.pitch
    }
}

/// Groups two or three successive lines that may form an MRZ. Each group continues with the next line that fits below,
/// and ignores what else is printed there.
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

/// Distance from a line to one below it, in heights of a capital.
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

/// Whether the longest line has about the number of characters of a format, and the group its number of lines.
pub(super) fn fits_format(format: MrzFormat, group: &[RecognisedLine]) -> bool {
    let length = format.length() as f32;
    let most = group.iter().map(RecognisedLine::character_capacity).fold(0.0, f32::max);
    format.lines() == group.len() && (0.86..1.14).contains(&(most / length))
}

/// The lines of an MRZ begin and end together, so each is extended to the span of all of them.
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
