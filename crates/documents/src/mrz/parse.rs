//! From lines to fields.

use super::{
    FILLER, Field, Format, Mrz, Sex, ShortDate,
    check::{Check, Verdict, checks, overflow},
    name,
};
use crate::countries;

/// Why lines are no zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// No format has so many lines of these lengths.
    #[error("no format has lines of these lengths")]
    Shape,
    /// A character that no zone holds.
    #[error("line {line} has a character at {at} that no zone holds")]
    Foreign {
        /// Line, from 1.
        line: usize,
        /// Place, from 1.
        at: usize,
    },
}

/// What is wrong with a zone that could be read all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "problem")]
pub enum Problem {
    /// The code of the field is none that ICAO or ISO knows.
    UnknownCode {
        /// Issuer or nationality.
        field: Field,
    },
    /// The field's characters are no date, or one that no calendar has.
    NoDate {
        /// Birth or expiry.
        field: Field,
    },
    /// A place holds what it must not: a digit in a name, a letter in a date.
    Misplaced {
        /// Line, from 1.
        line: usize,
        /// Place, from 1.
        at: usize,
    },
}

/// A character that was put right because of a check digit or of the class of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Repair {
    /// Line, from 1.
    pub line: usize,
    /// Place, from 1.
    pub at: usize,
    /// What was read.
    pub from: char,
    /// What is taken instead.
    pub to: char,
}

/// A zone with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Parsed {
    /// The fields.
    pub mrz: Mrz,
    /// The lines they come from.
    pub lines: Vec<String>,
    /// Every check digit.
    pub checks: Vec<Check>,
    /// What else is wrong.
    pub problems: Vec<Problem>,
    /// Whether the names fill their field, so that more may have been cut off.
    pub names_may_be_cut: bool,
    /// What was changed to come to these lines.
    pub repairs: Vec<Repair>,
}

impl Parsed {
    /// Whether no check digit is wrong. Digits do not cover names, codes and sex.
    pub fn checks_hold(&self) -> bool {
        self.checks.iter().all(|check| check.verdict != Verdict::Wrong)
    }
}

/// Reads the fields of two or three whole lines; letters may be small, blanks are dropped.
pub fn parse<S: AsRef<str>>(lines: &[S]) -> Result<Parsed, ParseError> {
    if lines.len() > 3 {
        return Err(ParseError::Shape);
    }
    let lines = lines.iter().enumerate().map(|(at, line)| clean(line.as_ref(), at + 1));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let format = tell_format(&lines).ok_or(ParseError::Shape)?;
    Ok(parse_as(format, &lines))
}

/// Capitals, without blanks. The quotation marks are what text recognition makes of fillers.
pub(crate) fn clean(line: &str, number: usize) -> Result<Vec<u8>, ParseError> {
    let mut out = Vec::new();
    for (at, c) in line.chars().enumerate() {
        match c {
            '«' => out.extend(b"<<"),
            '‹' | '＜' => out.push(FILLER),
            _ if c.is_whitespace() => {}
            'a'..='z' | 'A'..='Z' | '0'..='9' | '<' => out.push(c.to_ascii_uppercase() as u8),
            _ => return Err(ParseError::Foreign { line: number, at: at + 1 }),
        }
        // More than twice the longest line is none; there is no point in going on.
        if out.len() > 100 {
            return Err(ParseError::Shape);
        }
    }
    Ok(out)
}

/// The format by number and length of lines, then by the first letters and, between TD2 and the French card, by which
/// has fewer wrong check digits: names stand on the French card where TD2 has some, so all of its cannot hold there.
pub(crate) fn tell_format(lines: &[Vec<u8>]) -> Option<Format> {
    let length = lines.first()?.len();
    if lines.iter().any(|line| line.len() != length) {
        return None;
    }
    let fits = |format: &Format| format.lines() == lines.len() && format.length() == length;
    let begin = (lines[0].first().copied()?, lines[0].get(1).copied()?);
    let wrong =
        |format: Format| checks(format, lines).iter().filter(|check| check.verdict == Verdict::Wrong).count();
    match (lines.len(), length) {
        (3, 30) => Some(Format::Td1),
        (2, 44) => Some(if begin.0 == b'V' { Format::MrvA } else { Format::Td3 }),
        (2, 36) if begin.0 == b'V' => Some(Format::MrvB),
        (2, 36) if lines[0].starts_with(b"IDFRA") && wrong(Format::FrenchId) < wrong(Format::Td2) => {
            Some(Format::FrenchId)
        }
        (2, 36) => Some(Format::Td2),
        _ => Format::ALL.into_iter().find(|format| fits(format)),
    }
}

/// Reads lines that have the format's number and lengths.
pub(crate) fn parse_as(format: Format, lines: &[Vec<u8>]) -> Parsed {
    let raw = |field: Field| {
        let span = format.span(field);
        span.map_or(&[][..], |span| &lines[span.line][span.from..span.from + span.length])
    };
    let text = |field: Field| String::from_utf8_lossy(raw(field)).trim_end_matches('<').to_owned();
    let mut problems = Vec::new();
    for (line, characters) in lines.iter().enumerate() {
        for (at, &c) in characters.iter().enumerate() {
            if !format.kind(line, at).holds(c) {
                problems.push(Problem::Misplaced { line: line + 1, at: at + 1 });
            }
        }
    }
    let mut date = |field: Field| {
        let date = ShortDate::read(raw(field));
        if !date.is_some_and(ShortDate::is_possible) {
            problems.push(Problem::NoDate { field });
        }
        date.unwrap_or_default()
    };
    let birth = date(Field::Birth);
    let expiry = format.span(Field::Expiry).map(|_| date(Field::Expiry));
    for field in [Field::Issuer, Field::Nationality] {
        if format.span(field).is_some() && countries::find(&text(field)).is_none() {
            problems.push(Problem::UnknownCode { field });
        }
    }
    let (surname, given_names) = if format == Format::FrenchId {
        (name::spaced(raw(Field::Names)), name::spaced(raw(Field::GivenNames)))
    } else {
        name::split(raw(Field::Names))
    };
    let more = overflow(format, lines);
    let (mut document_number, mut optional) = (text(Field::DocumentNumber), text(Field::Optional));
    if let Some(more) = more {
        let (rest, _) = more.split_at(more.len() - 1);
        document_number = String::from_utf8_lossy(raw(Field::DocumentNumber)).into_owned();
        document_number.push_str(&String::from_utf8_lossy(rest));
        // A filler ends the number; what follows is the issuer's.
        optional = optional.split_off(optional.len().min(more.len() + 1));
    }
    let mrz = Mrz {
        format,
        document_code: text(Field::DocumentCode),
        issuer: text(Field::Issuer),
        surname,
        given_names,
        document_number,
        nationality: text(Field::Nationality),
        birth,
        sex: match raw(Field::Sex) {
            b"M" => Sex::Male,
            b"F" => Sex::Female,
            _ => Sex::Unspecified,
        },
        expiry,
        optional,
        second_optional: text(Field::SecondOptional),
    };
    Parsed {
        names_may_be_cut: name::may_be_cut(raw(Field::Names)) || name::may_be_cut(raw(Field::GivenNames)),
        mrz,
        lines: lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
        checks: checks(format, lines),
        problems,
        repairs: Vec::new(),
    }
}
