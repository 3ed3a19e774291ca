//! Refusals of the age verification interface.

use crate::http::{
    ApiError, ErrorTable,
    auth::BearerError,
    error::{error_codes, error_responses},
};
use axum::http::StatusCode;
use domain::{Violation, age_verification::AgeSessionError, image_analysis::AnalysisError};
use utoipa::ToSchema;

error_codes! {
    /// A row of the age verification interface's error table.
    pub enum AgeErrorCode;
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
pub(crate) type AgeApiError = ApiError<AgeErrorCode>;

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct AgeErrorBody<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "SESSION_NOT_FOUND")]
    error_code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    error_message: &'a str,
}

impl ErrorTable for AgeErrorCode {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "error_code";
    const NOT_FOUND: Self = Self::NotFound;
    const MALFORMED_BODY: Self = Self::InvalidRequest;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::InternalError;
    const UNAVAILABLE: Self = Self::ServiceUnavailable;

    type Body<'a> = AgeErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> AgeErrorBody<'_> {
        AgeErrorBody { error_code: error.code.as_str(), error_message: &error.message }
    }

    fn from_violations(violations: Vec<Violation>) -> ApiError<Self> {
        // A violation without a path is about the payload as a whole: it offers no method.
        match violations.as_slice() {
            [only] if only.path.is_empty() => {
                ApiError::new(Self::InvalidValidationMethods, only.message.clone())
            }
            _ => Self::from_malformed(violations),
        }
    }

    fn from_malformed(violations: Vec<Violation>) -> ApiError<Self> {
        let message = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        ApiError::new(Self::InvalidRequest, message)
    }

    fn idempotency_key_reused() -> Self {
        Self::IdempotencyKeyReused
    }
}

impl ApiError<AgeErrorCode> {
    /// There is no such session, or it is somebody else's.
    pub(super) fn session_not_found() -> Self {
        AgeSessionError::SessionNotFound.into()
    }

    /// The session blocks the location of its end user.
    pub(super) fn location_blocked() -> Self {
        Self::new(AgeErrorCode::LocationBlocked, "the business does not offer this where you seem to be")
    }
}

impl From<AgeSessionError> for AgeApiError {
    fn from(error: AgeSessionError) -> Self {
        let words = error.to_string();
        let code = match error {
            AgeSessionError::SessionNotFound => AgeErrorCode::SessionNotFound,
            AgeSessionError::Expired => AgeErrorCode::SessionExpired,
            AgeSessionError::InvalidState(_) => AgeErrorCode::InvalidStatus,
            AgeSessionError::StaleContinuation => AgeErrorCode::StaleContinuation,
            AgeSessionError::ConsentRequired => AgeErrorCode::ConsentRequired,
            AgeSessionError::ApplicationNotServed => AgeErrorCode::NotAllowed,
            AgeSessionError::IssuerNotConfigured => AgeErrorCode::NotFound,
            AgeSessionError::InvalidRequest(invalid) => return invalid.into(),
            AgeSessionError::ImageAnalysis(AnalysisError::Busy(wait)) => return Self::busy(wait),
            AgeSessionError::ImageAnalysis(error) => return Self::unavailable(&error),
            AgeSessionError::UnusableIssuerKey(_) => return Self::unavailable(&error),
            AgeSessionError::WebhookSigning(error) => return Self::unavailable(&error),
            AgeSessionError::LimitReached(reached) => return reached.into(),
            AgeSessionError::Db(error) => return Self::unavailable(&error),
        };
        Self::new(code, words)
    }
}

impl From<BearerError> for AgeApiError {
    fn from(error: BearerError) -> Self {
        match error {
            BearerError::Missing => Self::new(
                AgeErrorCode::InvalidApiKey,
                "the request carries no API key: Authorization: Bearer <API key>",
            ),
            BearerError::Invalid => Self::new(
                AgeErrorCode::InvalidApiKey,
                "the API key or token is unknown, or is no longer valid",
            ),
            BearerError::Scope(scope) => {
                Self::new(AgeErrorCode::NotAllowed, format!("the key or token lacks the scope {scope}"))
            }
            BearerError::Feature(scope) => Self::new(
                AgeErrorCode::NotAllowed,
                format!("the application may not use {}", scope.feature()),
            ),
            BearerError::CallsUsedUp(refused) => refused.into(),
            BearerError::Db(error) => Self::unavailable(&error),
        }
    }
}

/// Operations of relying parties: they name an application, with a key or token of it.
const RELYING_PARTY_CODES: &[AgeErrorCode] = &[
    AgeErrorCode::MissingSdkId,
    AgeErrorCode::UnknownSdkId,
    AgeErrorCode::InvalidApiKey,
    AgeErrorCode::NotAllowed,
    AgeErrorCode::TooManyRequests,
];
/// Operations of end users: they have the address of a session.
const END_USER_CODES: &[AgeErrorCode] = &[
    AgeErrorCode::MissingSdkId,
    AgeErrorCode::NotAllowed,
    AgeErrorCode::SessionNotFound,
    AgeErrorCode::SessionExpired,
    AgeErrorCode::TooManyRequests,
];
/// Operations that are refused in a location that the session blocks.
const LOCATION_CODES: &[AgeErrorCode] = &[AgeErrorCode::LocationBlocked];
/// Operations of wallets: they have the address of a request.
const WALLET_CODES: &[AgeErrorCode] = &[
    AgeErrorCode::NotAllowed,
    AgeErrorCode::SessionNotFound,
    AgeErrorCode::StaleContinuation,
    AgeErrorCode::SessionExpired,
    AgeErrorCode::TooManyRequests,
];
/// Operations with a body.
const BODY_CODES: &[AgeErrorCode] = &[AgeErrorCode::InvalidRequest, AgeErrorCode::PayloadTooLarge];
/// Operations that insist on JSON.
const JSON_CODES: &[AgeErrorCode] = &[AgeErrorCode::UnsupportedMediaType];
/// Operations that open or continue an attempt.
const ATTEMPT_CODES: &[AgeErrorCode] =
    &[AgeErrorCode::InvalidStatus, AgeErrorCode::StaleContinuation, AgeErrorCode::ConsentRequired];
