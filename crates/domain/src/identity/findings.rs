//! What was read and measured of a document, kept with its resource so that checks need not read it again.

use super::{
    document_fields::{DocumentFields, MachineReadableZone, StructuredPostalAddress},
    filter::{Filter, type_word},
    session::{Next, Resource},
    words::{TaskAdvice, TaskAdviceReason},
};
use base::MediaId;
use documents::{
    authenticity::{Check, Verdict},
    catalogue::{self, Code, DocumentType, Zone},
    field::{Name, Source},
    quality::Fault,
    reading::Reading,
};
use serde::{Deserialize, Serialize};

/// Everything that was found. Kept as JSON: add members with defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// What was read, in order.
    pub of: Vec<MediaId>,
    /// Whether it is a document.
    pub document: bool,
    /// What it says it is.
    pub kind: Option<DocumentType>,
    /// Who it says issued it, ISO 3166-1 alpha-3 or ICAO's code.
    pub issuer: Option<String>,
    /// What it says.
    pub fields: Vec<Field>,
    /// The lines of its zone, and its format.
    pub zone: Option<(String, Vec<String>)>,
    /// Whether a barcode of a licence was read.
    pub licence: bool,
    /// What is wrong with its photos, the worst first.
    pub faults: Vec<String>,
    /// What speaks for and against it.
    pub measures: Vec<Measured>,
    /// Whose face is on it.
    pub portrait: Option<Portrait>,
    /// What a letter says.
    pub letter: Option<DocumentFields>,
}

/// A field that was read.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Which.
    pub name: Name,
    /// What it says.
    pub value: String,
    /// Where.
    pub source: Source,
    /// How surely, 0 to 1.
    pub confidence: f32,
}

// It is about a person, and must not reach a log by way of `{:?}`.
impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Field({:?} from {:?})", self.name, self.source)
    }
}

/// A number, its limit and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What was measured.
    pub check: Check,
    /// The number.
    pub value: f32,
    /// Its limit, in words.
    pub limit: String,
    /// What it comes to.
    pub verdict: Verdict,
    /// Why, without anything that is written on the document.
    pub reason: String,
}

/// The face on a document.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Portrait {
    /// Who it is, in the space of the pack's model.
    pub embedding: Vec<f32>,
    /// The digest of that space.
    pub space: String,
}

// A template of a face must not reach a log.
impl std::fmt::Debug for Portrait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Portrait")
    }
}

