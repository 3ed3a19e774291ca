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
        let read: Vec<&DocumentFindings> =
            input.check.resources_used.iter().filter_map(|id| input.document(*id)).collect();
        match read[..] {
            [first, second] => compare_documents(first, second),
            _ => VerificationReport::not_available("NO_DOCUMENT"),
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
