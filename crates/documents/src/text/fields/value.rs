//! What may be the value of which field.

use super::{Context, Found, Labelled, Value};
use crate::{
    mrz::Sex,
    text::{Line, dates, fold::fold, labels::Field, names},
};

/// How long a document may still be good, in years; some are for life and say 2099.
const YEARS_AHEAD: i16 = 80;
/// Characters of a value.
const LONGEST: usize = 160;

/// A field's value, when the text may be one.
pub(super) fn read(label: &Labelled, text: &str, line: &Line, context: &Context) -> Option<Found> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LONGEST {
        return None;
    }
    let mut latin = None;
    let (text, value) = match label.field {
        Field::BirthDate | Field::ExpiryDate | Field::IssueDate => {
            let hints = hints(label.field, context);
            let reading = dates::parse(text, &hints)
                .or_else(|| dates::find(text, &hints).first().map(|found| found.reading))?;
            (text.to_owned(), Value::Date(reading))
        }
        Field::Surname | Field::GivenNames | Field::FullName | Field::BirthPlace => {
            let name = names::clean(text)?;
            latin = names::latin(&name);
            (text.to_owned(), Value::Text(name))
        }
        Field::Nationality => {
            let name = names::clean(text).filter(|name| name.chars().count() >= 2)?;
            (text.to_owned(), Value::Text(name))
        }
        Field::Sex => (text.to_owned(), Value::Sex(sex(text)?)),
        Field::DocumentNumber => (text.to_owned(), Value::Text(number(text, context)?)),
        Field::Authority => {
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            let date = dates::parse(text, &hints(Field::IssueDate, context)).is_some();
            (letters >= 2 && !date).then(|| (text.to_owned(), Value::Text(text.to_owned())))?
        }
        Field::Address => {
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            (letters >= 3).then(|| (text.to_owned(), Value::Text(text.to_owned())))?
        }
    };
    Some(Found {
        field: label.field,
        text,
        value,
        latin,
        source: label.source,
        confidence: line.confidence,
        corners: line.corners,
    })
}

/// How dates of a field are read.
pub(in crate::text) fn hints<'a>(field: Field, context: &Context<'a>) -> dates::Hints<'a> {
    let ahead = if field == Field::ExpiryDate { YEARS_AHEAD } else { 0 };
    dates::Hints { country: context.country, latest_year: context.today.year().saturating_add(ahead) }
}

/// Letters and digits of a document's number, capitals; `None` where the text is none.
fn number(text: &str, context: &Context) -> Option<String> {
    let signs = |c: &char| matches!(c, ' ' | '-' | '.' | '/' | '№' | '°' | 'º' | ':');
    if dates::parse(text, &hints(Field::ExpiryDate, context)).is_some_and(|_| text.contains(['.', '/', ' ']))
        || !text.chars().all(|c| c.is_alphanumeric() || signs(&c))
    {
        return None;
    }
    let number: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect();
    let digits = number.chars().filter(char::is_ascii_digit).count();
    ((4..=24).contains(&number.chars().count()) && digits >= 2).then_some(number)
}

/// Sex as documents of many languages print it, in one language or in two.
fn sex(text: &str) -> Option<Sex> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).map(fold).filter(|word| !word.is_empty()).collect();
    if words.is_empty() || words.len() > 3 {
        return matches!(text.trim(), "<" | "-" | "–").then_some(Sex::Unspecified);
    }
    // Of two languages the international letter counts, which comes second.
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
