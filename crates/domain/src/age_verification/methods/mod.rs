//! The ways to show an age. Each is a file: how it is opened, and what it makes of a turn.
//!
//! Nothing that a person types or shows is kept here or in a row. What a method must remember until the next turn travels
//! through the page as a sealed continuation; what is more than that (a document session, say) is named by the attempt.

mod blind_token;
mod card;
mod document;
mod estimation;
mod oidc;
mod one_time_code;
mod passkey;
mod registry;
mod wallet;

pub use document::FollowDocumentSession;
pub use passkey::KeepResultOutcome;
pub(super) use passkey::purge_stored_results;
pub(super) use wallet::is_estimating;

use super::{
    AgeSessionError, AgeVerificationService, decision,
    providers::Providers,
    session::{AgeMethodVerdict, AgeSession, MethodAttempt},
    session_config::AgeMethodConfig,
    types::{AgeFailureReason, AgeMethod, InputProblemCode, LivenessLevel},
};
use crate::secure_capture::CaptureAttestation;
use age_methods::{
    AgeEvidence, AgeMethodError, InputFault,
    form::{FormField, FormValues},
};
use base::Timestamp;
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

/// What the page is to do next.
#[derive(Clone, Debug)]
pub enum AttemptStep {
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
        fields: &'static [FormField],
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

crate::wire_enum::wire_enum! {
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

crate::wire_enum::wire_enum! {
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
const SECURE_CAPTURE_PATH: &str = "/ai/sm/v1/secure/1";

/// What a page sends with a turn. What of it is looked at depends on the step.
#[derive(Default)]
pub struct TurnInput {
    /// A photo, base64.
    pub photo: Option<String>,
    /// What vouches for it.
    pub secure: Option<CaptureAttestation>,
    /// Frames that show the moves, base64.
    pub frames: Option<Vec<String>>,
    /// When each frame was taken, milliseconds.
    pub frame_times_ms: Option<Vec<f64>>,
    /// What was typed into a form.
    pub fields: Option<FormValues>,
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
    fn require_fields(&self) -> Result<&FormValues, AgeSessionError> {
        self.fields.as_ref().ok_or_else(|| AgeSessionError::invalid("fields", "an object is expected"))
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
pub(super) enum StepOutcome {
    /// The page is asked for something.
    Prompt(StepPrompt),
    /// A check runs on without the person.
    Pending,
    /// It is over, if a token that counts once was not spent before.
    RedeemToken {
        /// What it is remembered by.
        token: [u8; 32],
        /// How long it must be.
        until: Timestamp,
        /// What it shows.
        verdict: AgeMethodVerdict,
    },
    /// It is over.
    Finished(AgeMethodVerdict),
}

/// What the page is asked for.
#[derive(Debug)]
pub(super) struct StepPrompt {
    /// What.
    pub step: AttemptStep,
    /// What of the last input could not be used.
    pub problem: Option<InputProblem>,
    /// What the method must remember; it travels sealed.
    pub continuation_state: Value,
    /// What the attempt must know, where that changes.
    pub attempt_state: Option<Value>,
    /// Whether a wrong code was typed.
    pub wrong_code: bool,
    /// Whether a code was sent.
    pub code_sent: bool,
}

impl StepPrompt {
    fn new(step: AttemptStep, held: Value) -> Self {
        Self {
            step,
            problem: None,
            continuation_state: held,
            attempt_state: None,
            wrong_code: false,
            code_sent: false,
        }
    }

    /// The same with what of the last input could not be used.
    fn with_problem(self, problem: InputProblem) -> Self {
        Self { problem: Some(problem), ..self }
    }
}

/// An attempt, as a method sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttemptContext<'a> {
    pub session: &'a AgeSession,
    pub block: &'a AgeMethodConfig,
    pub attempt: &'a MethodAttempt,
    /// The language of the page, where it said one.
    pub locale: &'a str,
}

impl AttemptContext<'_> {
    /// The age that providers are asked about, years.
    fn threshold_years(&self) -> u8 {
        u8::try_from(self.block.threshold).unwrap_or(u8::MAX)
    }
}

impl AgeVerificationService {
    /// Opens a method.
    pub(super) async fn open_method(&self, at: AttemptContext<'_>) -> Result<StepOutcome, AgeSessionError> {
        match at.block.method {
            AgeMethod::AgeEstimation => Ok(self.open_estimation(at)),
            AgeMethod::DocScan => self.open_document(at).await,
            AgeMethod::CreditCard => Ok(card::form()),
            AgeMethod::Mobile | AgeMethod::Email => Ok(one_time_code::form(at.block.method)),
            AgeMethod::ElectronicId | AgeMethod::Singpass => self.open_oidc(at).await,
            AgeMethod::SvcKey => Ok(self.prompt_passkey(at)),
            AgeMethod::LaWallet
            | AgeMethod::SocialSecurityNumber
            | AgeMethod::UsFloridaHb3
            | AgeMethod::Cpf => Ok(registry::form(at.block.method)),
            AgeMethod::DoubleAnonymity => self.prompt_blind_token(at).await,
            AgeMethod::DigitalId => Ok(self.open_wallet(at)),
        }
    }

    /// Takes a turn.
    pub(super) async fn process_turn(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        match at.block.method {
            AgeMethod::AgeEstimation => self.estimate_age(at, held, input).await,
            AgeMethod::DocScan => self.poll_document(at).await,
            AgeMethod::CreditCard => self.check_card(at, held, input).await,
            AgeMethod::Mobile | AgeMethod::Email => self.check_code(at, held, input).await,
            AgeMethod::ElectronicId | AgeMethod::Singpass => self.process_oidc_turn(at, held, input).await,
            AgeMethod::SvcKey => self.check_passkey(at, held, input).await,
            AgeMethod::LaWallet
            | AgeMethod::SocialSecurityNumber
            | AgeMethod::UsFloridaHb3
            | AgeMethod::Cpf => self.ask_registry(at, input).await,
            AgeMethod::DoubleAnonymity => self.check_blind_token(at, held, input).await,
            AgeMethod::DigitalId => self.process_wallet_turn(at, held, input).await,
        }
    }

    fn providers(&self, at: AttemptContext<'_>) -> &Providers {
        if at.session.sandbox { &self.0.sandbox_providers } else { &self.0.providers }
    }

    /// Where providers send a person back to.
    fn return_url(&self, at: AttemptContext<'_>) -> String {
        let sandbox = if at.session.sandbox { "/sandbox" } else { "" };
        format!("{}{sandbox}/age/return", self.0.settings.public_url)
    }

    /// What a provider's answer means.
    fn evaluate_answer(
        &self,
        at: AttemptContext<'_>,
        answer: Result<AgeEvidence, AgeMethodError>,
        again: impl FnOnce() -> StepOutcome,
    ) -> StepOutcome {
        match answer {
            Ok(AgeEvidence { attribute: known, id }) => {
                let evidence = id.unwrap_or_else(|| self.0.world.uuid_v4().to_string());
                StepOutcome::Finished(decision::decide_from_evidence(
                    known,
                    &at.session.wanted,
                    at.block,
                    self.today(),
                    Some(evidence),
                ))
            }
            Err(failure) => evaluate_failure(at, failure, again),
        }
    }
}

/// What a failure means: something that the person can mend is asked for again.
fn evaluate_failure(
    at: AttemptContext<'_>,
    failure: AgeMethodError,
    again: impl FnOnce() -> StepOutcome,
) -> StepOutcome {
    match failure {
        AgeMethodError::Input { field, fault } => match again() {
            StepOutcome::Prompt(ask) => {
                let code = match fault {
                    InputFault::Required => InputProblemCode::Required,
                    InputFault::Invalid => InputProblemCode::Invalid,
                };
                StepOutcome::Prompt(ask.with_problem(InputProblem {
                    code,
                    field: Some(field),
                    remaining: None,
                }))
            }
            other => other,
        },
        AgeMethodError::Inconclusive(words) => {
            tracing::debug!(method = %at.block.method, error = words, "a method could not tell");
            StepOutcome::Finished(AgeMethodVerdict::Undecided { code: AgeFailureReason::NotFound })
        }
        AgeMethodError::Unavailable(words) => {
            tracing::warn!(method = %at.block.method, error = words, "a provider cannot be asked");
            StepOutcome::Finished(AgeMethodVerdict::Broken { code: AgeFailureReason::ProviderUnavailable })
        }
    }
}

fn not_configured() -> StepOutcome {
    StepOutcome::Finished(AgeMethodVerdict::Broken { code: AgeFailureReason::NotConfigured })
}

fn prompt_form(fields: &'static [FormField]) -> StepOutcome {
    StepOutcome::Prompt(StepPrompt::new(AttemptStep::Form { fields }, Value::Null))
}

/// Whether a turn only asks how things are, so that it may be repeated.
pub(super) fn is_status_poll(attempt: &MethodAttempt, input: &TurnInput) -> bool {
    match attempt.method {
        AgeMethod::DocScan => true,
        AgeMethod::DigitalId => !is_estimating(attempt) && input.returned.is_none(),
        _ => false,
    }
}

/// Whether attempts at a method may end while the page only asks.
pub(super) fn may_end_while_polling(method: AgeMethod) -> bool {
    matches!(method, AgeMethod::DocScan | AgeMethod::DigitalId)
}
