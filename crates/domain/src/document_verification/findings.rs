//! What was read and measured of a document, kept with its resource so that checks need not read it again.

use super::{
    document_fields::{DocumentFields, MachineReadableZone, StructuredPostalAddress},
    restrictions::{DocumentRestrictions, document_type_name},
    session::{SuppliedResource, TaskNextStep},
    types::{TaskAdvice, TaskAdviceReason},
};
use base::MediaId;
use documents::{
    authenticity::{AuthenticityCheck, AuthenticityVerdict},
    catalogue::{self, DocumentBarcode, DocumentType, IcaoMrzType},
    field::{FieldName, FieldSource},
    quality::PhotoFault,
    reading::DocumentReading,
};
use serde::{Deserialize, Serialize};

/// Everything that was found. Kept as JSON: add members with defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentFindings {
    /// What was read, in order.
    pub of: Vec<MediaId>,
    /// Whether it is a document.
    pub document: bool,
    /// What it says it is.
    pub kind: Option<DocumentType>,
    /// Who it says issued it, ISO 3166-1 alpha-3 or ICAO's code.
    pub issuer: Option<String>,
    /// What it says.
    pub fields: Vec<StoredField>,
    /// The lines of its zone, and its format.
    pub zone: Option<(String, Vec<String>)>,
    /// Whether a barcode of a licence was read.
    pub licence: bool,
    /// What is wrong with its photos, the worst first.
    pub faults: Vec<String>,
    /// What speaks for and against it.
    pub measures: Vec<StoredMeasure>,
    /// Whose face is on it.
    pub portrait: Option<StoredPortrait>,
    /// What a letter says.
    pub letter: Option<DocumentFields>,
}

/// A field that was read.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredField {
    /// Which.
    pub name: FieldName,
    /// What it says.
    pub value: String,
    /// Where.
    pub source: FieldSource,
    /// How surely, 0 to 1.
    pub confidence: f32,
}

// It is about a person, and must not reach a log by way of `{:?}`.
impl std::fmt::Debug for StoredField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Field({:?} from {:?})", self.name, self.source)
    }
}

/// A number, its limit and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredMeasure {
    /// What was measured.
    pub check: AuthenticityCheck,
    /// The number.
    pub value: f32,
    /// Its limit, in words.
    pub limit: String,
    /// What it comes to.
    pub verdict: AuthenticityVerdict,
    /// Why, without anything that is written on the document.
    pub reason: String,
}

/// The face on a document.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPortrait {
    /// Who it is, in the space of the pack's model.
    pub embedding: Vec<f32>,
    /// The digest of that space.
    pub space: String,
}

// A template of a face must not reach a log.
impl std::fmt::Debug for StoredPortrait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Portrait")
    }
}

impl DocumentFindings {
    /// What a reading of these media came to; `space` is that of the embeddings.
    pub(super) fn of(reading: &DocumentReading, of: Vec<MediaId>, space: String) -> Self {
        let mut faults = Vec::new();
        for fault in PhotoFault::ALL {
            let broken =
                |measure: &documents::quality::QualityMeasure| measure.fault == fault && measure.is_broken();
            if reading.sides.iter().flat_map(|side| &side.quality).any(broken) {
                faults.push(fault_code(fault).to_owned());
            }
        }
        let zone = reading.zone.as_ref().map(|zone| {
            let format =
                serde_json::to_value(zone.format).ok().and_then(|word| word.as_str().map(str::to_owned));
            (format.unwrap_or_default(), zone.lines.clone())
        });
        let measures = reading.measures.iter().map(|measure| StoredMeasure {
            check: measure.check,
            value: measure.value,
            limit: measure.limit.to_string(),
            verdict: measure.verdict,
            reason: measure.reason.clone(),
        });
        let fields = reading.fields.iter().map(|field| StoredField {
            name: field.name,
            value: field.value.clone(),
            source: field.source,
            confidence: field.confidence,
        });
        Self {
            of,
            document: reading.is_document(),
            kind: reading.kind,
            issuer: reading.issuer.clone(),
            fields: fields.collect(),
            zone,
            licence: reading.licence.is_some(),
            faults,
            measures: measures.collect(),
            portrait: reading
                .portrait
                .as_ref()
                .map(|portrait| StoredPortrait { embedding: portrait.embedding.clone(), space }),
            letter: reading.supplementary.as_ref().map(letter_fields),
        }
    }

