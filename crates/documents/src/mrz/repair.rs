//! Finds and corrects MRZs in text that was typed, extracted from a PDF or recognised from a picture: lines of nearly
//! the right length, with letters in place of digits.

use super::{
    FILLER, MrzFormat,
    check_digits::{CheckDigitVerdict, verify_check_digits},
    format::CharacterClass,
    parse::{CharacterRepair, MrzParseError, ParsedMrz, clean, detect_format, parse_as},
};

/// Groups of characters that look alike, digits first. The class of a position decides which of them it can be.
const LOOKALIKES: [&[u8]; 8] = [b"0OQD", b"1IL", b"2Z", b"4A", b"5S", b"6G", b"7T", b"8B"];
/// How many characters a line may lack or have too many, where fillers can be added or removed.
const MAX_LENGTH_DIFFERENCE_CHARS: usize = 8;
/// Lines of a text that are searched.
const MAX_TEXT_LINES: usize = 2000;
/// Longer lines are skipped.
const MAX_LINE_CHARS: usize = 200;

/// Like [`super::parse`], but corrects errors: missing or additional fillers; similar characters where only the other
/// character may stand; and a single character whose replacement by a look-alike makes a wrong check digit right, where
/// only one replacement does. Every change of a character is listed in [`ParsedMrz::repairs`].
pub fn parse_repaired<S: AsRef<str>>(lines: &[S]) -> Result<ParsedMrz, MrzParseError> {
    if !(2..=3).contains(&lines.len()) {
        return Err(MrzParseError::Shape);
    }
    let lines = lines.iter().enumerate().map(|(at, line)| clean(line.as_ref(), at + 1));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let of_length = |format: &MrzFormat| lines.iter().all(|line| line.len() == format.length());
    let whole = MrzFormat::ALL.into_iter().any(|format| format.lines() == lines.len() && of_length(&format));
    let read = MrzFormat::ALL
        .into_iter()
        // Lines that fit one format exactly are not stretched to another.
        .filter(|format| format.lines() == lines.len() && (!whole || of_length(format)))
        .filter_map(|format| {
            let fitted =
                lines.iter().map(|line| fit_to_length(line, format.length())).collect::<Option<Vec<_>>>()?;
            // Formats of the same shape are told apart by the lines themselves, once similar characters are corrected.
            let placed = substitute_lookalikes(format, &fitted);
            if detect_format(&placed) != Some(format) {
                return None;
            }
            Some(repair_by_check_digits(format, &fitted, placed))
        })
        .max_by_key(evidence);
    read.ok_or(MrzParseError::Shape)
}

/// Finds the MRZ with the best evidence in the lines of a text. At least two check digits, and most of all, must be
/// right.
pub fn find_in_text(text: &str) -> Option<ParsedMrz> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().take(MAX_TEXT_LINES) {
        // Characters outside the alphabet are noise of the recognition.
        let line: String =
            line.chars().filter(|&c| c.is_ascii_alphanumeric() || "<«‹＜".contains(c)).collect();
        if !(22..=MAX_LINE_CHARS).contains(&line.chars().count()) {
            continue;
        }
        match line.len() {
            // Several lines were joined into one.
            length @ (72 | 88) if line.is_ascii() => {
                lines.push(line[..length / 2].to_owned());
                lines.push(line[length / 2..].to_owned());
            }
            90 if line.is_ascii() => lines.extend((0..3).map(|at| line[at * 30..(at + 1) * 30].to_owned())),
            _ => lines.push(line),
        }
    }
    let candidates = (2..=3).flat_map(|count| lines.windows(count)).filter_map(|lines| {
        let parsed = parse_repaired(lines).ok()?;
        let right = parsed.checks.iter().filter(|check| check.verdict == CheckDigitVerdict::Right).count();
        (right >= 2 && right * 2 > parsed.checks.len()).then_some(parsed)
    });
    candidates.max_by_key(evidence)
}

