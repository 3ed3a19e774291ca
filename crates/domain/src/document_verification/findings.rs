//! What was read and measured of a document. It is stored with the resource, so that the checks need not read again.

use super::{
    document_fields::{DocumentFields, MachineReadableZone, StructuredPostalAddress},
    restrictions::{DocumentRestrictions, document_type_name},
    session::{SuppliedResource, TaskNextStep},
    types::{TaskAdvice, TaskAdviceReason},
};
use base::MediaId;
use documents::{
    authenticity::{self, AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict},
    catalogue::{self, DocumentBarcode, DocumentType, IcaoMrzType},
    field::{ExtractedField, FieldName, FieldSource},
    quality::PhotoFault,
    reading::DocumentReading,
    today::Today,
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// What the end user says a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedDocument<'a> {
    /// The issuing country, ISO 3166-1 alpha-3.
    pub country: &'a str,
    pub kind: DocumentType,
}

impl<'a> ClaimedDocument<'a> {
    /// `None` unless the end user said both.
    pub(super) fn of(country: Option<&'a str>, kind: Option<DocumentType>) -> Option<Self> {
        Some(Self { country: country?, kind: kind? })
    }
}

/// By what a document is told from others.
#[derive(Clone)]
pub(super) struct DocumentIdentifier {
    /// The issuing country, ISO 3166-1 alpha-3 or a code of ICAO 9303-3.
    pub(super) country: String,
    /// Countries under whose codes the same document may be known, as their zones have the same issuer. In any order; the
    /// issuing country may be among them.
    pub(super) zone_countries: Vec<String>,
    /// As it was read.
    pub(super) number: String,
}

// The number is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for DocumentIdentifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DocumentIdentifier({})", self.country)
    }
}

impl DocumentIdentifier {
    /// Every country under whose code it may be known, each once; the issuing country first.
    pub(super) fn countries(&self) -> Vec<&str> {
        let others = self.zone_countries.iter().map(String::as_str).filter(|other| *other != self.country);
        std::iter::once(self.country.as_str()).chain(others).collect()
    }
}

/// A part of the document is outside the photo.
pub(super) const PARTIAL_PHOTO: &str = "PARTIAL_PHOTO";
/// It lacks what documents of its type have.
pub(super) const DOCUMENT_NOT_RECOGNISED: &str = "DOCUMENT_NOT_RECOGNISED";

/// The fields that are on every driving licence of Directive 2006/126/EC, annex I: 1, 2, 3, 4b and 5.
const LICENCE_FIELDS: [FieldName; 5] = [
    FieldName::FamilyName,
    FieldName::GivenNames,
    FieldName::DateOfBirth,
    FieldName::ExpirationDate,
    FieldName::DocumentNumber,
];

/// Everything that was read and measured. Stored as JSON: new members need `#[serde(default)]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentFindings {
    /// The media that were read, in order.
    pub of: Vec<MediaId>,
    /// Whether they show a document at all.
    pub document: bool,
    /// The type that the document itself states.
    pub kind: Option<DocumentType>,
    /// The issuer that the document itself states, ISO 3166-1 alpha-3 or a code of ICAO 9303-3.
    pub issuer: Option<String>,
    /// The fields of an identity document; of several with one name the most reliable comes first.
    pub fields: Vec<StoredField>,
    /// Format (`TD3` for example) and lines of the machine-readable zone.
    pub zone: Option<(String, Vec<String>)>,
    /// Whether the barcode of a driving licence was read.
    pub licence: bool,
    /// The printed fields that were found by their numbers.
    #[serde(default)]
    pub numbered_fields: Vec<FieldName>,
    /// What is wrong with the photos, the worst first, as codes of the interface.
    pub faults: Vec<String>,
    /// What speaks for and against its authenticity.
    pub measures: Vec<StoredMeasure>,
    /// The face on it.
    pub portrait: Option<StoredPortrait>,
    /// What was read of a supplementary document.
    pub letter: Option<DocumentFields>,
}

/// A field that was read.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredField {
    pub name: FieldName,
    pub value: String,
    /// Where it was read: zone, barcode or print.
    pub source: FieldSource,
    /// 0 to 1.
    pub confidence: f32,
}

impl StoredField {
    fn to_extracted_field(&self) -> ExtractedField {
        let Self { name, source, confidence, .. } = *self;
        ExtractedField { name, value: self.value.clone(), source, confidence }
    }
}

// The value is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for StoredField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Field({:?} from {:?})", self.name, self.source)
    }
}

