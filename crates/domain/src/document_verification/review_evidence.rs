//! What a reviewer judges a check by: the pictures that it used, what was read and measured, and the automatic report.

use super::{
    findings::{DocumentFindings, StoredField, StoredMeasure},
    report::SubCheck,
    restrictions::document_type_name,
    reviews::CheckReview,
    session::{DocumentSession, SuppliedResource, VerificationCheck},
    types::{MediaType, ResourceKind, SubCheckProcess},
};
use base::{MediaId, ResourceId, SignedDuration, Timestamp};
use documents::{
    catalogue::DocumentType,
    field::{FieldName, FieldSource},
};

/// What a reviewer judges a check by.
#[derive(Clone, Debug)]
pub struct CheckEvidence {
    pub review: CheckReview,
    /// Why the automatic report proposes what it does, as a code. `None` if it approves, and of a check that an older version
    /// decided, which did not keep it.
    pub proposed_reason: Option<String>,
    /// What was checked, a reviewer's decision last.
    pub breakdown: Vec<SubCheck>,
    /// What the check used, documents first. Empty once the session's resources are destroyed.
    pub resources: Vec<ResourceEvidence>,
    /// When its pictures are destroyed.
    pub destroyed_at: Timestamp,
}

/// A document or a face that a check used.
#[derive(Clone, Debug)]
pub struct ResourceEvidence {
    pub id: ResourceId,
    pub kind: ResourceKind,
    /// What the end user says the document is.
    pub document_type: Option<DocumentType>,
    /// Who the end user says issued it, ISO 3166-1 alpha-3.
    pub issuing_country: Option<String>,
    /// Pages of the document, or frames of the face, in order.
    pub pictures: Vec<MediaId>,
    /// The portrait on the document.
    pub portrait: Option<MediaId>,
    /// What was read of the document, by source.
    pub fields: Vec<StoredField>,
    /// The lines of the machine-readable zone.
    pub zone: Vec<String>,
    /// What was measured of the document.
    pub measures: Vec<StoredMeasure>,
    /// What is wrong with the photos, the worst first.
    pub faults: Vec<String>,
}

impl CheckEvidence {
    pub(super) fn of(review: CheckReview, session: &DocumentSession) -> Self {
        let check = session.checks.iter().find(|check| check.id == review.check_id);
        let proposed_reason = check.and_then(|check| match &check.draft {
            Some(draft) => draft.recommendation.reason.clone(),
            None => check.automatic_reason.clone(),
        });
        let report = check.and_then(|check| check.draft.as_ref().or(check.report.as_ref()));
        let breakdown = report.map(|report| report.breakdown.clone()).unwrap_or_default();
        let mut resources: Vec<ResourceEvidence> =
            check.map(|check| used_resources(session, check)).unwrap_or_default();
        resources.sort_by_key(|resource| resource.kind != ResourceKind::IdDocument);
        let destroyed_at = session.created_at + SignedDuration::from_secs(session.requested.resources_ttl);
        Self { review, proposed_reason, breakdown, resources, destroyed_at }
    }

    /// Leaves out what a reviewer has decided, so that it shows what it did before.
    pub fn leave_out_decision(&mut self) {
        self.breakdown.retain(|sub_check| sub_check.process != SubCheckProcess::ExpertReview);
    }

    /// Every picture that belongs to it.
    pub fn media(&self) -> impl Iterator<Item = MediaId> {
        self.resources.iter().flat_map(|resource| resource.pictures.iter().copied().chain(resource.portrait))
    }
}

fn used_resources(session: &DocumentSession, check: &VerificationCheck) -> Vec<ResourceEvidence> {
    let used = session.resources.iter().filter(|resource| check.resources_used.contains(&resource.id));
    used.map(|resource| ResourceEvidence::of(session, resource)).collect()
}

impl ResourceEvidence {
    fn of(session: &DocumentSession, resource: &SuppliedResource) -> Self {
        let is_picture = |id: &MediaId| {
            session.media(*id).is_some_and(|media| media.kind == MediaType::Image && !media.redacted)
        };
        let mut pictures = resource.readable_media();
        if pictures.is_empty() {
            pictures.extend(resource.image);
        }
        pictures.retain(is_picture);
        let findings = resource.findings.as_ref();
        let read = |of: fn(&DocumentFindings) -> Vec<String>| findings.map(of).unwrap_or_default();
        Self {
            id: resource.id,
            kind: resource.kind,
            document_type: resource.document_type,
            issuing_country: resource.issuing_country.clone(),
            pictures,
            portrait: resource.id_photo.filter(|id| is_picture(id)),
            fields: findings.map(|findings| findings.fields.clone()).unwrap_or_default(),
            zone: read(|findings| findings.zone.as_ref().map(|(_, lines)| lines.clone()).unwrap_or_default()),
            measures: findings.map(|findings| findings.measures.clone()).unwrap_or_default(),
            faults: read(|findings| findings.faults.clone()),
        }
    }
}

/// A field as it was read in up to three places.
#[derive(Clone, PartialEq, Eq)]
pub struct ComparedField {
    /// Its name, as the interface has it.
    pub name: String,
    pub zone: Option<String>,
    pub barcode: Option<String>,
    pub print: Option<String>,
}

// The values are personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for ComparedField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ComparedField({})", self.name)
    }
}

impl ComparedField {
    /// Whether all places say the same, whatever the case of letters; `None` where it was read in one place only.
    pub fn agrees(&self) -> Option<bool> {
        let normalised =
            |value: &String| value.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
        let mut read = [&self.zone, &self.barcode, &self.print].into_iter().flatten().map(normalised);
        let first = read.next()?;
        let mut others = read.peekable();
        others.peek()?;
        Some(others.all(|other| other == first))
    }
}

impl ResourceEvidence {
    /// What the end user says the document is, in the interface's word.
    pub fn document_type_name(&self) -> Option<&'static str> {
        self.document_type.map(document_type_name)
    }

    /// The fields that were read, each once, in the order of the interface.
    pub fn compared_fields(&self) -> Vec<ComparedField> {
        let mut names: Vec<FieldName> = self.fields.iter().map(|field| field.name).collect();
        names.sort_unstable();
        names.dedup();
        let read = |name: FieldName, source: FieldSource| {
            let mut read = self.fields.iter().filter(|field| field.name == name && field.source == source);
            read.next().map(|field| field.value.clone())
        };
        let compared = |name: FieldName| ComparedField {
            name: serde_json::to_value(name)
                .ok()
                .and_then(|word| word.as_str().map(str::to_owned))
                .unwrap_or_default(),
            zone: read(name, FieldSource::Mrz),
            barcode: read(name, FieldSource::Barcode),
            print: read(name, FieldSource::Text),
        };
        names.into_iter().map(compared).collect()
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    fn field(zone: Option<&str>, print: Option<&str>) -> ComparedField {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        ComparedField { name: "full_name".to_owned(), zone: owned(zone), barcode: None, print: owned(print) }
    }

    #[test]
    fn places_agree_whatever_the_case_of_letters_and_the_spaces_between_words() {
        assert_eq!(field(Some("ANNA  LIND"), Some("Anna Lind")).agrees(), Some(true));
        assert_eq!(field(Some("ANNA LIND"), Some("Anna Lund")).agrees(), Some(false));
        assert_eq!(field(Some("ANNA LIND"), None).agrees(), None);
        assert_eq!(field(None, None).agrees(), None);
    }
}
