//! Refusals of the image analysis interface.

use super::ImageAnalysisErrorCode;
use crate::http::{ApiError, ErrorTable, auth::SignatureAuthError, error::error_responses};
use axum::http::StatusCode;
use base::LimitViolation;
use domain::{
    Violation,
    image_analysis::{AnalysisError, FaceError, FaceErrorCode},
    secure_capture::SecureCaptureError,
    tenancy::{calling_application::CallingApplicationError, signed_request::RequestSignatureError},
};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A refusal of this interface.
pub(crate) type ImageAnalysisApiError = ApiError<ImageAnalysisErrorCode>;

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ImageAnalysisErrorBody<'a> {
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

impl ErrorTable for ImageAnalysisErrorCode {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "error_code";
    const NOT_FOUND: Self = Self::InvalidEndpoint;
    const MALFORMED_BODY: Self = Self::InvalidBodyEncoding;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::UnspecifiedError;
    const UNAVAILABLE: Self = Self::ServiceUnavailable;

    type Body<'a> = ImageAnalysisErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> ImageAnalysisErrorBody<'_> {
        let (measured, limit, hint) = error.limit_members();
        ImageAnalysisErrorBody {
            error_code: error.branded_code(),
            error_message: &error.message,
            measured,
            limit,
            hint,
        }
    }

    fn from_violations(violations: Vec<Violation>) -> ApiError<Self> {
        let message = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let measured = violations.into_iter().find_map(|violation| violation.measured);
        ApiError::new(Self::InvalidRequestBody, message).with_measured(measured)
    }
}

impl From<SignatureAuthError> for ImageAnalysisApiError {
    fn from(error: SignatureAuthError) -> Self {
        match error {
            SignatureAuthError::Caller(error) => error.into(),
            SignatureAuthError::Signature(error) => error.into(),
            SignatureAuthError::Body(error) => error.into(),
            SignatureAuthError::Suspended => {
                Self::new(ImageAnalysisErrorCode::InvalidOrgStatus, "the organisation is suspended")
            }
            SignatureAuthError::RateLimited(limited) => limited.into(),
            SignatureAuthError::CallsUsedUp(refused) => refused.into(),
            SignatureAuthError::Unavailable(error) => Self::unavailable(&*error),
        }
    }
}

impl From<CallingApplicationError> for ImageAnalysisApiError {
    fn from(error: CallingApplicationError) -> Self {
        let code = match &error {
            CallingApplicationError::NotAnId => ImageAnalysisErrorCode::InvalidAuthId,
            CallingApplicationError::EmptyId => ImageAnalysisErrorCode::InvalidAppId,
            CallingApplicationError::NotFound => ImageAnalysisErrorCode::AppNotFound,
            CallingApplicationError::Disabled => ImageAnalysisErrorCode::DisabledAppState,
            CallingApplicationError::NoKey => ImageAnalysisErrorCode::InvalidPublicKey,
            CallingApplicationError::NoOrganisationId => ImageAnalysisErrorCode::InvalidOrgId,
            CallingApplicationError::NoBillingSource => ImageAnalysisErrorCode::InvalidBillingSourceId,
            CallingApplicationError::NoOrganisation => ImageAnalysisErrorCode::OrgNotFound,
            CallingApplicationError::Unavailable => return Self::unavailable(&error),
            CallingApplicationError::Db(cause) => return Self::unavailable(cause),
        };
        Self::new(code, error.to_string())
    }
}

impl From<RequestSignatureError> for ImageAnalysisApiError {
    fn from(error: RequestSignatureError) -> Self {
        let code = match &error {
            RequestSignatureError::Digest => ImageAnalysisErrorCode::InvalidAuthDigest,
            RequestSignatureError::Nonce | RequestSignatureError::NonceUsed => {
                ImageAnalysisErrorCode::InvalidNonce
            }
            RequestSignatureError::Timestamp => ImageAnalysisErrorCode::InvalidTimestamp,
            RequestSignatureError::Skew { off, limit } => {
                let measured = LimitViolation::new(
                    *off as f64,
                    format!("at most {limit} seconds"),
                    "set the clock of the caller",
                );
                return Self::new(ImageAnalysisErrorCode::InvalidTimestamp, error.to_string())
                    .with_measured(measured);
            }
            RequestSignatureError::KeyEncoding => ImageAnalysisErrorCode::InvalidPublicKeyEncoding,
            RequestSignatureError::KeyAlgorithm => ImageAnalysisErrorCode::UnsupportedAlgorithm,
            RequestSignatureError::Signature => ImageAnalysisErrorCode::InvalidSignature,
        };
        Self::new(code, error.to_string())
    }
}