/// One measure of authenticity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredMeasure {
    /// What was measured.
    pub check: AuthenticityCheck,
    /// The number, in the unit of the limit.
    pub value: f32,
    /// The limit, in words.
    pub limit: String,
    pub verdict: AuthenticityVerdict,
    /// Why, without anything that is written on the document.
    pub reason: String,
}

/// The face on a document.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredPortrait {
    /// Empty if it was not computed, because the end user had not consented to the use of biometric data.
    pub embedding: Vec<f32>,
    /// The digest of the space of the embedding; those of different spaces cannot be compared.
    pub space: String,
    /// How old it looks.
    #[serde(default)]
    pub age: Option<ApparentAge>,
}

/// How old a face looks, in years.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApparentAge {
    pub years: f32,
    /// Standard deviation of the error.
    pub st_dev: f32,
}

impl StoredPortrait {
    /// Whether it can be compared with other faces.
    pub(super) fn is_embedded(&self) -> bool {
        !self.embedding.is_empty()
    }
}

// The embedding is biometric data and must not reach a log through `{:?}`.
impl std::fmt::Debug for StoredPortrait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Portrait")
    }
}

impl StoredMeasure {
    pub(super) fn of(measure: &AuthenticityMeasure) -> Self {
        Self {
            check: measure.check,
            value: measure.value,
            limit: measure.limit.to_string(),
            verdict: measure.verdict,
            reason: measure.reason.clone(),
        }
    }
}

