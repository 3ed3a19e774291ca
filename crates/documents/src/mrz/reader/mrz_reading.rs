//! What was read, and how sure it is.

use super::{ctc_alignment::CharacterScores, curved_line::CurvedLine, lattice_decoder::alphabet_index};
use crate::mrz::{
    ALPHABET, CharacterRepair, CheckDigit, CheckDigitVerdict, MrzField, MrzFormat, ParsedMrz, parse::parse_as,
};

/// A zone found in a picture.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MrzReading {
    /// Its layout.
    pub format: MrzFormat,
    /// Its lines.
    pub lines: Vec<String>,
    /// For each character of each line how probable it is by what the net saw and what may stand in its place, 0 to 1;
    /// check digits and codes are not considered.
    pub certainty: Vec<Vec<f32>>,
    /// For each field how probable it is that all of it is right, 0 to 1, its check digit considered.
    pub confidence: Vec<(MrzField, f32)>,
    /// Its corners in the picture, in pixels (x, y): top left, top right, bottom right, bottom left as one reads.
    pub corners: [(f32, f32); 4],
    /// How far the text is turned clockwise from upright, in degrees, -180 to 180.
    pub rotation: f32,
    /// The fields, with the verdict of each check digit and what was repaired.
    pub mrz: ParsedMrz,
}

impl MrzReading {
    /// How probable the field is right, 0 to 1; zero for one that the format lacks.
    pub fn confidence_of(&self, field: MrzField) -> f32 {
        self.confidence.iter().find(|(of, _)| *of == field).map_or(0.0, |(_, confidence)| *confidence)
    }

    /// Whether every check digit holds and the characters are mostly sure: no other reading will be better.
    pub(super) fn is_certain(&self) -> bool {
        self.mrz.checks_hold() && self.mrz.repairs.len() <= 2 && self.mean_certainty() > 0.75
    }

    /// The mean of all characters' certainty, 0 to 1.
    pub fn mean_certainty(&self) -> f32 {
        let all = self.certainty.iter().flatten();
        all.clone().sum::<f32>() / all.count().max(1) as f32
    }

    /// How much speaks for this reading rather than another of the same picture: a right digit is one of ten, and
    /// visas are rare among what is photographed, but have fewer digits that could be wrong.
    pub(super) fn evidence(&self) -> f32 {
        let weigh = |check: &CheckDigit| match check.verdict {
            CheckDigitVerdict::Right => 2.3,
            CheckDigitVerdict::Absent => 1.0,
            CheckDigitVerdict::Wrong => -3.0,
        };
        let digits: f32 = self.mrz.checks.iter().map(weigh).sum();
        let rare = if matches!(self.format, MrzFormat::MrvA | MrzFormat::MrvB) { 2.0 } else { 0.0 };
        let doubts = self.mrz.problems.len() + self.mrz.repairs.len();
        digits - rare + 40.0 * (self.mean_certainty() - 0.7) - 1.5 * doubts as f32
    }

    /// Whether it is a zone at all, rather than some other text pressed into one. Digits that hold only after repairs
    /// say little: almost anything can be repaired until they do.
    pub(super) fn is_credible(&self) -> bool {
        let right = self.mrz.checks.iter().filter(|check| check.verdict == CheckDigitVerdict::Right).count();
        let earned = right.saturating_sub(self.mrz.repairs.len() / 2);
        earned * 2 >= self.mrz.checks.len() && earned >= 2 && self.mean_certainty() > 0.6
            || right >= 1 && self.mean_certainty() > 0.85
    }
}

/// Puts a zone together from lines decided and what the net saw of them.
pub(super) fn assemble(
    format: MrzFormat,
    decided: &[Vec<u8>],
    seen: &[Vec<CharacterScores>],
    priors: &[Vec<CharacterScores>],
    at: &[CurvedLine],
) -> MrzReading {
    let mut mrz = parse_as(format, decided);
    let mut certainty: Vec<Vec<f32>> = Vec::with_capacity(decided.len());
    for (number, (line, places)) in decided.iter().zip(seen).enumerate() {
        let places_and_priors = places.iter().zip(&priors[number]);
        certainty.push(line.iter().zip(places_and_priors).map(|(&c, seen)| posterior(c, seen)).collect());
        for (column, (&c, place)) in line.iter().zip(places).enumerate() {
            // The best that may stand there is what was read; anything else has been put right.
            let prior = &priors[number][column];
            let best =
                (0..place.len()).max_by(|&a, &b| (place[a] + prior[a]).total_cmp(&(place[b] + prior[b])));
            let best = best.map_or(b'<', |best| ALPHABET[best]);
            if best != c {
                let (from, to) = (char::from(best), char::from(c));
                mrz.repairs.push(CharacterRepair { line: number + 1, at: column + 1, from, to });
            }
        }
    }
    let confidence = format
        .spans()
        .iter()
        .map(|span| {
            let places = &certainty[span.line][span.from..span.from + span.length];
            (
                span.field,
                field_probability(
                    places.iter().product(),
                    mrz.checks.iter().find(|check| check.field == span.field),
                ),
            )
        })
        .collect();
    let (corners, rotation) = corners_and_rotation(at);
    MrzReading { format, lines: mrz.lines.clone(), certainty, confidence, corners, rotation, mrz }
}

/// How probable a character is among those of its place, by what was seen and what may stand there.
fn posterior(character: u8, (seen, prior): (&CharacterScores, &CharacterScores)) -> f32 {
    let all: f32 = seen.iter().zip(prior).map(|(seen, prior)| (seen + prior).exp()).sum();
    let of = alphabet_index(character);
    (seen[of] + prior[of]).exp() / all.max(f32::MIN_POSITIVE)
}

/// A right check digit leaves one error in ten standing; a wrong one says that something is wrong, here or in itself.
fn field_probability(seen: f32, check: Option<&CheckDigit>) -> f32 {
    match check.map(|check| check.verdict) {
        Some(CheckDigitVerdict::Right) => 1.0 - (1.0 - seen) * 0.1,
        Some(CheckDigitVerdict::Wrong) => seen * 0.3,
        Some(CheckDigitVerdict::Absent) | None => seen,
    }
}

/// Corners and rotation of lines that lie below each other.
fn corners_and_rotation(lines: &[CurvedLine]) -> ([(f32, f32); 4], f32) {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return ([(0.0, 0.0); 4], 0.0) };
    let edge = |line: &CurvedLine, along: f32, below: f32| {
        line.point(along * line.length / 2.0, below * line.capital / 2.0)
    };
    let corners =
        [edge(first, -1.0, -1.0), edge(first, 1.0, -1.0), edge(last, 1.0, 1.0), edge(last, -1.0, 1.0)];
    (corners, first.uy.atan2(first.ux).to_degrees())
}
