//! What the page is asked for, and what it sends.

use crate::{
    age_verification::{
        AgeSessionError,
        types::{InputProblemCode, LivenessLevel},
    },
    secure_capture::CaptureAttestation,
};
use age_methods::form::{FormField, FormValues};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

/// What the page is to do next.
#[derive(Clone, Debug)]
pub enum AttemptStep {
    /// Take a photo of the face.
    Camera {
        /// How the method checks that a live person is in front of the camera.
        level: LivenessLevel,
        /// The path of the secure capture protocol, where the page gets the proof of capture for the photo.
        capture_path: &'static str,
    },
    /// Take a photo of the face, and frames of head movements.
    Frames {
        /// The movements, in this order.
        moves: Vec<HeadMovement>,
        /// The path of the secure capture protocol, where the page gets the proof of capture for the photo.
        capture_path: &'static str,
    },
    /// Fill in a form.
    Form { fields: &'static [FormField] },
    /// Type the code that was sent.
    Code {
        channel: CodeChannel,
        /// Where the code was sent, masked.
        sent_to: String,
        /// Number of digits.
        length: usize,
        /// Seconds until another code may be sent.
        resend_in: i64,
    },
    /// Choose an identity provider.
    Choose { options: Vec<IdentityProviderOption> },
    /// Send the end user to an address, from which they are sent back.
    Redirect { url: String },
    /// Use a passkey.
    Passkey {
        /// Whether the page uses it without being told to, because the end user was not offered it.
        silent: bool,
        /// The options for the browser, in the JSON form of Web Authentication Level 3.
        options: Value,
    },
    /// Go through a document verification session of this server.
    Document {
        /// The address of its page.
        url: String,
    },
    /// Get a blind token in a window of its own, and send it.
    Token {
        /// What it is for: a `TokenChallenge` (RFC 9577, section 2.1), base64url.
        challenge: String,
        /// The key that is to sign it, base64url of its `SubjectPublicKeyInfo`.
        key: String,
        /// The age that tokens of this key attest, years.
        threshold: u8,
        /// The address of the issuer's page.
        issuer_url: String,
    },
    /// Present the request to a wallet, and poll.
    Wallet {
        /// The address that calls a wallet on another device, to be shown as a QR code.
        url: String,
        /// Addresses that call a wallet on this device.
        links: Vec<String>,
        /// Milliseconds until the next poll.
        poll_ms: u32,
    },
    /// Show a code, which the end user types into an app on a phone, and poll.
    AppCode {
        /// The digits.
        code: String,
        /// Milliseconds until the next poll.
        poll_ms: u32,
    },
    /// Wait, then poll.
    Wait {
        /// Milliseconds until the next poll.
        poll_ms: u32,
    },
}

crate::wire_enum::wire_enum! {
    /// A movement of the head; left and right are those of the end user.
    pub enum HeadMovement {
        /// Turn to the left.
        Left => "LEFT",
        /// Turn to the right.
        Right => "RIGHT",
        /// Look up.
        Up => "UP",
        /// Move closer to the camera.
        Nearer => "NEARER",
        /// Move away from the camera.
        Farther => "FARTHER",
    }
}

crate::wire_enum::wire_enum! {
    /// How a one-time code is sent.
    pub enum CodeChannel {
        /// By text message to a phone.
        Sms => "SMS",
        /// By email.
        Email => "EMAIL",
    }
}

/// An identity provider that the end user can choose.
#[derive(Clone, Debug)]
pub struct IdentityProviderOption {
    /// The value to send as the choice.
    pub id: String,
    /// The name to show.
    pub name: String,
}

/// What the page sends with a turn. Each step reads only the members that it asked for.
#[derive(Default)]
pub struct TurnInput {
    /// A photo, base64.
    pub photo: Option<String>,
    /// The proof of capture for the photo.
    pub secure: Option<CaptureAttestation>,
    /// Frames of the head movements, base64.
    pub frames: Option<Vec<String>>,
    /// When each frame was taken, milliseconds.
    pub frame_times_ms: Option<Vec<f64>>,
    /// What was typed into a form.
    pub fields: Option<FormValues>,
    /// The code that was typed.
    pub code: Option<String>,
    /// Whether another code is requested.
    pub resend: bool,
    /// The id of the option that was chosen.
    pub choice: Option<String>,
    /// The query parameters with which a provider or wallet sent the end user back.
    pub returned: Option<BTreeMap<String, String>>,
    /// The browser's answer to a passkey request, in the JSON form of Web Authentication Level 3.
    pub credential: Option<Value>,
    /// A blind token, base64url.
    pub token: Option<String>,
    /// Whether the issuer gave no token.
    pub declined: bool,
}

// Keeps what people type and show out of logs.
impl fmt::Debug for TurnInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TurnInput")
    }
}

impl TurnInput {
    pub(super) fn require_fields(&self) -> Result<&FormValues, AgeSessionError> {
        self.fields.as_ref().ok_or_else(|| AgeSessionError::invalid("fields", "an object is expected"))
    }
}

/// Why the input of a turn could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputProblem {
    pub code: InputProblemCode,
    /// The name of the form field that it is about, if any.
    pub field: Option<&'static str>,
    /// Tries that are left, if they are limited.
    pub remaining: Option<i64>,
}

impl InputProblem {
    pub(super) fn new(code: InputProblemCode) -> Self {
        Self { code, field: None, remaining: None }
    }
}
