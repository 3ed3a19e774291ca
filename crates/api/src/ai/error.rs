//! How the image AI interface says no.

use super::Code;
use crate::http::{ApiError, ErrorTable, auth::SignatureAuthError, error::refusals};
use axum::http::StatusCode;
use base::Measured;
use domain::{
    Violation,
    estimate::{FaceCode, FaceProblem, Refusal},
    secure_capture::Untrusted,
    tenancy::{caller::NoCaller, signed_request::Refused},
};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A refusal of this interface.
pub(crate) type Problem = ApiError<Code>;

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "FACE_NOT_FOUND")]
    error_code: Cow<'a, str>,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    error_message: &'a str,
    /// What was measured, where a limit was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<f64>,
    /// The limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    limit: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hint: Option<&'a str>,
}

impl ErrorTable for Code {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "error_code";
    const NOT_FOUND: Self = Self::InvalidEndpoint;
    const MALFORMED_BODY: Self = Self::InvalidBodyEncoding;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::UnspecifiedError;
    const UNAVAILABLE: Self = Self::ServiceUnavailable;

    type Body<'a> = ErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> ErrorBody<'_> {
        let measured = error.measured.as_deref();
        ErrorBody {
            error_code: error.code_word(),
            error_message: &error.message,
            measured: measured.map(|measured| measured.measured),
            limit: measured.map(|measured| measured.limit.as_str()),
            hint: measured.map(|measured| measured.hint),
        }
    }

    fn violations(violations: Vec<Violation>) -> ApiError<Self> {
        let message = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let measured = violations.into_iter().find_map(|violation| violation.measured);
        ApiError::new(Self::InvalidRequestBody, message).with_measured(measured)
    }
}

impl From<SignatureAuthError> for Problem {
    fn from(error: SignatureAuthError) -> Self {
        match error {
            SignatureAuthError::Caller(error) => error.into(),
            SignatureAuthError::Refused(error) => error.into(),
            SignatureAuthError::Body(error) => error.into(),
            SignatureAuthError::Suspended => {
                Self::new(Code::InvalidOrgStatus, "the organisation is suspended")
            }
            SignatureAuthError::RateLimited(limited) => limited.into(),
            SignatureAuthError::Unavailable(error) => Self::unavailable(&*error),
        }
    }
}

impl From<NoCaller> for Problem {
    fn from(error: NoCaller) -> Self {
        let code = match &error {
            NoCaller::NotAnId => Code::InvalidAuthId,
            NoCaller::EmptyId => Code::InvalidAppId,
            NoCaller::NoApp => Code::AppNotFound,
            NoCaller::Disabled => Code::DisabledAppState,
            NoCaller::NoKey => Code::InvalidPublicKey,
            NoCaller::NoOrganisationId => Code::InvalidOrgId,
            NoCaller::NoBillingSource => Code::InvalidBillingSourceId,
            NoCaller::NoOrganisation => Code::OrgNotFound,
            NoCaller::Db(cause) => return Self::unavailable(cause),
        };
        Self::new(code, error.to_string())
    }
}

impl From<Refused> for Problem {
    fn from(error: Refused) -> Self {
        let code = match &error {
            Refused::Digest => Code::InvalidAuthDigest,
            Refused::Nonce | Refused::NonceUsed => Code::InvalidNonce,
            Refused::Timestamp => Code::InvalidTimestamp,
            Refused::Skew { off, limit } => {
                let measured = Measured::new(
                    *off as f64,
                    format!("at most {limit} seconds"),
                    "set the clock of the caller",
                );
                return Self::new(Code::InvalidTimestamp, error.to_string()).with_measured(measured);
            }
            Refused::KeyEncoding => Code::InvalidPublicKeyEncoding,
            Refused::KeyAlgorithm => Code::UnsupportedAlgorithm,
            Refused::Signature => Code::InvalidSignature,
        };
        Self::new(code, error.to_string())
    }
}

impl From<Untrusted> for Problem {
    fn from(error: Untrusted) -> Self {
        let code = match &error {
            Untrusted::Empty => Code::SecureRequestIsEmpty,
            Untrusted::NoToken => Code::SecureSessionNotFound,
            Untrusted::NoSignature => Code::SecureSignatureNotFound,
            Untrusted::NoVersion => Code::SecureVersionNotFound,
            Untrusted::NoVerification => Code::SecureVerificationNotFound,
            Untrusted::Session => Code::InvalidSecureSession,
            Untrusted::Signature => Code::InvalidSecureSignature,
            Untrusted::Other(_) => Code::UntrustedSecureSession,
        };
        Self::new(code, error.to_string())
    }
}

