//! The fields of a document under one set of names, whether they come from the MRZ, a barcode or the printed text.

use serde::{Deserialize, Serialize};

/// A field, under the name that the interfaces use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldName {
    /// Given names and family name.
    FullName,
    GivenNames,
    FamilyName,
    /// `YYYY-MM-DD`.
    DateOfBirth,
    /// ISO 3166-1 alpha-3, or a code of ICAO 9303-3.
    Nationality,
    /// As printed.
    PlaceOfBirth,
    /// `MALE`, `FEMALE` or `UNSPECIFIED`.
    Gender,
    DocumentNumber,
    /// `YYYY-MM-DD`.
    ExpirationDate,
    /// `YYYY-MM-DD`.
    DateOfIssue,
    /// As printed; for a licence's barcode the name of the jurisdiction.
    IssuingAuthority,
    /// ISO 3166-1 alpha-3, or a code of ICAO 9303-3.
    IssuingCountry,
    /// As printed, lines separated by a line feed.
    Address,
}

/// The part of the document that a value was read from. Declared from the most reliable to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldSource {
    /// The machine-readable zone.
    Mrz,
    Barcode,
    /// The text that is printed for people.
    Text,
}

#[derive(Clone, PartialEq, Serialize)]
pub struct ExtractedField {
    pub name: FieldName,
    /// The value, in the format that its [`FieldName`] states.
    pub value: String,
    pub source: FieldSource,
    /// Probability that the value is right, 0 to 1.
    pub confidence: f32,
}

// The value is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for ExtractedField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Field({:?} from {:?}, {:.2})", self.name, self.source, self.confidence)
    }
}
