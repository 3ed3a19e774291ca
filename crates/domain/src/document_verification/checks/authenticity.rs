//! `ID_DOCUMENT_AUTHENTICITY`: whether an identity document is what it seems. A sub-check that could not be made is left
//! out; it is never reported as passed.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    face_analysis::FaceAnalysis,
    report_builder::{ReportBuilder, measure_details},
    sources::{PROVIDER_UNAVAILABLE, SourceOutcome, SourceRules, add_source_findings, numbered_document},
    used_resource,
};
use crate::document_verification::{
    findings::{ClaimedDocument, DOCUMENT_NOT_RECOGNISED, DocumentFindings, PARTIAL_PHOTO, StoredMeasure},
    identity_sources::IdentitySources,
    report::{ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    restrictions::DocumentRestrictions,
    session::{DocumentSession, SuppliedResource, VerificationCheck},
    types::{CheckAdvice, ResourceKind, SubCheckResult},
};
use age_methods::identity_source::{
    IdentityQuestion, IdentitySourceKind, IdentitySubject, SourceReason, SourceVerdict,
};
use base::{DocumentSessionId, MediaId, ResourceId};
use documents::{
    authenticity::{self, AuthenticityCheck as Measure, AuthenticityVerdict},
    catalogue,
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

pub(super) const DOCUMENT_IN_DATE: &str = "document_in_date";

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

const ISSUING_AUTHORITY: &str = "issuing_authority";
const FRAUD_LIST_CHECK: &str = "fraud_list_check";

const ISSUING_AUTHORITY_RULES: SourceRules = SourceRules {
    failed: |finding| match finding.reason {
        None | Some(SourceReason::DataMismatch) => (CheckAdvice::Reject, "DATA_MISMATCH"),
        Some(SourceReason::DocNumberInvalid) => (CheckAdvice::Reject, "DOC_NUMBER_INVALID"),
        Some(SourceReason::FraudListMatch) => (CheckAdvice::Reject, "FRAUD_LIST_MATCH"),
    },
    unknown: (CheckAdvice::Consider, "ISSUING_AUTHORITY_UNDECIDED"),
};

const FRAUD_LIST_RULES: SourceRules = SourceRules {
    failed: |_| (CheckAdvice::Reject, "FRAUD_LIST_MATCH"),
    unknown: (CheckAdvice::Consider, "FRAUD_LIST_UNDECIDED"),
};

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
        EvidenceRequest {
            documents: vec![document],
            faces: live_face(session).into_iter().collect(),
            ..EvidenceRequest::default()
        }
    }

    /// The authority if the check asks for it, and the list of fraud wherever there is one.
    fn questions(&self, input: &CheckInput<'_>, sources: &IdentitySources) -> Vec<IdentityQuestion> {
        let Ok((resource, findings)) = input.accepted_document() else { return Vec::new() };
        let claim = resource.claim();
        let Some(subject) = numbered_document(findings, claim) else { return Vec::new() };
        let field = |name| findings.field(name).map(str::to_owned);
        let to_authority =
            asks_authority(input, findings, &restrictions(input, resource)).then(|| IdentityQuestion {
                kind: IdentitySourceKind::IssuingAuthority,
                sub_checks: vec![ISSUING_AUTHORITY],
                subject: IdentitySubject {
                    date_of_issue: field(FieldName::DateOfIssue),
                    expiration_date: field(FieldName::ExpirationDate),
                    nationality: field(FieldName::Nationality),
                    ..subject.clone()
                },
            });
        let to_fraud_list = sources.has(IdentitySourceKind::FraudList).then(|| IdentityQuestion {
            kind: IdentitySourceKind::FraudList,
            sub_checks: vec![FRAUD_LIST_CHECK],
            subject: IdentitySubject { given_names: None, family_name: None, ..subject },
        });
        to_authority.into_iter().chain(to_fraud_list).collect()
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let Some(resource) = input.used(ResourceKind::IdDocument) else {
            return VerificationReport::not_available("NO_DOCUMENT");
        };
        let Some(findings) = input.document(resource.id) else {
            return VerificationReport::not_available("NO_DOCUMENT");
        };
        let restrictions = restrictions(input, resource);
        let live = live_face(input.session).and_then(|id| input.face(id));
        judge(findings, resource.claim(), &restrictions, live, input.today, |report| {
            if let Some(outcome) = input.answer(IdentitySourceKind::IssuingAuthority) {
                add_source_findings(report, outcome, &ISSUING_AUTHORITY_RULES);
            } else if asks_authority(input, findings, &restrictions) {
                // Nobody can be asked about a document whose number was not read.
                report.add_finding(CheckAdvice::NotAvailable, "PHOTO_TOO_BLURRY");
            }
            add_fraud_lists(report, input);
            add_duplicates(report, input);
        })
    }
}