impl Findings {
    /// What a reading of these media came to; `space` is that of the embeddings.
    pub(super) fn of(reading: &Reading, of: Vec<MediaId>, space: String) -> Self {
        let mut faults = Vec::new();
        for fault in Fault::ALL {
            let broken =
                |measure: &documents::quality::Measure| measure.fault == fault && measure.is_broken();
            if reading.sides.iter().flat_map(|side| &side.quality).any(broken) {
                faults.push(fault_word(fault).to_owned());
            }
        }
        let zone = reading.zone.as_ref().map(|zone| {
            let format =
                serde_json::to_value(zone.format).ok().and_then(|word| word.as_str().map(str::to_owned));
            (format.unwrap_or_default(), zone.lines.clone())
        });
        let measures = reading.measures.iter().map(|measure| Measured {
            check: measure.check,
            value: measure.value,
            limit: measure.limit.to_string(),
            verdict: measure.verdict,
            reason: measure.reason.clone(),
        });
        let fields = reading.fields.iter().map(|field| Field {
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
                .map(|portrait| Portrait { embedding: portrait.embedding.clone(), space }),
            letter: reading.supplementary.as_ref().map(letter),
        }
    }

    /// The surest value of a field: the zone's before the barcode's before the print's.
    pub fn field(&self, name: Name) -> Option<&str> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.as_str())
    }

    /// A measure.
    pub fn measure(&self, check: Check) -> Option<&Measured> {
        self.measures.iter().find(|measure| measure.check == check)
    }

    /// Whether a side is missing without which the document cannot be read: the one with its zone or its barcode.
    fn lacks_side(&self, country: &str, kind: DocumentType) -> bool {
        let Some(document) = catalogue::find_document(country, kind) else { return false };
        let back = matches!(document.zone, Some(Zone::Td1)) || document.barcode == Some(Code::Pdf417);
        back && self.of.len() < 2 && self.zone.is_none() && !self.licence
    }

    /// What cannot be used of it for what it was said to be, in one word.
    pub(super) fn unusable(&self, resource: &Resource, filter: &Filter) -> Option<&'static str> {
        let (kind, country) = (resource.document_type?, resource.issuing_country.as_deref()?);
        if self.lacks_side(country, kind) {
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
        (!filter.admits(read, kind)).then_some("DOCUMENT_NOT_SUPPORTED")
    }

    /// What the person should do about an identity document.
    pub(super) fn next(&self, resource: &Resource, filter: &Filter) -> Next {
        let fault = self.faults.first();
        match self.unusable(resource, filter) {
            Some("NO_DOCUMENT") => {
                let detail = fault.map_or("NO_DOCUMENT", String::as_str);
                Next::again(TaskAdvice::Must, TaskAdviceReason::Quality, detail)
            }
            Some(detail) => Next::again(TaskAdvice::Must, TaskAdviceReason::UserError, detail),
            None if self.field(Name::FullName).is_none() || self.field(Name::DateOfBirth).is_none() => {
                let detail = fault.map_or("PHOTO_TOO_BLURRY", String::as_str);
                Next::again(TaskAdvice::Must, TaskAdviceReason::Quality, detail)
            }
            None => {
                // A fault of the photo matters where something could not be relied on because of it.
                let doubtful = [Check::MrzCheckDigits, Check::OcrMrzComparison, Check::OcrBarcodeComparison]
                    .into_iter()
                    .any(|check| self.measure(check).is_some_and(|measure| measure.verdict != Verdict::Pass));
                match fault {
                    Some(fault) if doubtful => {
                        Next::again(TaskAdvice::Should, TaskAdviceReason::Quality, fault)
                    }
                    _ => Next::progress(),
                }
            }
        }
    }

    /// What the person should do about a letter.
    pub(super) fn next_of_letter(&self) -> Next {
        if self.letter.is_some() && self.document {
            return Next::progress();
        }
        let detail = self.faults.first().map_or("NO_DOCUMENT", String::as_str);
        Next::again(TaskAdvice::Must, TaskAdviceReason::Quality, detail)
    }

    /// What an identity document says (decisions, section 4).
    pub(super) fn document_fields(&self) -> DocumentFields {
        let field = |name| self.field(name).map(str::to_owned);
        DocumentFields {
            full_name: field(Name::FullName),
            given_names: field(Name::GivenNames),
            family_name: field(Name::FamilyName),
            date_of_birth: field(Name::DateOfBirth),
            nationality: field(Name::Nationality),
            place_of_birth: field(Name::PlaceOfBirth),
            gender: field(Name::Gender),
            document_number: field(Name::DocumentNumber),
            expiration_date: field(Name::ExpirationDate),
            date_of_issue: field(Name::DateOfIssue),
            issuing_authority: field(Name::IssuingAuthority),
            document_type: self.kind.map(|kind| type_word(kind).to_owned()),
            issuing_country: self.issuer.clone(),
            mrz: self.zone.as_ref().map(|(format, lines)| MachineReadableZone::new(format, lines)),
            structured_postal_address: self.field(Name::Address).map(|address| StructuredPostalAddress {
                formatted_address: address.to_owned(),
                ..StructuredPostalAddress::of_lines(address.lines())
            }),
            organisation: None,
        }
    }
}

/// What a letter says.
fn letter(letter: &documents::supplementary::Supplementary) -> DocumentFields {
    let date_of_issue = match letter.date_of_issue.as_ref().map(|part| &part.value) {
        Some(documents::text::dates::Reading::Certain(date)) => Some(date.to_string()),
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

/// A fault of a photo in the words of the interface (decisions, section 4).
fn fault_word(fault: Fault) -> &'static str {
    match fault {
        Fault::Partial => "PARTIAL_PHOTO",
        Fault::TooSmall => "IMAGE_RESOLUTION_TOO_LOW",
        Fault::TooDark => "PHOTO_TOO_DARK",
        Fault::Overexposed => "PHOTO_OVEREXPOSED",
        Fault::Glare => "GLARE_OBSTRUCTION",
        Fault::Blurred => "PHOTO_TOO_BLURRY",
        Fault::BlackAndWhite => "BLACK_AND_WHITE_PHOTO",
        Fault::Screen | Fault::Bezel => "PHOTO_OF_SCREEN",
        Fault::Photocopy => "PHOTO_OF_COPY",
    }
}