impl DocumentFindings {
    /// The findings of a reading of these media; `space` is the digest of the space of the portrait's embedding.
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
            numbered_fields: reading.numbered_fields.clone(),
            faults,
            measures: reading.measures.iter().map(StoredMeasure::of).collect(),
            portrait: reading.portrait.as_ref().map(|portrait| StoredPortrait {
                embedding: portrait.embedding.clone().unwrap_or_default(),
                space,
                age: Some(ApparentAge { years: portrait.age.years, st_dev: portrait.age.st_dev }),
            }),
            letter: reading.supplementary.as_ref().map(letter_fields),
        }
    }

    /// Forgets what is written on it. A check that is still to be made reads it again, as it would otherwise judge by half of what
    /// was found.
    pub(super) fn forget_values(&mut self) {
        self.of.clear();
        self.fields.clear();
        self.zone = None;
        self.letter = None;
    }

    /// Forgets all but type and issuer: by the issuer, what is left of its pictures may be withheld.
    pub(super) fn forget_all_but_issuer(&mut self) {
        *self = Self { kind: self.kind, issuer: self.issuer.take(), ..Self::default() };
    }

    /// Forgets whose face is on it, and how old that looks.
    pub(super) fn forget_portrait(&mut self) {
        self.portrait = self.portrait.take().map(|_| StoredPortrait::default());
    }

    /// The most reliable value of a field: of the zone before the barcode before the print.
    pub fn field(&self, name: FieldName) -> Option<&str> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.as_str())
    }

    pub fn measure(&self, check: AuthenticityCheck) -> Option<&StoredMeasure> {
        self.measures.iter().find(|measure| measure.check == check)
    }

    /// Measures anew whether it has expired, as of a day.
    pub(super) fn update_expiry(&mut self, today: Today) {
        let fields: Vec<ExtractedField> = self.fields.iter().map(StoredField::to_extracted_field).collect();
        let Some(measured) = authenticity::measure_in_date(&fields, today) else { return };
        for measure in self.measures.iter_mut().filter(|known| known.check == measured.check) {
            *measure = StoredMeasure::of(&measured);
        }
    }

    /// Whether its date of expiry was read and is past.
    pub(super) fn has_expired(&self) -> bool {
        let in_date = self.measure(AuthenticityCheck::DocumentInDate);
        in_date.is_some_and(|measure| measure.verdict == AuthenticityVerdict::Fail)
    }

    /// The worst fault of the photos, as a code of the interface; `default` if there is none.
    pub(super) fn first_fault_or<'a>(&'a self, default: &'a str) -> &'a str {
        self.faults.first().map_or(default, String::as_str)
    }

    /// Whether it lacks what every document of its type has: the zone, the barcode or the numbered fields that the catalogue
    /// says, and a face. What has nothing but words is not that document.
    pub(super) fn is_unrecognised(&self, ClaimedDocument { country, kind }: ClaimedDocument<'_>) -> bool {
        let lacks_code = catalogue::find_document(country, kind).is_some_and(|document| {
            document.zone.is_some() && self.zone.is_none()
                || document.barcode.is_some() && !self.licence
                || document.numbered_fields
                    && LICENCE_FIELDS.iter().any(|field| !self.numbered_fields.contains(field))
        });
        lacks_code || self.portrait.is_none()
    }

    /// Whether the back is missing of a document that cannot be read without it, as its zone or barcode is there.
    fn is_missing_side(&self, ClaimedDocument { country, kind }: ClaimedDocument<'_>) -> bool {
        let Some(document) = catalogue::find_document(country, kind) else { return false };
        let back = matches!(document.zone, Some(IcaoMrzType::Td1))
            || document.barcode == Some(DocumentBarcode::Pdf417);
        back && self.of.len() < 2 && self.zone.is_none() && !self.licence
    }

    /// Whether its zone is that of another document: a visa's, a card's where a passport was named, or the reverse. Cards of an
    /// older series than that of the catalogue may have a zone of another size, so those sizes are not told apart.
    fn has_zone_of_another_document(&self, ClaimedDocument { country, kind }: ClaimedDocument<'_>) -> bool {
        let Some((format, _)) = &self.zone else { return false };
        let listed = catalogue::find_document(country, kind).and_then(|document| document.zone);
        matches!(format.as_str(), "MRV-A" | "MRV-B")
            || listed.is_some_and(|listed| (listed == IcaoMrzType::Td3) != (format == "TD3"))
    }

    /// The country that issued it, as the document states it. That of the claim counts as stated where its documents have
    /// the code of another country in their zones.
    fn stated_country<'a>(&'a self, ClaimedDocument { country, kind }: ClaimedDocument<'a>) -> &'a str {
        let Some(read) = self.issuer.as_deref() else { return country };
        let in_zone =
            catalogue::find_document(country, kind).and_then(|document| document.zone_issuer.as_deref());
        if in_zone == Some(read) { country } else { read }
    }

    /// The issuing country: as the document states it, or else as the end user says.
    pub(super) fn issuing_country<'a>(&'a self, claim: Option<ClaimedDocument<'a>>) -> Option<&'a str> {
        match claim {
            Some(claim) => Some(self.stated_country(claim)),
            None => self.issuer.as_deref(),
        }
    }

    /// By what others know the document; `None` if its number was not read.
    pub(super) fn identifier(&self, claim: Option<ClaimedDocument<'_>>) -> Option<DocumentIdentifier> {
        let (country, number) = (self.issuing_country(claim)?, self.field(FieldName::DocumentNumber)?);
        let kind = self.kind.or(claim.map(|claim| claim.kind));
        let in_zone = kind.and_then(|kind| catalogue::find_document(country, kind)?.zone_issuer.as_deref());
        let in_zone = in_zone.unwrap_or(country);
        let same_zones =
            kind.into_iter().flat_map(|kind| catalogue::countries_with_zone_issuer(in_zone, kind));
        Some(DocumentIdentifier {
            country: country.to_owned(),
            zone_countries: same_zones.map(str::to_owned).collect(),
            number: number.to_owned(),
        })
    }

    /// Why it cannot be used as what the end user said it is, as a code of the interface; `None` if it can.
    pub(super) fn rejection_reason(
        &self,
        claim: ClaimedDocument<'_>,
        filter: &DocumentRestrictions,
    ) -> Option<&'static str> {
        let ClaimedDocument { country, kind } = claim;
        if self.is_missing_side(claim) {
            return Some("MISSING_DOCUMENT_SIDE");
        }
        if !self.document {
            return Some("NO_DOCUMENT");
        }
        // A visa says nothing of its type, so the type is that of the claim.
        if self.kind.is_some_and(|read| read != kind) || self.has_zone_of_another_document(claim) {
            return Some("INCORRECT_DOCUMENT_TYPE");
        }
        if self.is_unrecognised(claim) {
            return Some(DOCUMENT_NOT_RECOGNISED);
        }
        let read = self.stated_country(claim);
        if catalogue::find(read).is_none() {
            return Some("COUNTRY_NOT_SUPPORTED");
        }
        let supported_from = catalogue::find_document(read, kind).map(|document| document.date_from);
        let issued = self.field(FieldName::DateOfIssue).and_then(|text| text.parse::<Date>().ok());
        let too_old = issued.zip(supported_from).is_some_and(|(issued, from)| issued < from);
        if too_old || !filter.allows_type(read, kind) {
            return Some("DOCUMENT_NOT_SUPPORTED");
        }
        // Checks and sub-checks are chosen by the country of the claim.
        (read != country).then_some("INCORRECT_DOCUMENT_TYPE")
    }

    /// What the end user should do after an identity document was read.
    pub(super) fn next_step(
        &self,
        resource: &SuppliedResource,
        filter: &DocumentRestrictions,
    ) -> TaskNextStep {
        let reason = resource.claim().and_then(|claim| self.rejection_reason(claim, filter));
        match reason {
            Some(lacking @ ("NO_DOCUMENT" | DOCUMENT_NOT_RECOGNISED)) => {
                let detail = self.first_fault_or(lacking);
                TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::Quality, detail)
            }
            Some(detail) => {
                TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::UserError, detail)
            }
            None if self.field(FieldName::FullName).is_none()
                || self.field(FieldName::DateOfBirth).is_none() =>
            {
                let detail = self.first_fault_or("PHOTO_TOO_BLURRY");
                TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::Quality, detail)
            }
            None => {
                // A fault of the photo matters only if something that was read is doubtful, perhaps because of it.
                let doubtful = [
                    AuthenticityCheck::MrzCheckDigits,
                    AuthenticityCheck::OcrMrzComparison,
                    AuthenticityCheck::OcrBarcodeComparison,
                ]
                .into_iter()
                .any(|check| {
                    self.measure(check).is_some_and(|measure| measure.verdict != AuthenticityVerdict::Pass)
                });
                match self.faults.first() {
                    Some(fault) if doubtful => {
                        TaskNextStep::try_again(TaskAdvice::ShouldTryAgain, TaskAdviceReason::Quality, fault)
                    }
                    _ => TaskNextStep::progress(),
                }
            }
        }
    }

    /// What the end user should do after a supplementary document was read.
    pub(super) fn letter_next_step(&self) -> TaskNextStep {
        if self.letter.is_some() && self.document {
            return TaskNextStep::progress();
        }
        let detail = self.first_fault_or("NO_DOCUMENT");
        TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::Quality, detail)
    }

    /// The fields of an identity document, as the interface names them (docs/adr/0005-document-verification.md).
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

