//! The fields of a form, and the values that a person typed.

use crate::AgeMethodError;
use base::Secret;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// No form has more fields; a larger object is refused.
const MAX_FIELDS: usize = 16;
const MAX_VALUE_CHARS: usize = 200;

/// A form field as the hosted page receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FormField {
    /// The key under which the page sends the value.
    pub name: &'static str,
    #[serde(rename = "type")]
    pub kind: FormFieldKind,
    /// Value of HTML's `autocomplete` attribute.
    pub autocomplete: &'static str,
    pub required: bool,
    /// Maximum length in characters.
    pub max: u16,
}

/// The type of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FormFieldKind {
    Text,
    Tel,
    Email,
    /// Digits; blanks and hyphens are allowed between them.
    Digits,
    /// A date, `YYYY-MM-DD`.
    Date,
}

impl FormField {
    pub const PHONE: Self = Self::new("phone", FormFieldKind::Tel, "tel", 24);

    pub(crate) const fn new(
        name: &'static str,
        kind: FormFieldKind,
        autocomplete: &'static str,
        max: u16,
    ) -> Self {
        Self { name, kind, autocomplete, required: true, max }
    }
}

/// The values that a person typed, by field name: at most 16 values of at most 200 characters. Wiped when dropped, and
/// never printed.
#[derive(Default)]
pub struct FormValues(BTreeMap<String, Secret<String>>);

impl FormValues {
    /// The trimmed value of a field. An empty or missing one is reported as required; one that is too long or has
    /// control characters as invalid.
    pub fn text(&self, name: &'static str) -> Result<&str, AgeMethodError> {
        let text = self.0.get(name).map_or("", |value| value.expose().trim());
        match text.chars().count() {
            0 => Err(AgeMethodError::required(name)),
            1..=MAX_VALUE_CHARS if !text.chars().any(char::is_control) => Ok(text),
            _ => Err(AgeMethodError::invalid(name)),
        }
    }
}

impl<'de> Deserialize<'de> for FormValues {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let values = BTreeMap::<String, Secret<String>>::deserialize(from)?;
        if values.len() > MAX_FIELDS {
            return Err(serde::de::Error::custom("more fields than any form has"));
        }
        Ok(Self(values))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for FormValues {
    fn from(values: [(&str, &str); N]) -> Self {
        Self(values.map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned()))).into())
    }
}

impl fmt::Debug for FormValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fields({} values)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_there_and_short() {
        let long = "x".repeat(201);
        let fields = FormValues::from([("a", " b "), ("blank", "  "), ("long", &long), ("line", "a\nb")]);
        assert_eq!(fields.text("a"), Ok("b"));
        assert_eq!(fields.text("blank"), Err(AgeMethodError::required("blank")));
        assert_eq!(fields.text("none"), Err(AgeMethodError::required("none")));
        assert_eq!(fields.text("long"), Err(AgeMethodError::invalid("long")));
        assert_eq!(fields.text("line"), Err(AgeMethodError::invalid("line")));
        assert_eq!(format!("{fields:?}"), "Fields(4 values)");
    }

    #[test]
    fn a_form_has_few_fields() {
        let of = |count: usize| {
            let values: BTreeMap<_, _> = (0..count).map(|n| (n.to_string(), "x")).collect();
            serde_json::from_value::<FormValues>(serde_json::json!(values))
        };
        assert!(of(16).is_ok());
        assert!(of(17).is_err());
        assert!(serde_json::from_str::<FormValues>(r#"{"a":1}"#).is_err());
    }

    #[test]
    fn a_field_is_told_as_the_page_reads_it() {
        let field = FormField::new("number", FormFieldKind::Digits, "cc-number", 23);
        let told = serde_json::json!(
            {"name": "number", "type": "digits", "autocomplete": "cc-number", "required": true, "max": 23}
        );
        assert_eq!(serde_json::to_value(field).unwrap(), told);
    }
}
