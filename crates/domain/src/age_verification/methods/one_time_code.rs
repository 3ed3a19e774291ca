//! `mobile` and `email`: a one-time code shows that the phone or the address is the end user's own, then a provider is
//! asked about it.

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, CodeChannel, InputProblem, StepFuture, StepOutcome,
    StepPrompt, TurnInput, evaluate_answer, evaluate_error, not_configured, prompt_form, prompt_form_again,
    ready, undecided,
};
use crate::{
    age_verification::{
        AgeSessionError,
        attempt_budgets::{AttemptBudgets, CodeSubject, Reservation},
        decision::AgeDecider,
        providers::MobileProviders,
        session::AgeMethodVerdict,
        session_config::{AgeMethodConfig, AgeSessionConfig},
        types::{AgeFailureReason, InputProblemCode},
    },
    mail::{EmailMessage, Mailer},
};
use age_methods::{
    AgeEvidence, AgeMethodError,
    form::{FormField, FormValues},
    identifiers::PhoneNumber,
    registry::{EmailHolder, RegistryProvider, RegistrySubject},
    sms::SANDBOX_ONE_TIME_CODE,
};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base::{Environment, SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// Digits of a code.
const CODE_DIGITS: usize = 6;
/// How long a code is valid.
const CODE_TTL: SignedDuration = SignedDuration::from_mins(10);
/// Seconds until another code may be sent in the session, by any method and attempt.
const RESEND_INTERVAL_SECONDS: i64 = 30;
/// Wrong codes that end an attempt.
const MAX_WRONG_CODES: i64 = 5;

const PHONE_FORM: [FormField; 1] = [FormField::PHONE];

#[derive(Debug)]
pub(super) struct OneTimeCodeMethod {
    pub(super) delivery: CodeDelivery,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) decider: Arc<AgeDecider>,
    pub(super) budgets: Arc<AttemptBudgets>,
}

/// How codes are sent, and who is asked about their recipient.
#[derive(Debug)]
pub(super) enum CodeDelivery {
    Sms(Option<MobileProviders>),
    Email {
        mailer: Mailer,
        /// Whether the mailer is configured, or need not be because the sandbox sends no mail.
        can_send: bool,
        registry: Option<Arc<RegistryProvider>>,
    },
}

/// What travels through the page while it asks for a code.
#[derive(Serialize, Deserialize)]
struct CodeContinuation {
    /// The number or address.
    to: String,
    /// The expected code. The page cannot read it: continuations are sealed.
    code: String,
    /// When it was sent.
    at: Timestamp,
}

enum CodeRecipient {
    Phone(PhoneNumber),
    Email(EmailHolder),
}

impl AgeMethodHandler for OneTimeCodeMethod {
    fn is_available(&self) -> bool {
        match &self.delivery {
            CodeDelivery::Sms(providers) => providers.is_some(),
            CodeDelivery::Email { can_send, registry, .. } => *can_send && registry.is_some(),
        }
    }

    fn open<'a>(&'a self, _: AttemptContext<'a>) -> StepFuture<'a> {
        ready(self.form())
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(async move {
            match serde_json::from_value::<CodeContinuation>(continuation) {
                Ok(sent) => self.check_code(context, sent, input).await,
                Err(_) => self.read_form(context, input).await,
            }
        })
    }
}

impl OneTimeCodeMethod {
    fn form(&self) -> StepOutcome {
        match self.delivery {
            CodeDelivery::Sms(_) => prompt_form(&PHONE_FORM),
            CodeDelivery::Email { .. } => prompt_form(&EmailHolder::FORM),
        }
    }

