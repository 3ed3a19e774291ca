//! What sources are asked about a document, and what their answers mean in a report.

use super::report_builder::ReportBuilder;
use crate::document_verification::{
    findings::{ClaimedDocument, DocumentFindings},
    report::{ReportDetail, SubCheck},
    restrictions::document_type_name,
    types::CheckAdvice,
};
use age_methods::identity_source::{IdentitySubject, SourceAnswer, SourceFinding, SourceVerdict};
use documents::field::FieldName;

/// A source did not answer, or in a way that cannot be used.
pub(super) const PROVIDER_UNAVAILABLE: &str = "PROVIDER_UNAVAILABLE";

/// What came of a question.
#[derive(Debug)]
pub(super) enum SourceOutcome {
    Answered(SourceAnswer),
    /// It was asked as often as the job allows.
    Unavailable,
}

/// What a finding of a source means for a report.
pub(super) struct SourceRules {
    /// Of a sub-check that failed.
    pub(super) failed: fn(&SourceFinding) -> (CheckAdvice, &'static str),
    /// Of one that the source cannot answer.
    pub(super) unknown: (CheckAdvice, &'static str),
}

/// Adds the sub-checks that a source answered. What it cannot say is left out, and speaks against approval.
pub(super) fn add_source_findings(report: &mut ReportBuilder, outcome: &SourceOutcome, rules: &SourceRules) {
    let SourceOutcome::Answered(answer) = outcome else {
        report.add_finding(CheckAdvice::NotAvailable, PROVIDER_UNAVAILABLE);
        return;
    };
    for finding in &answer.findings {
        if finding.verdict == SourceVerdict::Unknown {
            report.add_finding(rules.unknown.0, rules.unknown.1);
            continue;
        }
        let passed = finding.verdict == SourceVerdict::Pass;
        let told = finding.details.iter().map(|(name, value)| ReportDetail::new(name, value));
        let reference = answer.evidence_id.iter().map(|id| ReportDetail::new("evidence_id", id));
        report.add_sub_check(SubCheck::new(finding.sub_check, passed, told.chain(reference).collect()));
        if !passed {
            let (advice, reason) = (rules.failed)(finding);
            report.add_finding(advice, reason);
        }
    }
}

/// The holder of a document: names and date of birth.
pub(super) fn holder(findings: &DocumentFindings) -> IdentitySubject {
    let field = |name| findings.field(name).map(str::to_owned);
    IdentitySubject {
        full_name: field(FieldName::FullName),
        given_names: field(FieldName::GivenNames),
        family_name: field(FieldName::FamilyName),
        date_of_birth: field(FieldName::DateOfBirth),
        ..IdentitySubject::default()
    }
}

/// A document and its holder; `None` if its number was not read.
pub(super) fn numbered_document(
    findings: &DocumentFindings,
    claim: Option<ClaimedDocument<'_>>,
) -> Option<IdentitySubject> {
    let number = findings.field(FieldName::DocumentNumber)?.to_owned();
    let kind = findings.kind.or(claim.map(|claim| claim.kind));
    let country = findings.issuing_country(claim);
    Some(IdentitySubject {
        document_number: Some(number),
        document_type: kind.map(|kind| document_type_name(kind).to_owned()),
        issuing_country: country.map(str::to_owned),
        ..holder(findings)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_verification::findings::StoredField;
    use documents::{catalogue::DocumentType, field::FieldSource};

    #[test]
    fn sources_are_asked_about_a_passport_of_hong_kong_and_not_of_china() {
        let number = StoredField {
            name: FieldName::DocumentNumber,
            value: "K12345678".to_owned(),
            source: FieldSource::Mrz,
            confidence: 1.0,
        };
        let findings = DocumentFindings {
            issuer: Some("CHN".to_owned()),
            kind: Some(DocumentType::Passport),
            fields: vec![number],
            ..DocumentFindings::default()
        };
        for (claimed, asked) in [("HKG", "HKG"), ("CHN", "CHN"), ("SWE", "CHN")] {
            let claim = ClaimedDocument { country: claimed, kind: DocumentType::Passport };
            let subject = numbered_document(&findings, Some(claim)).unwrap();
            assert_eq!(subject.issuing_country.as_deref(), Some(asked), "{claimed}");
        }
    }
}
