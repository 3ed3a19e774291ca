//! Parses the lines of an MRZ into fields.

use super::{
    FILLER, Mrz, MrzField, MrzFormat, Sex, ShortDate,
    check_digits::{CheckDigit, CheckDigitVerdict, overflowing_number, verify_check_digits},
    name,
};
use crate::countries;

/// Why lines are not an MRZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MrzParseError {
    /// No format has this number of lines of these lengths.
    #[error("no format has lines of these lengths")]
    Shape,
    /// A character that does not occur in any MRZ.
    #[error("line {line} has a character at {at} that no zone holds")]
    Foreign {
        /// Line, from 1.
        line: usize,
        /// Position in the line, from 1.
        at: usize,
    },
}

/// A problem of an MRZ that was parsed nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "problem")]
pub enum MrzProblem {
    /// Neither ISO nor ICAO has the code.
    UnknownCode {
        /// `Issuer` or `Nationality`.
        field: MrzField,
    },
    /// The characters are not a date, or no calendar has the date.
    NoDate {
        /// `Birth` or `Expiry`.
        field: MrzField,
    },
    /// A character that must not stand in its position: a digit in a name, a letter in a date.
    Misplaced {
        /// Line, from 1.
        line: usize,
        /// Position in the line, from 1.
        at: usize,
    },
}

/// A character that was corrected by a check digit or by the class of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CharacterRepair {
    /// Line, from 1.
    pub line: usize,
    /// Position in the line, from 1.
    pub at: usize,
    /// The character that was read.
    pub from: char,
    /// The character that replaces it.
    pub to: char,
}

/// A parsed MRZ with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ParsedMrz {
    pub mrz: Mrz,
    /// The lines from which the fields were parsed.
    pub lines: Vec<String>,
    pub checks: Vec<CheckDigit>,
    /// Problems other than wrong check digits.
    pub problems: Vec<MrzProblem>,
    /// Whether the names fill their field, so that they may have been truncated.
    pub names_may_be_cut: bool,
    /// The corrections that led to these lines.
    pub repairs: Vec<CharacterRepair>,
}

impl ParsedMrz {
    /// Whether no check digit is wrong. Check digits do not cover names, codes and sex.
    pub fn checks_hold(&self) -> bool {
        self.checks.iter().all(|check| check.verdict != CheckDigitVerdict::Wrong)
    }
}

/// Parses two or three complete lines. Lower-case letters are accepted and spaces ignored.
pub fn parse<S: AsRef<str>>(lines: &[S]) -> Result<ParsedMrz, MrzParseError> {
    if lines.len() > 3 {
        return Err(MrzParseError::Shape);
    }
    let lines = lines.iter().enumerate().map(|(at, line)| clean(line.as_ref(), at + 1));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let format = detect_format(&lines).ok_or(MrzParseError::Shape)?;
    Ok(parse_as(format, &lines))
}

/// Converts to capitals and removes spaces. Text recognition turns fillers into angle quotation marks.
pub(crate) fn clean(line: &str, number: usize) -> Result<Vec<u8>, MrzParseError> {
    let mut out = Vec::new();
    for (at, c) in line.chars().enumerate() {
        match c {
            '«' => out.extend(b"<<"),
            '‹' | '＜' => out.push(FILLER),
            _ if c.is_whitespace() => {}
            'a'..='z' | 'A'..='Z' | '0'..='9' | '<' => out.push(c.to_ascii_uppercase() as u8),
            _ => return Err(MrzParseError::Foreign { line: number, at: at + 1 }),
        }
        // More than twice the longest line.
        if out.len() > 100 {
            return Err(MrzParseError::Shape);
        }
    }
    Ok(out)
}

