//! `ID_DOCUMENT_AUTHENTICITY`: whether an identity document is what it seems. A sub-check that could not be made is left
//! out; it is never reported as passed.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    face_analysis::FaceAnalysis,
    report_builder::{ReportBuilder, measure_details},
    used_resource,
};
use crate::document_verification::{
    findings::{ClaimedDocument, DOCUMENT_NOT_RECOGNISED, DocumentFindings, PARTIAL_PHOTO, StoredMeasure},
    report::{SubCheck, VerificationReport},
    request::RequestedCheck,
    restrictions::DocumentRestrictions,
    session::{DocumentSession, VerificationCheck},
    types::{CheckAdvice, ResourceKind},
};
use base::{MediaId, ResourceId};
use documents::{
    authenticity::{self, AuthenticityCheck as Measure, AuthenticityVerdict},
    field::FieldName,
    reading::DocumentReading,
};
use jiff::civil::Date;

/// A sub-check that measures decide.
struct MeasuredSubCheck {
    name: &'static str,
    measures: &'static [Measure],
    /// What a failure means; doubt means `CONSIDER`.
    advice: CheckAdvice,
    reason: &'static str,
}

const DOCUMENT_IN_DATE: &str = "document_in_date";

const MEASURED_SUB_CHECKS: &[MeasuredSubCheck] = &[
    MeasuredSubCheck {
        name: DOCUMENT_IN_DATE,
        measures: &[Measure::DocumentInDate],
        advice: CheckAdvice::Reject,
        reason: "EXPIRED_DOCUMENT",
    },
    MeasuredSubCheck {
        name: "mrz_validation",
        measures: &[Measure::MrzCheckDigits, Measure::MrzFormat],
        advice: CheckAdvice::NotAvailable,
        reason: "INCORRECT_MRZ",
    },
    MeasuredSubCheck {
        name: "ocr_mrz_comparison",
        measures: &[Measure::OcrMrzComparison],
        advice: CheckAdvice::Reject,
        reason: "DATA_MISMATCH",
    },
    MeasuredSubCheck {
        name: "ocr_barcode_comparison",
        measures: &[Measure::OcrBarcodeComparison],
        advice: CheckAdvice::Reject,
        reason: "DATA_MISMATCH",
    },
    MeasuredSubCheck {
        name: "doc_number_validation",
        measures: &[Measure::DocNumberValidation],
        advice: CheckAdvice::Reject,
        reason: "DOC_NUMBER_INVALID",
    },
    MeasuredSubCheck {
        name: "physical_document_captured",
        measures: &[Measure::NoScreenGrid, Measure::NoScreenBezel, Measure::NoPhotocopy],
        advice: CheckAdvice::Consider,
        reason: "DOCUMENT_COPY",
    },
];

/// Measures whose failure is a sign of tampering. Their passing proves nothing, so the sub-check appears only when one
/// of them does not pass: no measure can vouch that a document was never altered.
const TAMPERING_MEASURES: &[Measure] = &[
    Measure::SidesAgree,
    Measure::DatesPossible,
    Measure::NoiseEven,
    Measure::CompressionEven,
    Measure::NoCopiedRegion,
    Measure::PrintEven,
    Measure::PortraitEdgeSoft,
];

#[derive(Debug)]
pub(super) struct AuthenticityCheck;

impl SessionCheck for AuthenticityCheck {
    fn subjects(&self, requested: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        let documents = supplied.documents_within(requested.filter.as_ref());
        documents.map(|document| vec![document.id]).collect()
    }

    /// The document, and the live face if there is one: its age is held against the date of birth.
    fn evidence(&self, session: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        let Some(document) = used_resource(session, check, ResourceKind::IdDocument) else {
            return EvidenceRequest::default();
        };
        EvidenceRequest { documents: vec![document], faces: live_face(session).into_iter().collect() }
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let Some(resource) = input.used(ResourceKind::IdDocument) else {
            return VerificationReport::not_available("NO_DOCUMENT");
        };
        let Some(findings) = input.document(resource.id) else {
            return VerificationReport::not_available("NO_DOCUMENT");
        };
        let mut restrictions = input.session.restrictions_of(resource);
        restrictions.allow_expired |= input.check.allow_expired;
        let live = live_face(input.session).and_then(|id| input.face(id));
        judge(findings, resource.claim(), &restrictions, live, input.today)
    }
}

fn judge(
    findings: &DocumentFindings,
    claim: Option<ClaimedDocument<'_>>,
    restrictions: &DocumentRestrictions,
    live: Option<&FaceAnalysis>,
    today: Date,
) -> VerificationReport {
    if !findings.document {
        return VerificationReport::not_available(findings.first_fault_or("NO_DOCUMENT"));
    }
    let mut report = ReportBuilder::default();
    add_usability(&mut report, findings, claim, restrictions);
    add_measured_sub_checks(&mut report, findings, restrictions.allow_expired);
    add_tampering(&mut report, findings);
    add_age(&mut report, findings, live, today);
    report.build(DOCUMENT_NOT_RECOGNISED)
}

