//! The ways to show an age. Each is a file: how it is opened, and what it makes of a turn.
//!
//! Nothing that a person types or shows is kept here or in a row. What a method must remember until the next turn travels
//! through the page as a sealed continuation; what is more than that (a document session, say) is named by the attempt.

mod card;
mod code;
mod document;
mod estimation;
mod key;
mod oidc;
mod registry;
mod token;
mod wallet;

pub use document::FollowDocument;
pub use key::Kept;
pub(super) use key::purge_tokens;
pub(super) use wallet::is_estimating;

use super::{
    Ages, NotDone, judge,
    providers::Providers,
    session::{Attempt, Session, Verdict},
    wanted::Block,
    words::{AgeFailureReason, AgeMethod, InputProblemCode, LivenessLevel},
};
use crate::secure_capture::Capture;
use ::methods::{
    Evidence, Failure, InputFault,
    fields::{Field, Fields},
};
use base::Timestamp;
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

/// What the page is to do next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Take a photo of the face.
    Camera {
        /// How it is made sure that it is live.
        level: LivenessLevel,
        /// The path where the page gets what vouches for the photo.
        capture_path: &'static str,
    },
    /// The same, with moves of the head, in this order.
    Frames {
        /// The moves.
        moves: Vec<HeadMovement>,
        /// The path where the page gets what vouches for the photo.
        capture_path: &'static str,
    },
    /// Fill in a form.
    Form {
        /// What it has.
        fields: &'static [Field],
    },
    /// Type the code that was sent.
    Code {
        /// How it was sent.
        channel: CodeChannel,
        /// Where it was sent, as far as a page may show that.
        sent_to: String,
        /// Digits.
        length: usize,
        /// Seconds until another may be sent.
        resend_in: i64,
    },
    /// Choose one.
    Choose {
        /// What there is.
        options: Vec<IdentityProviderOption>,
    },
    /// Go there, and come back.
    Redirect {
        /// Where.
        url: String,
    },
    /// Use a passkey.
    Passkey {
        /// What the browser is asked, in the JSON form of WebAuthn level 3.
        options: Value,
    },
    /// Go through a document session of this server.
    Document {
        /// Its page.
        url: String,
    },
    /// Get a blind token, in a window of its own, and send it.
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
        /// Milliseconds.
        poll_ms: u32,
    },
    /// Wait, and ask again.
    Wait {
        /// Milliseconds.
        poll_ms: u32,
    },
}

crate::words::wire_enum! {
    /// A move of the head, by the person's own left and right.
    pub enum HeadMovement {
        /// Turn to the left.
        Left => "LEFT",
        /// Turn to the right.
        Right => "RIGHT",
        /// Look up.
        Up => "UP",
        /// Come nearer to the camera.
        Nearer => "NEARER",
        /// Go farther from it.
        Farther => "FARTHER",
    }
}

crate::words::wire_enum! {
    /// How a one-time code is sent.
    pub enum CodeChannel {
        /// To a phone.
        Sms => "SMS",
        /// To a mail address.
        Email => "EMAIL",
    }
}

/// One of several identity providers.
#[derive(Clone, Debug)]
pub struct IdentityProviderOption {
    /// What is sent back.
    pub id: String,
    /// What people call it.
    pub name: String,
}

/// Secure capture of this server.
const CAPTURE: &str = "/ai/sm/v1/secure/1";

/// What a page sends with a turn. What of it is looked at depends on the step.
#[derive(Default)]
pub struct TurnInput {
    /// A photo, base64.
    pub photo: Option<String>,
    /// What vouches for it.
    pub secure: Option<Capture>,
    /// Frames that show the moves, base64.
    pub frames: Option<Vec<String>>,
    /// When each frame was taken, milliseconds.
    pub frame_times_ms: Option<Vec<f64>>,
    /// What was typed into a form.
    pub fields: Option<Fields>,
    /// The code that was typed.
    pub code: Option<String>,
    /// Whether another code is asked for.
    pub resend: bool,
    /// The option that was chosen.
    pub choice: Option<String>,
    /// The parameters with which a provider or wallet sent the person back.
    pub returned: Option<BTreeMap<String, String>>,
    /// A passkey's answer, in the JSON form of `WebAuthn` level 3.
    pub credential: Option<Value>,
    /// A blind token, base64url.
    pub token: Option<String>,
    /// Whether the issuer gave no token.
    pub declined: bool,
}

// What people type and show is not for logs.
impl fmt::Debug for TurnInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TurnInput")
    }
}

impl TurnInput {
    /// What was typed into a form.
    fn typed(&self) -> Result<&Fields, NotDone> {
        self.fields.as_ref().ok_or_else(|| NotDone::wrong("fields", "an object is expected"))
    }
}

/// What of an input could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputProblem {
    /// In one word.
    pub code: InputProblemCode,
    /// Which field, where it is one.
    pub field: Option<&'static str>,
    /// Tries that are left, where they are counted.
    pub remaining: Option<i64>,
}

impl InputProblem {
    fn new(code: InputProblemCode) -> Self {
        Self { code, field: None, remaining: None }
    }
}

/// How an attempt goes on.
#[derive(Debug)]
pub(super) enum Next {
    /// The page is asked for something.
    Ask(Ask),
    /// A check runs on without the person.
    Waits,
    /// It is over, if a token that counts once was not spent before.
    Spend {
        /// What it is remembered by.
        token: [u8; 32],
        /// How long it must be.
        until: Timestamp,
        /// What it shows.
        verdict: Verdict,
    },
    /// It is over.
    End(Verdict),
}

