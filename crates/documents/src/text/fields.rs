//! Fields of documents among the lines of a page: values beside or below their labels, numbered fields of licences, and
//! what a machine-readable zone says must be there.

pub(super) use value::hints;

mod value;

use super::{
    Line,
    confirm::{self, Agreement},
    dates,
    labels::{Field, Kind, Label, OtherKind, label_of},
    layout::{Placed, level},
    names,
};
use crate::{
    mrz::{Mrz, Sex},
    picture::page_homography::Point,
};
use jiff::civil::Date;

/// Lines that are looked at.
const MOST_LINES: usize = 400;
/// Numbered fields from which on a page is one that numbers its fields.
const NUMBERED: usize = 4;
/// How far right of its label a value may stand, in heights.
const RIGHT: f32 = 14.0;
/// How far below its label a value may begin, in heights of the value.
const BELOW: f32 = 1.6;
/// Lines so many times as high as usual are no values.
const LARGE: f32 = 2.6;

/// What is known of the document besides its text.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Who issued it, where that is known: ISO 3166-1 alpha-3 or ICAO.
    pub country: Option<&'a str>,
    /// The day on which it is read.
    pub today: Date,
    /// Its machine-readable zone, which says what to look for.
    pub zone: Option<&'a Mrz>,
}

/// How a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// By a label in words.
    Label,
    /// By the number of the field.
    Number,
    /// By what the machine-readable zone says.
    Zone,
    /// By how it is written: an address of a street and a town.
    Shape,
}

/// What a field says.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Words, or a number.
    Text(String),
    /// A day.
    Date(dates::Reading),
    /// A sex.
    Sex(Sex),
}

/// A field that was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Found {
    /// Which.
    pub field: Field,
    /// As printed.
    pub text: String,
    /// What it means.
    pub value: Value,
    /// Names in the letters A to Z (ICAO 9303-3 §6), where the tables have their script.
    pub latin: Option<String>,
    /// How it was found.
    pub source: Source,
    /// How sure it is, 0 to 1.
    pub confidence: f32,
    /// Where the value stands, as [`Line::corners`].
    pub corners: [Point; 4],
}

impl Found {
    /// The day, where it is one and certain.
    pub fn date(&self) -> Option<Date> {
        match &self.value {
            Value::Date(reading) => reading.certain(),
            _ => None,
        }
    }
}

/// The fields of a page, each once.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Fields(pub Vec<Found>);

impl Fields {
    /// A field.
    pub fn get(&self, field: Field) -> Option<&Found> {
        self.0.iter().find(|found| found.field == field)
    }

    /// What a field says, as printed or read: `1994-08-12` for a certain date.
    pub fn text(&self, field: Field) -> Option<String> {
        self.get(field).map(|found| match &found.value {
            Value::Text(text) => text.clone(),
            Value::Date(dates::Reading::Certain(date)) => date.to_string(),
            Value::Date(dates::Reading::Ambiguous { .. }) => found.text.clone(),
            Value::Sex(Sex::Male) => "M".to_owned(),
            Value::Sex(Sex::Female) => "F".to_owned(),
            Value::Sex(Sex::Unspecified) => "X".to_owned(),
        })
    }
}

/// A line that begins with a label.
struct Labelled {
    at: usize,
    field: Field,
    source: Source,
    /// Where the rest of the line begins, in bytes.
    rest: usize,
}

/// A value that may belong to a label.
struct Candidate {
    cost: f32,
    label: usize,
    line: usize,
    found: Found,
}

/// Reads the fields of a page.
pub fn read(lines: &[Line], context: &Context) -> Fields {
    let lines = lines.get(..MOST_LINES).unwrap_or(lines);
    let parts: Vec<Line> = lines.iter().flat_map(part_labels).collect();
    let mut placed = level(&parts);
    leave_out_large(&mut placed);
    let known: Vec<Option<Label>> = placed.iter().map(|one| label_of(&one.line.text)).collect();
    let (labels, taken) = assign(&known, context);
    let mut candidates = Vec::new();
    for (number, label) in labels.iter().enumerate() {
        collect(number, label, &placed, &taken, context, &mut candidates);
    }
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut fields = Fields::default();
    let mut used = Vec::new();
    for candidate in candidates {
        let inside = labels.get(candidate.label).is_some_and(|label| label.at == candidate.line);
        if fields.get(candidate.found.field).is_none() && (inside || !used.contains(&candidate.line)) {
            used.push(candidate.line);
            birth_place_behind(&candidate, &mut fields);
            fields.0.push(candidate.found);
        }
    }
    go_on_with_address(&mut fields, &placed, &taken);
    find_address(&mut fields, &placed, &taken, &used);
    if let Some(zone) = context.zone {
        look_for_zone(&mut fields, zone, lines, context);
    }
    fields
}