impl From<SecureCaptureError> for ImageAnalysisApiError {
    fn from(error: SecureCaptureError) -> Self {
        let code = match &error {
            SecureCaptureError::Empty => ImageAnalysisErrorCode::SecureRequestIsEmpty,
            SecureCaptureError::NoToken => ImageAnalysisErrorCode::SecureSessionNotFound,
            SecureCaptureError::NoSignature => ImageAnalysisErrorCode::SecureSignatureNotFound,
            SecureCaptureError::NoVersion => ImageAnalysisErrorCode::SecureVersionNotFound,
            SecureCaptureError::NoVerification => ImageAnalysisErrorCode::SecureVerificationNotFound,
            SecureCaptureError::InvalidToken => ImageAnalysisErrorCode::InvalidSecureSession,
            SecureCaptureError::InvalidSignature => ImageAnalysisErrorCode::InvalidSecureSignature,
            SecureCaptureError::Mismatch(_) | SecureCaptureError::AlreadyUsed => {
                ImageAnalysisErrorCode::UntrustedSecureSession
            }
        };
        Self::new(code, error.to_string())
    }
}

impl From<media::image_validation::ImageError> for ImageAnalysisApiError {
    fn from(refusal: media::image_validation::ImageError) -> Self {
        use media::image_validation::ImageErrorCode as Gate;
        let code = match refusal.code {
            Gate::InvalidB64Image => ImageAnalysisErrorCode::InvalidB64Image,
            Gate::UnsupportedImageFormat => ImageAnalysisErrorCode::UnsupportedImageFormat,
            Gate::ImageSizeTooBig => ImageAnalysisErrorCode::ImageSizeTooBig,
            Gate::ImageSizeTooSmall => ImageAnalysisErrorCode::ImageSizeTooSmall,
            Gate::MinHeight => ImageAnalysisErrorCode::MinHeight,
            Gate::MaxHeight => ImageAnalysisErrorCode::MaxHeight,
            Gate::MinWidth => ImageAnalysisErrorCode::MinWidth,
            Gate::MaxWidth => ImageAnalysisErrorCode::MaxWidth,
            Gate::MinPixels => ImageAnalysisErrorCode::MinPixels,
            Gate::MaxPixels => ImageAnalysisErrorCode::MaxPixels,
            Gate::ImageWrongChannels => ImageAnalysisErrorCode::ImageWrongChannels,
            Gate::ImageGrayscaleNotSupported => ImageAnalysisErrorCode::ImageGrayscaleNotSupported,
        };
        Self::new(code, refusal.message).with_measured(refusal.measured)
    }
}

impl From<FaceError> for ImageAnalysisApiError {
    fn from(problem: FaceError) -> Self {
        let (code, message) = match problem.code {
            FaceErrorCode::NotFound => (ImageAnalysisErrorCode::FaceNotFound, "no face was found"),
            FaceErrorCode::Multiple => {
                (ImageAnalysisErrorCode::MultipleFaces, "more than one face was found")
            }
            FaceErrorCode::BoxTooSmall => (ImageAnalysisErrorCode::FaceBoxTooSmall, "the face is too small"),
            FaceErrorCode::RatioTooLow => {
                (ImageAnalysisErrorCode::FaceToImageRatioTooLow, "the face fills too little of the image")
            }
            FaceErrorCode::RatioTooHigh => {
                (ImageAnalysisErrorCode::FaceToImageRatioTooHigh, "the face fills too much of the image")
            }
            FaceErrorCode::MarginTooSmall => (
                ImageAnalysisErrorCode::InsufficientAreaAroundTheFace,
                "there is not enough room around the face",
            ),
            FaceErrorCode::TooBright => {
                (ImageAnalysisErrorCode::ImageTooBright, "there is too much light on the face")
            }
            FaceErrorCode::TooDark => {
                (ImageAnalysisErrorCode::ImageTooDark, "there is too little light on the face")
            }
            // The interface has no code of its own for it: this one asks for the same, a picture that shows the face.
            FaceErrorCode::Covered => (ImageAnalysisErrorCode::FaceNotFound, "the face is covered"),
        };
        Self::new(code, message).with_measured(problem.measured)
    }
}

impl From<AnalysisError> for ImageAnalysisApiError {
    fn from(refusal: AnalysisError) -> Self {
        match refusal {
            AnalysisError::Image(image) => image.into(),
            AnalysisError::Face(face) => face.into(),
            AnalysisError::Busy(retry_after) => Self::busy(retry_after),
            AnalysisError::NotReady(cause) => Self::unavailable(&cause),
            AnalysisError::Prediction(cause) => {
                tracing::error!(error = &cause as &dyn std::error::Error, "a model gave no usable answer");
                Self::new(ImageAnalysisErrorCode::FailPrediction, "the models gave no usable answer")
            }
        }
    }
}

