//! Checks whether a document is authentic, as measures with limits and reasons.
//!
//! These are consistency checks of what a camera saw: check digits, values that occur in two places, the order of
//! dates, the apparent age of a face. Holograms, inks, paper and chips are not checked, and a careful forger who keeps
//! everything consistent passes all checks. What could not be measured is left out and never reported as passed.

mod codes;
mod dates;
pub mod document_numbers;
mod edits;
mod portrait;
mod recapture;
mod source_agreement;

pub use dates::measure_in_date;
pub use portrait::{Portrait, PortraitComparison, measure_live_age};
pub use source_agreement::{ReadingAgreement, compare_sources};

use crate::{
    barcode::aamva::Licence, catalogue::DocumentType, field::ExtractedField, forensics, limit::Limit,
    mrz::reader::MrzReading, quality, text::cross_check::MrzCrossCheck, today::Today,
};

/// A check of authenticity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticityCheck {
    /// The check digits of the MRZ (ICAO 9303-3, 4.9).
    MrzCheckDigits,
    /// The codes and dates of the MRZ, and positions with characters that must not stand there.
    MrzFormat,
    /// The MRZ against the printed text.
    OcrMrzComparison,
    /// The barcode against the printed text.
    OcrBarcodeComparison,
    /// The MRZ against the barcode.
    SidesAgree,
    /// Whether the document has not expired.
    DocumentInDate,
    /// Whether the dates are possible in their order.
    DatesPossible,
    /// Whether the issuer's code is known, and not that of specimens.
    IssuingCountryKnown,
    /// Whether the issuing country issues documents of this type and form.
    CountryTypeConsistent,
    /// The document number against the format that its issuer publishes.
    DocNumberValidation,
    /// Whether the document shows a face.
    PortraitPresent,
    /// The apparent age of the portrait against the date of birth.
    PortraitAge,
    /// The portrait against a live face.
    PortraitMatch,
    /// The apparent age of the live face against the date of birth.
    SelfieAge,
    /// Whether the photos are free of the pixel grid of a display and of its moiré.
    NoScreenGrid,
    /// Whether the photos are free of the dark frame of a display.
    NoScreenBezel,
    /// Whether the pages have colours of their own, unlike copies.
    NoPhotocopy,
    /// Whether the camera's noise lies over all of the page.
    NoiseEven,
    /// Whether all of the page has gone through the same compression.
    CompressionEven,
    /// Whether no two pieces of print are the same to the pixel.
    NoCopiedRegion,
    /// Whether characters stand on their lines.
    PrintEven,
    /// Whether the portrait's edge is no sharper than the print.
    PortraitEdgeSoft,
}

/// The verdict of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticityVerdict {
    /// Within the limit.
    Pass,
    /// Beyond the limit, but not reliable enough to decide alone: a person should look.
    Doubt,
    /// Beyond the limit.
    Fail,
}

/// A measured number with its limit, verdict and reason.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthenticityMeasure {
    pub check: AuthenticityCheck,
    /// The number, in the unit of the limit.
    pub value: f32,
    pub limit: Limit,
    pub verdict: AuthenticityVerdict,
    /// In words; contains nothing that is written on the document.
    pub reason: String,
}

impl AuthenticityMeasure {
    /// A measure that passes within its limit and has the verdict `beyond` otherwise.
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

    /// A measure that counts faults and passes without any. The reason lists the faults, or is `right` where there are
    /// none.
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

/// Everything that is known about a document, to be checked for consistency.
#[derive(Clone, Copy, Debug)]
pub struct DocumentEvidence<'a> {
    pub today: Today,
    pub kind: Option<DocumentType>,
    /// The issuer's code: ISO 3166-1 alpha-3, or ICAO.
    pub issuer: Option<&'a str>,
    pub zone: Option<&'a MrzReading>,
    /// The content of its barcode.
    pub licence: Option<&'a Licence>,
    /// Every value that was read, with its source.
    pub fields: &'a [ExtractedField],
    /// How the values of the MRZ compare with the printed text.
    pub confirmed: &'a [MrzCrossCheck],
    pub portrait: Option<&'a Portrait>,
    /// The quality measures of each photo; empty for pages that were never photographed.
    pub photos: &'a [Vec<quality::QualityMeasure>],
    /// The traces of editing that were measured, of all photos.
    pub traces: &'a [forensics::TraceMeasure],
}

/// All measures that can be made of a document, in the order of [`AuthenticityCheck`].
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
    measures.extend(edits::measure(evidence));
    measures
}

/// Splits a name in camel case into words: `DateOfBirth` gives `date of birth`.
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
