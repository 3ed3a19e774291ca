//! `ID_DOCUMENT_COMPARISON`: whether two documents are of one person.

use super::{CheckInput, EvidenceRequest, SessionCheck, SuppliedResources, report_builder::ReportBuilder};
use crate::document_verification::{
    findings::DocumentFindings,
    names::name_words,
    report::{ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::CheckAdvice,
};
use base::ResourceId;
use documents::field::FieldName;

#[derive(Debug)]
pub(super) struct ComparisonCheck;

impl SessionCheck for ComparisonCheck {
    /// One check of the first two documents, identity documents before others.
    fn subjects(&self, _: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        let documents = supplied.documents.iter().map(|document| document.id);
        vec![documents.chain(supplied.supplementary.iter().copied()).take(2).collect()]
    }

    fn evidence(&self, _: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        EvidenceRequest::documents(check.resources_used.iter().copied())
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let [first, second] = input.check.resources_used[..] else {
            return VerificationReport::not_available("NO_DOCUMENT");
        };
        match (input.shown_document(first), input.shown_document(second)) {
            (Ok(first), Ok(second)) => compare_documents(first, second),
            (Err(report), _) | (_, Err(report)) => report,
        }
    }
}

fn compare_documents(first: &DocumentFindings, second: &DocumentFindings) -> VerificationReport {
    let mut report = ReportBuilder::default();
    let (Some(a), Some(b)) = (name_words(first), name_words(second)) else {
        return VerificationReport::not_available("PHOTO_TOO_BLURRY");
    };
    // A letter often has fewer of the given names, so the words of one name need only be among those of the other; at
    // least two, so that more than the family name agrees.
    let within = a.is_subset(&b) || b.is_subset(&a);
    let same = within && a.len().min(b.len()) >= 2;
    let shared = a.intersection(&b).count();
    let details = vec![
        ReportDetail::new("words_shared", shared),
        ReportDetail::new("words_compared", a.len().min(b.len())),
    ];
    report.add_sub_check(SubCheck::new("name_match", same, details));
    if !same {
        let advice = if shared == 0 { CheckAdvice::Reject } else { CheckAdvice::Consider };
        report.add_finding(advice, "NAME_MISMATCH");
    }
    if let (Some(a), Some(b)) = (first.field(FieldName::DateOfBirth), second.field(FieldName::DateOfBirth)) {
        report.add_sub_check(SubCheck::new("dob_match", a == b, Vec::new()));
        if a != b {
            report.add_finding(CheckAdvice::Reject, "DOB_MISMATCH");
        }
    }
    report.build("NO_DOCUMENT")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_verification::{
        checks::evidence::Evidence,
        findings::StoredField,
        request::{DocumentSessionRequest, RequiredDocument},
        session::SuppliedResource,
        types::{CheckState, ManualCheck, ResourceKind, VerificationCheckType},
    };
    use base::{Environment as _, TestEnvironment, Uuid};
    use documents::field::FieldSource;

    /// What was read of a picture with a name; `document` says whether it shows a document.
    fn named(document: bool) -> DocumentFindings {
        let name = StoredField {
            name: FieldName::FullName,
            value: "ANNA MARIA EXEMPEL".to_owned(),
            source: FieldSource::Text,
            confidence: 1.0,
        };
        DocumentFindings {
            of: Vec::new(),
            document,
            kind: None,
            issuer: None,
            fields: vec![name],
            zone: None,
            licence: false,
            numbered_fields: Vec::new(),
            faults: Vec::new(),
            measures: Vec::new(),
            portrait: None,
            letter: None,
        }
    }

    #[test]
    fn only_documents_are_compared() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let kinds = [ResourceKind::IdDocument, ResourceKind::SupplementaryDocument];
        let request = DocumentSessionRequest {
            documents: kinds.map(RequiredDocument::new).into(),
            ..DocumentSessionRequest::new(env.now())
        };
        let mut session = DocumentSession::begin(&env, Uuid::from_u128(1).into(), false, request);
        session.resources =
            session.requirements.iter().map(|asked| SuppliedResource::begin(&env, asked)).collect();
        let used: Vec<ResourceId> = session.resources.iter().map(|resource| resource.id).collect();
        let (kind, state) = (VerificationCheckType::Comparison, CheckState::Pending);
        let check = VerificationCheck::begin(&env, kind, state, used.clone(), ManualCheck::Never);
        for (first, second) in [(true, true), (true, false), (false, true)] {
            let mut evidence = Evidence::default();
            evidence.documents.insert(used[0], Some(named(first)));
            evidence.documents.insert(used[1], Some(named(second)));
            let today = jiff::civil::date(2026, 1, 16);
            let input = CheckInput { session: &session, check: &check, evidence: &evidence, today };
            let report = ComparisonCheck.report(&input);
            if first && second {
                assert_eq!(report.recommendation.value, CheckAdvice::Approve);
            } else {
                assert_eq!(report, VerificationReport::not_available("NO_DOCUMENT"));
            }
        }
    }
}
