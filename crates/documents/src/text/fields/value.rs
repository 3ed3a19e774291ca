//! Parses the values of fields.

use super::{FieldContext, LabelledLine, MIN_ADDRESS_LETTERS, PrintedField, PrintedValue};
use crate::{
    mrz::{Sex, YearWindow},
    text::{TextLine, dates, label_dictionary::PrintedFieldKind, names, normalise::normalise},
};

/// Longest value.
const MAX_VALUE_CHARS: usize = 160;

/// Parses the value of a field; `None` where the text cannot be one.
pub(super) fn parse_value(
    label: &LabelledLine,
    text: &str,
    line: &TextLine,
    context: &FieldContext,
) -> Option<PrintedField> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_VALUE_CHARS {
        return None;
    }
    let mut latin = None;
    let (text, value) = match label.field {
        PrintedFieldKind::BirthDate | PrintedFieldKind::ExpiryDate | PrintedFieldKind::IssueDate => {
            let hints = date_hints(label.field, context);
            let reading = dates::parse(text, &hints)
                .or_else(|| dates::find(text, &hints).first().map(|found| found.reading))?;
            (text.to_owned(), PrintedValue::Date(reading))
        }
        PrintedFieldKind::Surname
        | PrintedFieldKind::GivenNames
        | PrintedFieldKind::FullName
        | PrintedFieldKind::BirthPlace => {
            let name = names::clean_name(text)?;
            latin = names::transliterate_name(&name);
            (text.to_owned(), PrintedValue::Text(name))
        }
        PrintedFieldKind::Nationality => {
            let name = names::clean_name(text).filter(|name| name.chars().count() >= 2)?;
            (text.to_owned(), PrintedValue::Text(name))
        }
        PrintedFieldKind::Sex => (text.to_owned(), PrintedValue::Sex(parse_sex(text)?)),
        PrintedFieldKind::DocumentNumber => {
            (text.to_owned(), PrintedValue::Text(parse_number(text, context)?))
        }
        PrintedFieldKind::Authority => {
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            let date = dates::parse(text, &date_hints(PrintedFieldKind::IssueDate, context)).is_some();
            (letters >= 2 && !date).then(|| (text.to_owned(), PrintedValue::Text(text.to_owned())))?
        }
        PrintedFieldKind::Address => {
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            (letters >= MIN_ADDRESS_LETTERS)
                .then(|| (text.to_owned(), PrintedValue::Text(text.to_owned())))?
        }
    };
    Some(PrintedField {
        field: label.field,
        text,
        value,
        latin,
        source: label.source,
        confidence: line.confidence,
        corners: line.corners,
    })
}

/// The hints for reading the dates of a field.
pub(in crate::text) fn date_hints<'a>(
    field: PrintedFieldKind,
    context: &FieldContext<'a>,
) -> dates::DateHints<'a> {
    let window = if field == PrintedFieldKind::ExpiryDate { YearWindow::Expiry } else { YearWindow::Past };
    dates::DateHints { country: context.country, window, today: context.today }
}

/// The letters and digits of a document number, in capitals; `None` where the text is not one.
fn parse_number(text: &str, context: &FieldContext) -> Option<String> {
    let signs = |c: &char| matches!(c, ' ' | '-' | '.' | '/' | '№' | '°' | 'º' | ':');
    if dates::parse(text, &date_hints(PrintedFieldKind::ExpiryDate, context))
        .is_some_and(|_| text.contains(['.', '/', ' ']))
        || !text.chars().all(|c| c.is_alphanumeric() || signs(&c))
    {
        return None;
    }
    let number: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect();
    let digits = number.chars().filter(char::is_ascii_digit).count();
    ((4..=24).contains(&number.chars().count()) && digits >= 2).then_some(number)
}

/// Parses the sex in one or two languages.
fn parse_sex(text: &str) -> Option<Sex> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).map(normalise).filter(|word| !word.is_empty()).collect();
    if words.is_empty() || words.len() > 3 {
        return matches!(text.trim(), "<" | "-" | "–").then_some(Sex::Unspecified);
    }
    // Of two languages the second is the international one, so its letter counts.
    let letters = words.iter().rev().find_map(|word| match word.as_str() {
        "m" | "μ" => Some(Sex::Male),
        "f" => Some(Sex::Female),
        "x" => Some(Sex::Unspecified),
        _ => None,
    });
    letters.or_else(|| {
        words.iter().find_map(|word| match word.as_str() {
            "male" | "man" | "masculin" | "masculino" | "maschile" | "mannlich" | "mannelijk"
            | "mezczyzna" | "muz" | "ferfi" | "erkek" | "mies" | "mand" | "mann" | "м" | "муж"
            | "мужскои" | "ч" | "чоловік" | "мъж" | "h" | "homme" | "hombre" | "e" | "αρρεν" | "α" => {
                Some(Sex::Male)
            }
            "female" | "woman" | "feminin" | "femenino" | "feminino" | "femminile" | "weiblich"
            | "vrouwelijk" | "vrouw" | "kobieta" | "zena" | "no" | "kadin" | "nainen" | "kvinde"
            | "kvinne" | "kvinna" | "w" | "k" | "ж" | "жен" | "женскии" | "жінка" | "жена" | "femme"
            | "mujer" | "θηλυ" | "θ" => Some(Sex::Female),
            _ => None,
        })
    })
}
