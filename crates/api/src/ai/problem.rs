//! How the image AI interface says no.

use super::Code;
use crate::{
    guard::{Allowance, NotProven},
    wire::{BadBody, ErrorCode, Wire, body::Unread, refusals},
};
use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use base::Measured;
use domain::{
    estimate::{FaceCode, FaceProblem, Refusal},
    secure_capture::Untrusted,
    tenancy::{caller::NoCaller, signed_request::Refused},
};
use std::{borrow::Cow, time::Duration};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{RefOr, response::Response as Described},
};

/// A refusal: a row of the table, in words, with what was measured where a limit was broken.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    word: Cow<'static, str>,
    message: Cow<'static, str>,
    measured: Option<Measured>,
    retry_after: Option<Duration>,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
pub struct Error<'a> {
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
    limit: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hint: Option<&'a str>,
}

impl Problem {
    /// A refusal in words.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        let word = Cow::Borrowed(code.as_str());
        Self { code, word, message: message.into(), measured: None, retry_after: None }
    }

    /// Spells the codes that carry a brand as `wire.brand` has it.
    pub(crate) fn branded(self, wire: &Wire) -> Self {
        Self { word: wire.code(self.code.as_str()), ..self }
    }

    pub(crate) fn measured(self, measured: impl Into<Option<Measured>>) -> Self {
        Self { measured: measured.into(), ..self }
    }

    /// Our fault. The cause is logged once, here, and never answered.
    pub fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error, "request failed");
        Self::new(Code::UnspecifiedError, "internal error; the log has it under this answer's X-Request-Id")
    }

    /// Not now; the cause is logged once, here.
    pub fn unavailable(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::warn!(error, "temporarily unavailable");
        Self::busy(Duration::from_secs(1))
    }

    /// The application has used up what the operator allows it.
    pub(crate) fn too_many(allowance: Allowance) -> Self {
        let words = format!("at most {} calls at once, and then evenly", allowance.limit);
        let measured = Measured::new(0.0, words, "wait as long as Retry-After says");
        let refused = Self::new(Code::TooManyRequests, "the application calls too often").measured(measured);
        Self { retry_after: Some(allowance.reset), ..refused }
    }

    pub(crate) fn busy(retry_after: Duration) -> Self {
        let busy = Self::new(Code::ServiceUnavailable, "temporarily unavailable, try again");
        Self { retry_after: Some(retry_after), ..busy }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Error {
            error_code: self.word,
            error_message: &self.message,
            measured: self.measured.as_ref().map(|m| m.measured),
            limit: self.measured.as_ref().map(|m| m.limit.as_str()),
            hint: self.measured.as_ref().map(|m| m.hint),
        };
        let mut response = (self.code.status(), Json(body)).into_response();
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(ErrorCode(self.code.as_str()));
        response
    }
}

impl From<BadBody> for Problem {
    fn from(bad: BadBody) -> Self {
        match bad {
            BadBody::Syntax(words) => Self::new(Code::InvalidBodyEncoding, words),
            BadBody::Member(words) => Self::new(Code::InvalidRequestBody, words),
        }
    }
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge(measured) => {
                Self::new(Code::PayloadTooLarge, "the body is too large").measured(measured)
            }
            Unread::Broken(words) => Self::new(Code::InvalidBodyEncoding, words),
        }
    }
}

impl From<NotProven> for Problem {
    fn from(not: NotProven) -> Self {
        match not {
            NotProven::Caller(error) => error.into(),
            NotProven::Refused(error) => error.into(),
            NotProven::Unread(unread) => unread.into(),
            NotProven::Suspended => Self::new(Code::InvalidOrgStatus, "the organisation is suspended"),
            NotProven::TooMany(allowance) => Self::too_many(allowance),
            NotProven::Unavailable(error) => Self::unavailable(&*error),
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
                return Self::new(Code::InvalidTimestamp, error.to_string()).measured(measured);
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
        Self::new(code, refusal.message).measured(refusal.measured)
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
        Self::new(code, message).measured(problem.measured)
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

impl IntoResponses for Problem {
    fn responses() -> std::collections::BTreeMap<String, RefOr<Described>> {
        refusals(Code::ALL.iter().map(|code| (code.status(), code.as_str())), "error_code")
    }
}
