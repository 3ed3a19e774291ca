//! `ID_DOCUMENT_COMPARISON`: whether two documents are of one person.

use super::{CheckInput, EvidenceRequest, SessionCheck, SuppliedResources, report_builder::ReportBuilder};
use crate::document_verification::{
    findings::DocumentFindings,
    names::HolderName,
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
    let (Some(a), Some(b)) = (HolderName::of(first), HolderName::of(second)) else {
        return VerificationReport::not_available("PHOTO_TOO_BLURRY");
    };
    // A letter often has fewer of the given names, so the words of one name need only be among those of the other; at
    // least two, so that more than the family name agrees.
    let (shared, compared) = (a.shared_words(&b), a.len().min(b.len()));
    let same = a.agrees_with(&b) && compared >= 2;
    let details =
        vec![ReportDetail::new("words_shared", shared), ReportDetail::new("words_compared", compared)];
    report.add_sub_check(SubCheck::new("name_match", same, details));
    if !same {
        // Other scripts have more spellings in Latin letters than the tables, or are not in them: somebody has to look.
        let is_other_name = shared == 0 && a.is_latin() && b.is_latin();
        let advice = if is_other_name { CheckAdvice::Reject } else { CheckAdvice::Consider };
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
        document_fields::DocumentFields,
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
        DocumentFindings { document, fields: vec![name], ..DocumentFindings::default() }
    }

    /// A letter with this name.
    fn letter_of(name: &str) -> DocumentFindings {
        let letter = DocumentFields { full_name: Some(name.to_owned()), ..DocumentFields::default() };
        DocumentFindings { document: true, letter: Some(letter), ..DocumentFindings::default() }
    }

    #[test]
    fn a_name_in_another_spelling_is_the_same_and_in_another_script_it_is_not_rejected() {
        let mut passport = named(true);
        for (in_zone, on_letter, expected) in [
            ("JOERG MUELLER", "Jörg Müller", CheckAdvice::Approve),
            ("JORG MULLER", "Jörg Müller", CheckAdvice::Approve),
            ("OLENA IVANENKO", "Іваненко Олена", CheckAdvice::Approve),
            ("JOERG MUELLER", "Jörg Möller", CheckAdvice::Consider),
            ("JOERG MUELLER", "Anna Lind", CheckAdvice::Reject),
            ("HRISTINA PETROVA", "Ъглов", CheckAdvice::Consider),
            ("GEORGIOS PAPPAS", "ΠΑΠΠΑΣ ΓΕΩΡΓΙΟΣ", CheckAdvice::Consider),
            ("MOHAMED ALI", "محمد علي", CheckAdvice::Consider),
        ] {
            in_zone.clone_into(&mut passport.fields[0].value);
            let report = compare_documents(&passport, &letter_of(on_letter));
            assert_eq!(report.recommendation.value, expected, "{in_zone} {on_letter}");
            let reason = (expected != CheckAdvice::Approve).then_some("NAME_MISMATCH");
            assert_eq!(report.recommendation.reason.as_deref(), reason, "{in_zone} {on_letter}");
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
