//! Parses the bytes of a barcode into subfiles and data elements.

use super::{AamvaSubfile, AamvaText, DataElement};

/// Longer texts are refused; a PDF417 holds at most 1,850 characters.
pub const MAX_AAMVA_TEXT_BYTES: usize = 4096;

/// Why a text is not an AAMVA text. Positions are in bytes from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AamvaError {
    /// The text has more than [`MAX_AAMVA_TEXT_BYTES`] bytes.
    #[error("the text has {0} bytes, more than {MAX_AAMVA_TEXT_BYTES}")]
    TooLong(usize),
    /// The first eight bytes contain no `@`, or `ANSI ` or `AAMVA` does not follow after at most eight bytes more.
    #[error("no header: the text does not begin with \"@\" and \"ANSI \" or \"AAMVA\"")]
    NoHeader,
    /// A number of the header or the table has other characters than digits, or ends early.
    #[error("the {what} at byte {at} is not of {digits} digits")]
    NotANumber {
        /// The meaning of the number.
        what: &'static str,
        at: usize,
        /// The number of digits expected.
        digits: usize,
    },
    /// The table has no entry, or ends early.
    #[error("the table of subfiles at byte {at} has no entry {entry}")]
    NoEntry {
        /// Where the entry should be.
        at: usize,
        /// Index of the entry, from 0.
        entry: usize,
    },
    /// A subfile is neither where the table says nor anywhere after the table.
    #[error("subfile {kind} is not at byte {at}, nor anywhere behind the table")]
    NoSubfile {
        /// The kind of subfile, two letters.
        kind: String,
        /// Its position according to the table.
        at: usize,
    },
    /// A line of a subfile does not begin with the three characters of an element's id.
    #[error("no element's id at byte {at}")]
    NoElement {
        /// Position of that line.
        at: usize,
    },
}

/// Parses an AAMVA text. Separators may be missing or differ from the standard and offsets may be wrong, because both
/// are common in practice; everything else must follow the standard.
pub fn parse(text: &[u8]) -> Result<AamvaText, AamvaError> {
    if text.len() > MAX_AAMVA_TEXT_BYTES {
        return Err(AamvaError::TooLong(text.len()));
    }
    let mut at = skip_header(text)?;
    let issuer = number(text, &mut at, 6, "issuer")?;
    let version = number(text, &mut at, 2, "version")? as u8;
    // In version 1 the number of subfiles follows here. Some issuers nevertheless wrote the two digits that only
    // version 2 has. What comes after them shows it, because a table begins with letters.
    let then_letters = |at: usize| text.get(at..at + 2).is_some_and(is_kind);
    let jurisdiction_version = if version >= 2 || !then_letters(at + 2) {
        Some(number(text, &mut at, 2, "version of the jurisdiction")? as u8)
    } else {
        None
    };
    let count_at = at;
    let count = number(text, &mut at, 2, "number of subfiles")? as usize;
    if count == 0 {
        return Err(AamvaError::NoEntry { at: count_at, entry: 0 });
    }
    let mut table = Vec::with_capacity(count);
    for entry in 0..count {
        let kind = text.get(at..at + 2).filter(|kind| is_kind(kind));
        let Some(&[first, second]) = kind else {
            return Err(AamvaError::NoEntry { at, entry });
        };
        at += 2;
        let offset = number(text, &mut at, 4, "offset of a subfile")? as usize;
        let length = number(text, &mut at, 4, "length of a subfile")? as usize;
        table.push(SubfileDesignator { kind: [first, second], offset, length });
    }
    let mut subfiles = Vec::with_capacity(count);
    let mut behind = at;
    for (entry, place) in table.iter().enumerate() {
        let from = locate_subfile(text, place, behind).ok_or_else(|| AamvaError::NoSubfile {
            kind: String::from_utf8_lossy(&place.kind).into_owned(),
            at: place.offset,
        })?;
        let next = table.get(entry + 1).and_then(|next| locate_subfile(text, next, from + 2));
        let to = end_of(text, from, place, next);
        subfiles.push(AamvaSubfile { kind: place.kind, elements: elements(text, from + 2, to)? });
        behind = to;
    }
    Ok(AamvaText { issuer, version, jurisdiction_version, subfiles })
}

