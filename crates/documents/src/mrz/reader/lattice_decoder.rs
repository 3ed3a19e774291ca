//! Decodes the most likely MRZ from the scores of the net, with grammar, country codes and check digits as evidence.

use super::ctc_alignment::CharacterScores;
use crate::{
    countries,
    mrz::{
        ALPHABET, CharacterClass, FieldSpan, MrzField, MrzFormat,
        check_digits::{character_value, weight},
    },
};
use std::sync::LazyLock;

/// Penalty for a character outside the class of its position, in natural logarithms: issuers do print such characters.
const MISPLACED_LOG_PENALTY: f32 = -7.0;
/// Penalty for a wrong check digit: apart from specimens, about one document in several hundred has one.
const WRONG_DIGIT_LOG_PENALTY: f32 = -6.0;
/// Penalty for a code that no table has.
const UNKNOWN_CODE_LOG_PENALTY: f32 = -5.0;
/// Bonus for the same code as issuer and nationality.
const SAME_CODE_LOG_BONUS: f32 = 1.0;
/// Penalty for a letter in a name after three fillers in a row.
const AFTER_NAME_END_LOG_PENALTY: f32 = -6.0;
/// Characters of a position that are considered, best first.
const MAX_CHOICES: usize = 5;
/// Characters that are less likely than the best by more than this are not considered.
const MAX_CHOICE_LOG_GAP: f32 = 7.0;

/// The index of a character in the alphabet.
pub(super) fn alphabet_index(character: u8) -> usize {
    match character {
        b'0'..=b'9' => usize::from(character - b'0') + 1,
        b'A'..=b'Z' => usize::from(character - b'A') + 11,
        _ => 0,
    }
}

/// The prior of each position of each line of a format.
pub(super) fn format_priors(format: MrzFormat) -> Vec<Vec<CharacterScores>> {
    (0..format.lines())
        .map(|line| (0..format.length()).map(|at| position_prior(format, line, at)).collect())
        .collect()
}

fn position_prior(format: MrzFormat, line: usize, at: usize) -> CharacterScores {
    let kind = format.character_class(line, at);
    let mut prior: CharacterScores =
        std::array::from_fn(|of| if kind.allows(ALPHABET[of]) { 0.0 } else { MISPLACED_LOG_PENALTY });
    let mut prefer = |common: &[u8], other: f32| {
        for (of, v) in prior.iter_mut().enumerate() {
            if !common.contains(&ALPHABET[of]) {
                *v = v.min(other);
            }
        }
    };
    match (line, at, format) {
        (0, 0, MrzFormat::Td3) => prefer(b"P", -6.0),
        (0, 0, MrzFormat::MrvA | MrzFormat::MrvB) => prefer(b"V", -6.0),
        (0, 0, MrzFormat::FrenchId) => prefer(b"I", -8.0),
        (0, 0, _) => prefer(b"IAC", -2.5),
        (0, 1, MrzFormat::FrenchId) => prefer(b"D", -8.0),
        (0, 1, MrzFormat::Td1 | MrzFormat::Td2) => prefer(b"<DR", -1.0),
        (0, 1, _) => prefer(b"<", -1.0),
        (0, 2, MrzFormat::FrenchId) => prefer(b"F", -8.0),
        (0, 3, MrzFormat::FrenchId) => prefer(b"R", -8.0),
        (0, 4, MrzFormat::FrenchId) => prefer(b"A", -8.0),
        _ => {}
    }
    match kind {
        CharacterClass::CheckOrFiller => prior[0] -= 1.0,
        // Dates with unknown parts are rare, and an `X` for the sex is against the standard.
        CharacterClass::Digits => prior[0] -= 2.0,
        CharacterClass::Sex => prior[alphabet_index(b'X')] -= 2.0,
        _ => {}
    }
    prior
}

