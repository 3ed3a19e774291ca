//! Refusals of the document verification interface.

use crate::http::{
    ApiError, ErrorTable,
    auth::{BearerError, SignatureAuthError},
    error::{error_codes, error_responses},
};
use axum::http::StatusCode;
use domain::{
    Violation,
    document_verification::DocumentSessionError,
    image_analysis::AnalysisError,
    tenancy::{calling_application::CallingApplicationError, signed_request::RequestSignatureError},
};
use utoipa::ToSchema;

error_codes! {
    /// A row of the document verification interface's error table.
    pub enum DocumentErrorCode;
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
    BiometricConsentRequired => CONFLICT "BIOMETRIC_CONSENT_REQUIRED",
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
pub(crate) type DocumentApiError = ApiError<DocumentErrorCode>;

/// What is wrong with one member of the request.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Violation)]
pub(crate) struct DocumentViolationBody<'a> {
    /// The member's path, such as `requested_checks[0].config.manual_check`.
    #[schema(value_type = String)]
    property: &'a str,
    /// What is wrong with it.
    #[schema(value_type = String)]
    message: &'a str,
    /// What was measured, where a limit was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    measured: Option<f64>,
    /// The limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    limit: Option<&'a str>,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct DocumentErrorBody<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "SESSION_NOT_FOUND")]
    code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    message: &'a str,
    /// The members of the request that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<DocumentViolationBody<'static>>>)]
    errors: Vec<DocumentViolationBody<'a>>,
    /// What was measured, where the request as a whole broke a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    measured: Option<f64>,
    /// That limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    limit: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    hint: Option<&'a str>,
}

impl ErrorTable for DocumentErrorCode {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "code";
    const NOT_FOUND: Self = Self::NotFound;
    const MALFORMED_BODY: Self = Self::MalformedRequest;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::InternalError;
    const UNAVAILABLE: Self = Self::ServiceUnavailable;

    type Body<'a> = DocumentErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> DocumentErrorBody<'_> {
        let errors = error.violations.iter().map(|violation| DocumentViolationBody {
            property: &violation.path,
            message: &violation.message,
            measured: violation.measured.as_ref().map(|measured| measured.measured),
            limit: violation.measured.as_ref().map(|measured| measured.limit.as_str()),
        });
        let (measured, limit, hint) = error.limit_members();
        DocumentErrorBody {
            code: error.code.as_str(),
            message: &error.message,
            errors: errors.collect(),
            measured,
            limit,
            hint,
        }
    }

    fn from_violations(violations: Vec<Violation>) -> ApiError<Self> {
        // Clients print it before what `errors` says of each member.
        let message = match violations.len() {
            1 => "a member of the request cannot be used".to_owned(),
            many => format!("{many} members of the request cannot be used"),
        };
        ApiError::new(Self::PayloadValidation, message).with_violations(violations)
    }

    fn idempotency_key_reused() -> Self {
        Self::IdempotencyKeyReused
    }
}

impl ApiError<DocumentErrorCode> {
    /// There is no such session, or it is somebody else's.
    pub(super) fn session_not_found() -> Self {
        DocumentSessionError::SessionNotFound.into()
    }
}

impl From<DocumentSessionError> for DocumentApiError {
    fn from(error: DocumentSessionError) -> Self {
        let words = error.to_string();
        let code = match error {
            DocumentSessionError::SessionNotFound => DocumentErrorCode::SessionNotFound,
            DocumentSessionError::ItemNotFound(_) => DocumentErrorCode::ResourceNotFound,
            DocumentSessionError::MediaNotFound => DocumentErrorCode::MediaContentNotFound,
            DocumentSessionError::Expired => DocumentErrorCode::SessionExpired,
            DocumentSessionError::BiometricConsentRequired => DocumentErrorCode::BiometricConsentRequired,
            DocumentSessionError::NotReady(_) => DocumentErrorCode::SessionNotReady,
            DocumentSessionError::SessionLocked => DocumentErrorCode::SessionLocked,
            DocumentSessionError::ResourceLocked(_) => DocumentErrorCode::ResourceLocked,
            DocumentSessionError::ChecksNotFinished => DocumentErrorCode::ChecksNotFinished,
            DocumentSessionError::IdempotencyKeyReused => DocumentErrorCode::IdempotencyKeyReused,
            DocumentSessionError::Forbidden(_) => DocumentErrorCode::InsufficientPermission,
            DocumentSessionError::Invalid(invalid) => return invalid.into(),
            DocumentSessionError::Unsupported(_) => DocumentErrorCode::UnsupportedMediaType,
            DocumentSessionError::Unprocessable(_) => DocumentErrorCode::UnprocessableMedia,
            DocumentSessionError::LimitReached(reached) => return reached.into(),
            DocumentSessionError::Blobs(error) => return Self::unavailable(&error),
            DocumentSessionError::Models(AnalysisError::Busy(wait)) => return Self::busy(wait),
            DocumentSessionError::Models(error) => return Self::unavailable(&error),
            DocumentSessionError::Db(error) => return Self::unavailable(&error),
        };
        Self::new(code, words)
    }
}