struct SubfileDesignator {
    kind: [u8; 2],
    offset: usize,
    length: usize,
}

fn is_kind(kind: &[u8]) -> bool {
    matches!(kind, [first, second] if first.is_ascii_uppercase()
        && (second.is_ascii_uppercase() || second.is_ascii_digit()))
}

/// Finds the position of the issuer identification number.
fn skip_header(text: &[u8]) -> Result<usize, AamvaError> {
    let begin = text.iter().take(8).position(|&byte| byte == b'@').ok_or(AamvaError::NoHeader)?;
    let window = text.get(begin..text.len().min(begin + 14)).unwrap_or_default();
    let at = window
        .windows(5)
        .position(|word| word == b"ANSI " || word == b"AAMVA")
        .ok_or(AamvaError::NoHeader)?;
    Ok(begin + at + 5)
}

fn number(text: &[u8], at: &mut usize, digits: usize, what: &'static str) -> Result<u32, AamvaError> {
    let slice = text.get(*at..*at + digits).filter(|slice| slice.iter().all(u8::is_ascii_digit));
    let slice = slice.ok_or(AamvaError::NotANumber { what, at: *at, digits })?;
    *at += digits;
    Ok(slice.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
}

/// The position of a subfile: where the table says, or else the first place from `behind` on where a line begins with
/// its kind and an element.
fn locate_subfile(text: &[u8], place: &SubfileDesignator, behind: usize) -> Option<usize> {
    let begins = |at: usize| text.get(at..at + 2) == Some(&place.kind[..]);
    if place.offset >= behind && begins(place.offset) {
        return Some(place.offset);
    }
    let starts_line = |at: usize| at == behind || matches!(text.get(at.wrapping_sub(1)), Some(b'\r' | b'\n'));
    let has_element =
        |at: usize| text.get(at + 2..at + 5).is_some_and(is_id) || text.get(at + 2) == Some(&b'\r');
    (behind..text.len()).find(|&at| begins(at) && starts_line(at) && has_element(at))
}

/// The end of a subfile: where the table says, if there is a carriage return or the end of the text; else the beginning
/// of the next subfile.
fn end_of(text: &[u8], from: usize, place: &SubfileDesignator, next: Option<usize>) -> usize {
    let said = from.saturating_add(place.length);
    let fits = place.length > 2
        && place.offset == from
        && said <= text.len()
        && (text.get(said - 1) == Some(&b'\r') || said == text.len());
    if fits { said } else { next.unwrap_or(text.len()).max(from + 2).min(text.len()) }
}

fn is_id(id: &[u8]) -> bool {
    id.len() == 3
        && id[0].is_ascii_uppercase()
        && id.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn elements(text: &[u8], from: usize, to: usize) -> Result<Vec<DataElement>, AamvaError> {
    let mut elements = Vec::new();
    let mut at = from;
    for piece in text.get(from..to).unwrap_or_default().split(|&byte| matches!(byte, b'\n' | b'\r')) {
        let begin = at;
        at += piece.len() + 1;
        // Padding, and what some printers write between elements.
        if piece.iter().all(|byte| byte.is_ascii_control() || *byte == b' ') {
            continue;
        }
        match piece.split_first_chunk::<3>() {
            Some((id, value)) if is_id(id) => elements.push(DataElement { id: *id, value: text_of(value) }),
            _ => return Err(AamvaError::NoElement { at: begin }),
        }
    }
    Ok(elements)
}

/// Decodes UTF-8 where it is valid, else Latin-1, and removes control characters.
fn text_of(value: &[u8]) -> String {
    let text = match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|&byte| char::from(byte)).collect(),
    };
    text.chars().filter(|letter| !letter.is_control()).collect()
}