/// Evidence for a reading; more is better.
fn evidence(parsed: &ParsedMrz) -> i64 {
    let checks: i64 = parsed
        .checks
        .iter()
        .map(|check| if check.verdict == CheckDigitVerdict::Wrong { -30 } else { 10 })
        .sum();
    checks - 5 * parsed.problems.len() as i64 - parsed.repairs.len() as i64
}

/// Adds or removes fillers in the longest run of them until the line has the given length; `None` where that is not
/// possible.
fn fit_to_length(line: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut line = line.to_vec();
    if line.len() == length {
        return Some(line);
    }
    if line.len().abs_diff(length) > MAX_LENGTH_DIFFERENCE_CHARS {
        return None;
    }
    // The last of the longest runs, which is the padding at the end rather than the separator of two names.
    let (mut best, mut run) = ((0, 0), 0);
    for (at, &c) in line.iter().enumerate() {
        run = if c == FILLER { run + 1 } else { 0 };
        if run > 0 && run >= best.1 {
            best = (at + 1 - run, run);
        }
    }
    let (at, run) = best;
    if line.len() < length {
        // A line without any run of fillers has lost its padding, which was at its end.
        let at = if run > 1 { at } else { line.len() };
        line.splice(at..at, std::iter::repeat_n(FILLER, length - line.len()));
    } else {
        let extra = line.len() - length;
        if run <= extra {
            return None;
        }
        line.drain(at..at + extra);
    }
    Some(line)
}

/// Replaces characters that may not stand in their position by a look-alike that may.
fn substitute_lookalikes(format: MrzFormat, lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut lines = lines.to_vec();
    for (number, line) in lines.iter_mut().enumerate() {
        for (at, c) in line.iter_mut().enumerate() {
            let kind = format.character_class(number, at);
            if kind.allows(*c) {
                continue;
            }
            let alike = LOOKALIKES.iter().find(|group| group.contains(c));
            if let Some(other) =
                alike.and_then(|group| group.iter().copied().find(|&other| kind.allows(other)))
            {
                *c = other;
            }
        }
    }
    lines
}

/// Searches for single replacements that make wrong check digits right.
fn repair_by_check_digits(format: MrzFormat, before: &[Vec<u8>], mut lines: Vec<Vec<u8>>) -> ParsedMrz {
    let wrong = |lines: &[Vec<u8>]| {
        verify_check_digits(format, lines)
            .iter()
            .filter(|check| check.verdict == CheckDigitVerdict::Wrong)
            .count()
    };
    // Each round corrects one field; no format has more than four fields with a check digit.
    for _ in 0..4 {
        let now = wrong(&lines);
        if now == 0 {
            break;
        }
        let (mut best, mut ways): (Option<Vec<Vec<u8>>>, usize) = (None, 0);
        let mut fewest = now;
        for number in 0..lines.len() {
            for at in 0..lines[number].len() {
                // No check digit covers the letters of names and codes or the sex, so replacing them would prove
                // nothing.
                if matches!(format.character_class(number, at), CharacterClass::Letters | CharacterClass::Sex)
                {
                    continue;
                }
                let c = lines[number][at];
                let Some(group) = LOOKALIKES.iter().find(|group| group.contains(&c)) else { continue };
                for &other in group
                    .iter()
                    .filter(|&&other| other != c && format.character_class(number, at).allows(other))
                {
                    let mut tried = lines.clone();
                    tried[number][at] = other;
                    let left = wrong(&tried);
                    if left < fewest {
                        (fewest, ways, best) = (left, 1, Some(tried));
                    } else if left == fewest && best.is_some() {
                        ways += 1;
                    }
                }
            }
        }
        match best {
            Some(tried) if ways == 1 => lines = tried,
            _ => break,
        }
    }
    let mut parsed = parse_as(format, &lines);
    for (number, (old, new)) in before.iter().zip(&lines).enumerate() {
        for (at, (&from, &to)) in old.iter().zip(new).enumerate() {
            if from != to {
                let (from, to) = (char::from(from), char::from(to));
                parsed.repairs.push(CharacterRepair { line: number + 1, at: at + 1, from, to });
            }
        }
    }
    parsed
}
