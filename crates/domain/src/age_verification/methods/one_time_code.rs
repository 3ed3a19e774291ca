//! `mobile` and `email`: a code shows that the phone or the address is the person's own, then somebody is asked about it.

use super::{
    AttemptContext, AttemptStep, CodeChannel, InputProblem, StepOutcome, StepPrompt, TurnInput,
    evaluate_failure, not_configured, prompt_form,
};
use crate::{
    age_verification::{
        AgeSessionError, AgeVerificationService, CreateAgeSession, decision,
        session::AgeMethodVerdict,
        session_config::VerifiedEmail,
        types::{AgeFailureReason, AgeMethod, InputProblemCode},
    },
    mail::EmailMessage,
};
use age_methods::{
    AgeEvidence, AgeMethodError,
    form::{FormField, FormValues},
    identifiers::PhoneNumber,
    registry::{EmailHolder, RegistrySubject},
    sms::SANDBOX_ONE_TIME_CODE,
};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Digits of a code.
const CODE_DIGITS: usize = 6;
/// How long a code is good.
const CODE_TTL: SignedDuration = SignedDuration::from_mins(10);
/// Seconds between two codes.
const RESEND_INTERVAL_SECONDS: i64 = 30;
/// Codes that one session may have sent, whatever the method: strangers' phones are not to be rung at our cost.
const MAX_CODES_PER_SESSION: i64 = 5;
/// Wrong codes before an attempt is over.
const MAX_WRONG_CODES: i64 = 5;

/// What a form asks for.
const PHONE_FORM: [FormField; 1] = [FormField::PHONE];

/// What travels with the question for a code.
#[derive(Serialize, Deserialize)]
struct CodeContinuation {
    /// The number or address.
    to: String,
    /// The code. It is sealed with the rest.
    code: String,
    at: Timestamp,
}

/// Whom a code is sent to.
enum CodeRecipient {
    Phone(PhoneNumber),
    Email(EmailHolder),
}

impl CodeRecipient {
    fn read(
        method: AgeMethod,
        fields: &FormValues,
        ages: &AgeVerificationService,
        at: AttemptContext<'_>,
    ) -> Result<Self, AgeMethodError> {
        match method {
            AgeMethod::Mobile => {
                let home = ages.providers(at).calling_code.as_ref();
                PhoneNumber::parse(fields.text("phone")?, home).map(Self::Phone)
            }
            _ => EmailHolder::read(fields).map(Self::Email),
        }
    }

    /// What was read before and travelled sealed.
    fn from_continuation(method: AgeMethod, to: &str) -> Result<Self, AgeMethodError> {
        if method == AgeMethod::Mobile {
            PhoneNumber::parse(to, None).map(Self::Phone)
        } else {
            EmailHolder::parse(to).map(Self::Email)
        }
    }

    fn expose(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.expose(),
            Self::Email(email) => email.expose(),
        }
    }

    /// Asks for the code; another one can be had in so many seconds.
    fn step(&self, resend_in: i64) -> AttemptStep {
        let (channel, sent_to) = match self {
            Self::Phone(phone) => (CodeChannel::Sms, phone.masked()),
            Self::Email(email) => (CodeChannel::Email, email.masked()),
        };
        AttemptStep::Code { channel, sent_to, length: CODE_DIGITS, resend_in }
    }
}

pub(super) fn form(method: AgeMethod) -> StepOutcome {
    if method == AgeMethod::Mobile { prompt_form(&PHONE_FORM) } else { prompt_form(&EmailHolder::FORM) }
}

impl AgeVerificationService {
    pub(super) async fn check_code(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let method = at.block.method;
        let Ok(sent) = serde_json::from_value::<CodeContinuation>(held) else {
            let reached = CodeRecipient::read(method, input.require_fields()?, self, at);
            return Ok(match reached {
                Ok(reached) => self.send_code(at, &reached).await,
                Err(failure) => evaluate_failure(at, failure, || form(method)),
            });
        };
        let reached = match CodeRecipient::from_continuation(method, &sent.to) {
            Ok(reached) => reached,
            Err(failure) => return Ok(evaluate_failure(at, failure, || form(method))),
        };
        let now = self.0.world.now();
        let last = at.session.codes.last;
        let wait = last.map_or(0, |last| {
            (RESEND_INTERVAL_SECONDS - now.duration_since(last).as_secs()).clamp(0, RESEND_INTERVAL_SECONDS)
        });
        let stands = |problem| StepPrompt::new(reached.step(wait), json!(sent)).with_problem(problem);
        if input.resend {
            if wait > 0 || at.session.codes.sent >= MAX_CODES_PER_SESSION {
                return Ok(StepOutcome::Prompt(stands(InputProblem::new(InputProblemCode::TooSoon))));
            }
            return Ok(self.send_code(at, &reached).await);
        }
        if now.duration_since(sent.at) > CODE_TTL {
            return Ok(StepOutcome::Prompt(stands(InputProblem::new(InputProblemCode::ExpiredCode))));
        }
        let code = input.code.as_deref().unwrap_or_default();
        let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        if verify_slices_are_equal(code.as_bytes(), sent.code.as_bytes()).is_err() {
            let left = MAX_WRONG_CODES - 1 - at.attempt.wrong;
            if left <= 0 {
                return Ok(StepOutcome::Finished(AgeMethodVerdict::Undecided {
                    code: AgeFailureReason::WrongCode,
                }));
            }
            let problem = InputProblem {
                code: InputProblemCode::WrongCode,
                field: Some("code"),
                remaining: Some(left),
            };
            return Ok(StepOutcome::Prompt(StepPrompt { wrong_code: true, ..stands(problem) }));
        }
        let providers = self.providers(at);
        let answer = match (&reached, &providers.mobile, &providers.email) {
            (CodeRecipient::Phone(phone), Some(mobile), _) => mobile.ask(phone, at.threshold_years()).await,
            (CodeRecipient::Email(email), _, Some(registry)) => {
                registry.ask(&RegistrySubject::Email(email.clone()), at.threshold_years()).await
            }
            _ => return Ok(not_configured()),
        };
        Ok(self.evaluate_answer(at, answer, || form(method)))
    }