impl From<media::gate::Refusal> for Problem {
    fn from(refusal: media::gate::Refusal) -> Self {
        use media::gate::Code as Gate;
        let code = match refusal.code {
            Gate::InvalidB64Image => Code::InvalidB64Image,
            Gate::UnsupportedImageFormat => Code::UnsupportedImageFormat,
            Gate::ImageSizeTooBig => Code::ImageSizeTooBig,
            Gate::ImageSizeTooSmall => Code::ImageSizeTooSmall,
            Gate::MinHeight => Code::MinHeight,
            Gate::MaxHeight => Code::MaxHeight,
            Gate::MinWidth => Code::MinWidth,
            Gate::MaxWidth => Code::MaxWidth,
            Gate::MinPixels => Code::MinPixels,
            Gate::MaxPixels => Code::MaxPixels,
            Gate::ImageWrongChannels => Code::ImageWrongChannels,
            Gate::ImageGrayscaleNotSupported => Code::ImageGrayscaleNotSupported,
        };
        Self::new(code, refusal.message).with_measured(refusal.measured)
    }
}

impl From<FaceProblem> for Problem {
    fn from(problem: FaceProblem) -> Self {
        let (code, message) = match problem.code {
            FaceCode::NotFound => (Code::FaceNotFound, "no face was found"),
            FaceCode::Multiple => (Code::MultipleFaces, "more than one face was found"),
            FaceCode::BoxTooSmall => (Code::FaceBoxTooSmall, "the face is too small"),
            FaceCode::RatioTooLow => (Code::FaceToImageRatioTooLow, "the face fills too little of the image"),
            FaceCode::RatioTooHigh => (Code::FaceToImageRatioTooHigh, "the face fills too much of the image"),
            FaceCode::NoRoom => {
                (Code::InsufficientAreaAroundTheFace, "there is not enough room around the face")
            }
            FaceCode::TooBright => (Code::ImageTooBright, "there is too much light on the face"),
            FaceCode::TooDark => (Code::ImageTooDark, "there is too little light on the face"),
        };
        Self::new(code, message).with_measured(problem.measured)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Image(image) => image.into(),
            Refusal::Face(face) => face.into(),
            Refusal::Busy(retry_after) => Self::busy(retry_after),
            Refusal::NotReady(cause) => Self::unavailable(&cause),
            Refusal::Prediction(cause) => {
                tracing::error!(error = &cause as &dyn std::error::Error, "a model gave no usable answer");
                Self::new(Code::FailPrediction, "the models gave no usable answer")
            }
        }
    }
}

/// Whoever signs.
const SIGNED: &[Code] = &[
    Code::InvalidAuthId,
    Code::InvalidAppId,
    Code::AppNotFound,
    Code::DisabledAppState,
    Code::InvalidPublicKey,
    Code::InvalidOrgId,
    Code::InvalidBillingSourceId,
    Code::OrgNotFound,
    Code::InvalidAuthDigest,
    Code::InvalidNonce,
    Code::InvalidTimestamp,
    Code::InvalidPublicKeyEncoding,
    Code::UnsupportedAlgorithm,
    Code::InvalidSignature,
    Code::InvalidOrgStatus,
    Code::TooManyRequests,
    Code::Unauthorized,
    Code::ServiceUnavailable,
];
/// Whatever takes a photo.
const PHOTO: &[Code] = &[
    Code::PayloadTooLarge,
    Code::InvalidBodyEncoding,
    Code::InvalidRequestBody,
    Code::InvalidMetadataDevice,
    Code::ImageNotProvided,
    Code::InvalidB64Image,
    Code::UnsupportedImageFormat,
    Code::ImageSizeTooBig,
    Code::ImageSizeTooSmall,
    Code::MinHeight,
    Code::MaxHeight,
    Code::MinWidth,
    Code::MaxWidth,
    Code::MinPixels,
    Code::MaxPixels,
    Code::ImageWrongChannels,
    Code::ImageGrayscaleNotSupported,
    Code::FaceNotFound,
    Code::MultipleFaces,
    Code::FaceBoxTooSmall,
    Code::FaceToImageRatioTooLow,
    Code::FaceToImageRatioTooHigh,
    Code::InsufficientAreaAroundTheFace,
    Code::ImageTooBright,
    Code::ImageTooDark,
    Code::FailPrediction,
];
/// Whatever takes photos of the capture module.
const SECURE: &[Code] = &[
    Code::SecureRequestIsEmpty,
    Code::SecureSessionNotFound,
    Code::SecureSignatureNotFound,
    Code::SecureVersionNotFound,
    Code::InvalidSecureSignature,
    Code::SecureVerificationNotFound,
    Code::UntrustedSecureSession,
    Code::InvalidSecureSession,
];

refusals! {
    Code;
    EstimatingAge: SIGNED, PHOTO, SECURE, &[Code::InvalidImgValidationLevel];
    StartingCapture: &[Code::SecureVersionNotFound, Code::InvalidRequestBody, Code::Unauthorized, Code::InvalidAuthId, Code::InvalidAppId, Code::AppNotFound, Code::DisabledAppState, Code::InvalidPublicKey, Code::InvalidOrgId, Code::InvalidBillingSourceId, Code::OrgNotFound, Code::InvalidOrgStatus, Code::ServiceUnavailable];
    FetchingModule: &[Code::SecureVersionNotFound];
    CheckingLiveness: SIGNED, PHOTO, SECURE, &[Code::InvalidLevelOfAssurance, Code::InvalidImgValidationLevel];
}