/// What the page is asked for.
#[derive(Debug)]
pub(super) struct Ask {
    /// What.
    pub step: Step,
    /// What of the last input could not be used.
    pub problem: Option<InputProblem>,
    /// What the method must remember; it travels sealed.
    pub held: Value,
    /// What the attempt must know, where that changes.
    pub kept: Option<Value>,
    /// Whether a wrong code was typed.
    pub wrong: bool,
    /// Whether a code was sent.
    pub sent: bool,
}

impl Ask {
    fn new(step: Step, held: Value) -> Self {
        Self { step, problem: None, held, kept: None, wrong: false, sent: false }
    }

    /// The same with what of the last input could not be used.
    fn because(self, problem: InputProblem) -> Self {
        Self { problem: Some(problem), ..self }
    }
}

/// An attempt, as a method sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub session: &'a Session,
    pub block: &'a Block,
    pub attempt: &'a Attempt,
    /// The language of the page, where it said one.
    pub locale: &'a str,
}

impl At<'_> {
    /// The age that providers are asked about, years.
    fn years(&self) -> u8 {
        u8::try_from(self.block.threshold).unwrap_or(u8::MAX)
    }
}

impl Ages {
    /// Opens a method.
    pub(super) async fn open_method(&self, at: At<'_>) -> Result<Next, NotDone> {
        match at.block.method {
            AgeMethod::AgeEstimation => Ok(self.open_estimation(at)),
            AgeMethod::DocScan => self.open_document(at).await,
            AgeMethod::CreditCard => Ok(card::form()),
            AgeMethod::Mobile | AgeMethod::Email => Ok(code::form(at.block.method)),
            AgeMethod::ElectronicId | AgeMethod::Singpass => self.open_oidc(at).await,
            AgeMethod::SvcKey => Ok(self.ask_for_key(at)),
            AgeMethod::LaWallet
            | AgeMethod::SocialSecurityNumber
            | AgeMethod::UsFloridaHb3
            | AgeMethod::Cpf => Ok(registry::form(at.block.method)),
            AgeMethod::DoubleAnonymity => self.ask_for_token(at).await,
            AgeMethod::DigitalId => Ok(self.open_wallet(at)),
        }
    }

    /// Takes a turn.
    pub(super) async fn take_turn(
        &self,
        at: At<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<Next, NotDone> {
        match at.block.method {
            AgeMethod::AgeEstimation => self.estimate_age(at, held, input).await,
            AgeMethod::DocScan => self.look_at_document(at).await,
            AgeMethod::CreditCard => self.check_card(at, held, input).await,
            AgeMethod::Mobile | AgeMethod::Email => self.check_code(at, held, input).await,
            AgeMethod::ElectronicId | AgeMethod::Singpass => self.turn_oidc(at, held, input).await,
            AgeMethod::SvcKey => self.use_key(at, held, input).await,
            AgeMethod::LaWallet
            | AgeMethod::SocialSecurityNumber
            | AgeMethod::UsFloridaHb3
            | AgeMethod::Cpf => self.ask_registry(at, input).await,
            AgeMethod::DoubleAnonymity => self.take_token(at, held, input).await,
            AgeMethod::DigitalId => self.turn_wallet(at, held, input).await,
        }
    }

    fn providers(&self, at: At<'_>) -> &Providers {
        if at.session.sandbox { &self.0.sandbox } else { &self.0.providers }
    }

    /// Where providers send a person back to.
    fn return_address(&self, at: At<'_>) -> String {
        let sandbox = if at.session.sandbox { "/sandbox" } else { "" };
        format!("{}{sandbox}/age/return", self.0.settings.public_url)
    }

    /// What a provider's answer means.
    fn answered(&self, at: At<'_>, answer: Result<Evidence, Failure>, again: impl FnOnce() -> Next) -> Next {
        match answer {
            Ok(Evidence { known, id }) => {
                let evidence = id.unwrap_or_else(|| self.0.world.random_uuid().to_string());
                Next::End(judge::finding(known, &at.session.wanted, at.block, self.today(), Some(evidence)))
            }
            Err(failure) => failed(at, failure, again),
        }
    }
}

/// What a failure means: something that the person can mend is asked for again.
fn failed(at: At<'_>, failure: Failure, again: impl FnOnce() -> Next) -> Next {
    match failure {
        Failure::Input { field, fault } => match again() {
            Next::Ask(ask) => {
                let code = match fault {
                    InputFault::Required => InputProblemCode::Required,
                    InputFault::Invalid => InputProblemCode::Invalid,
                };
                Next::Ask(ask.because(InputProblem { code, field: Some(field), remaining: None }))
            }
            other => other,
        },
        Failure::Unknown(words) => {
            tracing::debug!(method = %at.block.method, "a method could not tell: {words}");
            Next::End(Verdict::Undecided { code: AgeFailureReason::NotFound })
        }
        Failure::Unavailable(words) => {
            tracing::warn!(method = %at.block.method, "a provider cannot be asked: {words}");
            Next::End(Verdict::Broken { code: AgeFailureReason::ProviderUnavailable })
        }
    }
}

fn not_set_up() -> Next {
    Next::End(Verdict::Broken { code: AgeFailureReason::NotConfigured })
}

fn ask_form(fields: &'static [Field]) -> Next {
    Next::Ask(Ask::new(Step::Form { fields }, Value::Null))
}

/// Whether a turn only asks how things are, so that it may be repeated.
pub(super) fn only_asks(attempt: &Attempt, input: &TurnInput) -> bool {
    match attempt.method {
        AgeMethod::DocScan => true,
        AgeMethod::DigitalId => !is_estimating(attempt) && input.returned.is_none(),
        _ => false,
    }
}

/// Whether attempts at a method may end while the page only asks.
pub(super) fn ends_elsewhere(method: AgeMethod) -> bool {
    matches!(method, AgeMethod::DocScan | AgeMethod::DigitalId)
}