/// Operations with a signed request.
const SIGNED_REQUEST_CODES: &[ImageAnalysisErrorCode] = &[
    ImageAnalysisErrorCode::InvalidAuthId,
    ImageAnalysisErrorCode::InvalidAppId,
    ImageAnalysisErrorCode::AppNotFound,
    ImageAnalysisErrorCode::DisabledAppState,
    ImageAnalysisErrorCode::InvalidPublicKey,
    ImageAnalysisErrorCode::InvalidOrgId,
    ImageAnalysisErrorCode::InvalidBillingSourceId,
    ImageAnalysisErrorCode::OrgNotFound,
    ImageAnalysisErrorCode::InvalidAuthDigest,
    ImageAnalysisErrorCode::InvalidNonce,
    ImageAnalysisErrorCode::InvalidTimestamp,
    ImageAnalysisErrorCode::InvalidPublicKeyEncoding,
    ImageAnalysisErrorCode::UnsupportedAlgorithm,
    ImageAnalysisErrorCode::InvalidSignature,
    ImageAnalysisErrorCode::InvalidOrgStatus,
    ImageAnalysisErrorCode::TooManyRequests,
    ImageAnalysisErrorCode::Unauthorized,
    ImageAnalysisErrorCode::ServiceUnavailable,
];
/// Operations that take a photo.
const PHOTO_CODES: &[ImageAnalysisErrorCode] = &[
    ImageAnalysisErrorCode::PayloadTooLarge,
    ImageAnalysisErrorCode::InvalidBodyEncoding,
    ImageAnalysisErrorCode::InvalidRequestBody,
    ImageAnalysisErrorCode::InvalidMetadataDevice,
    ImageAnalysisErrorCode::ImageNotProvided,
    ImageAnalysisErrorCode::InvalidB64Image,
    ImageAnalysisErrorCode::UnsupportedImageFormat,
    ImageAnalysisErrorCode::ImageSizeTooBig,
    ImageAnalysisErrorCode::ImageSizeTooSmall,
    ImageAnalysisErrorCode::MinHeight,
    ImageAnalysisErrorCode::MaxHeight,
    ImageAnalysisErrorCode::MinWidth,
    ImageAnalysisErrorCode::MaxWidth,
    ImageAnalysisErrorCode::MinPixels,
    ImageAnalysisErrorCode::MaxPixels,
    ImageAnalysisErrorCode::ImageWrongChannels,
    ImageAnalysisErrorCode::ImageGrayscaleNotSupported,
    ImageAnalysisErrorCode::FaceNotFound,
    ImageAnalysisErrorCode::MultipleFaces,
    ImageAnalysisErrorCode::FaceBoxTooSmall,
    ImageAnalysisErrorCode::FaceToImageRatioTooLow,
    ImageAnalysisErrorCode::FaceToImageRatioTooHigh,
    ImageAnalysisErrorCode::InsufficientAreaAroundTheFace,
    ImageAnalysisErrorCode::ImageTooBright,
    ImageAnalysisErrorCode::ImageTooDark,
    ImageAnalysisErrorCode::FailPrediction,
];
/// Operations that take photos of the capture module.
const SECURE_CAPTURE_CODES: &[ImageAnalysisErrorCode] = &[
    ImageAnalysisErrorCode::SecureRequestIsEmpty,
    ImageAnalysisErrorCode::SecureSessionNotFound,
    ImageAnalysisErrorCode::SecureSignatureNotFound,
    ImageAnalysisErrorCode::SecureVersionNotFound,
    ImageAnalysisErrorCode::InvalidSecureSignature,
    ImageAnalysisErrorCode::SecureVerificationNotFound,
    ImageAnalysisErrorCode::UntrustedSecureSession,
    ImageAnalysisErrorCode::InvalidSecureSession,
];

error_responses! {
    ImageAnalysisErrorCode;
    EstimateAgeErrors: SIGNED_REQUEST_CODES, PHOTO_CODES, SECURE_CAPTURE_CODES, &[ImageAnalysisErrorCode::InvalidImgValidationLevel];
    SecureTokenErrors: &[ImageAnalysisErrorCode::SecureVersionNotFound, ImageAnalysisErrorCode::InvalidRequestBody, ImageAnalysisErrorCode::Unauthorized, ImageAnalysisErrorCode::InvalidAuthId, ImageAnalysisErrorCode::InvalidAppId, ImageAnalysisErrorCode::AppNotFound, ImageAnalysisErrorCode::DisabledAppState, ImageAnalysisErrorCode::InvalidPublicKey, ImageAnalysisErrorCode::InvalidOrgId, ImageAnalysisErrorCode::InvalidBillingSourceId, ImageAnalysisErrorCode::OrgNotFound, ImageAnalysisErrorCode::InvalidOrgStatus, ImageAnalysisErrorCode::ServiceUnavailable];
    CaptureModuleErrors: &[ImageAnalysisErrorCode::SecureVersionNotFound];
    CheckLivenessErrors: SIGNED_REQUEST_CODES, PHOTO_CODES, SECURE_CAPTURE_CODES, &[ImageAnalysisErrorCode::InvalidLevelOfAssurance, ImageAnalysisErrorCode::InvalidImgValidationLevel];
}
