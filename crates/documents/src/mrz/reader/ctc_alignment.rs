//! The most likely reading of a strip as a given number of characters (Viterbi over CTC paths), with scores for each
//! position.

use super::recogniser::{CTC_CLASSES, CtcSteps};
use crate::mrz::ALPHABET;

const ALPHABET_SIZE: usize = ALPHABET.len();
const IMPOSSIBLE_SCORE: f32 = -1e9;

/// A score for each character of a position, in natural logarithms.
pub(super) type CharacterScores = [f32; ALPHABET_SIZE];

/// A line that was aligned to a given number of characters.
#[derive(Clone, Debug)]
pub(super) struct AlignedLine {
    /// For each position, the log-probability of every character given that it is not blank.
    pub(super) places: Vec<CharacterScores>,
    /// First and last step of the text.
    pub(super) steps: (usize, usize),
}

/// Aligns the steps to one character per prior; `None` where there are fewer steps than characters.
pub(super) fn align(steps: &CtcSteps, priors: &[CharacterScores]) -> Option<AlignedLine> {
    let (count, length) = (steps.len(), priors.len());
    if length == 0 || count < length {
        return None;
    }
    let table = ViterbiTable::fill(steps, priors)?;
    let spans = table.trace(priors.len())?;
    let mut places = Vec::with_capacity(length);
    for (place, &(from, to)) in spans.iter().enumerate() {
        // The steps up to half way to the neighbours belong to this character.
        let first =
            if place == 0 { from.saturating_sub(3) } else { usize::midpoint(spans[place - 1].1, from) + 1 };
        let last = if place + 1 == length {
            (to + 3).min(count - 1)
        } else {
            usize::midpoint(to, spans[place + 1].0)
        };
        let mut sums = [1e-6_f32; ALPHABET_SIZE];
        for step in first.min(from)..=last.max(to) {
            let row = steps.at(step);
            sums.iter_mut().zip(&row[1..]).for_each(|(sum, v)| *sum += v.exp());
        }
        let total: f32 = sums.iter().sum();
        places.push(sums.map(|sum| (sum / total).ln()));
    }
    Some(AlignedLine { places, steps: (spans[0].0, spans[length - 1].1) })
}

/// Back pointers. A state is the number of characters begun and the current class (0 is the blank).
struct ViterbiTable {
    length: usize,
    came: Vec<u8>,
    last: u8,
}

/// The back pointer to the same character. Other values are the class in the state before: the blank, or a character of
/// the previous position.
const SAME_CHARACTER: u8 = 255;

impl ViterbiTable {
    fn fill(steps: &CtcSteps, priors: &[CharacterScores]) -> Option<Self> {
        let (count, length) = (steps.len(), priors.len());
        let row_of = |place: usize| place * CTC_CLASSES;
        let mut now = vec![IMPOSSIBLE_SCORE; (length + 1) * CTC_CLASSES];
        let mut next = now.clone();
        now[0] = 0.0;
        let mut came = vec![SAME_CHARACTER; count * (length + 1) * CTC_CLASSES];
        for step in 0..count {
            let seen = steps.at(step);
            next.fill(IMPOSSIBLE_SCORE);
            // Skip states that cannot be reached yet or leave too few steps for the rest.
            let most = length.min(step + 1);
            let least = length.saturating_sub(count - step);
            let back = &mut came[step * (length + 1) * CTC_CLASSES..(step + 1) * (length + 1) * CTC_CLASSES];
            for place in least..=most {
                let here = &now[row_of(place)..row_of(place + 1)];
                let (best, from) = greatest(here);
                next[row_of(place)] = best + seen[0];
                back[row_of(place)] = from as u8;
                let Some(before) = place.checked_sub(1) else { continue };
                let earlier = &now[row_of(before)..row_of(place)];
                let (first, first_at) = greatest(earlier);
                // The same character can follow only after a blank.
                let (second, second_at) = greatest_but(earlier, first_at);
                let prior = &priors[before];
                for class in 1..CTC_CLASSES {
                    let (come, at) = if class == first_at { (second, second_at) } else { (first, first_at) };
                    let come = come + prior[class - 1];
                    let (value, at) =
                        if here[class] >= come { (here[class], SAME_CHARACTER) } else { (come, at as u8) };
                    next[row_of(place) + class] = value + seen[class];
                    back[row_of(place) + class] = at;
                }
            }
            std::mem::swap(&mut now, &mut next);
        }
        let (score, last) = greatest(&now[row_of(length)..]);
        (score > IMPOSSIBLE_SCORE / 2.0).then_some(Self { length, came, last: last as u8 })
    }

