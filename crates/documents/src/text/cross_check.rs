//! Compares an MRZ with the printed text.

use super::{
    TextLine, dates,
    fields::{FieldContext, PrintedField, PrintedFields, PrintedValue, date_hints},
    label_dictionary::PrintedFieldKind,
    normalise::{edit_distance, nearest_substring},
};
use crate::{
    countries,
    mrz::{Mrz, Sex, YearWindow, transliterate::spellings},
    picture::homography::Point,
};
use jiff::civil::Date;

/// One of this many characters may be misread.
const CHARS_PER_MISREADING: usize = 8;
/// Names of at least this length may be part of a longer line; shorter ones must be words of their own.
const MIN_PARTIAL_NAME_CHARS: usize = 5;
/// A value that was read with less confidence contradicts nothing.
const MIN_CONTRADICTION_CONFIDENCE: f32 = 0.8;

/// How a value of the MRZ compares with the printed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CrossCheckResult {
    /// The value is printed.
    Same,
    /// A similar value is printed; at most one character in eight differs.
    Nearly {
        /// Edit distance in characters.
        distance: usize,
    },
    /// Neither the value nor another one in its place was found.
    Missing,
    /// A label has another value.
    Contradicted,
}

/// A value of the MRZ, and how it is printed.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MrzCrossCheck {
    pub field: PrintedFieldKind,
    /// The value of the MRZ.
    pub expected: String,
    pub agreement: CrossCheckResult,
    /// The printed text that agrees or contradicts.
    pub seen: Option<String>,
    /// Confidence of that text, 0 to 1; 0 without one.
    pub confidence: f32,
    /// Position of that text.
    pub corners: Option<[Point; 4]>,
    /// Index of its line among those that were searched.
    pub(crate) line: Option<usize>,
}

impl MrzCrossCheck {
    fn missing(field: PrintedFieldKind, expected: String) -> Self {
        let agreement = CrossCheckResult::Missing;
        Self { field, expected, agreement, seen: None, confidence: 0.0, corners: None, line: None }
    }

    fn seen_at(mut self, agreement: CrossCheckResult, at: usize, line: &TextLine) -> Self {
        self.agreement = agreement;
        self.seen = Some(line.text.clone());
        self.confidence = line.confidence;
        self.corners = Some(line.corners);
        self.line = Some(at);
        self
    }
}

/// Searches the lines for each value of the MRZ (names, number, dates, nationality, sex), at any position, and for
/// contradicting values of labels. Fields that are empty in the MRZ are left out.
pub fn compare_with_mrz(
    zone: &Mrz,
    lines: &[TextLine],
    fields: &PrintedFields,
    context: &FieldContext,
) -> Vec<MrzCrossCheck> {
    let mut all = find_mrz_values(zone, lines, context);
    for one in &mut all {
        if let Some(found) = fields.get(one.field)
            && one.agreement == CrossCheckResult::Missing
        {
            let same = agrees_with_mrz(found, zone, context);
            if same || found.confidence >= MIN_CONTRADICTION_CONFIDENCE && is_comparable(found) {
                one.agreement = if same { CrossCheckResult::Same } else { CrossCheckResult::Contradicted };
                one.seen = Some(found.text.clone());
                one.confidence = found.confidence;
                one.corners = Some(found.corners);
            }
        }
    }
    all
}

/// Whether a value can be compared with the MRZ. Names in a script that the tables of ICAO 9303-3, 6 lack cannot.
fn is_comparable(found: &PrintedField) -> bool {
    match found.field {
        PrintedFieldKind::Surname | PrintedFieldKind::GivenNames | PrintedFieldKind::FullName => {
            found.latin.as_deref().is_some_and(|latin| latin.len() * 2 > found.text.len())
        }
        // There are many words for nationalities, so only codes can contradict.
        PrintedFieldKind::Nationality => {
            matches!(&found.value, PrintedValue::Text(text) if countries::find(text).is_some())
        }
        _ => true,
    }
}

/// Whether a printed value agrees with the MRZ.
pub(super) fn agrees_with_mrz(found: &PrintedField, zone: &Mrz, context: &FieldContext) -> bool {
    match (&found.value, found.field) {
        (PrintedValue::Text(text), PrintedFieldKind::Surname) => name_distance(&zone.surname, text).is_some(),
        (PrintedValue::Text(text), PrintedFieldKind::GivenNames) => {
            name_distance(&zone.given_names, text).is_some()
        }
        (PrintedValue::Text(text), PrintedFieldKind::DocumentNumber) => {
            number_distance(&zone.document_number, text).is_some()
        }
        (PrintedValue::Text(text), PrintedFieldKind::Nationality) => is_nationality(&zone.nationality, text),
        (PrintedValue::Date(reading), PrintedFieldKind::BirthDate) => {
            zone.birth.resolve(YearWindow::Past, context.today).is_some_and(|date| reading.may_be(date))
        }
        (PrintedValue::Date(reading), PrintedFieldKind::ExpiryDate) => {
            expiry(zone, context.today).is_some_and(|date| reading.may_be(date))
        }
        (PrintedValue::Sex(sex), PrintedFieldKind::Sex) => *sex == zone.sex,
        _ => true,
    }
}

