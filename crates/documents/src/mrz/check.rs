//! Check digits (9303-3 §4.9).

use super::{Field, Format, format::Kind};

/// A run of a line: which, from where, to where (not included).
pub(crate) type Part = (usize, usize, usize);

/// A check digit and what it says.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Check {
    /// What it covers.
    pub field: Field,
    /// What is printed: a digit or a filler.
    pub printed: char,
    /// What it should be.
    pub computed: char,
    /// Whether they agree.
    pub verdict: Verdict,
}

/// What a check digit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is the right one. One wrong character out of ten leaves it so.
    Right,
    /// It is another one.
    Wrong,
    /// A filler, as is allowed for a field that is empty.
    Absent,
}

/// The value of a character: digits their own, letters 10 to 35, the filler none.
pub(crate) fn value(character: u8) -> u32 {
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
    let sum: u32 = characters.into_iter().zip(0..).map(|(c, at)| value(c) * weight(at) % 10).sum();
    b'0' + (sum % 10) as u8
}

/// The part of a document number that stands in the optional data, where the place of its check digit holds a filler
/// (9303-5 §4.2.2, 9303-6 §4.2.2): up to the first filler there. `None` where it does not run over.
pub(crate) fn overflow(format: Format, lines: &[Vec<u8>]) -> Option<&[u8]> {
    let number = format.span(Field::DocumentNumber)?;
    let optional = format.span(Field::Optional)?;
    if number.check != Some(Kind::CheckOrFiller)
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
pub(crate) fn checks(format: Format, lines: &[Vec<u8>]) -> Vec<Check> {
    let mut checks = Vec::new();
    for span in format.spans() {
        let Some(kind) = span.check else { continue };
        let covered = &lines[span.line][span.from..span.from + span.length];
        let printed = lines[span.line][span.from + span.length];
        if span.field == Field::DocumentNumber
            && let Some(more) = overflow(format, lines)
        {
            let (rest, last) = more.split_at(more.len() - 1);
            checks.push(judge(span.field, covered.iter().chain(rest).copied(), last[0], false));
            continue;
        }
        let empty = covered.iter().all(|&c| c == b'<');
        checks.push(judge(
            span.field,
            covered.iter().copied(),
            printed,
            empty && kind == Kind::CheckOrFiller,
        ));
    }
    if let Some(span) = format.span(Field::Composite) {
        let covered = format.composite().iter().flat_map(|&(line, from, to)| &lines[line][from..to]).copied();
        checks.push(judge(Field::Composite, covered, lines[span.line][span.from], false));
    }
    checks
}

fn judge(field: Field, covered: impl Iterator<Item = u8>, printed: u8, may_lack: bool) -> Check {
    let computed = check_digit(covered);
    let verdict = match printed {
        b'<' if may_lack => Verdict::Absent,
        _ if printed == computed => Verdict::Right,
        _ => Verdict::Wrong,
    };
    Check { field, printed: char::from(printed), computed: char::from(computed), verdict }
}
