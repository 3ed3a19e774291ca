//! What the page is to do next.

use super::passkey::PasskeyOptions;
use domain::age_verification::{
    self, CodeChannel, FormField as DomainField, FormFieldKind, HeadMovement,
    types::{InputProblemCode, LivenessLevel},
};
use serde::Serialize;
use utoipa::ToSchema;

/// What the page is to do next; `kind` says which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum PageStep {
    /// Take a photo of the face, and send it as `img` with `secure`.
    Camera {
        /// How the method checks that a live person is in front of the camera.
        level: LivenessLevel,
        /// Where the page gets the proof of capture for the photo.
        capture: CaptureModule,
    },
    /// Take a photo, and frames of head movements; send them as `img`, `secure`, `frames` and `times`.
    Frames {
        /// The movements, in this order.
        moves: Vec<HeadMovement>,
        /// Where the page gets the proof of capture for the photo.
        capture: CaptureModule,
    },
    /// Fill in a form, and send its `fields`.
    Form {
        /// The fields of the form.
        fields: Vec<PageFormField>,
    },
    /// Type the code that was sent, and send it as `code`; or request another with `resend`.
    Code {
        /// How it was sent.
        channel: CodeChannel,
        /// Where it was sent, masked.
        #[schema(example = "+44 •••• ••• 123")]
        sent_to: String,
        /// Number of digits.
        #[schema(example = 6)]
        length: usize,
        /// Seconds until another may be sent.
        #[schema(minimum = 0)]
        resend_in: i64,
    },
    /// Choose one, and send its id as `choice`.
    Choose {
        /// The options.
        options: Vec<PageStepOption>,
    },
    /// Send the end user to `url`; when they return, send the parameters of the query as `returned`.
    Redirect {
        /// The address.
        url: String,
    },
    /// Use a passkey, and send the browser's answer as `credential`.
    Passkey {
        /// Whether the page uses it without being told to.
        silent: bool,
        /// What to ask the browser.
        options: PasskeyOptions,
    },
    /// Go through a document verification session of this server, then take a turn without input.
    Document {
        /// The address of its page.
        url: String,
    },
    /// Get a blind token in a window of its own, and send it as `token`; or send `declined`.
    Token {
        /// What it is for: a `TokenChallenge` (RFC 9577, section 2.1), base64url.
        challenge: String,
        /// The key that is to sign the token, base64url of its `SubjectPublicKeyInfo`.
        key: String,
        /// The age that tokens of this key attest, years.
        threshold: u8,
        /// The address of the issuer's page.
        issuer_url: String,
    },
    /// Present the request to a wallet, and poll by turns without input.
    Wallet {
        /// The address that calls a wallet on another device, to be shown as a QR code.
        url: String,
        /// Addresses that call a wallet on this device.
        links: Vec<String>,
        /// Milliseconds until the next poll.
        poll_ms: u32,
    },
    /// Show a code, which the end user types into an app on a phone, and poll by turns without input.
    AppCode {
        /// The digits.
        #[schema(example = "4821")]
        code: String,
        /// Milliseconds until the next poll.
        poll_ms: u32,
    },
    /// Wait, then take a turn without input.
    Wait {
        /// Milliseconds until the next poll.
        poll_ms: u32,
    },
}

/// Where the page gets the proof of capture for a photo.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CaptureModule {
    /// The path of the secure capture protocol.
    #[schema(example = "/ai/sm/v1/secure/1")]
    path: &'static str,
}

/// A field of a form.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageFormField {
    /// The name under which the value is sent back.
    name: &'static str,
    /// The kind of value.
    #[serde(rename = "type")]
    kind: PageFormFieldType,
    /// The autofill token (HTML, `autocomplete`).
    autocomplete: &'static str,
    /// Whether it must be filled in.
    required: bool,
    /// The maximum length, characters.
    max: u16,
}

/// The kind of value that a field takes.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PageFormFieldType {
    /// Any text.
    Text,
    /// A phone number.
    Tel,
    /// An email address.
    Email,
    /// Digits, with blanks or hyphens between them.
    Digits,
    /// A date.
    Date,
}

/// An option of a choice.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageStepOption {
    /// The value to send as `choice`.
    id: String,
    /// The name to show.
    name: String,
}

/// What was wrong with the last input.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageInputProblem {
    /// The kind of problem.
    code: InputProblemCode,
    /// The field that it is about, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    /// Tries that are left, if they are limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<i64>,
}

impl From<age_verification::AttemptStep> for PageStep {
    fn from(step: age_verification::AttemptStep) -> Self {
        use age_verification::AttemptStep as Domain;
        match step {
            Domain::Camera { level, capture_path: path } => {
                Self::Camera { level, capture: CaptureModule { path } }
            }
            Domain::Frames { moves, capture_path: path } => {
                Self::Frames { moves, capture: CaptureModule { path } }
            }
            Domain::Form { fields } => {
                Self::Form { fields: fields.iter().map(PageFormField::from).collect() }
            }
            Domain::Code { channel, sent_to, length, resend_in } => {
                Self::Code { channel, sent_to, length, resend_in }
            }
            Domain::Choose { options } => {
                let option =
                    |age_verification::IdentityProviderOption { id, name }| PageStepOption { id, name };
                Self::Choose { options: options.into_iter().map(option).collect() }
            }
            Domain::Redirect { url } => Self::Redirect { url },
            Domain::Passkey { silent, options } => Self::Passkey { silent, options: PasskeyOptions(options) },
            Domain::Document { url } => Self::Document { url },
            Domain::Token { challenge, key, threshold, issuer_url } => {
                Self::Token { challenge, key, threshold, issuer_url }
            }
            Domain::Wallet { url, links, poll_ms } => Self::Wallet { url, links, poll_ms },
            Domain::AppCode { code, poll_ms } => Self::AppCode { code, poll_ms },
            Domain::Wait { poll_ms } => Self::Wait { poll_ms },
        }
    }
}

impl From<&DomainField> for PageFormField {
    fn from(field: &DomainField) -> Self {
        let &DomainField { name, kind, autocomplete, required, max } = field;
        let kind = match kind {
            FormFieldKind::Text => PageFormFieldType::Text,
            FormFieldKind::Tel => PageFormFieldType::Tel,
            FormFieldKind::Email => PageFormFieldType::Email,
            FormFieldKind::Digits => PageFormFieldType::Digits,
            FormFieldKind::Date => PageFormFieldType::Date,
        };
        Self { name, kind, autocomplete, required, max }
    }
}

impl From<age_verification::InputProblem> for PageInputProblem {
    fn from(problem: age_verification::InputProblem) -> Self {
        let age_verification::InputProblem { code, field, remaining } = problem;
        Self { code, field, remaining }
    }
}