    async fn read_form(
        &self,
        context: AttemptContext<'_>,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let recipient = match self.delivery.read_recipient(input.require_fields()?) {
            Ok(recipient) => recipient,
            Err(error) => return Ok(evaluate_error(context, error, || self.form())),
        };
        Ok(match self.reserve_code(context, &recipient).await? {
            Reservation::Granted { .. } => self.send_code(context, &recipient).await,
            Reservation::TooSoon { .. } => {
                prompt_form_again(self.form(), InputProblem::new(InputProblemCode::TooSoon))
            }
            Reservation::Exhausted { .. } => undecided(AgeFailureReason::TooManyCodes),
        })
    }

    /// Compares the code that was typed, or sends another one if that is requested.
    async fn check_code(
        &self,
        context: AttemptContext<'_>,
        sent: CodeContinuation,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let recipient = match self.delivery.parse_recipient(&sent.to) {
            Ok(recipient) => recipient,
            Err(error) => return Ok(evaluate_error(context, error, || self.form())),
        };
        let counter = context.session.one_time_codes;
        let now = self.environment.now();
        let resend_in = counter.last.map_or(0, |last| {
            (RESEND_INTERVAL_SECONDS - now.duration_since(last).as_secs()).clamp(0, RESEND_INTERVAL_SECONDS)
        });
        let ask_again =
            |problem| StepPrompt::new(recipient.step(resend_in), json!(sent)).with_problem(problem);
        if input.resend {
            return Ok(match self.reserve_code(context, &recipient).await? {
                Reservation::Granted { .. } => self.send_code(context, &recipient).await,
                Reservation::TooSoon { .. } => {
                    StepOutcome::Prompt(ask_again(InputProblem::new(InputProblemCode::TooSoon)))
                }
                // The code that was sent last may still be typed.
                Reservation::Exhausted { .. } => {
                    StepOutcome::Prompt(ask_again(InputProblem::new(InputProblemCode::NoMoreCodes)))
                }
            });
        }
        if now.duration_since(sent.at) > CODE_TTL {
            return Ok(StepOutcome::Prompt(ask_again(InputProblem::new(InputProblemCode::ExpiredCode))));
        }
        let typed = input.code.as_deref().unwrap_or_default();
        let typed: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
        if verify_slices_are_equal(typed.as_bytes(), sent.code.as_bytes()).is_err() {
            let remaining = MAX_WRONG_CODES - 1 - context.attempt.wrong_codes;
            if remaining <= 0 {
                return Ok(undecided(AgeFailureReason::WrongCode));
            }
            let problem = InputProblem {
                code: InputProblemCode::WrongCode,
                field: Some("code"),
                remaining: Some(remaining),
            };
            return Ok(StepOutcome::Prompt(StepPrompt { wrong_code: true, ..ask_again(problem) }));
        }
        let threshold = context.config.threshold_years();
        let answer = match (&recipient, &self.delivery) {
            (CodeRecipient::Phone(phone), CodeDelivery::Sms(Some(providers))) => {
                providers.operator.ask(phone, threshold).await
            }
            (CodeRecipient::Email(email), CodeDelivery::Email { registry: Some(registry), .. }) => {
                registry.ask(&RegistrySubject::Email(email.clone()), threshold).await
            }
            _ => return Ok(not_configured()),
        };
        Ok(evaluate_answer(&self.decider, context, answer, || self.form()))
    }

    /// Counts a code before it is sent.
    async fn reserve_code(
        &self,
        context: AttemptContext<'_>,
        recipient: &CodeRecipient,
    ) -> Result<Reservation, AgeSessionError> {
        let pause = SignedDuration::from_secs(RESEND_INTERVAL_SECONDS);
        self.budgets.reserve_code(context.session.id, recipient.subject(), pause).await
    }

    /// Sends a code that was counted, and asks for it.
    async fn send_code(&self, context: AttemptContext<'_>, recipient: &CodeRecipient) -> StepOutcome {
        let sandbox = context.session.sandbox;
        let code = self.fixed_code(sandbox).map_or_else(|| self.generate_code(), str::to_owned);
        let text = message_text(context.locale, &code);
        let sent = match (recipient, &self.delivery) {
            (CodeRecipient::Phone(phone), CodeDelivery::Sms(Some(providers))) => {
                providers.sender.send(phone, &text).await
            }
            (CodeRecipient::Email(_), CodeDelivery::Email { .. }) if sandbox => Ok(()),
            (CodeRecipient::Email(email), CodeDelivery::Email { mailer, .. }) => {
                let sent = mailer.send_now(&EmailMessage::code(email.expose(), &text)).await;
                sent.map_err(|_| {
                    AgeMethodError::Unavailable("the mail server did not take a code".to_owned())
                })
            }
            _ => return not_configured(),
        };
        match sent {
            Ok(()) => {
                let to = recipient.expose().to_owned();
                let sent = CodeContinuation { to, code, at: self.environment.now() };
                StepOutcome::Prompt(StepPrompt::new(recipient.step(RESEND_INTERVAL_SECONDS), json!(sent)))
            }
            Err(error) => evaluate_error(context, error, || self.form()),
        }
    }

    /// The code where nothing is sent: with a simulated sender of short messages, in production too.
    fn fixed_code(&self, sandbox: bool) -> Option<&'static str> {
        match &self.delivery {
            CodeDelivery::Sms(providers) => providers.as_ref()?.sender.fixed_code(),
            CodeDelivery::Email { .. } => sandbox.then_some(SANDBOX_ONE_TIME_CODE),
        }
    }

    fn generate_code(&self) -> String {
        let mut random = [0; 8];
        self.environment.fill_random(&mut random);
        // The bias of the remainder is below one in 10^13, because 2^64 is so much larger than a million.
        format!("{:0CODE_DIGITS$}", u64::from_le_bytes(random) % 10_u64.pow(CODE_DIGITS as u32))
    }
}

