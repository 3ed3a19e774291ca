//! What was read of a document, whatever read it: one vocabulary for the zone, the barcode and the print.

use serde::{Deserialize, Serialize};

/// A field, by the name that interfaces give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldName {
    /// Given names and family name.
    FullName,
    /// Given names.
    GivenNames,
    /// Family name.
    FamilyName,
    /// `YYYY-MM-DD`.
    DateOfBirth,
    /// ISO 3166-1 alpha-3, or ICAO's code.
    Nationality,
    /// As printed.
    PlaceOfBirth,
    /// `MALE`, `FEMALE` or `UNSPECIFIED`.
    Gender,
    /// Number of the document.
    DocumentNumber,
    /// `YYYY-MM-DD`.
    ExpirationDate,
    /// `YYYY-MM-DD`.
    DateOfIssue,
    /// As printed.
    IssuingAuthority,
    /// ISO 3166-1 alpha-3, or ICAO's code.
    IssuingCountry,
    /// As printed, lines joined by a line feed.
    Address,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldSource {
    /// The machine readable zone.
    Mrz,
    /// A barcode.
    Barcode,
    /// What is printed for people.
    Text,
}

/// A value that was read.
#[derive(Clone, PartialEq, Serialize)]
pub struct ExtractedField {
    /// Which.
    pub name: FieldName,
    /// What it says, in the form that [`FieldName`] states.
    pub value: String,
    /// Where it comes from.
    pub source: FieldSource,
    /// How probable it is right, 0 to 1.
    pub confidence: f32,
}

// It is about a person, and must not reach a log by way of `{:?}`.
impl std::fmt::Debug for ExtractedField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Field({:?} from {:?}, {:.2})", self.name, self.source, self.confidence)
    }
}
