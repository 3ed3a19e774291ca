//! How the document verification interface says no.

use crate::http::{
    ApiError, ErrorTable,
    auth::{BearerError, SignatureAuthError},
    error::{error_codes, refusals},
};
use axum::http::StatusCode;
use domain::{
    Violation,
    estimate::Refusal,
    identity::NotDone,
    tenancy::{caller::NoCaller, signed_request::Refused},
};
use utoipa::ToSchema;

error_codes! {
    /// A row of the document verification interface's error table.
    pub enum Code;
    PayloadValidation => BAD_REQUEST "PAYLOAD_VALIDATION",
    MalformedRequest => BAD_REQUEST "MALFORMED_REQUEST",
    MessageSigning => UNAUTHORIZED "MESSAGE_SIGNING",
    BadToken => UNAUTHORIZED "BAD_TOKEN",
    InsufficientPermission => FORBIDDEN "INSUFFICIENT_PERMISSION",
    AppNotFound => NOT_FOUND "APP_NOT_FOUND",
    SessionNotFound => NOT_FOUND "SESSION_NOT_FOUND",
    ResourceNotFound => NOT_FOUND "RESOURCE_NOT_FOUND",
    MediaContentNotFound => NOT_FOUND "MEDIA_CONTENT_NOT_FOUND",
    NotFound => NOT_FOUND "NOT_FOUND",
    SessionExpired => CONFLICT "SESSION_EXPIRED",
    SessionNotReady => CONFLICT "SESSION_NOT_READY",
    SessionLocked => CONFLICT "SESSION_LOCKED",
    ResourceLocked => CONFLICT "RESOURCE_LOCKED",
    ChecksNotFinished => CONFLICT "CHECKS_NOT_FINISHED",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    UnsupportedVersion => PRECONDITION_FAILED "UNSUPPORTED_VERSION",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    UnsupportedMediaType => UNSUPPORTED_MEDIA_TYPE "UNSUPPORTED_MEDIA_TYPE",
    RangeNotSatisfiable => RANGE_NOT_SATISFIABLE "RANGE_NOT_SATISFIABLE",
    UnprocessableMedia => UNPROCESSABLE_ENTITY "UNPROCESSABLE_MEDIA",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    InternalError => INTERNAL_SERVER_ERROR "INTERNAL_ERROR",
    ServiceUnavailable => SERVICE_UNAVAILABLE "SERVICE_UNAVAILABLE",
}

/// A refusal of this interface.
pub(crate) type Problem = ApiError<Code>;

/// What is wrong with one member of the request.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct Wrong<'a> {
    /// The member's path, as `requested_checks[0].config.manual_check`.
    #[schema(value_type = String)]
    property: &'a str,
    /// What is wrong with it.
    #[schema(value_type = String)]
    message: &'a str,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "SESSION_NOT_FOUND")]
    code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    message: &'a str,
    /// The members of the request that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<Wrong<'static>>>)]
    errors: Vec<Wrong<'a>>,
}

impl ErrorTable for Code {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "code";
    const NOT_FOUND: Self = Self::NotFound;
    const MALFORMED_BODY: Self = Self::MalformedRequest;
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
        let errors = error
            .violations
            .iter()
            .map(|violation| Wrong { property: &violation.path, message: &violation.message });
        ErrorBody { code: error.code.as_str(), message: &error.message, errors: errors.collect() }
    }

    fn violations(violations: Vec<Violation>) -> ApiError<Self> {
        let message = violations.first().map(ToString::to_string).unwrap_or_default();
        ApiError::new(Self::PayloadValidation, message).with_violations(violations)
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
            NotDone::Missing(_) => Code::ResourceNotFound,
            NotDone::NoMedia => Code::MediaContentNotFound,
            NotDone::Expired => Code::SessionExpired,
            NotDone::NotReady(_) => Code::SessionNotReady,
            NotDone::SessionLocked => Code::SessionLocked,
            NotDone::ResourceLocked(_) => Code::ResourceLocked,
            NotDone::ChecksNotFinished => Code::ChecksNotFinished,
            NotDone::KeyReused => Code::IdempotencyKeyReused,
            NotDone::Forbidden(_) => Code::InsufficientPermission,
            NotDone::Invalid(invalid) => return invalid.into(),
            NotDone::Unsupported(_) => Code::UnsupportedMediaType,
            NotDone::Unprocessable(_) => Code::UnprocessableMedia,
            NotDone::Blobs(error) => return Self::unavailable(&error),
            NotDone::Models(Refusal::Busy(wait)) => return Self::busy(wait),
            NotDone::Models(error) => return Self::unavailable(&error),
            NotDone::Db(error) => return Self::unavailable(&error),
        };
        Self::new(code, words)
    }
}

impl From<SignatureAuthError> for Problem {
    fn from(error: SignatureAuthError) -> Self {
        match error {
            SignatureAuthError::Caller(error) => error.into(),
            SignatureAuthError::Refused(error) => error.into(),
            SignatureAuthError::Body(error) => error.into(),
            SignatureAuthError::Suspended => {
                Self::new(Code::InsufficientPermission, "the organisation is suspended")
            }
            SignatureAuthError::RateLimited(limited) => limited.into(),
            SignatureAuthError::Unavailable(error) => Self::unavailable(&*error),
        }
    }
}