/// One sub-check of the operator's own list and of the provider's: it fails if either has the document or its holder.
fn add_fraud_lists(report: &mut ReportBuilder, input: &CheckInput<'_>) {
    let mut asked = ReportBuilder::default();
    if let Some(outcome) = input.answer(IdentitySourceKind::FraudList) {
        add_source_findings(&mut asked, outcome, &FRAUD_LIST_RULES);
    }
    let asked = asked.build(FRAUD_LIST_CHECK);
    let listed = input.registers().map(|found| found.listed).unwrap_or_default();
    let own = [("own_list_document", listed.document), ("own_list_face", listed.face)];
    let own = own.into_iter().filter_map(|(name, hit)| Some((name, hit?)));
    let mut details: Vec<ReportDetail> = own
        .clone()
        .map(|(name, hit)| ReportDetail::new(name, if hit { "listed" } else { "not listed" }))
        .collect();
    let mut results: Vec<bool> = own.map(|(_, hit)| !hit).collect();
    for sub_check in asked.breakdown {
        results.push(sub_check.result == SubCheckResult::Pass);
        details.extend(sub_check.details);
    }
    if !results.is_empty() {
        let passed = results.iter().all(|passed| *passed);
        report.add_sub_check(SubCheck::new(FRAUD_LIST_CHECK, passed, details));
        if !passed {
            report.add_finding(CheckAdvice::Reject, "FRAUD_LIST_MATCH");
        }
    }
    // What the provider could not say.
    match input.answer(IdentitySourceKind::FraudList) {
        Some(SourceOutcome::Unavailable) => {
            report.add_finding(CheckAdvice::NotAvailable, PROVIDER_UNAVAILABLE);
        }
        Some(SourceOutcome::Answered(answer))
            if answer.findings.iter().any(|finding| finding.verdict == SourceVerdict::Unknown) =>
        {
            report.add_finding(FRAUD_LIST_RULES.unknown.0, FRAUD_LIST_RULES.unknown.1);
        }
        _ => {}
    }
}

/// Tells of earlier sessions with the same document or face and another identity. One of them may be right, so a person
/// has to look.
fn add_duplicates(report: &mut ReportBuilder, input: &CheckInput<'_>) {
    let Some(found) = input.registers().and_then(|found| found.duplicates.as_ref()) else { return };
    let list = |name: &str, sessions: &[DocumentSessionId]| {
        let ids: Vec<String> = sessions.iter().map(ToString::to_string).collect();
        (!ids.is_empty()).then(|| ReportDetail::new(name, ids.join(" ")))
    };
    let details = [
        list("same_document_other_identity", &found.same_document),
        list("same_face_other_identity", &found.same_face),
    ];
    let details: Vec<ReportDetail> = details.into_iter().flatten().collect();
    let passed = details.is_empty();
    report.add_sub_check(SubCheck::new("duplicate_check", passed, details));
    if !passed {
        report.add_finding(CheckAdvice::Consider, "DUPLICATE_IDENTITY");
    }
}

/// What the session accepts for the resource, and the check besides.
fn restrictions(input: &CheckInput<'_>, resource: &SuppliedResource) -> DocumentRestrictions {
    let mut restrictions = input.session.restrictions_of(resource);
    restrictions.allow_expired |= input.check.allow_expired;
    restrictions
}

/// Whether the authority is to be asked about the document. One that has expired may be none that its filter takes.
fn asks_authority(
    input: &CheckInput<'_>,
    findings: &DocumentFindings,
    restrictions: &DocumentRestrictions,
) -> bool {
    let takes_expired = input.check.issuing_authority_takes_expired || restrictions.allow_expired;
    input.check.issuing_authority && (takes_expired || !findings.has_expired())
}

fn judge(
    findings: &DocumentFindings,
    claim: Option<ClaimedDocument<'_>>,
    restrictions: &DocumentRestrictions,
    live: Option<&FaceAnalysis>,
    today: Date,
    add_others: impl FnOnce(&mut ReportBuilder),
) -> VerificationReport {
    if !findings.document {
        return VerificationReport::not_available(findings.first_fault_or("NO_DOCUMENT"));
    }
    let mut report = ReportBuilder::default();
    add_usability(&mut report, findings, claim, restrictions);
    add_measured_sub_checks(&mut report, findings, restrictions.allow_expired);
    add_tampering(&mut report, findings);
    add_age(&mut report, findings, live, today);
    add_others(&mut report);
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
    judge(&findings, Some(claim), &accepted, None, today, |_| {})
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
    // Nothing on it has to be right but words, so nothing on it can be wrong: somebody has to look.
    let listed = claim.and_then(|claim| catalogue::find_document(claim.country, claim.kind));
    if listed.is_some_and(|document| !document.is_machine_readable()) {
        report.add_finding(CheckAdvice::Consider, "NOT_MACHINE_READABLE");
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
