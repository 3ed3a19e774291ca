//! Refusals of the moderation interface.

use crate::http::{
    ApiError, ErrorTable,
    error::{error_codes, error_responses},
};
use axum::http::StatusCode;
use base::LimitViolation;
use domain::Violation;
use std::borrow::Cow;
use utoipa::ToSchema;

error_codes! {
    /// A row of the moderation interface's error table.
    pub enum ModerationErrorCode;
    InvalidRequest => BAD_REQUEST "INVALID_REQUEST",
    Unauthorized => UNAUTHORIZED "UNAUTHORIZED",
    NotFound => NOT_FOUND "NOT_FOUND",
    DuplicateAccountName => CONFLICT "DUPLICATE_ACCOUNT_NAME",
    Conflict => CONFLICT "CONFLICT",
    CaseNotHeld => CONFLICT "CASE_NOT_HELD",
    DecisionSettled => CONFLICT "DECISION_SETTLED",
    ExposureBudgetUsedUp => CONFLICT "EXPOSURE_BUDGET_USED_UP",
    LastAdministrator => CONFLICT "LAST_ADMINISTRATOR",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    TooManyAccounts => UNPROCESSABLE_ENTITY "TOO_MANY_ACCOUNTS",
    ContentUnreachable => UNPROCESSABLE_ENTITY "CONTENT_UNREACHABLE",
    PageOutOfRange => UNPROCESSABLE_ENTITY "PAGE_OUT_OF_RANGE",
    FaceRefused => UNPROCESSABLE_ENTITY "FACE_REFUSED",
    FileRefused => UNPROCESSABLE_ENTITY "FILE_REFUSED",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    InternalError => INTERNAL_SERVER_ERROR "INTERNAL_ERROR",
    Unavailable => SERVICE_UNAVAILABLE "UNAVAILABLE",
}

/// A refusal of this interface.
pub(crate) type ModerationApiError = ApiError<ModerationErrorCode>;

/// What is wrong with one member of the request.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Violation)]
pub(crate) struct ModerationViolationBody<'a> {
    /// The member's path, such as `notifications.web_destinations[1]`, or the parameter's name.
    #[schema(value_type = String)]
    property: &'a str,
    /// What is wrong with it.
    #[schema(value_type = String)]
    message: &'a str,
    /// What was measured, where a limit was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<f64>,
    /// The limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    limit: Option<&'a str>,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ModerationErrorBody<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "NOT_FOUND")]
    code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    message: &'a str,
    /// The members of the request that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<ModerationViolationBody<'static>>>)]
    errors: Vec<ModerationViolationBody<'a>>,
    /// What was measured, where the request as a whole broke a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<f64>,
    /// That limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    limit: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hint: Option<&'a str>,
}

impl ErrorTable for ModerationErrorCode {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "code";
    const NOT_FOUND: Self = Self::NotFound;
    const MALFORMED_BODY: Self = Self::InvalidRequest;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::InternalError;
    const UNAVAILABLE: Self = Self::Unavailable;

    type Body<'a> = ModerationErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> ModerationErrorBody<'_> {
        let errors = error.violations.iter().map(|violation| ModerationViolationBody {
            property: &violation.path,
            message: &violation.message,
            measured: violation.measured.as_ref().map(|measured| measured.measured),
            limit: violation.measured.as_ref().map(|measured| measured.limit.as_str()),
        });
        let (measured, limit, hint) = error.limit_members();
        ModerationErrorBody {
            code: error.code.as_str(),
            message: &error.message,
            errors: errors.collect(),
            measured,
            limit,
            hint,
        }
    }

    fn from_violations(violations: Vec<Violation>) -> ApiError<Self> {
        violations_with_code(Self::InvalidRequest, violations)
    }

    fn idempotency_key_reused() -> Self {
        Self::IdempotencyKeyReused
    }
}

/// Refuses members with the given code; the message is that of the first violation.
pub(super) fn violations_with_code(
    code: ModerationErrorCode,
    violations: Vec<Violation>,
) -> ModerationApiError {
    let message = violations.first().map(ToString::to_string).unwrap_or_default();
    ModerationApiError::new(code, message).with_violations(violations)
}

impl ApiError<ModerationErrorCode> {
    /// Refuses one member with the given code.
    pub(super) fn violation_with_code(
        code: ModerationErrorCode,
        path: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        measured: Option<LimitViolation>,
    ) -> Self {
        violations_with_code(code, vec![Violation { measured, ..Violation::new(path, message) }])
    }

    /// There is no such resource, or it belongs to another application or account.
    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(ModerationErrorCode::NotFound, format!("there is no such {what}"))
    }
}

/// Operations that authenticate their caller.
const CALLER_CODES: &[ModerationErrorCode] = &[
    ModerationErrorCode::Unauthorized,
    ModerationErrorCode::TooManyRequests,
    ModerationErrorCode::Unavailable,
];
/// Operations on an account, or on something in it.
const ACCOUNT_CODES: &[ModerationErrorCode] = &[ModerationErrorCode::NotFound];
/// Operations with a body.
const BODY_CODES: &[ModerationErrorCode] =
    &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PayloadTooLarge];
/// Operations that create something.
const CREATION_CODES: &[ModerationErrorCode] = &[ModerationErrorCode::IdempotencyKeyReused];

error_responses! {
    ModerationErrorCode;
    ReadErrors: CALLER_CODES, ACCOUNT_CODES;
    ListErrors: CALLER_CODES, ACCOUNT_CODES, &[ModerationErrorCode::InvalidRequest];
    ListPageErrors: CALLER_CODES, ACCOUNT_CODES, &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PageOutOfRange];
    ChangeErrors: CALLER_CODES, ACCOUNT_CODES, &[ModerationErrorCode::InvalidRequest];
    WriteErrors: CALLER_CODES, ACCOUNT_CODES, BODY_CODES;
    CreateErrors: CALLER_CODES, ACCOUNT_CODES, BODY_CODES, CREATION_CODES;
    CreateUniqueErrors: CALLER_CODES, ACCOUNT_CODES, BODY_CODES, CREATION_CODES, &[ModerationErrorCode::Conflict];
    OpenAccountErrors: CALLER_CODES, BODY_CODES, CREATION_CODES, &[ModerationErrorCode::DuplicateAccountName, ModerationErrorCode::TooManyAccounts];
    DemoteErrors: CALLER_CODES, ACCOUNT_CODES, &[ModerationErrorCode::LastAdministrator];
    StartModerationErrors: CALLER_CODES, ACCOUNT_CODES, BODY_CODES, CREATION_CODES, &[ModerationErrorCode::ContentUnreachable];
    UploadErrors: CALLER_CODES, ACCOUNT_CODES, BODY_CODES, &[ModerationErrorCode::FileRefused];
    EnrolErrors: CALLER_CODES, ACCOUNT_CODES, BODY_CODES, CREATION_CODES, &[ModerationErrorCode::FaceRefused];
    SearchErrors: CALLER_CODES, ACCOUNT_CODES, BODY_CODES, &[ModerationErrorCode::FaceRefused];
}
