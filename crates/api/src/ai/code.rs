//! The error table of interface 2, each row once.

use axum::http::StatusCode;

macro_rules! codes {
    ($($name:ident => $status:ident $word:literal),* $(,)?) => {
        /// A row of interface 2's error table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the words are the documentation, and stand beside the names")]
        pub enum Code { $($name),* }

        impl Code {
            /// Every row, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word on the wire, with the default brand.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            /// The status that goes with it.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status),* }
            }
        }
    };
}

codes! {
    AppNotFound => NOT_FOUND "APP_NOT_FOUND",
    InvalidAuthId => UNAUTHORIZED "INVALID_X_SVC_AUTH_ID",
    InvalidAppId => BAD_REQUEST "INVALID_APP_ID",
    InvalidPublicKey => BAD_REQUEST "INVALID_PUBLIC_KEY",
    DisabledAppState => FORBIDDEN "DISABLED_APP_STATE",
    InvalidOrgId => BAD_REQUEST "INVALID_ORG_ID",
    InvalidBillingSourceId => BAD_REQUEST "INVALID_BILLING_SOURCE_ID",
    OrgNotFound => NOT_FOUND "ORG_NOT_FOUND",
    InvalidAuthDigest => UNAUTHORIZED "INVALID_SVC_AUTH_DIGEST",
    InvalidNonce => UNAUTHORIZED "INVALID_NONCE",
    InvalidTimestamp => UNAUTHORIZED "INVALID_TIMESTAMP",
    InvalidPublicKeyEncoding => UNAUTHORIZED "INVALID_PUBLIC_KEY_ENCODING",
    UnsupportedAlgorithm => UNAUTHORIZED "UNSUPPORTED_ALGORITHM",
    InvalidSignature => UNAUTHORIZED "INVALID_SIGNATURE",
    InvalidOrgStatus => FORBIDDEN "INVALID_ORG_STATUS",
    InvalidMetadataDevice => NOT_FOUND "INVALID_METADATA_DEVICE",
    InvalidBodyEncoding => BAD_REQUEST "INVALID_BODY_ENCODING",
    InvalidEndpoint => NOT_FOUND "INVALID_ENDPOINT",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    ImageNotProvided => BAD_REQUEST "IMAGE_NOT_PROVIDED",
    InvalidB64Image => BAD_REQUEST "INVALID_B64_IMAGE",
    UnsupportedImageFormat => BAD_REQUEST "UNSUPPORTED_IMAGE_FORMAT",
    ImageSizeTooBig => BAD_REQUEST "IMAGE_SIZE_TOO_BIG",
    ImageSizeTooSmall => BAD_REQUEST "IMAGE_SIZE_TOO_SMALL",
    MinHeight => BAD_REQUEST "MIN_HEIGHT",
    MaxHeight => BAD_REQUEST "MAX_HEIGHT",
    MinWidth => BAD_REQUEST "MIN_WIDTH",
    MaxWidth => BAD_REQUEST "MAX_WIDTH",
    MinPixels => BAD_REQUEST "MIN_PIXELS",
    MaxPixels => BAD_REQUEST "MAX_PIXELS",
    ImageWrongChannels => BAD_REQUEST "IMAGE_WRONG_CHANNELS",
    ImageGrayscaleNotSupported => BAD_REQUEST "IMAGE_GRAYSCALE_NOT_SUPPORTED",
    ServiceUnavailable => SERVICE_UNAVAILABLE "SERVICE_UNAVAILABLE",
    FaceNotFound => BAD_REQUEST "FACE_NOT_FOUND",
    MultipleFaces => BAD_REQUEST "MULTIPLE_FACES",
    FaceBoxTooSmall => BAD_REQUEST "FACE_BOX_TOO_SMALL",
    FaceToImageRatioTooLow => BAD_REQUEST "FACE_TO_IMAGE_RATIO_TOO_LOW",
    FaceToImageRatioTooHigh => BAD_REQUEST "FACE_TO_IMAGE_RATIO_TOO_HIGH",
    InsufficientAreaAroundTheFace => BAD_REQUEST "INSUFFICIENT_AREA_AROUND_THE_FACE",
    ImageTooBright => BAD_REQUEST "IMAGE_TOO_BRIGHT",
    ImageTooDark => BAD_REQUEST "IMAGE_TOO_DARK",
    InvalidLevelOfAssurance => BAD_REQUEST "INVALID_LEVEL_OF_ASSURANCE",
    InvalidRequestBody => BAD_REQUEST "INVALID_REQUEST_BODY",
    InvalidImgValidationLevel => BAD_REQUEST "INVALID_IMG_VALIDATION_LEVEL",
    Unauthorized => UNAUTHORIZED "UNAUTHORIZED",
    FailPrediction => INTERNAL_SERVER_ERROR "FAIL_PREDICTION",
    UnspecifiedError => INTERNAL_SERVER_ERROR "UNSPECIFIED_ERROR",
    SecureRequestIsEmpty => BAD_REQUEST "SECURE_REQUEST_IS_EMPTY",
    SecureSessionNotFound => BAD_REQUEST "SECURE_SESSION_NOT_FOUND",
    SecureSignatureNotFound => BAD_REQUEST "SECURE_SIGNATURE_NOT_FOUND",
    SecureVersionNotFound => BAD_REQUEST "SECURE_VERSION_NOT_FOUND",
    InvalidSecureSignature => BAD_REQUEST "INVALID_SECURE_SIGNATURE",
    SecureVerificationNotFound => BAD_REQUEST "SECURE_VERIFICATION_NOT_FOUND",
    UntrustedSecureSession => BAD_REQUEST "UNTRUSTED_SECURE_SESSION",
    InvalidSecureSession => UNAUTHORIZED "INVALID_SECURE_SESSION",
    // Not in the document: the operator's own limit on how often an application may call.
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
}
