//! Finds the fields of a document among the lines of a page: values beside or below their labels, numbered fields of
//! licences, and the values of an MRZ.

pub(super) use value::date_hints;

mod value;

use super::{
    TextLine,
    cross_check::{self, CrossCheckResult},
    dates,
    label_dictionary::{FieldLabel, LabelKind, OtherLabelKind, PrintedFieldKind, leading_label},
    layout::{LevelLine, level_lines},
    names,
    postal_address::is_address,
};
use crate::{
    mrz::{Mrz, Sex},
    picture::homography::Point,
};
use jiff::civil::Date;

/// Lines of a page that are read, at most.
const MAX_LINES: usize = 400;
/// The numbers of the fields that licences have (Directive 2006/126/EC, annex I).
const NUMBERED_FIELDS: [&str; 9] = ["1", "2", "3", "4a", "4b", "4c", "4d", "5", "8"];
/// From this many numbered fields on, a page is one that numbers its fields.
const MIN_NUMBERED_FIELDS: usize = 4;
/// How far a value may be to the right of its label, in heights of the higher one.
const MAX_GAP_RIGHT_HEIGHTS: f32 = 14.0;
/// How far a value may begin below its label, in heights of the value.
const MAX_GAP_BELOW_HEIGHTS: f32 = 1.6;
/// Letters of an address, at least.
const MIN_ADDRESS_LETTERS: usize = 3;
/// Lines of at least this many times the median height are not values.
const MIN_LARGE_HEIGHT_RATIO: f32 = 2.6;

/// What is known about the document besides its text.
#[derive(Clone, Copy, Debug)]
pub struct FieldContext<'a> {
    /// The issuer, where it is known: ISO 3166-1 alpha-3 or ICAO.
    pub country: Option<&'a str>,
    /// The current date.
    pub today: Date,
    /// The MRZ, whose values are searched as well.
    pub zone: Option<&'a Mrz>,
}