/// Finds the values of an MRZ on any line, with or without labels. Sex is a single letter that would be found anywhere,
/// so it is left to labels.
pub(super) fn find_mrz_values(zone: &Mrz, lines: &[TextLine], context: &FieldContext) -> Vec<MrzCrossCheck> {
    let mut out = Vec::new();
    for (field, name) in
        [(PrintedFieldKind::Surname, &zone.surname), (PrintedFieldKind::GivenNames, &zone.given_names)]
    {
        if !name.is_empty() {
            out.push(closest_line(field, name.clone(), lines, |line| name_distance(name, &line.text)));
        }
    }
    if !zone.document_number.is_empty() {
        let number = &zone.document_number;
        out.push(closest_line(PrintedFieldKind::DocumentNumber, number.clone(), lines, |line| {
            number_distance(number, &line.text)
        }));
    }
    let birth = zone.birth.resolve(YearWindow::Past, context.today);
    for (field, date) in
        [(PrintedFieldKind::BirthDate, birth), (PrintedFieldKind::ExpiryDate, expiry(zone, context.today))]
    {
        let Some(date) = date else { continue };
        let hints = date_hints(field, context);
        out.push(closest_line(field, date.to_string(), lines, |line| {
            let read = dates::find(&line.text, &hints).into_iter().map(|found| found.reading);
            read.chain(dates::parse(&line.text, &hints)).any(|reading| reading.may_be(date)).then_some(0)
        }));
    }
    if !zone.nationality.is_empty() {
        let code = &zone.nationality;
        out.push(closest_line(PrintedFieldKind::Nationality, code.clone(), lines, |line| {
            is_nationality(code, &line.text).then_some(0)
        }));
    }
    if zone.sex != Sex::Unspecified {
        let letter = if zone.sex == Sex::Male { "M" } else { "F" };
        out.push(MrzCrossCheck::missing(PrintedFieldKind::Sex, letter.to_owned()));
    }
    out
}

fn expiry(zone: &Mrz, today: Date) -> Option<Date> {
    zone.expiry?.resolve(YearWindow::Expiry, today)
}

/// The line with the least distance, and among equals the one with the highest confidence.
fn closest_line(
    field: PrintedFieldKind,
    expected: String,
    lines: &[TextLine],
    off: impl Fn(&TextLine) -> Option<usize>,
) -> MrzCrossCheck {
    let none = MrzCrossCheck::missing(field, expected);
    let nearest = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((off(line)?, at, line)))
        .min_by(|a, b| a.0.cmp(&b.0).then(b.2.confidence.total_cmp(&a.2.confidence)));
    match nearest {
        None => none,
        Some((0, at, line)) => none.seen_at(CrossCheckResult::Same, at, line),
        Some((distance, at, line)) => none.seen_at(CrossCheckResult::Nearly { distance }, at, line),
    }
}

/// Edit distance of a name of the MRZ to its nearest occurrence in a text, in any transliteration of the text; `None`
/// where it is too large. Short names must be words of their own.
fn name_distance(name: &str, text: &str) -> Option<usize> {
    let compact = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let wanted = compact(name);
    let length = wanted.len();
    if length == 0 || text.len() > 400 {
        return None;
    }
    let allowed = length / CHARS_PER_MISREADING;
    let spelled = spellings(text);
    let off = |spelling: &String| {
        let parts = || spelling.split(' ');
        if length < MIN_PARTIAL_NAME_CHARS {
            let alone = parts().any(|part| part == wanted) || compact(spelling) == wanted;
            return alone.then_some(0);
        }
        Some(nearest_substring(&wanted, &compact(spelling)).0)
    };
    let least = spelled.iter().filter_map(off).min()?;
    (least <= allowed).then_some(least)
}

/// The same for a document number. A number that differs only in similar characters has a distance of 1.
fn number_distance(number: &str, text: &str) -> Option<usize> {
    let compact: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    if number.len() < MIN_PARTIAL_NAME_CHARS || compact.len() > 80 {
        return (number == compact).then_some(0);
    }
    if compact.contains(number) {
        return Some(0);
    }
    let alike = |text: &str| text.chars().map(unify_lookalike).collect::<String>();
    if alike(&compact).contains(&alike(number)) {
        return Some(1);
    }
    // Compare with the whole text, because parts of a longer number would be near to many numbers.
    let off = edit_distance(number, &compact);
    (off <= number.len() / CHARS_PER_MISREADING).then_some(off)
}

fn unify_lookalike(c: char) -> char {
    match c {
        'O' | 'Q' | 'D' => '0',
        'I' | 'L' => '1',
        'Z' => '2',
        'S' => '5',
        'G' => '6',
        'B' => '8',
        other => other,
    }
}

/// Whether a text contains the code of a nationality or names it in English.
fn is_nationality(code: &str, text: &str) -> bool {
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let nationality = countries::find(countries::nationality(code));
    if words().any(|word| word == code || nationality.is_some_and(|known| word == known.code)) {
        return true;
    }
    let folded = super::normalise::normalise(text);
    nationality.is_some_and(|known| {
        let name = super::normalise::normalise(known.name.split('(').next().unwrap_or_default());
        name.len() >= 4 && (folded == name || super::normalise::normalise(text).contains(&name))
    })
}
