//! Check digits (ICAO 9303-3, 4.9).

use super::{MrzField, MrzFormat, format::CharacterClass};

/// A range of characters: line, start, and end (exclusive), from 0.
pub(crate) type CharacterRange = (usize, usize, usize);

/// A check digit and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CheckDigit {
    /// The field that it covers.
    pub field: MrzField,
    /// The printed character: a digit or a filler.
    pub printed: char,
    /// The digit that would be right.
    pub computed: char,
    pub verdict: CheckDigitVerdict,
}

/// The verdict on a check digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckDigitVerdict {
    /// It is right. This is no proof: one in ten wrong characters leaves it right.
    Right,
    Wrong,
    /// A filler, which is allowed for an empty field.
    Absent,
}

/// Value of a character: 0 to 9 for digits, 10 to 35 for letters, 0 for the filler.
pub(crate) fn character_value(character: u8) -> u32 {
    match character {
        b'0'..=b'9' => u32::from(character - b'0'),
        b'A'..=b'Z' => u32::from(character - b'A') + 10,
        _ => 0,
    }
}

/// Weight of a position within the characters that a check digit covers.
pub(crate) fn weight(at: usize) -> u32 {
    [7, 3, 1][at % 3]
}

/// Computes the check digit, `b'0'` to `b'9'`.
pub fn check_digit(characters: impl IntoIterator<Item = u8>) -> u8 {
    let sum: u32 = characters.into_iter().zip(0..).map(|(c, at)| character_value(c) * weight(at) % 10).sum();
    b'0' + (sum % 10) as u8
}

/// The part of a long document number that continues in the optional data, with its check digit: the optional data up
/// to the first filler. The position of the number's check digit then holds a filler (ICAO 9303-5, 4.2.2 and 9303-6,
/// 4.2.2). `None` where the number does not continue.
pub(crate) fn overflowing_number(format: MrzFormat, lines: &[Vec<u8>]) -> Option<&[u8]> {
    let number = format.span(MrzField::DocumentNumber)?;
    let optional = format.span(MrzField::Optional)?;
    if number.check != Some(CharacterClass::CheckOrFiller)
        || lines.get(number.line)?.get(number.from + 9) != Some(&b'<')
    {
        return None;
    }
    let data = lines.get(optional.line)?.get(optional.from..optional.from + optional.length)?;
    let end = data.iter().position(|&c| c == b'<').unwrap_or(data.len());
    // A single character would be a check digit without a further part of the number; and the last character must be a
    // digit.
    (end >= 2 && data[end - 1].is_ascii_digit()).then(|| &data[..end])
}

/// Verifies every check digit. The lines must have the number and length of the format.
pub(crate) fn verify_check_digits(format: MrzFormat, lines: &[Vec<u8>]) -> Vec<CheckDigit> {
    let mut checks = Vec::new();
    for span in format.spans() {
        let Some(kind) = span.check else { continue };
        let covered = &lines[span.line][span.from..span.from + span.length];
        let printed = lines[span.line][span.from + span.length];
        if span.field == MrzField::DocumentNumber
            && let Some(more) = overflowing_number(format, lines)
        {
            let (rest, last) = more.split_at(more.len() - 1);
            checks.push(verify_check_digit(span.field, covered.iter().chain(rest).copied(), last[0], false));
            continue;
        }
        let empty = covered.iter().all(|&c| c == b'<');
        checks.push(verify_check_digit(
            span.field,
            covered.iter().copied(),
            printed,
            empty && kind == CharacterClass::CheckOrFiller,
        ));
    }
    if let Some(span) = format.span(MrzField::Composite) {
        let covered = format.composite().iter().flat_map(|&(line, from, to)| &lines[line][from..to]).copied();
        checks.push(verify_check_digit(MrzField::Composite, covered, lines[span.line][span.from], false));
    }
    checks
}

fn verify_check_digit(
    field: MrzField,
    covered: impl Iterator<Item = u8>,
    printed: u8,
    may_lack: bool,
) -> CheckDigit {
    let computed = check_digit(covered);
    let verdict = match printed {
        b'<' if may_lack => CheckDigitVerdict::Absent,
        _ if printed == computed => CheckDigitVerdict::Right,
        _ => CheckDigitVerdict::Wrong,
    };
    CheckDigit { field, printed: char::from(printed), computed: char::from(computed), verdict }
}