/// Labels that stand so near in a row that they were read as one line, each for itself.
fn part_labels(line: &Line) -> Vec<Line> {
    let mut out = Vec::new();
    let mut rest = line.clone();
    while out.len() < 4
        && let Some(first) = label_of(&rest.text).filter(|label| label.worded)
        && let Some(behind) = rest.text.get(first.end..).filter(|behind| !behind.is_empty())
        && let Some(second) = label_of(behind).filter(|label| label.worded)
        && second.kinds.first() != first.kinds.first()
    {
        let (before, behind) = (rest.text[..first.end].to_owned(), behind.to_owned());
        let count = before.chars().count();
        let share = count as f32 / rest.text.chars().count() as f32;
        let on = |p: Point, q: Point| [p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share];
        let [a, b, c, d] = rest.corners;
        let (upper, lower) = (on(a, b), on(d, c));
        let certainty = rest.certainty.split_off(count.min(rest.certainty.len()));
        let parted = Line { text: before, corners: [a, upper, lower, d], ..rest };
        rest = Line { text: behind, corners: [upper, b, c, lower], confidence: parted.confidence, certainty };
        out.push(parted);
    }
    out.push(rest);
    out
}

/// What is printed across a page is no value.
fn leave_out_large(placed: &mut Vec<Placed>) {
    let mut heights: Vec<f32> = placed.iter().map(Placed::height).collect();
    heights.sort_by(f32::total_cmp);
    if let Some(&usual) = heights.get(heights.len() / 2) {
        placed.retain(|one| one.height() < LARGE * usual);
    }
}

/// A line with a street and a town, though no label was seen.
fn find_address(fields: &mut Fields, placed: &[Placed], taken: &[bool], used: &[usize]) {
    if fields.get(Field::Address).is_some() {
        return;
    }
    let free = placed.iter().enumerate().filter(|(at, _)| !taken[*at] && !used.contains(at));
    let mut found = free.filter(|(_, one)| crate::supplementary::is_address(&one.line.text));
    if let Some((_, one)) = found.next() {
        let (text, corners) = (one.line.text.clone(), one.line.corners);
        fields.0.push(Found {
            field: Field::Address,
            value: Value::Text(text.clone()),
            text,
            latin: None,
            source: Source::Shape,
            confidence: one.line.confidence * 0.8,
            corners,
        });
    }
}

/// Which lines begin with labels of fields, and which lines are labels and nothing else.
fn assign(known: &[Option<Label>], context: &Context) -> (Vec<Labelled>, Vec<bool>) {
    const NUMBERS: [&str; 9] = ["1", "2", "3", "4a", "4b", "4c", "4d", "5", "8"];
    let numbers = || known.iter().flatten().filter_map(|label| label.number.as_deref());
    let count = NUMBERS.iter().filter(|number| numbers().any(|one| one == **number)).count();
    let is_numbered = count >= NUMBERED && numbers().any(|number| number.starts_with('4'));
    let has_given_names = known.iter().flatten().any(|label| label.worded && label.is_of(Field::GivenNames));
    let has_five = numbers().any(|number| number == "5");
    let in_america = matches!(context.country, Some("USA" | "CAN"));
    let mut out = Vec::new();
    let mut taken = vec![false; known.len()];
    for (at, label) in known.iter().enumerate() {
        let Some(label) = label else { continue };
        let (kind, source) = if label.worded {
            let Some(kind) = label.kinds.first().copied() else { continue };
            // Of two labels, Name is the surname's.
            let name = kind == Kind::Of(Field::FullName) && has_given_names;
            (if name { Kind::Of(Field::Surname) } else { kind }, Source::Label)
        } else if is_numbered {
            let number = label.number.as_deref().unwrap_or_default();
            (kind_of(number, in_america, has_five), Source::Number)
        } else {
            continue;
        };
        taken[at] = true;
        if let Kind::Of(field) = kind {
            out.push(Labelled { at, field, source, rest: label.end });
        }
    }
    (out, taken)
}

