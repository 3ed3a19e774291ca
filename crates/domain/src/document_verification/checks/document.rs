//! What documents are judged by. A sub-check that was not made is left out: it is never reported as passed.

use super::{
    super::{
        findings::{DocumentFindings, StoredMeasure},
        report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
        restrictions::DocumentRestrictions,
        session::{SuppliedResource, VerificationCheck},
        types::CheckAdvice,
    },
    face::FaceAnalysis,
};
use documents::{
    authenticity::{self, AuthenticityCheck as Measure, AuthenticityVerdict},
    field::FieldName,
};
use jiff::civil::Date;
use std::collections::BTreeSet;

/// What of measures makes a sub-check, and what a failure of it means: its name, what is measured, and the reason.
const SUB_CHECKS: &[(&str, &[Measure], CheckAdvice, &str)] = &[
    ("document_in_date", &[Measure::DocumentInDate], CheckAdvice::Reject, "EXPIRED_DOCUMENT"),
    (
        "mrz_validation",
        &[Measure::MrzCheckDigits, Measure::MrzFormat],
        CheckAdvice::NotAvailable,
        "INCORRECT_MRZ",
    ),
    ("ocr_mrz_comparison", &[Measure::OcrMrzComparison], CheckAdvice::Reject, "DATA_MISMATCH"),
    ("ocr_barcode_comparison", &[Measure::OcrBarcodeComparison], CheckAdvice::Reject, "DATA_MISMATCH"),
    ("doc_number_validation", &[Measure::DocNumberValidation], CheckAdvice::Reject, "DOC_NUMBER_INVALID"),
    (
        "physical_document_captured",
        &[Measure::NoScreenGrid, Measure::NoScreenBezel, Measure::NoPhotocopy],
        CheckAdvice::Consider,
        "DOCUMENT_COPY",
    ),
    (
        "issuing_authority",
        &[Measure::IssuingCountryKnown, Measure::CountryTypeConsistent],
        CheckAdvice::NotAvailable,
        "DOCUMENT_NOT_SUPPORTED",
    ),
];

/// What speaks of tampering where it fails, and of nothing where it does not: no measure of ours could vouch for a
/// document that was never touched.
const TAMPERING_MEASURES: &[Measure] = &[Measure::SidesAgree, Measure::DatesPossible];

/// How a document is judged, step by step: the worst that was found counts, the first of its kind gives the reason.
#[derive(Default)]
struct ReportBuilder {
    breakdown: Vec<SubCheck>,
    worst: Option<(CheckAdvice, &'static str)>,
}

impl ReportBuilder {
    fn add_finding(&mut self, advice: CheckAdvice, reason: &'static str) {
        let rank = |advice| match advice {
            CheckAdvice::Approve => 0,
            CheckAdvice::Consider => 1,
            CheckAdvice::NotAvailable => 2,
            CheckAdvice::Reject => 3,
        };
        if self.worst.is_none_or(|(worst, _)| rank(advice) > rank(worst)) {
            self.worst = Some((advice, reason));
        }
    }

