//! `ID_DOCUMENT_TEXT_DATA_CHECK` and `SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK`: whether what was read of a document can be
//! relied on. These checks are not requested; a task creates one for the document that it read.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    report_builder::{ReportBuilder, measure_details},
};
use crate::document_verification::{
    findings::DocumentFindings,
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::CheckAdvice,
};
use base::ResourceId;
use documents::{
    authenticity::{AuthenticityCheck as Measure, AuthenticityVerdict},
    field::FieldName,
};

#[derive(Debug)]
pub(super) enum TextDataCheck {
    IdDocument,
    /// A letter: name and address matter instead of name, date of birth and document number.
    SupplementaryDocument,
}

impl SessionCheck for TextDataCheck {
    fn subjects(&self, _: &RequestedCheck, _: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        Vec::new()
    }

    fn evidence(&self, _: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        EvidenceRequest::documents(check.resources_used.first().copied())
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        if matches!(self, Self::IdDocument) {
            return input
                .recognised_document()
                .map_or_else(|report| report, |(_, findings)| self.text_data_report(findings));
        }
        let findings = input.check.resources_used.first().and_then(|id| input.document(*id));
        match findings {
            Some(findings) if findings.document => self.text_data_report(findings),
            findings => VerificationReport::not_available(
                findings.map_or("NO_DOCUMENT", |findings| findings.first_fault_or("NO_DOCUMENT")),
            ),
        }
    }
}

impl TextDataCheck {
    fn text_data_report(&self, findings: &DocumentFindings) -> VerificationReport {
        let mut builder = ReportBuilder::default();
        let needed = self.needed_fields(findings);
        let all_read = needed.iter().all(|(_, is_read)| *is_read);
        let details = needed
            .iter()
            .map(|(name, is_read)| ReportDetail::new(name, if *is_read { "read" } else { "not read" }));
        builder.add_sub_check(SubCheck::new("text_data_readable", all_read, details.collect()));
        for (name, measure) in [
            ("ocr_mrz_comparison", Measure::OcrMrzComparison),
            ("ocr_barcode_comparison", Measure::OcrBarcodeComparison),
        ] {
            let Some(measure) = findings.measure(measure) else { continue };
            let passed = measure.verdict == AuthenticityVerdict::Pass;
            builder.add_sub_check(SubCheck::new(name, passed, measure_details(&[measure])));
            match measure.verdict {
                AuthenticityVerdict::Pass => {}
                AuthenticityVerdict::Doubt => builder.add_finding(CheckAdvice::Consider, "DATA_MISMATCH"),
                AuthenticityVerdict::Fail => builder.add_finding(CheckAdvice::Reject, "DATA_MISMATCH"),
            }
        }
        let mut report = builder.build("NO_DOCUMENT");
        if !all_read {
            let reason = findings.first_fault_or("PHOTO_TOO_BLURRY");
            report.recommendation = Recommendation::with_reason(CheckAdvice::NotAvailable, reason);
        }
        report
    }

    /// The fields without which the data are of no use, and whether each was read.
    fn needed_fields(&self, findings: &DocumentFindings) -> Vec<(&'static str, bool)> {
        match self {
            Self::IdDocument => vec![
                ("full_name", findings.field(FieldName::FullName).is_some()),
                ("date_of_birth", findings.field(FieldName::DateOfBirth).is_some()),
                ("document_number", findings.field(FieldName::DocumentNumber).is_some()),
            ],
            Self::SupplementaryDocument => {
                let letter = findings.letter.as_ref();
                vec![
                    ("full_name", letter.is_some_and(|letter| letter.full_name.is_some())),
                    (
                        "structured_postal_address",
                        letter.is_some_and(|letter| letter.structured_postal_address.is_some()),
                    ),
                ]
            }
        }
    }
}