/// How a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PrintedFieldSource {
    /// By a label in words.
    Label,
    /// By the number of a field.
    Number,
    /// By the value in the MRZ.
    Zone,
    /// By its form: a street and a town on one line.
    Shape,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PrintedValue {
    /// Words or a number.
    Text(String),
    Date(dates::DateReading),
    Sex(Sex),
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct PrintedField {
    pub field: PrintedFieldKind,
    /// The text as printed.
    pub text: String,
    pub value: PrintedValue,
    /// A name transliterated into the letters A to Z (ICAO 9303-3, 6), where the tables have its script.
    pub latin: Option<String>,
    pub source: PrintedFieldSource,
    /// Confidence, 0 to 1.
    pub confidence: f32,
    /// Corners of the value, as in [`TextLine::corners`].
    pub corners: [Point; 4],
}

impl PrintedField {
    /// The date, where the value is one and unambiguous.
    pub fn date(&self) -> Option<Date> {
        match &self.value {
            PrintedValue::Date(reading) => reading.certain(),
            _ => None,
        }
    }
}

/// The fields of a page; each occurs once.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct PrintedFields(pub Vec<PrintedField>);

impl PrintedFields {
    pub fn get(&self, field: PrintedFieldKind) -> Option<&PrintedField> {
        self.0.iter().find(|found| found.field == field)
    }

    /// The value of a field as text: as printed, or for an unambiguous date in the form `1994-08-12`.
    pub fn text(&self, field: PrintedFieldKind) -> Option<String> {
        self.get(field).map(|found| match &found.value {
            PrintedValue::Text(text) => text.clone(),
            PrintedValue::Date(dates::DateReading::Certain(date)) => date.to_string(),
            PrintedValue::Date(dates::DateReading::Ambiguous { .. }) => found.text.clone(),
            PrintedValue::Sex(Sex::Male) => "M".to_owned(),
            PrintedValue::Sex(Sex::Female) => "F".to_owned(),
            PrintedValue::Sex(Sex::Unspecified) => "X".to_owned(),
        })
    }
}

/// A line that begins with the label of a field.
struct LabelledLine {
    at: usize,
    field: PrintedFieldKind,
    source: PrintedFieldSource,
    /// Where the text after the label begins, in bytes.
    rest: usize,
}

/// A value that may belong to a label; a lower cost is better.
struct FieldCandidate {
    cost: f32,
    label: usize,
    line: usize,
    found: PrintedField,
}

pub fn read(lines: &[TextLine], context: &FieldContext) -> PrintedFields {
    let lines = lines.get(..MAX_LINES).unwrap_or(lines);
    let parts: Vec<TextLine> = lines.iter().flat_map(split_labels).collect();
    let mut placed = level_lines(&parts);
    drop_large_lines(&mut placed);
    let mut known: Vec<Option<FieldLabel>> = placed.iter().map(|one| leading_label(&one.line.text)).collect();
    drop_house_numbers(&mut known, &placed);
    let (labels, taken) = assign_labels(&known, context);
    let mut candidates = Vec::new();
    for (number, label) in labels.iter().enumerate() {
        collect_candidates(number, label, &placed, &taken, context, &mut candidates);
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut fields = PrintedFields::default();
    let mut used = Vec::new();
    for candidate in candidates {
        let inside = labels.get(candidate.label).is_some_and(|label| label.at == candidate.line);
        if fields.get(candidate.found.field).is_none() && (inside || !used.contains(&candidate.line)) {
            used.push(candidate.line);
            add_birth_place_behind_date(&candidate, &mut fields);
            fields.0.push(candidate.found);
        }
    }
    extend_address(&mut fields, &placed, &taken);
    find_address(&mut fields, &placed, &taken, &used);
    if let Some(zone) = context.zone {
        fill_from_mrz(&mut fields, zone, lines, context);
    }
    fields
}

/// Splits a line at its labels, where several labels in a row were read as one line.
fn split_labels(line: &TextLine) -> Vec<TextLine> {
    let mut out = Vec::new();
    let mut rest = line.clone();
    while out.len() < 4
        && let Some(first) = leading_label(&rest.text).filter(|label| label.worded)
        && let Some(behind) = rest.text.get(first.end..).filter(|behind| !behind.is_empty())
        && let Some(second) = leading_label(behind).filter(|label| label.worded)
        && second.kinds.first() != first.kinds.first()
    {
        let (before, behind) = (rest.text[..first.end].to_owned(), behind.to_owned());
        let count = before.chars().count();
        let share = count as f32 / rest.text.chars().count() as f32;
        let on = |p: Point, q: Point| [p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share];
        let [a, b, c, d] = rest.corners;
        let (upper, lower) = (on(a, b), on(d, c));
        let certainty = rest.certainty.split_off(count.min(rest.certainty.len()));
        let parted = TextLine { text: before, corners: [a, upper, lower, d], ..rest };
        rest = TextLine {
            text: behind,
            corners: [upper, b, c, lower],
            confidence: parted.confidence,
            certainty,
        };
        out.push(parted);
    }
    out.push(rest);
    out
}

/// Removes lines that are much higher than usual: a title is not a value.
fn drop_large_lines(placed: &mut Vec<LevelLine>) {
    let mut heights: Vec<f32> = placed.iter().map(LevelLine::height).collect();
    heights.sort_by(f32::total_cmp);
    if let Some(&usual) = heights.get(heights.len() / 2) {
        placed.retain(|one| one.height() < MIN_LARGE_HEIGHT_RATIO * usual);
    }
}

/// Finds an address without a label: a line with a street and a town.
fn find_address(fields: &mut PrintedFields, placed: &[LevelLine], taken: &[bool], used: &[usize]) {
    if fields.get(PrintedFieldKind::Address).is_some() {
        return;
    }
    let free = placed.iter().enumerate().filter(|(at, _)| !taken[*at] && !used.contains(at));
    let mut found = free.filter(|(_, one)| is_address(&one.line.text));
    if let Some((_, one)) = found.next() {
        let (text, corners) = (one.line.text.clone(), one.line.corners);
        fields.0.push(PrintedField {
            field: PrintedFieldKind::Address,
            value: PrintedValue::Text(text.clone()),
            text,
            latin: None,
            source: PrintedFieldSource::Shape,
            confidence: one.line.confidence * 0.8,
            corners,
        });
    }
}

/// Removes the label of a line that begins with a house number, `12 MAIN ST`, which looks like the number of a field: where the
/// label of an address waits for its value, and no line is nearer. A number that names a field of this page, and stands
/// nowhere else, stays one.
fn drop_house_numbers(known: &mut [Option<FieldLabel>], placed: &[LevelLine]) {
    let waits = |at: usize, label: &FieldLabel| {
        let names_address = label.kinds.first() == Some(&LabelKind::Of(PrintedFieldKind::Address))
            || !label.worded && label.number.as_deref() == Some("8");
        let rest = placed.get(at).and_then(|one| one.line.text.get(label.end..));
        names_address && rest.is_some_and(|rest| rest.trim().is_empty())
    };
    let is_needed = |number: &str| {
        let same = known.iter().flatten().filter(|label| label.number.as_deref() == Some(number)).count();
        NUMBERED_FIELDS.contains(&number) && same < 2
    };
    let begins_with_house_number = |label: &FieldLabel, text: &str| {
        let text = text.trim_start();
        let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let street = behind.trim_start();
        !label.worded
            && behind.len() < text.len()
            && street.len() < behind.len()
            && street.starts_with(char::is_alphabetic)
            && label.number.as_deref().is_some_and(|number| !is_needed(number))
    };
    let may_be_value = |(label, one): (&Option<FieldLabel>, &LevelLine)| {
        let has_letters = one.line.text.chars().filter(|c| c.is_alphabetic()).count() >= MIN_ADDRESS_LETTERS;
        has_letters && label.as_ref().is_none_or(|label| begins_with_house_number(label, &one.line.text))
    };
    let may_be_value: Vec<bool> = known.iter().zip(placed).map(may_be_value).collect();
    let nearest_value = |label: usize| {
        let fitting = (0..placed.len()).filter(|at| *at != label && may_be_value.get(*at) == Some(&true));
        let costs = fitting.filter_map(|at| Some((place_cost(placed, label, at)?, at)));
        costs.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, at)| at)
    };
    let waiting = known.iter().enumerate().filter_map(|(at, label)| waits(at, label.as_ref()?).then_some(at));
    let values: Vec<usize> = waiting.filter_map(nearest_value).collect();
    for at in values {
        if let Some(label) = known.get_mut(at) {
            *label = None;
        }
    }
}