    /// Judges an address that the relying party has verified, where the request has one: nobody types a code.
    pub async fn check_verified_email(&self, command: &mut CreateAgeSession) -> Result<(), AgeSessionError> {
        let Some(VerifiedEmail { address, country, ip }) = command.config.email.take() else { return Ok(()) };
        let providers = if command.sandbox { &self.0.sandbox_providers } else { &self.0.providers };
        let (Some(block), Some(registry)) =
            (command.config.verified_email_method(providers), &providers.email)
        else {
            return Ok(());
        };
        self.0.signer.ensure_key().await?;
        let unusable = |_| AgeSessionError::invalid("email.data.verified_email", "it is no e-mail address");
        let email = EmailHolder::parse(&address).map_err(unusable)?.with_location(country, ip);
        let years = u8::try_from(block.threshold).unwrap_or(u8::MAX);
        command.email_verdict = Some(match registry.ask(&RegistrySubject::Email(email), years).await {
            Ok(AgeEvidence { attribute: known, id }) => {
                decision::decide_from_evidence(known, &command.config, block, self.today(), id)
            }
            Err(AgeMethodError::Unavailable(words)) => {
                tracing::warn!(method = %block.method, error = words, "a provider cannot be asked");
                AgeMethodVerdict::Broken { code: AgeFailureReason::ProviderUnavailable }
            }
            Err(AgeMethodError::Input { .. } | AgeMethodError::Inconclusive(_)) => {
                AgeMethodVerdict::Undecided { code: AgeFailureReason::NotFound }
            }
        });
        Ok(())
    }

    /// Sends a code, and asks for it.
    async fn send_code(&self, at: AttemptContext<'_>, reached: &CodeRecipient) -> StepOutcome {
        if at.session.codes.sent >= MAX_CODES_PER_SESSION {
            return StepOutcome::Finished(AgeMethodVerdict::Undecided {
                code: AgeFailureReason::TooManyCodes,
            });
        }
        let code = if at.session.sandbox { SANDBOX_ONE_TIME_CODE.to_owned() } else { self.generate_code() };
        let words = message_text(at.locale, &code);
        let sent = match reached {
            CodeRecipient::Phone(phone) => match &self.providers(at).sms {
                Some(sms) => sms.send(phone, &words).await,
                None => return not_configured(),
            },
            CodeRecipient::Email(_) if at.session.sandbox => Ok(()),
            CodeRecipient::Email(email) => {
                let sent = self.0.mail.send_now(&EmailMessage::code(email.expose(), &words)).await;
                sent.map_err(|_| {
                    AgeMethodError::Unavailable("the mail server did not take a code".to_owned())
                })
            }
        };
        match sent {
            Ok(()) => {
                let held = CodeContinuation { to: reached.expose().to_owned(), code, at: self.0.world.now() };
                StepOutcome::Prompt(StepPrompt {
                    code_sent: true,
                    ..StepPrompt::new(reached.step(RESEND_INTERVAL_SECONDS), json!(held))
                })
            }
            Err(failure) => evaluate_failure(at, failure, || form(at.block.method)),
        }
    }

    fn generate_code(&self) -> String {
        let mut chance = [0; 8];
        self.0.world.fill_random(&mut chance);
        // Of 2^64 numbers a million share the rest that is left over.
        format!("{:0CODE_DIGITS$}", u64::from_le_bytes(chance) % 10_u64.pow(CODE_DIGITS as u32))
    }
}

/// What is written to a person, in the language of their page.
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
        _ => format!("Your code to show your age is {code}. It is good for ten minutes. Give it to nobody."),
    }
}
