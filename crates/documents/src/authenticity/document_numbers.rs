//! The formats of document numbers, as far as issuers publish them, from `numbers.toml`, which is compiled in.

use crate::catalogue::DocumentType;
use regex::Regex;
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberFormatsFile {
    number: Vec<NumberFormatRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberFormatRow {
    code: String,
    #[serde(rename = "type")]
    kind: DocumentType,
    form: String,
}

struct CompiledNumberFormat {
    row: NumberFormatRow,
    whole: Regex,
}

static NUMBER_FORMATS: LazyLock<Vec<CompiledNumberFormat>> = LazyLock::new(|| {
    let file: NumberFormatsFile = toml::from_str(include_str!("numbers.toml"))
        .expect("the file compiled in is in form: a test reads it");
    let whole = |row: &NumberFormatRow| {
        Regex::new(&format!("^(?:{})$", row.form))
            .expect("every form compiled in is an expression: a test reads them")
    };
    file.number.into_iter().map(|row| CompiledNumberFormat { whole: whole(&row), row }).collect()
});

/// Whether a number has the format of its issuer; `None` where no format is known. `country` is an ISO 3166-1 alpha-3
/// code, `jurisdiction` the state of a driving licence.
pub fn matches_issuer_format(
    country: &str,
    jurisdiction: Option<&str>,
    kind: DocumentType,
    number: &str,
) -> Option<bool> {
    let code = match jurisdiction.filter(|_| kind == DocumentType::DrivingLicence) {
        Some(state) => format!("{country}/{state}"),
        None => country.to_owned(),
    };
    let form = NUMBER_FORMATS.iter().find(|form| form.row.code == code && form.row.kind == kind)?;
    let bare: String = number.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    Some(form.whole.is_match(&bare.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{barcode::aamva::issuers, countries};

    #[test]
    fn every_row_names_an_issuer_and_no_issuer_twice() {
        for (at, form) in NUMBER_FORMATS.iter().enumerate() {
            let row = &form.row;
            match row.code.split_once('/') {
                Some((country, state)) => {
                    assert!(issuers::find_code(country, state).is_some(), "{}", row.code);
                    assert_eq!(row.kind, DocumentType::DrivingLicence);
                }
                None => assert!(countries::find_iso(&row.code).is_some(), "{}", row.code),
            }
            let again =
                |other: &CompiledNumberFormat| other.row.code == row.code && other.row.kind == row.kind;
            assert!(!NUMBER_FORMATS[..at].iter().any(again), "{} {:?} is there twice", row.code, row.kind);
        }
    }

    #[test]
    fn numbers_are_held_to_their_issuers_form() {
        use DocumentType::{DrivingLicence, NationalId, Passport};
        assert_eq!(matches_issuer_format("DEU", None, Passport, "C01X00T47"), Some(true));
        assert_eq!(matches_issuer_format("DEU", None, Passport, "A01X00T47"), Some(false));
        assert_eq!(
            matches_issuer_format("DEU", None, NationalId, "T220001293"),
            Some(false),
            "ten characters"
        );
        assert_eq!(matches_issuer_format("GBR", None, Passport, "707797979"), Some(true));
        assert_eq!(matches_issuer_format("USA", Some("CA"), DrivingLicence, "d123 4567"), Some(true));
        assert_eq!(matches_issuer_format("USA", Some("WY"), DrivingLicence, "1"), None, "no form is known");
        assert_eq!(matches_issuer_format("USA", None, DrivingLicence, "1"), None);
    }
}
