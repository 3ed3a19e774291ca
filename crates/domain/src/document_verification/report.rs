//! The reports of checks.

use super::types::{CheckAdvice, SubCheckProcess, SubCheckResult};
use serde::{Deserialize, Serialize};

/// The report of a check. Stored as JSON with the check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationReport {
    pub recommendation: Recommendation,
    pub breakdown: Vec<SubCheck>,
}

/// What a report recommends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    pub value: CheckAdvice,
    /// The reason as a code; always present unless the advice is `APPROVE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What would help, as a code; always present unless the advice is `APPROVE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_suggestion: Option<String>,
}

/// One aspect that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubCheck {
    /// Its name, `document_in_date` for example.
    pub sub_check: String,
    pub result: SubCheckResult,
    /// Numbers and reasons; never what is written on a document.
    #[serde(default)]
    pub details: Vec<ReportDetail>,
    /// Whether this server or a reviewer made it.
    #[serde(default = "automated")]
    pub process: SubCheckProcess,
}

/// A number or reason, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportDetail {
    pub name: String,
    pub value: String,
}

fn automated() -> SubCheckProcess {
    SubCheckProcess::Automated
}

/// What would help against the reason of a recommendation, as a code (docs/adr/0005-document-verification.md).
pub fn recovery_suggestion(reason: &str) -> &'static str {
    match reason {
        "EXPIRED_DOCUMENT" => "USE_DOCUMENT_IN_DATE",
        "DATA_MISMATCH"
        | "TAMPERED"
        | "FRAUD_LIST_MATCH"
        | "DOC_NUMBER_INVALID"
        | "DUPLICATE_IDENTITY"
        | "NOT_MACHINE_READABLE"
        | "ISSUING_AUTHORITY_UNDECIDED"
        | "FRAUD_LIST_UNDECIDED" => "USE_ANOTHER_DOCUMENT",
        "PROVIDER_UNAVAILABLE" => "TRY_AGAIN_LATER",
        "WATCHLIST_MATCH" | "WATCHLIST_UNDECIDED" | "IDENTITY_NOT_FOUND" => "REVIEW_MANUALLY",
        "DOCUMENT_COPY" | "PHOTO_OF_PHOTO" => "USE_ORIGINAL_DOCUMENT",
        "DIFFERENT_PERSON" | "LARGE_AGE_GAP" => "USE_OWN_RECENT_DOCUMENT",
        "COUNTRY_NOT_SUPPORTED"
        | "DOCUMENT_NOT_SUPPORTED"
        | "INCORRECT_DOCUMENT_TYPE"
        | "DOCUMENT_NOT_RECOGNISED" => "USE_SUPPORTED_DOCUMENT",
        "MISSING_DOCUMENT_SIDE" => "CAPTURE_BOTH_SIDES",
        "LIVENESS_NOT_PROVEN" | "FACE_NOT_FOUND" | "MULTIPLE_FACES" => "RETAKE_FACE_CAPTURE",
        "NAME_MISMATCH" | "DOB_MISMATCH" | "ADDRESS_MISMATCH" => "USE_MATCHING_DOCUMENTS",
        _ => "BETTER_IMAGE_RECAPTURE",
    }
}

impl Recommendation {
    /// Approves.
    pub fn approve() -> Self {
        Self { value: CheckAdvice::Approve, reason: None, recovery_suggestion: None }
    }

    /// Anything but approval, for a reason.
    pub fn with_reason(value: CheckAdvice, reason: &str) -> Self {
        Self {
            value,
            reason: Some(reason.to_owned()),
            recovery_suggestion: Some(recovery_suggestion(reason).to_owned()),
        }
    }
}

impl SubCheck {
    /// A sub-check made by this server.
    pub fn new(name: &str, passed: bool, details: Vec<ReportDetail>) -> Self {
        let result = if passed { SubCheckResult::Pass } else { SubCheckResult::Fail };
        Self { sub_check: name.to_owned(), result, details, process: SubCheckProcess::Automated }
    }
}

impl ReportDetail {
    pub fn new(name: &str, value: impl std::fmt::Display) -> Self {
        Self { name: name.to_owned(), value: value.to_string() }
    }
}

impl VerificationReport {
    /// A report that approves.
    pub fn approve(breakdown: Vec<SubCheck>) -> Self {
        Self { recommendation: Recommendation::approve(), breakdown }
    }

    /// A report without result, for a reason.
    pub fn not_available(reason: &str) -> Self {
        Self {
            recommendation: Recommendation::with_reason(CheckAdvice::NotAvailable, reason),
            breakdown: Vec::new(),
        }
    }
}