    /// First and last step of every character.
    fn trace(&self, length: usize) -> Option<Vec<(usize, usize)>> {
        let count = self.came.len() / ((self.length + 1) * CTC_CLASSES);
        let mut spans = vec![(usize::MAX, 0); length];
        let (mut place, mut class) = (length, self.last);
        for step in (0..count).rev() {
            let at = (step * (self.length + 1) + place) * CTC_CLASSES + usize::from(class);
            let from = self.came[at];
            if class == 0 {
                class = from;
                continue;
            }
            let span = &mut spans[place.checked_sub(1)?];
            *span = (step, span.1.max(step));
            if from != SAME_CHARACTER {
                place -= 1;
                class = from;
            }
        }
        spans.iter().all(|span| span.0 != usize::MAX).then_some(spans)
    }
}

fn greatest(values: &[f32]) -> (f32, usize) {
    greatest_but(values, usize::MAX)
}

fn greatest_but(values: &[f32], but: usize) -> (f32, usize) {
    let mut best = (f32::MIN, 0);
    for (at, &v) in values.iter().enumerate() {
        if v > best.0 && at != but {
            best = (v, at);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrz::reader::lattice_decoder::alphabet_index;

    /// Steps that show a text, with two steps for each character and a blank between. `other` gives alternatives:
    /// position, character and probability.
    fn show(text: &str, other: &[(usize, char, f32)]) -> CtcSteps {
        let mut values = Vec::new();
        let mut step = |chances: &[(usize, f32)]| {
            let mut row = [1e-4_f32; CTC_CLASSES];
            for &(class, chance) in chances {
                row[class] = chance;
            }
            let sum: f32 = row.iter().sum();
            values.extend(row.map(|v| (v / sum).ln()));
        };
        for (at, c) in text.bytes().enumerate() {
            let mut chances = vec![(alphabet_index(c) + 1, 0.9)];
            chances.extend(other.iter().filter(|o| o.0 == at).map(|o| (alphabet_index(o.1 as u8) + 1, o.2)));
            step(&chances);
            step(&chances);
            step(&[(0, 0.95)]);
        }
        CtcSteps::new(values)
    }

    fn best(aligned: &AlignedLine) -> String {
        let of = |place: &CharacterScores| {
            (0..ALPHABET_SIZE).max_by(|&a, &b| place[a].total_cmp(&place[b])).unwrap()
        };
        aligned.places.iter().map(|place| char::from(ALPHABET[of(place)])).collect()
    }

    #[test]
    fn a_line_is_read_as_exactly_so_many_characters() {
        let free = [[0.0; ALPHABET_SIZE]; 6];
        let steps = show("AB<<12", &[]);
        let aligned = align(&steps, &free).unwrap();
        assert_eq!(best(&aligned), "AB<<12");
        assert_eq!(aligned.steps, (0, 16));
        assert_eq!(align(&steps, &free[..5]).unwrap().places.len(), 5, "one is squeezed out");
        assert!(align(&steps, &[[0.0; ALPHABET_SIZE]; 40]).is_none(), "more characters than steps");
        assert!(align(&steps, &[]).is_none());
    }

    #[test]
    fn what_may_not_stand_in_a_place_is_not_read_there() {
        let mut letters = [0.0; ALPHABET_SIZE];
        letters[1..=10].fill(-9.0);
        let aligned = align(&show("O0", &[(1, 'O', 0.3)]), &[letters, letters]).unwrap();
        // The scores contain only what was seen; the prior is applied later.
        assert!(aligned.places[1][alphabet_index(b'0')] > aligned.places[1][alphabet_index(b'O')]);
        assert!(aligned.places[1][alphabet_index(b'O')] > -2.0);
    }
}