/// The likely characters of a position: index in the alphabet and log-probability, best first.
fn likely_characters(seen: &CharacterScores, prior: &CharacterScores) -> Vec<(usize, f32)> {
    // No grammar justifies a character that was not seen at all.
    let faintest = seen.iter().copied().fold(f32::MIN, f32::max) - MAX_CHOICE_LOG_GAP;
    let seen = seen.iter().zip(prior).enumerate().filter(|(_, (seen, _))| **seen >= faintest);
    let mut all: Vec<(usize, f32)> = seen.map(|(of, (seen, prior))| (of, seen + prior)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let least = all.first().map_or(0.0, |best| best.1) - MAX_CHOICE_LOG_GAP;
    all.truncate(MAX_CHOICES);
    all.retain(|choice| choice.1 >= least);
    all
}

/// Decodes the most likely characters of all lines of a format from the scores of each position.
pub(super) fn decode(
    format: MrzFormat,
    seen: &[Vec<CharacterScores>],
    priors: &[Vec<CharacterScores>],
) -> Vec<Vec<u8>> {
    let options: Vec<Vec<Vec<(usize, f32)>>> = seen
        .iter()
        .zip(priors)
        .map(|(seen, prior)| {
            seen.iter().zip(prior).map(|(seen, prior)| likely_characters(seen, prior)).collect()
        })
        .collect();
    let mut lines: Vec<Vec<u8>> =
        options.iter().map(|line| line.iter().map(|place| ALPHABET[place[0].0]).collect()).collect();
    let may_run_over = matches!(format, MrzFormat::Td1 | MrzFormat::Td2);
    for run in digit_runs(format) {
        decode_digits(&run, &options, &mut lines, may_run_over);
    }
    for field in [MrzField::Names, MrzField::GivenNames] {
        if let Some(span) = format.span(field) {
            decode_names(span, &options, &mut lines, format == MrzFormat::FrenchId);
        }
    }
    decode_codes(format, seen, &mut lines);
    lines
}

/// The role of a position for the check digits.
#[derive(Clone, Copy)]
enum CheckDigitRole {
    /// Covered by the check digit of its field, in which it has this index.
    Covered(usize),
    /// The check digit of the preceding field.
    Digit,
    /// Covered by the composite check digit only.
    Free,
    /// The composite check digit.
    Composite,
}

/// Positions in the order in which check digits cover them: line, position in the line, role, and whether the composite
/// check digit covers it.
type CheckDigitRun = Vec<(usize, usize, CheckDigitRole, bool)>;

/// One run for everything that the composite check digit covers; for visas one run for each field with a check digit.
fn digit_runs(format: MrzFormat) -> Vec<CheckDigitRun> {
    let role = |line: usize, at: usize| {
        for span in format.spans().iter().filter(|span| span.line == line && span.check.is_some()) {
            if (span.from..span.from + span.length).contains(&at) {
                return CheckDigitRole::Covered(at - span.from);
            }
            if at == span.from + span.length {
                return CheckDigitRole::Digit;
            }
        }
        CheckDigitRole::Free
    };
    if let Some(composite) = format.span(MrzField::Composite) {
        let mut run: CheckDigitRun = Vec::new();
        for &(line, from, to) in format.composite() {
            run.extend((from..to).map(|at| (line, at, role(line, at), true)));
        }
        run.push((composite.line, composite.from, CheckDigitRole::Composite, false));
        return vec![run];
    }
    let checked = format.spans().iter().filter(|span| span.check.is_some());
    checked
        .map(|span| {
            let places = span.from..=span.from + span.length;
            places.map(|at| (span.line, at, role(span.line, at), false)).collect()
        })
        .collect()
}

/// Decodes the most likely characters of a run, with a penalty for each wrong check digit. The search is exact: it
/// keeps the best path to every pair of sums modulo ten, of the field and of the composite.
fn decode_digits(
    run: &CheckDigitRun,
    options: &[Vec<Vec<(usize, f32)>>],
    lines: &mut [Vec<u8>],
    may_run_over: bool,
) {
    const DIGIT_SUM_STATES: usize = 100;
    let mut now = [f32::NEG_INFINITY; DIGIT_SUM_STATES];
    now[0] = 0.0;
    // For each position and state: the state before, and the index of the character.
    let mut came: Vec<[(u8, u8); DIGIT_SUM_STATES]> = Vec::with_capacity(run.len());
    let mut covered = 0_usize;
    for &(line, at, role, counts) in run {
        let mut next = [f32::NEG_INFINITY; DIGIT_SUM_STATES];
        let mut back = [(0_u8, 0_u8); DIGIT_SUM_STATES];
        let weight_here = weight(covered);
        for (state, &score) in now.iter().enumerate() {
            if score == f32::NEG_INFINITY {
                continue;
            }
            let (field, composite) = (state / 10, state % 10);
            for &(of, chance) in &options[line][at] {
                let v = character_value(ALPHABET[of]);
                let digit = ALPHABET[of].is_ascii_digit().then_some(v as usize);
                let mut total = score + chance;
                let field = match role {
                    CheckDigitRole::Covered(place) => {
                        let before = if place == 0 { 0 } else { field };
                        (before + (v * weight(place)) as usize) % 10
                    }
                    CheckDigitRole::Digit => {
                        // A filler instead of a digit stands for an empty field or for a number that continues
                        // elsewhere. The prior contains the penalty for it.
                        let lacks = digit.is_none() && (field == 0 || may_run_over);
                        if !lacks && digit != Some(field) {
                            total += WRONG_DIGIT_LOG_PENALTY;
                        }
                        0
                    }
                    CheckDigitRole::Free => 0,
                    CheckDigitRole::Composite => {
                        if digit != Some(composite) {
                            total += WRONG_DIGIT_LOG_PENALTY;
                        }
                        0
                    }
                };
                let composite =
                    if counts { (composite + (v * weight_here) as usize) % 10 } else { composite };
                let to = field * 10 + composite;
                if total > next[to] {
                    next[to] = total;
                    back[to] = (state as u8, of as u8);
                }
            }
        }
        covered += usize::from(counts);
        came.push(back);
        now = next;
    }
    let Some((mut state, _)) = now.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else { return };
    for (&(line, at, ..), back) in run.iter().zip(&came).rev() {
        let (before, of) = back[state];
        lines[line][at] = ALPHABET[usize::from(of)];
        state = usize::from(before);
    }
}

/// Decodes names: after three fillers in a row nothing follows, and a name does not begin with a filler.
fn decode_names(span: &FieldSpan, options: &[Vec<Vec<(usize, f32)>>], lines: &mut [Vec<u8>], doubled: bool) {
    // The state is the number of fillers in a row, up to three, at which the name has ended.
    const MAX_FILLER_RUN: usize = 3;
    let mut now = [f32::NEG_INFINITY; MAX_FILLER_RUN + 1];
    now[1] = 0.0;
    let mut came: Vec<[(u8, u8); MAX_FILLER_RUN + 1]> = Vec::with_capacity(span.length);
    for (at, choices) in options[span.line].iter().enumerate().skip(span.from).take(span.length) {
        let mut next = [f32::NEG_INFINITY; MAX_FILLER_RUN + 1];
        let mut back = [(0_u8, 0_u8); MAX_FILLER_RUN + 1];
        for (state, &score) in now.iter().enumerate() {
            for &(of, chance) in choices {
                let filler = ALPHABET[of] == b'<';
                let to = if filler { (state + 1).min(MAX_FILLER_RUN) } else { 0 };
                let mut total = score + chance;
                if !filler && state == MAX_FILLER_RUN {
                    total += AFTER_NAME_END_LOG_PENALTY;
                }
                if at == span.from && filler && !doubled {
                    total -= 3.0;
                }
                if total > next[to] {
                    next[to] = total;
                    back[to] = (state as u8, of as u8);
                }
            }
        }
        came.push(back);
        now = next;
    }
    let Some((mut state, _)) = now.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else { return };
    for (at, back) in (span.from..span.from + span.length).zip(&came).rev() {
        let (before, of) = back[state];
        lines[span.line][at] = ALPHABET[usize::from(of)];
        state = usize::from(before);
    }
}

/// All codes, padded to three characters.
static COUNTRY_CODES: LazyLock<Vec<[u8; 3]>> = LazyLock::new(|| {
    let filled = |code: &str| {
        let mut out = [b'<'; 3];
        out.iter_mut().zip(code.bytes()).for_each(|(out, c)| *out = c);
        out
    };
    countries::all().map(|country| filled(country.code)).collect()
});

/// A code and its score.
type ScoredCode = ([u8; 3], f32);

/// Decodes issuer and nationality: codes of the table, unless the scores speak clearly against all of them.
fn decode_codes(format: MrzFormat, seen: &[Vec<CharacterScores>], lines: &mut [Vec<u8>]) {
    let best = |field: MrzField| -> Option<(&FieldSpan, Vec<ScoredCode>)> {
        let span = format.span(field)?;
        let places = seen.get(span.line)?.get(span.from..span.from + 3)?;
        let score =
            |code: [u8; 3]| code.iter().zip(places).map(|(&c, place)| place[alphabet_index(c)]).sum::<f32>();
        let mut all: Vec<ScoredCode> = COUNTRY_CODES.iter().map(|&code| (code, score(code))).collect();
        let mut free = [b'<'; 3];
        free.copy_from_slice(lines.get(span.line)?.get(span.from..span.from + 3)?);
        if !COUNTRY_CODES.contains(&free) {
            all.push((free, score(free) + UNKNOWN_CODE_LOG_PENALTY));
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(6);
        Some((span, all))
    };
    let chosen: Vec<(&FieldSpan, [u8; 3])> = match (best(MrzField::Issuer), best(MrzField::Nationality)) {
        (Some((one, of_one)), Some((two, of_two))) => {
            let pairs = of_one.iter().flat_map(|a| of_two.iter().map(move |b| (a, b)));
            let worth = |a: &ScoredCode, b: &ScoredCode| {
                a.1 + b.1 + if a.0 == b.0 { SAME_CODE_LOG_BONUS } else { 0.0 }
            };
            let top = pairs.max_by(|x, y| worth(x.0, x.1).total_cmp(&worth(y.0, y.1)));
            top.map(|(a, b)| vec![(one, a.0), (two, b.0)]).unwrap_or_default()
        }
        (Some((one, of_one)), None) => of_one.first().map(|a| vec![(one, a.0)]).unwrap_or_default(),
        _ => vec![],
    };
    for (span, code) in chosen {
        lines[span.line][span.from..span.from + 3].copy_from_slice(&code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scores of a net that is sure of all but some positions: line, position in the line, an alternative character
    /// and its probability.
    fn see(lines: &[&str], doubts: &[(usize, usize, char, f32)]) -> Vec<Vec<CharacterScores>> {
        let place = |line: usize, at: usize, c: u8| {
            let mut seen = [1e-5_f32; ALPHABET.len()];
            seen[alphabet_index(c)] = 1.0;
            for doubt in doubts.iter().filter(|doubt| (doubt.0, doubt.1) == (line, at)) {
                seen[alphabet_index(c)] = 1.0 - doubt.3;
                seen[alphabet_index(doubt.2 as u8)] = doubt.3;
            }
            seen.map(f32::ln)
        };
        let line = |(number, text): (usize, &&str)| {
            text.bytes().enumerate().map(|(at, c)| place(number, at, c)).collect::<Vec<_>>()
        };
        lines.iter().enumerate().map(line).collect()
    }

    fn decided(format: MrzFormat, lines: &[&str], doubts: &[(usize, usize, char, f32)]) -> Vec<String> {
        let decided = decode(format, &see(lines, doubts), &format_priors(format));
        decided.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
    }

    const PASSPORT: [&str; 2] =
        ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"];
    const LONG: [&str; 3] = [
        "I<UTOD23145890<7349<<<<<<<<<<<",
        "3407127M9507122UTO<<<<<<<<<<<2",
        "STEVENSON<<PETER<JOHN<<<<<<<<<",
    ];

    #[test]
    fn what_is_seen_clearly_stays() {
        assert_eq!(decided(MrzFormat::Td3, &PASSPORT, &[]), PASSPORT);
        assert_eq!(decided(MrzFormat::Td1, &LONG, &[]), LONG);
        let wrong =
            ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408128F1204159ZE184226B<<<<<14"];
        assert_eq!(decided(MrzFormat::Td3, &wrong, &[]), wrong, "even where the digits are wrong");
    }

    #[test]
    fn digits_decide_where_the_eye_cannot() {
        let doubts = [(1, 1, 'B', 0.7), (1, 13, '1', 0.6), (1, 31, '8', 0.4), (1, 43, 'O', 0.9)];
        assert_eq!(decided(MrzFormat::Td3, &PASSPORT, &doubts), PASSPORT);
    }

    #[test]
    fn codes_and_the_end_of_names_decide_too() {
        let doubts =
            [(0, 3, 'I', 0.7), (1, 10, 'V', 0.6), (0, 0, 'R', 0.9), (0, 30, 'K', 0.8), (0, 40, 'C', 0.7)];
        assert_eq!(decided(MrzFormat::Td3, &PASSPORT, &doubts), PASSPORT);
        let odd = ["P<QQQERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", PASSPORT[1]];
        assert_eq!(decided(MrzFormat::Td3, &odd, &[]), odd, "a code that nobody knows is read as printed");
    }
}