impl From<SignatureAuthError> for DocumentApiError {
    fn from(error: SignatureAuthError) -> Self {
        match error {
            SignatureAuthError::Caller(error) => error.into(),
            SignatureAuthError::Signature(error) => error.into(),
            SignatureAuthError::Body(error) => error.into(),
            SignatureAuthError::Suspended => {
                Self::new(DocumentErrorCode::InsufficientPermission, "the organisation is suspended")
            }
            SignatureAuthError::RateLimited(limited) => limited.into(),
            SignatureAuthError::CallsUsedUp(refused) => refused.into(),
            SignatureAuthError::Unavailable(error) => Self::unavailable(&*error),
        }
    }
}

impl From<CallingApplicationError> for DocumentApiError {
    fn from(error: CallingApplicationError) -> Self {
        let code = match &error {
            CallingApplicationError::NotAnId | CallingApplicationError::EmptyId => {
                DocumentErrorCode::MalformedRequest
            }
            CallingApplicationError::NotFound => DocumentErrorCode::AppNotFound,
            CallingApplicationError::NoKey => DocumentErrorCode::MessageSigning,
            CallingApplicationError::Disabled
            | CallingApplicationError::NoOrganisationId
            | CallingApplicationError::NoBillingSource
            | CallingApplicationError::NoOrganisation => DocumentErrorCode::InsufficientPermission,
            CallingApplicationError::Unavailable => return Self::unavailable(&error),
            CallingApplicationError::Db(cause) => return Self::unavailable(cause),
        };
        Self::new(code, error.to_string())
    }
}

impl From<RequestSignatureError> for DocumentApiError {
    fn from(error: RequestSignatureError) -> Self {
        Self::new(DocumentErrorCode::MessageSigning, error.to_string())
    }
}

impl From<BearerError> for DocumentApiError {
    fn from(error: BearerError) -> Self {
        match error {
            BearerError::Missing => Self::new(
                DocumentErrorCode::MessageSigning,
                "the request is neither signed nor carries a token",
            ),
            BearerError::Invalid => {
                Self::new(DocumentErrorCode::BadToken, "the bearer token is unknown or has expired")
            }
            BearerError::Scope(scope) => Self::new(
                DocumentErrorCode::InsufficientPermission,
                format!("the token lacks the scope {scope}"),
            ),
            BearerError::Feature(scope) => {
                let words = format!("the application may not use {}", scope.feature());
                Self::new(DocumentErrorCode::InsufficientPermission, words)
            }
            BearerError::CallsUsedUp(refused) => refused.into(),
            BearerError::Db(error) => Self::unavailable(&error),
        }
    }
}

/// Operations that authenticate their caller.
const CALLER_CODES: &[DocumentErrorCode] = &[
    DocumentErrorCode::MalformedRequest,
    DocumentErrorCode::BadToken,
    DocumentErrorCode::InsufficientPermission,
    DocumentErrorCode::TooManyRequests,
    DocumentErrorCode::ServiceUnavailable,
];
/// Operations of relying parties. Their bodies are always read, because the signature covers them.
const RELYING_PARTY_CODES: &[DocumentErrorCode] =
    &[DocumentErrorCode::MessageSigning, DocumentErrorCode::AppNotFound, DocumentErrorCode::PayloadTooLarge];
/// Operations on a session.
const SESSION_CODES: &[DocumentErrorCode] = &[DocumentErrorCode::SessionNotFound];
/// Operations of end users, whose sessions expire.
const END_USER_CODES: &[DocumentErrorCode] =
    &[DocumentErrorCode::SessionNotFound, DocumentErrorCode::SessionExpired];
/// Operations with a JSON body.
const BODY_CODES: &[DocumentErrorCode] =
    &[DocumentErrorCode::PayloadValidation, DocumentErrorCode::PayloadTooLarge];
/// Operations that create a resource.
const RESOURCE_CREATION_CODES: &[DocumentErrorCode] = &[
    DocumentErrorCode::IdempotencyKeyReused,
    DocumentErrorCode::ResourceNotFound,
    DocumentErrorCode::ResourceLocked,
];
/// Operations that need the end user's consent.
const CONSENT_CODES: &[DocumentErrorCode] = &[DocumentErrorCode::BiometricConsentRequired];
/// Operations that store a file.
const FILE_CODES: &[DocumentErrorCode] = &[
    DocumentErrorCode::ResourceNotFound,
    DocumentErrorCode::ResourceLocked,
    DocumentErrorCode::SessionNotReady,
    DocumentErrorCode::BiometricConsentRequired,
    DocumentErrorCode::UnsupportedMediaType,
    DocumentErrorCode::UnprocessableMedia,
];