    fn build(self) -> VerificationReport {
        let recommendation = match self.worst {
            None => Recommendation::approve(),
            Some((advice, reason)) => Recommendation::with_reason(advice, reason),
        };
        VerificationReport { recommendation, breakdown: self.breakdown }
    }
}

fn details(measures: &[&StoredMeasure]) -> Vec<ReportDetail> {
    measures
        .iter()
        .map(|measure| {
            let name = serde_json::to_value(measure.check).ok();
            let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or("measure");
            ReportDetail::new(
                name,
                format_args!("{:.3} ({}): {}", measure.value, measure.limit, measure.reason),
            )
        })
        .collect()
}

/// Whether a document is what it seems.
pub(super) fn authenticity(
    findings: Option<&DocumentFindings>,
    resource: &SuppliedResource,
    filter: &DocumentRestrictions,
    check: &VerificationCheck,
    live: Option<&FaceAnalysis>,
    today: Date,
) -> VerificationReport {
    let Some(findings) = findings else { return VerificationReport::not_available("NO_DOCUMENT") };
    if !findings.document {
        return VerificationReport::not_available(
            findings.faults.first().map_or("NO_DOCUMENT", String::as_str),
        );
    }
    let mut judgement = ReportBuilder::default();
    // What a filter of the session leaves out is no reason of its own for a document that expired: that has its own.
    let lenient = DocumentRestrictions { allow_expired: true, ..filter.clone() };
    if let Some(reason) = findings.rejection_reason(resource, &lenient) {
        judgement.add_finding(CheckAdvice::NotAvailable, reason);
    }
    for (name, checks, advice, reason) in SUB_CHECKS {
        if *name == "issuing_authority" && !check.issuing_authority {
            continue;
        }
        let measures: Vec<&StoredMeasure> =
            checks.iter().filter_map(|check| findings.measure(*check)).collect();
        if measures.is_empty() {
            continue;
        }
        let worst = |verdict| measures.iter().any(|measure| measure.verdict == verdict);
        let (fails, doubtful) = (worst(AuthenticityVerdict::Fail), worst(AuthenticityVerdict::Doubt));
        judgement.breakdown.push(SubCheck::new(name, !fails && !doubtful, details(&measures)));
        let allowed = *name == "document_in_date" && filter.allow_expired;
        if fails && !allowed {
            judgement.add_finding(*advice, reason);
        } else if doubtful && !allowed {
            judgement.add_finding(CheckAdvice::Consider, reason);
        }
    }
    let touched: Vec<&StoredMeasure> = TAMPERING_MEASURES
        .iter()
        .filter_map(|check| findings.measure(*check))
        .filter(|measure| measure.verdict != AuthenticityVerdict::Pass)
        .collect();
    if !touched.is_empty() {
        judgement.breakdown.push(SubCheck::new("no_sign_of_tampering", false, details(&touched)));
        let sure = touched.iter().any(|measure| measure.verdict == AuthenticityVerdict::Fail);
        judgement.add_finding(if sure { CheckAdvice::Reject } else { CheckAdvice::Consider }, "TAMPERED");
    }
    let mut ages: Vec<StoredMeasure> = findings.measure(Measure::PortraitAge).cloned().into_iter().collect();
    let born = findings.field(FieldName::DateOfBirth).and_then(|text| text.parse::<Date>().ok());
    if let Some((age, born)) = live.and_then(FaceAnalysis::age).zip(born) {
        let measure = authenticity::measure_live_age(&age, born, today);
        ages.push(StoredMeasure {
            check: measure.check,
            value: measure.value,
            limit: measure.limit.to_string(),
            verdict: measure.verdict,
            reason: measure.reason,
        });
    }
    if !ages.is_empty() {
        let ages: Vec<&StoredMeasure> = ages.iter().collect();
        let passed = ages.iter().all(|measure| measure.verdict == AuthenticityVerdict::Pass);
        judgement.breakdown.push(SubCheck::new("age_estimation_dob_comparison", passed, details(&ages)));
        if !passed {
            judgement.add_finding(CheckAdvice::Consider, "LARGE_AGE_GAP");
        }
    }
    judgement.build()
}

/// Whether what was read of a document can be relied on.
pub(super) fn text_data(findings: Option<&DocumentFindings>, letter: bool) -> VerificationReport {
    let Some(findings) = findings else { return VerificationReport::not_available("NO_DOCUMENT") };
    let fault = || findings.faults.first().map_or("PHOTO_TOO_BLURRY", String::as_str);
    if !findings.document {
        return VerificationReport::not_available(
            findings.faults.first().map_or("NO_DOCUMENT", String::as_str),
        );
    }
    let mut judgement = ReportBuilder::default();
    let needed: &[(&str, bool)] = if letter {
        let letter = findings.letter.as_ref();
        &[
            ("full_name", letter.is_some_and(|letter| letter.full_name.is_some())),
            (
                "structured_postal_address",
                letter.is_some_and(|letter| letter.structured_postal_address.is_some()),
            ),
        ]
    } else {
        &[
            ("full_name", findings.field(FieldName::FullName).is_some()),
            ("date_of_birth", findings.field(FieldName::DateOfBirth).is_some()),
            ("document_number", findings.field(FieldName::DocumentNumber).is_some()),
        ]
    };
    let read = needed.iter().all(|(_, there)| *there);
    let told =
        needed.iter().map(|(name, there)| ReportDetail::new(name, if *there { "read" } else { "not read" }));
    judgement.breakdown.push(SubCheck::new("text_data_readable", read, told.collect()));
    for (name, check) in [
        ("ocr_mrz_comparison", Measure::OcrMrzComparison),
        ("ocr_barcode_comparison", Measure::OcrBarcodeComparison),
    ] {
        let Some(measure) = findings.measure(check) else { continue };
        let passed = measure.verdict == AuthenticityVerdict::Pass;
        judgement.breakdown.push(SubCheck::new(name, passed, details(&[measure])));
        match measure.verdict {
            AuthenticityVerdict::Pass => {}
            AuthenticityVerdict::Doubt => judgement.add_finding(CheckAdvice::Consider, "DATA_MISMATCH"),
            AuthenticityVerdict::Fail => judgement.add_finding(CheckAdvice::Reject, "DATA_MISMATCH"),
        }
    }
    let mut report = judgement.build();
    if !read {
        report.recommendation = Recommendation::with_reason(CheckAdvice::NotAvailable, fault());
    }
    report
}

/// Whether two documents are of one person.
pub(super) fn comparison(both: &[&DocumentFindings]) -> VerificationReport {
    let [one, other] = both else { return VerificationReport::not_available("NO_DOCUMENT") };
    let mut judgement = ReportBuilder::default();
    let (Some(a), Some(b)) = (name_words(one), name_words(other)) else {
        return VerificationReport::not_available("PHOTO_TOO_BLURRY");
    };
    // A letter often has fewer of the given names: one set of words must lie within the other, the family name included.
    let within = a.is_subset(&b) || b.is_subset(&a);
    let same = within && a.len().min(b.len()) >= 2;
    let shared = a.intersection(&b).count();
    let told = vec![
        ReportDetail::new("words_shared", shared),
        ReportDetail::new("words_compared", a.len().min(b.len())),
    ];
    judgement.breakdown.push(SubCheck::new("name_match", same, told));
    if !same {
        let advice = if shared == 0 { CheckAdvice::Reject } else { CheckAdvice::Consider };
        judgement.add_finding(advice, "NAME_MISMATCH");
    }
    if let (Some(a), Some(b)) = (one.field(FieldName::DateOfBirth), other.field(FieldName::DateOfBirth)) {
        judgement.breakdown.push(SubCheck::new("dob_match", a == b, Vec::new()));
        if a != b {
            judgement.add_finding(CheckAdvice::Reject, "DOB_MISMATCH");
        }
    }
    judgement.build()
}

/// The words of a person's name, in small Latin letters.
fn name_words(findings: &DocumentFindings) -> Option<BTreeSet<String>> {
    let letter = findings.letter.as_ref().and_then(|letter| letter.full_name.as_deref());
    let text = findings.field(FieldName::FullName).or(letter)?;
    let words = text.split(|c: char| c.is_whitespace() || c == '-' || c == ',');
    let words: BTreeSet<String> =
        words.map(documents::text::normalise).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then_some(words)
}
