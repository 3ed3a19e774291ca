//! Check digits (9303-3 §4.9).

use super::{MrzField, MrzFormat, format::CharacterClass};

/// A run of a line: which, from where, to where (not included).
pub(crate) type CharacterRange = (usize, usize, usize);

/// A check digit and what it says.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CheckDigit {
    /// What it covers.
    pub field: MrzField,
    /// What is printed: a digit or a filler.
    pub printed: char,
    /// What it should be.
    pub computed: char,
    /// Whether they agree.
    pub verdict: CheckDigitVerdict,
}

/// What a check digit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckDigitVerdict {
    /// It is the right one. One wrong character out of ten leaves it so.
    Right,
    /// It is another one.
    Wrong,
    /// A filler, as is allowed for a field that is empty.
    Absent,
}

/// The value of a character: digits their own, letters 10 to 35, the filler none.
pub(crate) fn character_value(character: u8) -> u32 {
    match character {
        b'0'..=b'9' => u32::from(character - b'0'),
        b'A'..=b'Z' => u32::from(character - b'A') + 10,
        _ => 0,
    }
}

/// The weight of a place within what a digit covers.
pub(crate) fn weight(at: usize) -> u32 {
    [7, 3, 1][at % 3]
}

/// The check digit of characters, `b'0'` to `b'9'`.
pub fn check_digit(characters: impl IntoIterator<Item = u8>) -> u8 {
    let sum: u32 = characters.into_iter().zip(0..).map(|(c, at)| character_value(c) * weight(at) % 10).sum();
    b'0' + (sum % 10) as u8
}

/// The part of a document number that stands in the optional data, where the place of its check digit holds a filler
/// (9303-5 §4.2.2, 9303-6 §4.2.2): up to the first filler there. `None` where it does not run over.
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
    // One character would be a check digit over nothing more; and that has to be a digit.
    (end >= 2 && data[end - 1].is_ascii_digit()).then(|| &data[..end])
}

/// Every check digit of a zone whose lines have the format's lengths.
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
