//! How the age verification interface says no.

use crate::http::{
    ApiError, ErrorTable,
    auth::BearerError,
    error::{error_codes, refusals},
};
use axum::http::StatusCode;
use domain::{Violation, ages::NotDone, estimate::Refusal};
use utoipa::ToSchema;

error_codes! {
    /// A row of the age verification interface's error table.
    pub enum Code;
    InvalidRequest => BAD_REQUEST "INVALID_REQUEST",
    InvalidValidationMethods => BAD_REQUEST "INVALID_VALIDATION_METHODS",
    MissingSdkId => UNAUTHORIZED "MISSING_SDK_ID",
    UnknownSdkId => UNAUTHORIZED "UNKNOWN_SDK_ID",
    InvalidApiKey => UNAUTHORIZED "INVALID_API_KEY",
    NotAllowed => FORBIDDEN "NOT_ALLOWED",
    LocationBlocked => FORBIDDEN "LOCATION_BLOCKED",
    SessionNotFound => NOT_FOUND "SESSION_NOT_FOUND",
    NotFound => NOT_FOUND "NOT_FOUND",
    InvalidStatus => CONFLICT "INVALID_STATUS",
    StaleContinuation => CONFLICT "STALE_CONTINUATION",
    ConsentRequired => CONFLICT "CONSENT_REQUIRED",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    SessionExpired => GONE "SESSION_EXPIRED",
    SessionNotPending => GONE "SESSION_NOT_PENDING",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    UnsupportedMediaType => UNSUPPORTED_MEDIA_TYPE "UNSUPPORTED_MEDIA_TYPE",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    InternalError => INTERNAL_SERVER_ERROR "INTERNAL_ERROR",
    ServiceUnavailable => SERVICE_UNAVAILABLE "SERVICE_UNAVAILABLE",
}

/// A refusal of this interface.
pub(crate) type Problem = ApiError<Code>;

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "SESSION_NOT_FOUND")]
    error_code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    error_message: &'a str,
}

impl ErrorTable for Code {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "error_code";
    const NOT_FOUND: Self = Self::NotFound;
    const MALFORMED_BODY: Self = Self::InvalidRequest;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::InternalError;
    const UNAVAILABLE: Self = Self::ServiceUnavailable;

    type Body<'a> = ErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> ErrorBody<'_> {
        ErrorBody { error_code: error.code.as_str(), error_message: &error.message }
    }

    fn violations(violations: Vec<Violation>) -> ApiError<Self> {
        // What is wrong with the payload as a whole is that it offers nothing.
        match violations.as_slice() {
            [only] if only.path.is_empty() => {
                ApiError::new(Self::InvalidValidationMethods, only.message.clone())
            }
            _ => Self::malformed(violations),
        }
    }

    fn malformed(violations: Vec<Violation>) -> ApiError<Self> {
        let message = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        ApiError::new(Self::InvalidRequest, message)
    }

    fn idempotency_key_reused() -> Self {
        Self::IdempotencyKeyReused
    }
}

impl ApiError<Code> {
    /// There is no such session, or it is somebody else's.
    pub(super) fn no_session() -> Self {
        NotDone::NoSession.into()
    }
}

impl From<NotDone> for Problem {
    fn from(not: NotDone) -> Self {
        let words = not.to_string();
        let code = match not {
            NotDone::NoSession => Code::SessionNotFound,
            NotDone::Expired => Code::SessionExpired,
            NotDone::State(_) => Code::InvalidStatus,
            NotDone::Stale => Code::StaleContinuation,
            NotDone::NoConsent => Code::ConsentRequired,
            NotDone::NotServed => Code::NotAllowed,
            NotDone::NoIssuer => Code::NotFound,
            NotDone::Invalid(invalid) => return invalid.into(),
            NotDone::Models(Refusal::Busy(wait)) => return Self::busy(wait),
            NotDone::Models(error) => return Self::unavailable(&error),
            NotDone::NoKey(_) => return Self::unavailable(&not),
            NotDone::NotSigned(error) => return Self::unavailable(&error),
            NotDone::Db(error) => return Self::unavailable(&error),
        };
        Self::new(code, words)
    }
}

