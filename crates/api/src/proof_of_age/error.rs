//! Refusals of the proof-of-age interface.

use crate::http::{
    ApiError, ErrorTable,
    auth::BearerError,
    error::{error_codes, error_responses},
    request_context,
};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use base::Uuid;
use domain::{Violation, proof_of_age::ProofOfAgeError};
use utoipa::ToSchema;

error_codes! {
    /// A row of the proof-of-age interface's error table.
    pub enum ProofErrorCode;
    MalformedPayload => BAD_REQUEST "MALFORMED_PAYLOAD",
    InvalidToken => UNAUTHORIZED "INVALID_TOKEN",
    FeatureDisabled => FORBIDDEN "FEATURE_DISABLED",
    InsufficientScope => FORBIDDEN "INSUFFICIENT_SCOPE",
    NotFound => NOT_FOUND "NOT_FOUND",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    UnprocessableEntry => UNPROCESSABLE_ENTITY "UNPROCESSABLE_ENTRY",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    SystemError => INTERNAL_SERVER_ERROR "SYSTEM_ERROR",
    SystemUnavailable => SERVICE_UNAVAILABLE "SYSTEM_UNAVAILABLE",
}

/// A refusal of this interface.
pub(crate) type ProofApiError = ApiError<ProofErrorCode>;

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ProofErrorBody<'a> {
    /// The id of the request, as in `X-Request-Id`.
    id: Uuid,
    /// The HTTP status.
    #[schema(example = 422)]
    status: u16,
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "UNPROCESSABLE_ENTRY")]
    error: &'a str,
    /// What went wrong, for a developer; names the path of the member.
    #[schema(value_type = String)]
    message: &'a str,
    /// What was measured, where a limit was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<f64>,
    /// The limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hint: Option<&'a str>,
}

impl ErrorTable for ProofErrorCode {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "error";
    const NOT_FOUND: Self = Self::NotFound;
    const MALFORMED_BODY: Self = Self::MalformedPayload;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::SystemError;
    const UNAVAILABLE: Self = Self::SystemUnavailable;

    type Body<'a> = ProofErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> ProofErrorBody<'_> {
        let (measured, limit, hint) = error.limit_members();
        ProofErrorBody {
            id: request_context::request_id(),
            status: error.code.status().as_u16(),
            error: error.code.as_str(),
            message: &error.message,
            measured,
            limit,
            hint,
        }
    }

    fn from_violations(violations: Vec<Violation>) -> ApiError<Self> {
        violations_with_code(Self::UnprocessableEntry, violations)
    }

    fn from_malformed(violations: Vec<Violation>) -> ApiError<Self> {
        violations_with_code(Self::MalformedPayload, violations)
    }

    fn idempotency_key_reused() -> Self {
        Self::IdempotencyKeyReused
    }

    fn headers(self) -> Option<(HeaderName, HeaderValue)> {
        (self == Self::InvalidToken).then_some((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")))
    }
}

fn violations_with_code(code: ProofErrorCode, violations: Vec<Violation>) -> ProofApiError {
    let message = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let measured = violations.into_iter().find_map(|violation| violation.measured);
    ProofApiError::new(code, message).with_measured(measured)
}

impl From<BearerError> for ProofApiError {
    fn from(error: BearerError) -> Self {
        match error {
            BearerError::Missing => Self::new(ProofErrorCode::InvalidToken, "no bearer token was sent"),
            BearerError::Invalid => {
                Self::new(ProofErrorCode::InvalidToken, "the bearer token is unknown or has expired")
            }
            BearerError::Scope(scope) => {
                Self::new(ProofErrorCode::InsufficientScope, format!("the token lacks the scope {scope}"))
            }
            BearerError::Feature(scope) => Self::new(
                ProofErrorCode::FeatureDisabled,
                format!("the application may not use {}", scope.feature()),
            ),
            BearerError::CallsUsedUp(refused) => refused.into(),
            BearerError::Db(error) => Self::unavailable(&error),
        }
    }
}

impl From<ProofOfAgeError> for ProofApiError {
    fn from(error: ProofOfAgeError) -> Self {
        match error {
            ProofOfAgeError::LimitReached(reached) => reached.into(),
            ProofOfAgeError::Trust(_) | ProofOfAgeError::NotQueued(_) | ProofOfAgeError::Db(_) => {
                Self::unavailable(&error)
            }
        }
    }
}

/// Operations with a bearer token.
const BEARER_CODES: &[ProofErrorCode] = &[
    ProofErrorCode::InvalidToken,
    ProofErrorCode::FeatureDisabled,
    ProofErrorCode::InsufficientScope,
    ProofErrorCode::TooManyRequests,
    ProofErrorCode::SystemUnavailable,
];
/// Operations with a body.
const BODY_CODES: &[ProofErrorCode] = &[ProofErrorCode::MalformedPayload, ProofErrorCode::PayloadTooLarge];

error_responses! {
    ProofErrorCode;
    VerifyProofErrors: BEARER_CODES, BODY_CODES, &[ProofErrorCode::UnprocessableEntry, ProofErrorCode::IdempotencyKeyReused];
    FetchProofErrors: BEARER_CODES, &[ProofErrorCode::NotFound];
    RedeemInvitationErrors: BODY_CODES, &[ProofErrorCode::InvalidToken, ProofErrorCode::FeatureDisabled, ProofErrorCode::IdempotencyKeyReused, ProofErrorCode::UnprocessableEntry, ProofErrorCode::TooManyRequests, ProofErrorCode::SystemUnavailable];
    IssuerKeysErrors: &[ProofErrorCode::SystemUnavailable];
}