    /// The surest value of a field: the zone's before the barcode's before the print's.
    pub fn field(&self, name: FieldName) -> Option<&str> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.as_str())
    }

    /// A measure.
    pub fn measure(&self, check: AuthenticityCheck) -> Option<&StoredMeasure> {
        self.measures.iter().find(|measure| measure.check == check)
    }

    /// Whether a side is missing without which the document cannot be read: the one with its zone or its barcode.
    fn is_missing_side(&self, country: &str, kind: DocumentType) -> bool {
        let Some(document) = catalogue::find_document(country, kind) else { return false };
        let back = matches!(document.zone, Some(IcaoMrzType::Td1))
            || document.barcode == Some(DocumentBarcode::Pdf417);
        back && self.of.len() < 2 && self.zone.is_none() && !self.licence
    }

    /// What cannot be used of it for what it was said to be, in one word.
    pub(super) fn rejection_reason(
        &self,
        resource: &SuppliedResource,
        filter: &DocumentRestrictions,
    ) -> Option<&'static str> {
        let (kind, country) = (resource.document_type?, resource.issuing_country.as_deref()?);
        if self.is_missing_side(country, kind) {
            return Some("MISSING_DOCUMENT_SIDE");
        }
        if !self.document {
            return Some("NO_DOCUMENT");
        }
        if self.kind.is_some_and(|read| read != kind) {
            return Some("INCORRECT_DOCUMENT_TYPE");
        }
        let read = self.issuer.as_deref().unwrap_or(country);
        if catalogue::find(read).is_none() {
            return Some("COUNTRY_NOT_SUPPORTED");
        }
        (!filter.allows_type(read, kind)).then_some("DOCUMENT_NOT_SUPPORTED")
    }

    /// What the person should do about an identity document.
    pub(super) fn next_step(
        &self,
        resource: &SuppliedResource,
        filter: &DocumentRestrictions,
    ) -> TaskNextStep {
        let fault = self.faults.first();
        match self.rejection_reason(resource, filter) {
            Some("NO_DOCUMENT") => {
                let detail = fault.map_or("NO_DOCUMENT", String::as_str);
                TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::Quality, detail)
            }
            Some(detail) => {
                TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::UserError, detail)
            }
            None if self.field(FieldName::FullName).is_none()
                || self.field(FieldName::DateOfBirth).is_none() =>
            {
                let detail = fault.map_or("PHOTO_TOO_BLURRY", String::as_str);
                TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::Quality, detail)
            }
            None => {
                // A fault of the photo matters where something could not be relied on because of it.
                let doubtful = [
                    AuthenticityCheck::MrzCheckDigits,
                    AuthenticityCheck::OcrMrzComparison,
                    AuthenticityCheck::OcrBarcodeComparison,
                ]
                .into_iter()
                .any(|check| {
                    self.measure(check).is_some_and(|measure| measure.verdict != AuthenticityVerdict::Pass)
                });
                match fault {
                    Some(fault) if doubtful => {
                        TaskNextStep::try_again(TaskAdvice::ShouldTryAgain, TaskAdviceReason::Quality, fault)
                    }
                    _ => TaskNextStep::progress(),
                }
            }
        }
    }

    /// What the person should do about a letter.
    pub(super) fn letter_next_step(&self) -> TaskNextStep {
        if self.letter.is_some() && self.document {
            return TaskNextStep::progress();
        }
        let detail = self.faults.first().map_or("NO_DOCUMENT", String::as_str);
        TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::Quality, detail)
    }

    /// What an identity document says (docs/adr/0005-document-verification.md).
    pub(super) fn document_fields(&self) -> DocumentFields {
        let field = |name| self.field(name).map(str::to_owned);
        DocumentFields {
            full_name: field(FieldName::FullName),
            given_names: field(FieldName::GivenNames),
            family_name: field(FieldName::FamilyName),
            date_of_birth: field(FieldName::DateOfBirth),
            nationality: field(FieldName::Nationality),
            place_of_birth: field(FieldName::PlaceOfBirth),
            gender: field(FieldName::Gender),
            document_number: field(FieldName::DocumentNumber),
            expiration_date: field(FieldName::ExpirationDate),
            date_of_issue: field(FieldName::DateOfIssue),
            issuing_authority: field(FieldName::IssuingAuthority),
            document_type: self.kind.map(|kind| document_type_name(kind).to_owned()),
            issuing_country: self.issuer.clone(),
            mrz: self.zone.as_ref().map(|(format, lines)| MachineReadableZone::new(format, lines)),
            structured_postal_address: self.field(FieldName::Address).map(|address| {
                StructuredPostalAddress {
                    formatted_address: address.to_owned(),
                    ..StructuredPostalAddress::of_lines(address.lines())
                }
            }),
            organisation: None,
        }
    }
}

/// What a letter says.
fn letter_fields(letter: &documents::supplementary::SupplementaryReading) -> DocumentFields {
    let date_of_issue = match letter.date_of_issue.as_ref().map(|part| &part.value) {
        Some(documents::text::dates::DateReading::Certain(date)) => Some(date.to_string()),
        _ => None,
    };
    let address = letter.structured_postal_address.as_ref().map(|part| &part.value);
    let address = address.map(|address| StructuredPostalAddress {
        postal_code: address.postal_code.clone(),
        town_city: address.town.clone(),
        state: address.region.clone(),
        country_iso: address.country.map(str::to_owned),
        ..StructuredPostalAddress::of_lines(address.lines.iter().map(String::as_str))
    });
    DocumentFields {
        full_name: letter.full_name.as_ref().map(|name| name.value.clone()),
        structured_postal_address: address,
        date_of_issue,
        organisation: letter.organisation.as_ref().map(|organisation| organisation.value.clone()),
        ..DocumentFields::default()
    }
}

/// A fault of a photo in the words of the interface (docs/adr/0005-document-verification.md).
fn fault_code(fault: PhotoFault) -> &'static str {
    match fault {
        PhotoFault::Partial => "PARTIAL_PHOTO",
        PhotoFault::TooSmall => "IMAGE_RESOLUTION_TOO_LOW",
        PhotoFault::TooDark => "PHOTO_TOO_DARK",
        PhotoFault::Overexposed => "PHOTO_OVEREXPOSED",
        PhotoFault::Glare => "GLARE_OBSTRUCTION",
        PhotoFault::Blurred => "PHOTO_TOO_BLURRY",
        PhotoFault::BlackAndWhite => "BLACK_AND_WHITE_PHOTO",
        PhotoFault::Screen | PhotoFault::Bezel => "PHOTO_OF_SCREEN",
        PhotoFault::Photocopy => "PHOTO_OF_COPY",
    }
}
