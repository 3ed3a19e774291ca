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
        /// How it is made sure that it is live.
        level: LivenessLevel,
        /// Where the page gets what vouches for the photo.
        capture: CaptureModule,
    },
    /// Take a photo, and frames with moves of the head: `img`, `secure`, `frames` and `times`.
    Frames {
        /// The moves, in this order.
        moves: Vec<HeadMovement>,
        /// Where the page gets what vouches for the photo.
        capture: CaptureModule,
    },
    /// Fill in a form, and send its `fields`.
    Form {
        /// What it has.
        fields: Vec<PageFormField>,
    },
    /// Type the code that was sent, and send it as `code`; or ask for another with `resend`.
    Code {
        /// How it was sent.
        channel: CodeChannel,
        /// Where it was sent, as far as a page may show that.
        #[schema(example = "+44 •••• ••• 123")]
        sent_to: String,
        /// Digits.
        #[schema(example = 6)]
        length: usize,
        /// Seconds until another may be sent.
        #[schema(minimum = 0)]
        resend_in: i64,
    },
    /// Choose one, and send its id as `choice`.
    Choose {
        /// What there is.
        options: Vec<PageStepOption>,
    },
    /// Go there, and come back with what is in the query as `returned`.
    Redirect {
        /// Where.
        url: String,
    },
    /// Use a passkey, and send the browser's answer as `credential`.
    Passkey {
        /// What the browser is asked.
        options: PasskeyOptions,
    },
    /// Go through a document session of this server, and ask again.
    Document {
        /// Its page.
        url: String,
    },
    /// Get a blind token, in a window of its own, and send it as `token`; or say `declined`.
    Token {
        /// What it is for: a `TokenChallenge` (RFC 9577, section 2.1), base64url.
        challenge: String,
        /// The key that is to sign it, base64url of its `SubjectPublicKeyInfo`.
        key: String,
        /// The age that the key stands for, years.
        threshold: u8,
        /// The issuer's page.
        issuer_url: String,
    },
    /// Show it to a wallet, and ask again.
    Wallet {
        /// What calls a wallet on another device, as a QR code.
        url: String,
        /// What calls one on this device.
        links: Vec<String>,
        /// Milliseconds until it is asked again.
        poll_ms: u32,
    },
    /// Wait, and ask again.
    Wait {
        /// Milliseconds until it is asked again.
        poll_ms: u32,
    },
}

/// Where the page gets what vouches for a photo.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CaptureModule {
    /// The path of the secure capture protocol.
    #[schema(example = "/ai/sm/v1/secure/1")]
    path: &'static str,
}

/// A field of a form.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageFormField {
    /// Its name, by which the value comes back.
    name: &'static str,
    /// What it takes.
    #[serde(rename = "type")]
    kind: PageFormFieldType,
    /// The token for the browser's help in filling in (HTML, `autocomplete`).
    autocomplete: &'static str,
    /// Whether it must be filled in.
    required: bool,
    /// The most characters.
    max: u16,
}

/// What a field of a form takes.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PageFormFieldType {
    /// Any text.
    Text,
    /// A phone number.
    Tel,
    /// A mail address.
    Email,
    /// Digits, with blanks or hyphens between them.
    Digits,
    /// A day.
    Date,
}

/// One of several.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageStepOption {
    /// What is sent back.
    id: String,
    /// What people call it.
    name: String,
}

/// What of the last answer could not be used.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageInputProblem {
    /// What.
    code: InputProblemCode,
    /// Which field, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    /// Tries that are left, where they are counted.
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
            Domain::Passkey { options } => Self::Passkey { options: PasskeyOptions(options) },
            Domain::Document { url } => Self::Document { url },
            Domain::Token { challenge, key, threshold, issuer_url } => {
                Self::Token { challenge, key, threshold, issuer_url }
            }
            Domain::Wallet { url, links, poll_ms } => Self::Wallet { url, links, poll_ms },
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
