//! `THIRD_PARTY_IDENTITY`: whether a source knows a person of the name, birthday and address that the documents have.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    report_builder::ReportBuilder,
    sources::{SourceRules, add_source_findings, holder},
};
use crate::document_verification::{
    document_fields::StructuredPostalAddress,
    findings::DocumentFindings,
    identity_sources::IdentitySources,
    report::VerificationReport,
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::{CheckAdvice, ResourceKind},
};
use age_methods::identity_source::{IdentityQuestion, IdentitySourceKind, IdentitySubject};
use base::ResourceId;
use documents::field::FieldName;

const NAME_MATCH: &str = "name_match";
const DOB_MATCH: &str = "dob_match";
const ADDRESS_MATCH: &str = "address_match";

/// People move, so another address alone is only worth a look.
const RULES: SourceRules = SourceRules {
    failed: |finding| match finding.sub_check {
        NAME_MATCH => (CheckAdvice::Reject, "NAME_MISMATCH"),
        DOB_MATCH => (CheckAdvice::Reject, "DOB_MISMATCH"),
        _ => (CheckAdvice::Consider, "ADDRESS_MISMATCH"),
    },
    unknown: (CheckAdvice::NotAvailable, "IDENTITY_NOT_FOUND"),
};

#[derive(Debug)]
pub(super) struct ThirdPartyIdentityCheck;

impl SessionCheck for ThirdPartyIdentityCheck {
    /// The first identity document, and the letters that may have an address.
    fn subjects(&self, _: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        let with_letters = |document: ResourceId| {
            std::iter::once(document).chain(supplied.supplementary.iter().copied()).collect()
        };
        supplied.documents.first().map(|document| with_letters(document.id)).into_iter().collect()
    }

    fn evidence(&self, _: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        EvidenceRequest::documents(check.resources_used.iter().copied())
    }

    fn questions(&self, input: &CheckInput<'_>, _: &IdentitySources) -> Vec<IdentityQuestion> {
        let Ok((_, findings)) = input.accepted_document() else { return Vec::new() };
        if missing(input, findings).is_some() {
            return Vec::new();
        }
        let address = address(input, findings);
        let mut sub_checks = vec![NAME_MATCH, DOB_MATCH];
        sub_checks.extend(address.as_ref().map(|_| ADDRESS_MATCH));
        vec![IdentityQuestion {
            kind: IdentitySourceKind::ThirdPartyIdentity,
            sub_checks,
            subject: IdentitySubject {
                address: address.as_ref().map(|address| address.formatted_address.clone()),
                postal_code: address.as_ref().and_then(|address| address.postal_code.clone()),
                address_country: address.and_then(|address| address.country_iso),
                ..holder(findings)
            },
        }]
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let findings = match input.accepted_document() {
            Ok((_, findings)) => findings,
            Err(report) => return report,
        };
        if let Some(reason) = missing(input, findings) {
            return VerificationReport::not_available(reason);
        }
        let Some(outcome) = input.answer(IdentitySourceKind::ThirdPartyIdentity) else {
            return VerificationReport::not_available(findings.first_fault_or("PHOTO_TOO_BLURRY"));
        };
        let mut report = ReportBuilder::default();
        add_source_findings(&mut report, outcome, &RULES);
        report.build("IDENTITY_NOT_FOUND")
    }
}

/// Why there is nothing to ask; `None` if there is.
fn missing<'a>(input: &CheckInput<'_>, findings: &'a DocumentFindings) -> Option<&'a str> {
    let lacks = |name| findings.field(name).is_none();
    if lacks(FieldName::FullName) || lacks(FieldName::DateOfBirth) {
        return Some(findings.first_fault_or("PHOTO_TOO_BLURRY"));
    }
    let has_letter =
        input.session.requirements.iter().any(|asked| asked.kind == ResourceKind::SupplementaryDocument);
    (has_letter && address(input, findings).is_none()).then_some("ADDRESS_NOT_FOUND")
}

/// The address of the first letter that has one, or else that on the identity document.
fn address(input: &CheckInput<'_>, findings: &DocumentFindings) -> Option<StructuredPostalAddress> {
    let mut letters = input.check.resources_used.iter().filter_map(|id| input.document(*id)?.letter.as_ref());
    letters
        .find_map(|letter| letter.structured_postal_address.clone())
        .or_else(|| findings.document_fields().structured_postal_address)
}