/// Operations that need the database.
const DATABASE_CODES: &[AgeErrorCode] = &[AgeErrorCode::ServiceUnavailable];

error_responses! {
    AgeErrorCode;
    CreateAgeSessionErrors: RELYING_PARTY_CODES, BODY_CODES, &[AgeErrorCode::InvalidValidationMethods, AgeErrorCode::IdempotencyKeyReused], JSON_CODES, DATABASE_CODES;
    GetAgeSessionErrors: RELYING_PARTY_CODES, &[AgeErrorCode::SessionNotFound, AgeErrorCode::SessionExpired, AgeErrorCode::SessionNotPending], DATABASE_CODES;
    GetAgeResultErrors: RELYING_PARTY_CODES, &[AgeErrorCode::SessionNotFound], DATABASE_CODES;
    CreateAgeAppealErrors: RELYING_PARTY_CODES, BODY_CODES, &[AgeErrorCode::SessionNotFound, AgeErrorCode::InvalidStatus, AgeErrorCode::IdempotencyKeyReused], JSON_CODES, DATABASE_CODES;
    GetAgeAppealErrors: RELYING_PARTY_CODES, &[AgeErrorCode::SessionNotFound, AgeErrorCode::NotFound], DATABASE_CODES;
    SetAgeResponseErrors: RELYING_PARTY_CODES, BODY_CODES, &[AgeErrorCode::SessionNotFound, AgeErrorCode::NotFound], JSON_CODES, DATABASE_CODES;
    BeginDeviceSignalErrors: RELYING_PARTY_CODES, BODY_CODES, &[AgeErrorCode::SessionNotFound, AgeErrorCode::SessionExpired, AgeErrorCode::InvalidStatus, AgeErrorCode::IdempotencyKeyReused], DATABASE_CODES;
    SendDeviceSignalErrors: RELYING_PARTY_CODES, BODY_CODES, &[AgeErrorCode::SessionNotFound, AgeErrorCode::SessionExpired, AgeErrorCode::StaleContinuation], JSON_CODES, DATABASE_CODES;
    ListPoliciesErrors: RELYING_PARTY_CODES, DATABASE_CODES;
    GetPolicyErrors: RELYING_PARTY_CODES, &[AgeErrorCode::NotFound], DATABASE_CODES;
    WebhookKeysErrors: DATABASE_CODES;
    SeeAgeSessionErrors: END_USER_CODES, DATABASE_CODES;
    GiveConsentErrors: END_USER_CODES, LOCATION_CODES, BODY_CODES, &[AgeErrorCode::InvalidStatus], DATABASE_CODES;
    CancelErrors: END_USER_CODES, &[AgeErrorCode::InvalidStatus], DATABASE_CODES;
    OpenAttemptErrors: END_USER_CODES, LOCATION_CODES, BODY_CODES, ATTEMPT_CODES, &[AgeErrorCode::IdempotencyKeyReused], DATABASE_CODES;
    TakeTurnErrors: END_USER_CODES, LOCATION_CODES, BODY_CODES, ATTEMPT_CODES, DATABASE_CODES;
    KeepResultErrors: END_USER_CODES, LOCATION_CODES, BODY_CODES, &[AgeErrorCode::InvalidStatus, AgeErrorCode::StaleContinuation], DATABASE_CODES;
    ForgetResultErrors: BODY_CODES, &[AgeErrorCode::InvalidStatus, AgeErrorCode::StaleContinuation, AgeErrorCode::TooManyRequests], DATABASE_CODES;
    TakeProofErrors: END_USER_CODES, LOCATION_CODES, &[AgeErrorCode::InvalidStatus], DATABASE_CODES;
    ReportFaultErrors: END_USER_CODES, BODY_CODES, DATABASE_CODES;
    TokenKeysErrors: &[AgeErrorCode::NotFound], DATABASE_CODES;
    BeginIssuingErrors: BODY_CODES, &[AgeErrorCode::NotAllowed, AgeErrorCode::NotFound, AgeErrorCode::TooManyRequests], DATABASE_CODES;
    IssueTokenErrors: END_USER_CODES, LOCATION_CODES, BODY_CODES, &[AgeErrorCode::InvalidStatus], DATABASE_CODES;
    GetWalletRequestErrors: WALLET_CODES, DATABASE_CODES;
    WalletResponseErrors: WALLET_CODES, BODY_CODES, DATABASE_CODES;
    SandboxWalletErrors: &[AgeErrorCode::SessionNotFound, AgeErrorCode::TooManyRequests];
}