/// The report of a document that was read outside a session: for measuring what passes. Every country and type is accepted.
pub fn assess_document(
    reading: &DocumentReading,
    claim: ClaimedDocument<'_>,
    media: Vec<MediaId>,
    today: Date,
) -> VerificationReport {
    let findings = DocumentFindings::of(reading, media, String::new());
    let accepted = DocumentRestrictions { allow_non_latin: true, ..DocumentRestrictions::default() };
    judge(&findings, Some(claim), &accepted, None, today)
}

/// The live face of the session that comes first.
fn live_face(session: &DocumentSession) -> Option<ResourceId> {
    session.fulfilling_resources(ResourceKind::Liveness).next().map(|resource| resource.id)
}

/// Whether the document can be used as what the end user said it is.
fn add_usability(
    report: &mut ReportBuilder,
    findings: &DocumentFindings,
    claim: Option<ClaimedDocument<'_>>,
    restrictions: &DocumentRestrictions,
) {
    // Expiry has a sub-check and a reason of its own, so it must not make the document unsupported as well.
    let lenient = DocumentRestrictions { allow_expired: true, ..restrictions.clone() };
    if let Some(reason) = claim.and_then(|claim| findings.rejection_reason(claim, &lenient)) {
        report.add_finding(CheckAdvice::NotAvailable, reason);
    }
    if findings.faults.iter().any(|fault| fault == PARTIAL_PHOTO) {
        report.add_finding(CheckAdvice::NotAvailable, PARTIAL_PHOTO);
    }
    // Which country issues what is looked up in a table. No authority was asked, so it is no sub-check.
    let contradicts = findings
        .measure(Measure::CountryTypeConsistent)
        .is_some_and(|measure| measure.verdict != AuthenticityVerdict::Pass);
    if contradicts {
        report.add_finding(CheckAdvice::Consider, "INCORRECT_DOCUMENT_TYPE");
    }
}

fn add_measured_sub_checks(report: &mut ReportBuilder, findings: &DocumentFindings, allow_expired: bool) {
    for sub_check in MEASURED_SUB_CHECKS {
        let measures: Vec<&StoredMeasure> =
            sub_check.measures.iter().filter_map(|measure| findings.measure(*measure)).collect();
        if measures.is_empty() {
            continue;
        }
        let any = |verdict| measures.iter().any(|measure| measure.verdict == verdict);
        let (fails, doubtful) = (any(AuthenticityVerdict::Fail), any(AuthenticityVerdict::Doubt));
        report.add_sub_check(SubCheck::new(sub_check.name, !fails && !doubtful, measure_details(&measures)));
        let allowed = sub_check.name == DOCUMENT_IN_DATE && allow_expired;
        if fails && !allowed {
            report.add_finding(sub_check.advice, sub_check.reason);
        } else if doubtful && !allowed {
            report.add_finding(CheckAdvice::Consider, sub_check.reason);
        }
    }
}

fn add_tampering(report: &mut ReportBuilder, findings: &DocumentFindings) {
    let signs: Vec<&StoredMeasure> = TAMPERING_MEASURES
        .iter()
        .filter_map(|measure| findings.measure(*measure))
        .filter(|measure| measure.verdict != AuthenticityVerdict::Pass)
        .collect();
    if signs.is_empty() {
        return;
    }
    report.add_sub_check(SubCheck::new("no_sign_of_tampering", false, measure_details(&signs)));
    let fails = signs.iter().any(|measure| measure.verdict == AuthenticityVerdict::Fail);
    report.add_finding(if fails { CheckAdvice::Reject } else { CheckAdvice::Consider }, "TAMPERED");
}

/// Holds the date of birth against how old the portrait and the live face look.
fn add_age(
    report: &mut ReportBuilder,
    findings: &DocumentFindings,
    live: Option<&FaceAnalysis>,
    today: Date,
) {
    let mut ages: Vec<StoredMeasure> = findings.measure(Measure::PortraitAge).cloned().into_iter().collect();
    let born = findings.field(FieldName::DateOfBirth).and_then(|text| text.parse::<Date>().ok());
    if let Some((age, born)) = live.and_then(FaceAnalysis::age).zip(born) {
        ages.push(StoredMeasure::of(&authenticity::measure_live_age(&age, born, today)));
    }
    if ages.is_empty() {
        return;
    }
    let ages: Vec<&StoredMeasure> = ages.iter().collect();
    let passed = ages.iter().all(|measure| measure.verdict == AuthenticityVerdict::Pass);
    report.add_sub_check(SubCheck::new("age_estimation_dob_comparison", passed, measure_details(&ages)));
    if !passed {
        report.add_finding(CheckAdvice::Consider, "LARGE_AGE_GAP");
    }
}