impl From<NoCaller> for Problem {
    fn from(error: NoCaller) -> Self {
        let code = match &error {
            NoCaller::NotAnId | NoCaller::EmptyId => Code::MalformedRequest,
            NoCaller::NoApp => Code::AppNotFound,
            NoCaller::NoKey => Code::MessageSigning,
            NoCaller::Disabled
            | NoCaller::NoOrganisationId
            | NoCaller::NoBillingSource
            | NoCaller::NoOrganisation => Code::InsufficientPermission,
            NoCaller::Db(cause) => return Self::unavailable(cause),
        };
        Self::new(code, error.to_string())
    }
}

impl From<Refused> for Problem {
    fn from(error: Refused) -> Self {
        Self::new(Code::MessageSigning, error.to_string())
    }
}

impl From<BearerError> for Problem {
    fn from(error: BearerError) -> Self {
        match error {
            BearerError::Missing => {
                Self::new(Code::MessageSigning, "the request is neither signed nor carries a token")
            }
            BearerError::Invalid => Self::new(Code::BadToken, "the bearer token is unknown or has expired"),
            BearerError::Scope(scope) => {
                Self::new(Code::InsufficientPermission, format!("the token lacks the scope {scope}"))
            }
            BearerError::Feature(scope) => {
                let words = format!("the application may not use {}", scope.feature());
                Self::new(Code::InsufficientPermission, words)
            }
            BearerError::RateLimited(limited) => limited.into(),
            BearerError::Db(error) => Self::unavailable(&error),
        }
    }
}

/// Whoever is authenticated.
const CALLER: &[Code] = &[
    Code::MalformedRequest,
    Code::BadToken,
    Code::InsufficientPermission,
    Code::TooManyRequests,
    Code::ServiceUnavailable,
];
/// A relying party; its body is read in any case, as its signature is over it.
const RELYING_PARTY: &[Code] = &[Code::MessageSigning, Code::AppNotFound, Code::PayloadTooLarge];
/// Whatever is about a session.
const SESSION: &[Code] = &[Code::SessionNotFound];
/// An end user, who has so much time.
const END_USER: &[Code] = &[Code::SessionNotFound, Code::SessionExpired];
/// Whatever has a body of JSON.
const BODY: &[Code] = &[Code::PayloadValidation, Code::PayloadTooLarge];
/// Whatever begins a resource.
const BEGINS: &[Code] = &[Code::IdempotencyKeyReused, Code::ResourceNotFound, Code::ResourceLocked];
/// Whatever puts a file in its place.
const FILE: &[Code] = &[
    Code::ResourceNotFound,
    Code::ResourceLocked,
    Code::SessionNotReady,
    Code::UnsupportedMediaType,
    Code::UnprocessableMedia,
];

refusals! {
    Code;
    Public: &[Code::PayloadValidation];
    RelyingPartyCall: CALLER, RELYING_PARTY;
    OwnSession: CALLER, RELYING_PARTY, SESSION;
    Creating: CALLER, RELYING_PARTY, BODY, &[Code::IdempotencyKeyReused];
    Deleting: CALLER, RELYING_PARTY, SESSION, &[Code::ChecksNotFinished];
    ReadingMedia: CALLER, RELYING_PARTY, SESSION, &[Code::MediaContentNotFound, Code::RangeNotSatisfiable];
    DeletingMedia: CALLER, RELYING_PARTY, SESSION,
        &[Code::MediaContentNotFound, Code::SessionLocked, Code::ResourceLocked];
    ConfiguringSandbox: CALLER, RELYING_PARTY, BODY;
    ConfiguringSandboxSession: CALLER, RELYING_PARTY, SESSION, BODY;
    Playing: CALLER, RELYING_PARTY, END_USER, BODY, FILE;
    ReadingReview: CALLER, RELYING_PARTY, &[Code::ResourceNotFound];
    Deciding: CALLER, RELYING_PARTY, SESSION, BODY, &[Code::ResourceNotFound, Code::ResourceLocked];
    EndUserCall: CALLER, END_USER;
    Naming: CALLER, END_USER, &[Code::ResourceNotFound];
    Reporting: CALLER, END_USER, BODY;
    Finishing: CALLER, END_USER, &[Code::SessionNotReady, Code::ResourceLocked];
    Configuring: CALLER, RELYING_PARTY, END_USER, &[Code::SessionNotReady];
    Adding: CALLER, END_USER, BODY, BEGINS;
    AddingFace: CALLER, RELYING_PARTY, END_USER, BODY, BEGINS;
    Uploading: CALLER, END_USER, BODY, FILE;
    UploadingFace: CALLER, RELYING_PARTY, END_USER, BODY, FILE;
    Extracting: CALLER, END_USER, &[Code::ResourceNotFound, Code::ResourceLocked, Code::SessionNotReady];
    BeginningUpload: CALLER, END_USER, BODY, &[Code::UnsupportedVersion];
    AskingForUpload: CALLER, END_USER, &[Code::ResourceNotFound, Code::UnsupportedVersion];
    Appending: CALLER, END_USER, BODY,
        &[Code::ResourceNotFound, Code::ResourceLocked, Code::UnsupportedVersion, Code::UnsupportedMediaType];
}