impl From<BearerError> for Problem {
    fn from(error: BearerError) -> Self {
        match error {
            BearerError::Missing => Self::new(
                Code::InvalidApiKey,
                "the request carries no API key: Authorization: Bearer <API key>",
            ),
            BearerError::Invalid => {
                Self::new(Code::InvalidApiKey, "the API key or token is unknown, or works no more")
            }
            BearerError::Scope(scope) => {
                Self::new(Code::NotAllowed, format!("the key or token lacks the scope {scope}"))
            }
            BearerError::Feature(scope) => {
                Self::new(Code::NotAllowed, format!("the application may not use {}", scope.feature()))
            }
            BearerError::RateLimited(limited) => limited.into(),
            BearerError::Db(error) => Self::unavailable(&error),
        }
    }
}

/// Operations of relying parties: they name an application, with a key or token of it.
const RELYING_PARTY: &[Code] =
    &[Code::MissingSdkId, Code::UnknownSdkId, Code::InvalidApiKey, Code::NotAllowed, Code::TooManyRequests];
/// Operations of end users: they have the address of a session.
const END_USER: &[Code] = &[
    Code::MissingSdkId,
    Code::NotAllowed,
    Code::SessionNotFound,
    Code::SessionExpired,
    Code::TooManyRequests,
];
/// Operations that are refused where the session is not to be used.
const LOCATION: &[Code] = &[Code::LocationBlocked];
/// Operations of wallets: they have the address of a request.
const WALLET: &[Code] = &[
    Code::NotAllowed,
    Code::SessionNotFound,
    Code::StaleContinuation,
    Code::SessionExpired,
    Code::TooManyRequests,
];
/// Operations with a body.
const BODY: &[Code] = &[Code::InvalidRequest, Code::PayloadTooLarge];
/// Operations that insist on JSON.
const JSON: &[Code] = &[Code::UnsupportedMediaType];
/// Operations that go on with a method.
const STEPS: &[Code] = &[Code::InvalidStatus, Code::StaleContinuation, Code::ConsentRequired];
/// Operations that need the database.
const DATABASE: &[Code] = &[Code::ServiceUnavailable];

refusals! {
    Code;
    Creating: RELYING_PARTY, BODY, &[Code::InvalidValidationMethods, Code::IdempotencyKeyReused], JSON, DATABASE;
    Reading: RELYING_PARTY, &[Code::SessionNotFound, Code::SessionExpired, Code::SessionNotPending], DATABASE;
    ReadingResult: RELYING_PARTY, &[Code::SessionNotFound], DATABASE;
    Responding: RELYING_PARTY, BODY, &[Code::SessionNotFound, Code::NotFound], JSON, DATABASE;
    Public: DATABASE;
    Seeing: END_USER, DATABASE;
    Consenting: END_USER, LOCATION, BODY, &[Code::InvalidStatus], DATABASE;
    Cancelling: END_USER, &[Code::InvalidStatus], DATABASE;
    Opening: END_USER, LOCATION, BODY, STEPS, &[Code::IdempotencyKeyReused], DATABASE;
    Turning: END_USER, LOCATION, BODY, STEPS, DATABASE;
    Keeping: END_USER, LOCATION, BODY, &[Code::InvalidStatus, Code::StaleContinuation], DATABASE;
    Forgetting: BODY, &[Code::InvalidStatus, Code::StaleContinuation, Code::TooManyRequests], DATABASE;
    Proving: END_USER, LOCATION, &[Code::InvalidStatus], DATABASE;
    Reporting: END_USER, BODY, DATABASE;
    Listing: &[Code::NotFound], DATABASE;
    Beginning: BODY, &[Code::NotAllowed, Code::NotFound, Code::TooManyRequests], DATABASE;
    Issuing: END_USER, LOCATION, BODY, &[Code::InvalidStatus], DATABASE;
    Fetching: WALLET, DATABASE;
    Answering: WALLET, BODY, DATABASE;
    Showing: &[Code::SessionNotFound, Code::TooManyRequests];
}
