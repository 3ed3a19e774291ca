//! What a check reports.

use super::types::{CheckAdvice, SubCheckProcess, SubCheckResult};
use serde::{Deserialize, Serialize};

/// A report, as it is on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationReport {
    /// What it comes to.
    pub recommendation: Recommendation,
    /// What was looked at.
    pub breakdown: Vec<SubCheck>,
}

/// What a report comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The advice.
    pub value: CheckAdvice,
    /// Why; always there with `REJECT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What would help; always there with `REJECT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_suggestion: Option<String>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubCheck {
    /// Its name.
    pub sub_check: String,
    /// How it ended.
    pub result: SubCheckResult,
    /// Numbers and reasons; never what is written on a document.
    #[serde(default)]
    pub details: Vec<ReportDetail>,
    /// Who looked.
    #[serde(default = "automated")]
    pub process: SubCheckProcess,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportDetail {
    /// What it is.
    pub name: String,
    /// What it says.
    pub value: String,
}

fn automated() -> SubCheckProcess {
    SubCheckProcess::Automated
}

/// What would help after a reason (docs/adr/0005-document-verification.md).
pub fn recovery_suggestion(reason: &str) -> &'static str {
    match reason {
        "EXPIRED_DOCUMENT" => "USE_DOCUMENT_IN_DATE",
        "DATA_MISMATCH" | "TAMPERED" | "FRAUD_LIST_MATCH" | "DOC_NUMBER_INVALID" => "USE_ANOTHER_DOCUMENT",
        "DOCUMENT_COPY" | "PHOTO_OF_PHOTO" => "USE_ORIGINAL_DOCUMENT",
        "DIFFERENT_PERSON" | "LARGE_AGE_GAP" => "USE_OWN_RECENT_DOCUMENT",
        "COUNTRY_NOT_SUPPORTED" | "DOCUMENT_NOT_SUPPORTED" | "INCORRECT_DOCUMENT_TYPE" => {
            "USE_SUPPORTED_DOCUMENT"
        }
        "MISSING_DOCUMENT_SIDE" => "CAPTURE_BOTH_SIDES",
        "LIVENESS_NOT_PROVEN" | "FACE_NOT_FOUND" | "MULTIPLE_FACES" => "RETAKE_FACE_CAPTURE",
        "NAME_MISMATCH" | "DOB_MISMATCH" => "USE_MATCHING_DOCUMENTS",
        _ => "BETTER_IMAGE_RECAPTURE",
    }
}

impl Recommendation {
    /// Nothing speaks against it.
    pub fn approve() -> Self {
        Self { value: CheckAdvice::Approve, reason: None, recovery_suggestion: None }
    }

    /// Anything else, for a reason.
    pub fn with_reason(value: CheckAdvice, reason: &str) -> Self {
        Self {
            value,
            reason: Some(reason.to_owned()),
            recovery_suggestion: Some(recovery_suggestion(reason).to_owned()),
        }
    }
}

impl SubCheck {
    /// One that this server made.
    pub fn new(name: &str, passed: bool, details: Vec<ReportDetail>) -> Self {
        let result = if passed { SubCheckResult::Pass } else { SubCheckResult::Fail };
        Self { sub_check: name.to_owned(), result, details, process: SubCheckProcess::Automated }
    }
}

impl ReportDetail {
    /// A detail.
    pub fn new(name: &str, value: impl std::fmt::Display) -> Self {
        Self { name: name.to_owned(), value: value.to_string() }
    }
}

impl VerificationReport {
    /// Nothing speaks against it.
    pub fn approve(breakdown: Vec<SubCheck>) -> Self {
        Self { recommendation: Recommendation::approve(), breakdown }
    }

    /// It could not be told.
    pub fn not_available(reason: &str) -> Self {
        Self {
            recommendation: Recommendation::with_reason(CheckAdvice::NotAvailable, reason),
            breakdown: Vec::new(),
        }
    }
}