/// The lines that begin with the label of a field, and for each line whether it begins with any label and so is not a
/// value.
fn assign_labels(known: &[Option<FieldLabel>], context: &FieldContext) -> (Vec<LabelledLine>, Vec<bool>) {
    let numbers = || known.iter().flatten().filter_map(|label| label.number.as_deref());
    let count = NUMBERED_FIELDS.iter().filter(|number| numbers().any(|one| one == **number)).count();
    let is_numbered = count >= MIN_NUMBERED_FIELDS && numbers().any(|number| number.starts_with('4'));
    let has_given_names =
        known.iter().flatten().any(|label| label.worded && label.is_of(PrintedFieldKind::GivenNames));
    let has_five = numbers().any(|number| number == "5");
    let in_america = matches!(context.country, Some("USA" | "CAN"));
    let mut out = Vec::new();
    let mut taken = vec![false; known.len()];
    for (at, label) in known.iter().enumerate() {
        let Some(label) = label else { continue };
        let (kind, source) = if label.worded {
            let Some(kind) = label.kinds.first().copied() else { continue };
            // Beside a label for given names, `Name` means the surname.
            let name = kind == LabelKind::Of(PrintedFieldKind::FullName) && has_given_names;
            (if name { LabelKind::Of(PrintedFieldKind::Surname) } else { kind }, PrintedFieldSource::Label)
        } else if is_numbered {
            let number = label.number.as_deref().unwrap_or_default();
            (numbered_field(number, in_america, has_five), PrintedFieldSource::Number)
        } else {
            continue;
        };
        taken[at] = true;
        if let LabelKind::Of(field) = kind {
            out.push(LabelledLine { at, field, source, rest: label.end });
        }
    }
    (out, taken)
}

/// The field of a licence by its number (Directive 2006/126/EC, annex I; AAMVA's card design standard, D.6).
fn numbered_field(number: &str, in_america: bool, has_five: bool) -> LabelKind {
    LabelKind::Of(match number {
        "1" => PrintedFieldKind::Surname,
        "2" => PrintedFieldKind::GivenNames,
        "3" => PrintedFieldKind::BirthDate,
        "4a" => PrintedFieldKind::IssueDate,
        "4b" => PrintedFieldKind::ExpiryDate,
        "4c" => PrintedFieldKind::Authority,
        // Outside America, 4d is a personal number of the holder where 5 is the licence number.
        "4d" if in_america || !has_five => PrintedFieldKind::DocumentNumber,
        "5" if !in_america => PrintedFieldKind::DocumentNumber,
        "8" => PrintedFieldKind::Address,
        "15" => PrintedFieldKind::Sex,
        _ => return LabelKind::Other(OtherLabelKind::Other),
    })
}

/// Collects the values that may belong to a label: after it on the same line, beside it and below it.
fn collect_candidates(
    number: usize,
    label: &LabelledLine,
    placed: &[LevelLine],
    taken: &[bool],
    context: &FieldContext,
    out: &mut Vec<FieldCandidate>,
) {
    let own = &placed[label.at];
    let rest = own.line.text.get(label.rest..).unwrap_or_default().trim();
    if !rest.is_empty()
        && let Some(found) = value::parse_value(label, rest, own.line, context)
    {
        out.push(FieldCandidate { cost: 0.0, label: number, line: label.at, found });
        return;
    }
    // The text after the label is empty or not a value, so the value may be on another line.
    for (at, other) in placed.iter().enumerate() {
        if taken[at] {
            continue;
        }
        let Some(cost) = place_cost(placed, label.at, at) else { continue };
        if let Some(mut found) = value::parse_value(label, &other.line.text, other.line, context) {
            found.confidence *= 0.98;
            out.push(FieldCandidate { cost, label: number, line: at, found });
        }
    }
}

