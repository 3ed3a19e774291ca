//! The result of reading an MRZ from a picture, with its confidence.

use super::{ctc_alignment::CharacterScores, curved_line::CurvedLine, lattice_decoder::alphabet_index};
use crate::mrz::{
    ALPHABET, CharacterRepair, CheckDigit, CheckDigitVerdict, MrzField, MrzFormat, ParsedMrz, parse::parse_as,
};

/// The share of characters that the net must have read by itself, 0 to 1. In 240 photographs of specimens with all kinds of
/// damage it was 0.93 or more wherever a zone was read right. A font that is not OCR-B costs some.
const MIN_AGREEMENT: f32 = 0.85;
/// Corrections, and characters, codes and dates that a zone cannot have, at most. Zones that were read right had one, those
/// forced into print five or more.
const MAX_DOUBTS: usize = 4;
/// The same where most check digits are wrong, as on a document that was altered.
const MAX_DOUBTS_UNCHECKED: usize = 1;

/// An MRZ that was found in a picture.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MrzReading {
    pub format: MrzFormat,
    pub lines: Vec<String>,
    /// The probability of each character of each line, 0 to 1, given the scores of the net and the prior of the
    /// position. Check digits and country codes are not taken into account.
    pub certainty: Vec<Vec<f32>>,
    /// The share of characters that the net read in their places by itself, whatever a zone may have there, 0 to 1.
    pub agreement: f32,
    /// The probability that all of a field is right, 0 to 1, its check digit taken into account.
    pub confidence: Vec<(MrzField, f32)>,
    /// Corners in pixels of the picture (x, y): top left, top right, bottom right, bottom left as the text is read.
    pub corners: [(f32, f32); 4],
    /// Clockwise rotation of the text from upright, in degrees, -180 to 180.
    pub rotation: f32,
    /// The fields, with the verdicts of check digits and the corrections.
    pub mrz: ParsedMrz,
}

impl MrzReading {
    /// The probability that a field is right, 0 to 1; 0 where the format lacks it.
    pub fn confidence_of(&self, field: MrzField) -> f32 {
        self.confidence.iter().find(|(of, _)| *of == field).map_or(0.0, |(_, confidence)| *confidence)
    }

    /// Whether no check digit is wrong and most characters are certain, so that no other reading will be better.
    pub(super) fn is_certain(&self) -> bool {
        self.mrz.checks_hold() && self.mrz.repairs.len() <= 2 && self.mean_certainty() > 0.75
    }

    /// Mean of the characters' probabilities, 0 to 1.
    pub fn mean_certainty(&self) -> f32 {
        let all = self.certainty.iter().flatten();
        all.clone().sum::<f32>() / all.count().max(1) as f32
    }

    /// Evidence for this reading against others of the same picture. The weights of check digits are natural
    /// logarithms: a digit is right by chance once in ten times. Visas get a penalty, because they are rare and have
    /// fewer check digits that could be wrong.
    pub(super) fn evidence(&self) -> f32 {
        let weigh = |check: &CheckDigit| match check.verdict {
            CheckDigitVerdict::Right => 2.3,
            CheckDigitVerdict::Absent => 1.0,
            CheckDigitVerdict::Wrong => -3.0,
        };
        let digits: f32 = self.mrz.checks.iter().map(weigh).sum();
        let rare = if self.format.is_visa() { 2.0 } else { 0.0 };
        digits - rare + 40.0 * (self.mean_certainty() - 0.7) - 1.5 * self.doubts() as f32
    }

    /// How many corrections it took, and how much of it no zone can have.
    fn doubts(&self) -> usize {
        self.mrz.problems.len() + self.mrz.repairs.len()
    }

    /// Whether this is an MRZ at all, and not some other text forced into a format. Check digits that are right only
    /// after corrections say little, because almost any text can be corrected until they are.
    pub(super) fn is_credible(&self) -> bool {
        let right = self.mrz.checks.iter().filter(|check| check.verdict == CheckDigitVerdict::Right).count();
        let earned = right.saturating_sub(self.mrz.repairs.len() / 2);
        let is_read = self.agreement >= MIN_AGREEMENT && self.doubts() <= MAX_DOUBTS;
        let is_checked = earned * 2 >= self.mrz.checks.len() && earned >= 2 && self.mean_certainty() > 0.6
            || right >= 1 && self.mean_certainty() > 0.85 && self.doubts() <= MAX_DOUBTS_UNCHECKED;
        is_read && is_checked
    }
}

/// Composes a reading from the decoded lines and the scores of the net.
pub(super) fn assemble(
    format: MrzFormat,
    decided: &[Vec<u8>],
    seen: &[Vec<CharacterScores>],
    priors: &[Vec<CharacterScores>],
    at: &[CurvedLine],
) -> MrzReading {
    let mut mrz = parse_as(format, decided);
    let mut certainty: Vec<Vec<f32>> = Vec::with_capacity(decided.len());
    let (mut characters, mut agreed) = (0, 0);
    for (number, (line, places)) in decided.iter().zip(seen).enumerate() {
        let places_and_priors = places.iter().zip(&priors[number]);
        certainty.push(line.iter().zip(places_and_priors).map(|(&c, seen)| posterior(c, seen)).collect());
        for (column, (&c, place)) in line.iter().zip(places).enumerate() {
            characters += 1;
            let read = (0..place.len()).max_by(|&a, &b| place[a].total_cmp(&place[b]));
            agreed += usize::from(read == Some(alphabet_index(c)));
            // The most likely character that may stand there counts as the one that was read; a different one is a
            // correction.
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
    let agreement = agreed as f32 / characters.max(1) as f32;
    MrzReading { format, lines: mrz.lines.clone(), certainty, agreement, confidence, corners, rotation, mrz }
}

/// The probability of a character in its position, given the scores of the net and the prior of the position.
fn posterior(character: u8, (seen, prior): (&CharacterScores, &CharacterScores)) -> f32 {
    let all: f32 = seen.iter().zip(prior).map(|(seen, prior)| (seen + prior).exp()).sum();
    let of = alphabet_index(character);
    (seen[of] + prior[of]).exp() / all.max(f32::MIN_POSITIVE)
}

/// A right check digit leaves one error in ten undetected. A wrong one shows that something is wrong, in the field or
/// in the digit itself.
fn field_probability(seen: f32, check: Option<&CheckDigit>) -> f32 {
    match check.map(|check| check.verdict) {
        Some(CheckDigitVerdict::Right) => 1.0 - (1.0 - seen) * 0.1,
        Some(CheckDigitVerdict::Wrong) => seen * 0.3,
        Some(CheckDigitVerdict::Absent) | None => seen,
    }
}

/// Corners and rotation of successive lines.
fn corners_and_rotation(lines: &[CurvedLine]) -> ([(f32, f32); 4], f32) {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return ([(0.0, 0.0); 4], 0.0) };
    let edge = |line: &CurvedLine, along: f32, below: f32| {
        line.point(along * line.length / 2.0, below * line.capital / 2.0)
    };
    let corners =
        [edge(first, -1.0, -1.0), edge(first, 1.0, -1.0), edge(last, 1.0, 1.0), edge(last, -1.0, 1.0)];
    (corners, first.uy.atan2(first.ux).to_degrees())
}