error_responses! {
    DocumentErrorCode;
    SupportedDocumentsErrors: &[DocumentErrorCode::PayloadValidation];
    RelyingPartyErrors: CALLER_CODES, RELYING_PARTY_CODES;
    SessionOwnerErrors: CALLER_CODES, RELYING_PARTY_CODES, SESSION_CODES;
    CreateDocumentSessionErrors: CALLER_CODES, RELYING_PARTY_CODES, BODY_CODES, &[DocumentErrorCode::IdempotencyKeyReused];
    DeleteSessionErrors: CALLER_CODES, RELYING_PARTY_CODES, SESSION_CODES, &[DocumentErrorCode::ChecksNotFinished];
    GetMediaErrors: CALLER_CODES, RELYING_PARTY_CODES, SESSION_CODES, &[DocumentErrorCode::MediaContentNotFound, DocumentErrorCode::RangeNotSatisfiable];
    DeleteMediaErrors: CALLER_CODES, RELYING_PARTY_CODES, SESSION_CODES,
        &[DocumentErrorCode::MediaContentNotFound, DocumentErrorCode::SessionLocked, DocumentErrorCode::ResourceLocked];
    SetAppResponsesErrors: CALLER_CODES, RELYING_PARTY_CODES, BODY_CODES;
    SetSessionResponsesErrors: CALLER_CODES, RELYING_PARTY_CODES, SESSION_CODES, BODY_CODES;
    PlayAgentErrors: CALLER_CODES, RELYING_PARTY_CODES, END_USER_CODES, BODY_CODES, FILE_CODES;
    ListFraudListErrors: CALLER_CODES, RELYING_PARTY_CODES, &[DocumentErrorCode::PayloadValidation];
    AddToFraudListErrors: CALLER_CODES, RELYING_PARTY_CODES, BODY_CODES, &[DocumentErrorCode::IdempotencyKeyReused, DocumentErrorCode::SessionNotReady];
    RemoveFromFraudListErrors: CALLER_CODES, RELYING_PARTY_CODES, &[DocumentErrorCode::ResourceNotFound];
    ShowReviewErrors: CALLER_CODES, RELYING_PARTY_CODES, &[DocumentErrorCode::ResourceNotFound];
    DecideReviewErrors: CALLER_CODES, RELYING_PARTY_CODES, SESSION_CODES, BODY_CODES, &[DocumentErrorCode::ResourceNotFound, DocumentErrorCode::ResourceLocked];
    EndUserErrors: CALLER_CODES, END_USER_CODES;
    AskForMailErrors: CALLER_CODES, END_USER_CODES, &[DocumentErrorCode::ResourceNotFound];
    ReportPageFaultErrors: CALLER_CODES, END_USER_CODES, BODY_CODES;
    FinishErrors: CALLER_CODES, END_USER_CODES, CONSENT_CODES, &[DocumentErrorCode::SessionNotReady, DocumentErrorCode::ResourceLocked];
    SessionConfigurationErrors: CALLER_CODES, RELYING_PARTY_CODES, END_USER_CODES, &[DocumentErrorCode::SessionNotReady];
    AddResourceErrors: CALLER_CODES, END_USER_CODES, BODY_CODES, RESOURCE_CREATION_CODES;
    AddLivenessErrors: CALLER_CODES, END_USER_CODES, BODY_CODES, RESOURCE_CREATION_CODES, CONSENT_CODES;
    AddFaceCaptureErrors: CALLER_CODES, RELYING_PARTY_CODES, END_USER_CODES, BODY_CODES, RESOURCE_CREATION_CODES, CONSENT_CODES;
    UploadErrors: CALLER_CODES, END_USER_CODES, BODY_CODES, FILE_CODES;
    UploadFaceErrors: CALLER_CODES, RELYING_PARTY_CODES, END_USER_CODES, BODY_CODES, FILE_CODES;
    ExtractErrors: CALLER_CODES, END_USER_CODES, &[DocumentErrorCode::ResourceNotFound, DocumentErrorCode::ResourceLocked, DocumentErrorCode::SessionNotReady];
    BeginUploadErrors: CALLER_CODES, END_USER_CODES, BODY_CODES, &[DocumentErrorCode::UnsupportedVersion];
    UploadOffsetErrors: CALLER_CODES, END_USER_CODES, &[DocumentErrorCode::ResourceNotFound, DocumentErrorCode::UnsupportedVersion];
    AppendToUploadErrors: CALLER_CODES, END_USER_CODES, BODY_CODES,
        &[DocumentErrorCode::ResourceNotFound, DocumentErrorCode::ResourceLocked, DocumentErrorCode::UnsupportedVersion, DocumentErrorCode::UnsupportedMediaType];
}