/// Fields of licences by number (Directive 2006/126/EC, annex I; AAMVA's card design standard, D.6).
fn kind_of(number: &str, in_america: bool, has_five: bool) -> Kind {
    Kind::Of(match number {
        "1" => Field::Surname,
        "2" => Field::GivenNames,
        "3" => Field::BirthDate,
        "4a" => Field::IssueDate,
        "4b" => Field::ExpiryDate,
        "4c" => Field::Authority,
        // The holder's own number where 5 is the licence's.
        "4d" if in_america || !has_five => Field::DocumentNumber,
        "5" if !in_america => Field::DocumentNumber,
        "8" => Field::Address,
        "15" => Field::Sex,
        _ => return Kind::Other(OtherKind::Other),
    })
}

/// The values that may belong to a label: behind it, beside it, below it.
fn collect(
    number: usize,
    label: &Labelled,
    placed: &[Placed],
    taken: &[bool],
    context: &Context,
    out: &mut Vec<Candidate>,
) {
    let own = &placed[label.at];
    let rest = own.line.text.get(label.rest..).unwrap_or_default().trim();
    if !rest.is_empty()
        && let Some(found) = value::read(label, rest, own.line, context)
    {
        out.push(Candidate { cost: 0.0, label: number, line: label.at, found });
        return;
    }
    // What stands behind it is no value, or nothing, so one may still follow.
    for (at, other) in placed.iter().enumerate() {
        if taken[at] {
            continue;
        }
        let height = own.height().max(other.height());
        let cost = if own.beside(other) && other.left >= own.right - height {
            let gap = (other.left - own.right).max(0.0) / height;
            let between = |(between, one): (usize, &Placed)| {
                between != at && own.beside(one) && one.left > own.left && one.left < other.left
            };
            if gap > RIGHT || placed.iter().enumerate().any(between) {
                continue;
            }
            0.4 + gap * 0.12
        } else {
            let gap = (other.top - own.bottom) / other.height();
            let aside = (other.left - own.left).abs() / height;
            let fits = aside < 1.5 || own.shares_column(other) > 0.5;
            if !(-0.6..BELOW).contains(&gap) || other.top <= own.top || !fits {
                continue;
            }
            0.2 + gap.max(0.0) + 0.2 * aside.min(3.0)
        };
        if let Some(mut found) = value::read(label, &other.line.text, other.line, context) {
            found.confidence *= 0.98;
            out.push(Candidate { cost, label: number, line: at, found });
        }
    }
}

/// Licences print the place of birth behind the date.
fn birth_place_behind(candidate: &Candidate, fields: &mut Fields) {
    let found = &candidate.found;
    if found.field != Field::BirthDate || found.source != Source::Number {
        return;
    }
    let Some(last) = found.text.rfind(|c: char| c.is_ascii_digit()) else { return };
    let behind = found.text.get(last + 1..).and_then(names::clean);
    if let Some(place) = behind.filter(|place| place.chars().count() >= 3)
        && fields.get(Field::BirthPlace).is_none()
    {
        fields.0.push(Found {
            field: Field::BirthPlace,
            text: place.clone(),
            latin: names::latin(&place),
            value: Value::Text(place),
            ..found.clone()
        });
    }
}

/// Lines below an address that begin where it begins belong to it.
fn go_on_with_address(fields: &mut Fields, placed: &[Placed], taken: &[bool]) {
    let Some(found) = fields.0.iter_mut().find(|found| found.field == Field::Address) else { return };
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
        found.value = Value::Text(found.text.clone());
        last = next;
    }
}

/// Values that the zone says are there and that no label led to, or a label led astray from.
fn look_for_zone(fields: &mut Fields, zone: &Mrz, lines: &[Line], context: &Context) {
    for seen in confirm::seek(zone, lines, context) {
        let (Agreement::Same | Agreement::Nearly { .. }) = seen.agreement else { continue };
        let Some(line) = seen.line.and_then(|at| lines.get(at)) else { continue };
        if let Some(found) = fields.get(seen.field)
            && confirm::agrees(found, zone, context)
        {
            continue;
        }
        let text = seen.seen.unwrap_or_else(|| line.text.clone());
        let label = Labelled { at: 0, field: seen.field, source: Source::Zone, rest: 0 };
        if let Some(found) = value::read(&label, &text, line, context) {
            fields.0.retain(|old| old.field != seen.field);
            fields.0.push(found);
        }
    }
}