/// What speaks against a line as the value of a label on another line, by their places; `None` if it is neither beside the label
/// nor below it.
fn place_cost(placed: &[LevelLine], label: usize, at: usize) -> Option<f32> {
    let (own, other) = (placed.get(label)?, placed.get(at)?);
    let height = own.height().max(other.height());
    if own.is_in_row_of(other) && other.left >= own.right - height {
        let gap = (other.left - own.right).max(0.0) / height;
        let between = |(between, one): (usize, &LevelLine)| {
            between != at && own.is_in_row_of(one) && one.left > own.left && one.left < other.left
        };
        let fits = gap <= MAX_GAP_RIGHT_HEIGHTS && !placed.iter().enumerate().any(between);
        return fits.then_some(0.4 + gap * 0.12);
    }
    let gap = (other.top - own.bottom) / other.height();
    let aside = (other.left - own.left).abs() / height;
    let is_in_column = aside < 1.5 || own.column_overlap(other) > 0.5;
    let fits = (-0.6..MAX_GAP_BELOW_HEIGHTS).contains(&gap) && other.top > own.top && is_in_column;
    fits.then_some(0.2 + gap.max(0.0) + 0.2 * aside.min(3.0))
}

/// Licences print the place of birth after the date of birth.
fn add_birth_place_behind_date(candidate: &FieldCandidate, fields: &mut PrintedFields) {
    let found = &candidate.found;
    if found.field != PrintedFieldKind::BirthDate || found.source != PrintedFieldSource::Number {
        return;
    }
    let Some(last) = found.text.rfind(|c: char| c.is_ascii_digit()) else { return };
    let behind = found.text.get(last + 1..).and_then(names::clean_name);
    if let Some(place) = behind.filter(|place| place.chars().count() >= 3)
        && fields.get(PrintedFieldKind::BirthPlace).is_none()
    {
        fields.0.push(PrintedField {
            field: PrintedFieldKind::BirthPlace,
            text: place.clone(),
            latin: names::transliterate_name(&place),
            value: PrintedValue::Text(place),
            ..found.clone()
        });
    }
}

/// Adds up to three lines below an address that begin at the same left edge.
fn extend_address(fields: &mut PrintedFields, placed: &[LevelLine], taken: &[bool]) {
    let Some(found) = fields.0.iter_mut().find(|found| found.field == PrintedFieldKind::Address) else {
        return;
    };
    let Some(mut last) = placed.iter().position(|one| one.line.corners == found.corners) else { return };
    for _ in 0..3 {
        let above = &placed[last];
        let next = placed.iter().enumerate().position(|(at, one)| {
            let gap = (one.top - above.bottom) / above.height();
            let same = (one.height() / above.height()).max(above.height() / one.height()) < 1.4;
            !taken[at]
                && at != last
                && same
                && (-0.3..0.9).contains(&gap)
                && (one.left - above.left).abs() < above.height()
        });
        let Some(next) = next else { break };
        found.text.push('\n');
        found.text.push_str(&placed[next].line.text);
        found.value = PrintedValue::Text(found.text.clone());
        last = next;
    }
}

/// Adds values of the MRZ that are printed but were not found by a label, or for which the label has another value.
fn fill_from_mrz(fields: &mut PrintedFields, zone: &Mrz, lines: &[TextLine], context: &FieldContext) {
    for seen in cross_check::find_mrz_values(zone, lines, context) {
        let (CrossCheckResult::Same | CrossCheckResult::Nearly { .. }) = seen.agreement else { continue };
        let Some(line) = seen.line.and_then(|at| lines.get(at)) else { continue };
        if let Some(found) = fields.get(seen.field)
            && cross_check::agrees_with_mrz(found, zone, context)
        {
            continue;
        }
        let text = seen.seen.unwrap_or_else(|| line.text.clone());
        let label = LabelledLine { at: 0, field: seen.field, source: PrintedFieldSource::Zone, rest: 0 };
        if let Some(found) = value::parse_value(&label, &text, line, context) {
            fields.0.retain(|old| old.field != seen.field);
            fields.0.push(found);
        }
    }
}