/// The fields of a supplementary document, as the interface names them.
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

/// A fault of a photo as a code of the interface (docs/adr/0005-document-verification.md).
fn fault_code(fault: PhotoFault) -> &'static str {
    match fault {
        PhotoFault::Partial => PARTIAL_PHOTO,
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

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    /// A passport with this issuer in its zone, valid until 2026-11-21, that was read a month before.
    fn passport(issuer: &str) -> DocumentFindings {
        let field = |name, value: &str| StoredField {
            name,
            value: value.to_owned(),
            source: FieldSource::Mrz,
            confidence: 1.0,
        };
        let fields = vec![
            field(FieldName::DocumentNumber, "K12345678"),
            field(FieldName::ExpirationDate, "2026-11-21"),
        ];
        let mut findings = DocumentFindings {
            document: true,
            kind: Some(DocumentType::Passport),
            issuer: Some(issuer.to_owned()),
            fields,
            ..DocumentFindings::default()
        };
        let read: Vec<ExtractedField> = findings.fields.iter().map(StoredField::to_extracted_field).collect();
        let measured = authenticity::measure_in_date(&read, date(2026, 10, 21).into()).unwrap();
        findings.measures.push(StoredMeasure::of(&measured));
        findings
    }

    #[test]
    fn whether_it_has_expired_is_as_of_the_day_of_the_check() {
        let mut findings = passport("SWE");
        assert!(!findings.has_expired());
        for (day, expired) in [(date(2026, 11, 21), false), (date(2026, 11, 22), true)] {
            findings.update_expiry(day.into());
            assert_eq!((findings.has_expired(), findings.measures.len()), (expired, 1), "{day}");
        }
        findings.forget_values();
        findings.update_expiry(date(2026, 11, 21).into());
        assert!(findings.has_expired(), "without its date it is what it was");
    }

    #[test]
    fn a_document_is_known_by_every_country_that_its_zone_may_stand_for() {
        let claim = |country| Some(ClaimedDocument { country, kind: DocumentType::Passport });
        let known = |issuer: &str, claim: Option<ClaimedDocument<'_>>| {
            let identifier = passport(issuer).identifier(claim).unwrap();
            identifier.countries().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(known("CHN", claim("HKG")), ["HKG", "CHN", "MAC"]);
        assert_eq!(known("CHN", claim("CHN")), ["CHN", "HKG", "MAC"]);
        assert_eq!(known("HKG", claim("HKG")), ["HKG", "CHN", "MAC"], "the zone was not read");
        assert_eq!(known("SWE", claim("SWE")), ["SWE"]);
        assert_eq!(known("GBR", claim("SWE")), ["GBR"]);
        assert_eq!(known("SWE", None), ["SWE"]);
        assert_eq!(passport("CHN").issuing_country(claim("MAC")), Some("MAC"));
        let unread = DocumentFindings { fields: Vec::new(), ..passport("SWE") };
        assert!(unread.identifier(claim("SWE")).is_none());
    }
}