impl CodeDelivery {
    /// The recipient that was typed into the form.
    fn read_recipient(&self, fields: &FormValues) -> Result<CodeRecipient, AgeMethodError> {
        match self {
            Self::Sms(providers) => {
                let home = providers.as_ref().and_then(|providers| providers.home.as_ref());
                PhoneNumber::parse(fields.text("phone")?, home).map(CodeRecipient::Phone)
            }
            Self::Email { .. } => EmailHolder::read(fields).map(CodeRecipient::Email),
        }
    }

    /// The recipient of a continuation, which was read from the form before.
    fn parse_recipient(&self, to: &str) -> Result<CodeRecipient, AgeMethodError> {
        match self {
            Self::Sms(_) => PhoneNumber::parse(to, None).map(CodeRecipient::Phone),
            Self::Email { .. } => EmailHolder::parse(to).map(CodeRecipient::Email),
        }
    }
}

impl CodeRecipient {
    fn expose(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.expose(),
            Self::Email(email) => email.expose(),
        }
    }

    fn subject(&self) -> CodeSubject<'_> {
        match self {
            Self::Phone(phone) => CodeSubject::Phone {
                number: phone.expose(),
                country: phone.calling_code(),
                range: phone.range(),
            },
            Self::Email(email) => CodeSubject::Email { address: email.expose() },
        }
    }

    /// Asks for the code. `resend_in` is in seconds.
    fn step(&self, resend_in: i64) -> AttemptStep {
        let (channel, sent_to) = match self {
            Self::Phone(phone) => (CodeChannel::Sms, phone.masked()),
            Self::Email(email) => (CodeChannel::Email, email.masked()),
        };
        AttemptStep::Code { channel, sent_to, length: CODE_DIGITS, resend_in }
    }
}

/// Evaluates an address that the relying party has verified, for which no code is needed.
pub(in crate::age_verification) async fn evaluate_verified_email(
    registry: &RegistryProvider,
    decider: &AgeDecider,
    session: &AgeSessionConfig,
    config: &AgeMethodConfig,
    email: EmailHolder,
) -> AgeMethodVerdict {
    match registry.ask(&RegistrySubject::Email(email), config.threshold_years()).await {
        Ok(AgeEvidence { attribute, id }) => decider.decide_from_evidence(attribute, session, config, id),
        Err(AgeMethodError::Unavailable(message)) => {
            tracing::warn!(method = %config.method, error = message, "a provider is unavailable");
            AgeMethodVerdict::Broken { code: AgeFailureReason::ProviderUnavailable }
        }
        Err(AgeMethodError::Input { .. } | AgeMethodError::Inconclusive(_)) => {
            AgeMethodVerdict::Undecided { code: AgeFailureReason::NotFound }
        }
    }
}

/// The text of a message, in the language of the page (BCP 47) if it is one of these.
fn message_text(locale: &str, code: &str) -> String {
    let language = locale.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    match language.as_str() {
        "de" => format!(
            "Ihr Code für den Altersnachweis ist {code}. Er gilt zehn Minuten. Geben Sie ihn niemandem weiter."
        ),
        "fr" => format!(
            "Votre code pour prouver votre âge est {code}. Il est valable dix minutes. Ne le donnez à personne."
        ),
        "es" => format!(
            "Su código para demostrar su edad es {code}. Es válido diez minutos. No se lo dé a nadie."
        ),
        "pl" => format!(
            "Twój kod do potwierdzenia wieku to {code}. Jest ważny dziesięć minut. Nie podawaj go nikomu."
        ),
        "ar" => format!("رمز إثبات عمرك هو {code}. صالح لعشر دقائق. لا تعطه لأحد."),
        _ => format!(
            "Your code to prove your age is {code}. It is valid for ten minutes. Do not share it with anyone."
        ),
    }
}
