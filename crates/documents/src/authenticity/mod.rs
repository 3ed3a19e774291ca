//! What speaks for and against a document being what it seems, as numbers with limits and reasons.
//!
//! These are consistency checks of what a camera saw: digits that must agree, words that must be the same in two places,
//! days that must follow each other, a face that must have an age. None looks at holograms, inks, paper or chips, and a
//! careful forger who keeps everything consistent passes all of them. What could not be measured is left out, and is
//! never reported as passed.

mod codes;
mod dates;
pub mod document_numbers;
mod portrait;
mod recapture;
mod source_agreement;

pub use portrait::{Portrait, PortraitComparison, measure_live_age};
pub use source_agreement::{ReadingAgreement, compare_sources};

use crate::{
    barcode::aamva::Licence, catalogue::DocumentType, field::ExtractedField, limit::Limit,
    mrz::reader::MrzReading, quality, text::cross_check::MrzCrossCheck,
};
use jiff::civil::Date;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticityCheck {
    /// The check digits of the machine readable zone (ICAO 9303-3 §4.9).
    MrzCheckDigits,
    /// Codes and dates of the zone, and places that hold what they must not.
    MrzFormat,
    /// The zone against what is printed for people.
    OcrMrzComparison,
    /// The barcode against what is printed for people.
    OcrBarcodeComparison,
    /// The zone, or the barcode, or the print of one side against that of another.
    SidesAgree,
    /// Whether it is still good.
    DocumentInDate,
    /// Whether its days can follow each other as they do.
    DatesPossible,
    /// Whether a state issues under this code.
    IssuingCountryKnown,
    /// Whether that country issues such a document, in this form.
    CountryTypeConsistent,
    /// Its number against the form that its issuer publishes.
    DocNumberValidation,
    /// Whether there is a face on it.
    PortraitPresent,
    /// The age that the portrait seems to have against the date of birth.
    PortraitAge,
    /// The portrait against a live face.
    PortraitMatch,
    /// The age that the live face seems to have against the date of birth.
    SelfieAge,
    /// The grid of a display, or what it becomes before a camera.
    NoScreenGrid,
    /// The dark frame of a display.
    NoScreenBezel,
    /// The missing colours of a copy.
    NoPhotocopy,
}

/// What a measure comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticityVerdict {
    /// Within its limit.
    Pass,
    /// Beyond its limit, and not sure enough to decide anything alone: somebody should look.
    Doubt,
    /// Beyond its limit.
    Fail,
}

/// A number, its limit, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthenticityMeasure {
    /// What was measured.
    pub check: AuthenticityCheck,
    /// The number, in the unit of the limit.
    pub value: f32,
    /// What it is held to.
    pub limit: Limit,
    /// What it comes to.
    pub verdict: AuthenticityVerdict,
    /// In words, without anything that is written on the document.
    pub reason: String,
}

impl AuthenticityMeasure {
    /// A measure that passes within its limit and is `beyond` it otherwise.
    fn new(
        check: AuthenticityCheck,
        value: f32,
        limit: Limit,
        beyond: AuthenticityVerdict,
        reason: impl Into<String>,
    ) -> Self {
        let verdict = if limit.is_broken(value) { beyond } else { AuthenticityVerdict::Pass };
        Self { check, value, limit, verdict, reason: reason.into() }
    }

    /// Nothing may be found that is wrong: the number is how much was.
    fn none_expected(
        check: AuthenticityCheck,
        unit: &'static str,
        wrong: &[String],
        beyond: AuthenticityVerdict,
        right: &str,
    ) -> Self {
        let reason = if wrong.is_empty() { right.to_owned() } else { wrong.join("; ") };
        Self::new(check, wrong.len() as f32, Limit::AtMost(0.0, unit), beyond, reason)
    }
}

/// Everything that is known of a document, to be held against itself.
#[derive(Clone, Copy, Debug)]
pub struct DocumentEvidence<'a> {
    /// The day.
    pub today: Date,
    /// What it is.
    pub kind: Option<DocumentType>,
    /// Who issued it: the ISO 3166-1 alpha-3 code, or ICAO's.
    pub issuer: Option<&'a str>,
    /// Its machine readable zone.
    pub zone: Option<&'a MrzReading>,
    /// What its barcode says.
    pub licence: Option<&'a Licence>,
    /// Everything that was read, with its source.
    pub fields: &'a [ExtractedField],
    /// What became of the zone's values in the print.
    pub confirmed: &'a [MrzCrossCheck],
    /// The face on it.
    pub portrait: Option<&'a Portrait>,
    /// What was measured of each side's photo; nothing for pages that were never photographed.
    pub photos: &'a [Vec<quality::QualityMeasure>],
}

/// All measures that can be made, in the order of [`AuthenticityCheck`].
pub fn measure(evidence: &DocumentEvidence<'_>) -> Vec<AuthenticityMeasure> {
    let mut measures = Vec::new();
    if let Some(zone) = evidence.zone {
        measures.extend([codes::check_digits(zone), codes::mrz_format(zone)]);
    }
    measures.extend(source_agreement::measure(evidence.fields, evidence.confirmed));
    measures.extend(dates::measure(evidence));
    measures.extend(codes::measure(evidence));
    measures.extend(evidence.portrait.map_or_else(Vec::new, |portrait| portrait.measure(evidence)));
    measures.extend(recapture::measure(evidence));
    measures
}

/// `DateOfBirth` as `date of birth`.
fn words(name: &impl std::fmt::Debug) -> String {
    let mut out = String::new();
    for letter in format!("{name:?}").chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