/// Detects the format by the number and length of lines, then by the first letters. TD2 and the French card are told
/// apart by which has fewer wrong check digits: the French card has names where TD2 has some of its check digits, so
/// not all of those can hold.
pub(crate) fn detect_format(lines: &[Vec<u8>]) -> Option<MrzFormat> {
    let length = lines.first()?.len();
    if lines.iter().any(|line| line.len() != length) {
        return None;
    }
    let fits = |format: &MrzFormat| format.lines() == lines.len() && format.length() == length;
    let begin = (lines[0].first().copied()?, lines[0].get(1).copied()?);
    let wrong = |format: MrzFormat| {
        verify_check_digits(format, lines)
            .iter()
            .filter(|check| check.verdict == CheckDigitVerdict::Wrong)
            .count()
    };
    match (lines.len(), length) {
        (3, 30) => Some(MrzFormat::Td1),
        (2, 44) => Some(if begin.0 == b'V' { MrzFormat::MrvA } else { MrzFormat::Td3 }),
        (2, 36) if begin.0 == b'V' => Some(MrzFormat::MrvB),
        (2, 36) if lines[0].starts_with(b"IDFRA") && wrong(MrzFormat::FrenchId) < wrong(MrzFormat::Td2) => {
            Some(MrzFormat::FrenchId)
        }
        (2, 36) => Some(MrzFormat::Td2),
        _ => MrzFormat::ALL.into_iter().find(|format| fits(format)),
    }
}

/// Parses lines that have the number and length of the format.
pub(crate) fn parse_as(format: MrzFormat, lines: &[Vec<u8>]) -> ParsedMrz {
    let raw = |field: MrzField| {
        let span = format.span(field);
        span.map_or(&[][..], |span| &lines[span.line][span.from..span.from + span.length])
    };
    let text = |field: MrzField| String::from_utf8_lossy(raw(field)).trim_end_matches('<').to_owned();
    let mut problems = Vec::new();
    for (line, characters) in lines.iter().enumerate() {
        for (at, &c) in characters.iter().enumerate() {
            if !format.character_class(line, at).allows(c) {
                problems.push(MrzProblem::Misplaced { line: line + 1, at: at + 1 });
            }
        }
    }
    let mut date = |field: MrzField| {
        let date = ShortDate::parse(raw(field));
        if !date.is_some_and(ShortDate::is_possible) {
            problems.push(MrzProblem::NoDate { field });
        }
        date.unwrap_or_default()
    };
    let birth = date(MrzField::Birth);
    let expiry = format.span(MrzField::Expiry).map(|_| date(MrzField::Expiry));
    for field in [MrzField::Issuer, MrzField::Nationality] {
        if format.span(field).is_some() && countries::find(&text(field)).is_none() {
            problems.push(MrzProblem::UnknownCode { field });
        }
    }
    let (surname, given_names) = if format == MrzFormat::FrenchId {
        (name::spaced(raw(MrzField::Names)), name::spaced(raw(MrzField::GivenNames)))
    } else {
        name::split(raw(MrzField::Names))
    };
    let more = overflowing_number(format, lines);
    let (mut document_number, mut optional) = (text(MrzField::DocumentNumber), text(MrzField::Optional));
    if let Some(more) = more {
        let (rest, _) = more.split_at(more.len() - 1);
        document_number = String::from_utf8_lossy(raw(MrzField::DocumentNumber)).into_owned();
        document_number.push_str(&String::from_utf8_lossy(rest));
        // A filler ends the number; the issuer's data follow.
        optional = optional.split_off(optional.len().min(more.len() + 1));
    }
    let mrz = Mrz {
        format,
        document_code: text(MrzField::DocumentCode),
        issuer: text(MrzField::Issuer),
        surname,
        given_names,
        document_number,
        nationality: text(MrzField::Nationality),
        birth,
        sex: match raw(MrzField::Sex) {
            b"M" => Sex::Male,
            b"F" => Sex::Female,
            _ => Sex::Unspecified,
        },
        expiry,
        optional,
        second_optional: text(MrzField::SecondOptional),
    };
    ParsedMrz {
        names_may_be_cut: name::may_be_truncated(raw(MrzField::Names))
            || name::may_be_truncated(raw(MrzField::GivenNames)),
        mrz,
        lines: lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
        checks: verify_check_digits(format, lines),
        problems,
        repairs: Vec::new(),
    }
}
