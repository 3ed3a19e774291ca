//! `mobile` and `email`: a code shows that the phone or the address is the person's own, then somebody is asked about it.

use super::{Ask, At, CodeChannel, InputProblem, Next, Step, TurnInput, ask_form, failed, not_set_up};
use crate::{
    ages::{
        Ages, CreateSession, NotDone, judge,
        session::Verdict,
        wanted::VerifiedEmail,
        words::{AgeFailureReason, AgeMethod, InputProblemCode},
    },
    mail::Letter,
};
use ::methods::{
    Evidence, Failure,
    fields::{Field, Fields},
    numbers::Phone,
    registry::{Email, Subject},
    sms::SANDBOX_CODE,
};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use base::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Digits of a code.
const DIGITS: usize = 6;
/// How long a code is good.
const GOOD: SignedDuration = SignedDuration::from_mins(10);
/// Seconds between two codes.
const BETWEEN: i64 = 30;
/// Codes that one session may have sent, whatever the method: strangers' phones are not to be rung at our cost.
const MOST_SENT: i64 = 5;
/// Wrong codes before an attempt is over.
const MOST_WRONG: i64 = 5;

/// What a form asks for.
const PHONE: [Field; 1] = [Field::PHONE];

/// What travels with the question for a code.
#[derive(Serialize, Deserialize)]
struct Sent {
    /// The number or address.
    to: String,
    /// The code. It is sealed with the rest.
    code: String,
    at: Timestamp,
}

/// Whom a code is sent to.
enum Reached {
    Phone(Phone),
    Email(Email),
}

impl Reached {
    fn read(method: AgeMethod, fields: &Fields, ages: &Ages, at: At<'_>) -> Result<Self, Failure> {
        match method {
            AgeMethod::Mobile => {
                let home = ages.providers(at).calling_code.as_ref();
                Phone::parse(fields.text("phone")?, home).map(Self::Phone)
            }
            _ => Email::read(fields).map(Self::Email),
        }
    }

    /// What was read before and travelled sealed.
    fn again(method: AgeMethod, to: &str) -> Result<Self, Failure> {
        if method == AgeMethod::Mobile {
            Phone::parse(to, None).map(Self::Phone)
        } else {
            Email::parse(to).map(Self::Email)
        }
    }

    fn expose(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.expose(),
            Self::Email(email) => email.expose(),
        }
    }

    /// Asks for the code; another one can be had in so many seconds.
    fn step(&self, resend_in: i64) -> Step {
        let (channel, sent_to) = match self {
            Self::Phone(phone) => (CodeChannel::Sms, phone.hidden()),
            Self::Email(email) => (CodeChannel::Email, email.hidden()),
        };
        Step::Code { channel, sent_to, length: DIGITS, resend_in }
    }
}

pub(super) fn form(method: AgeMethod) -> Next {
    if method == AgeMethod::Mobile { ask_form(&PHONE) } else { ask_form(&Email::FORM) }
}

impl Ages {
    pub(super) async fn check_code(
        &self,
        at: At<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<Next, NotDone> {
        let method = at.block.method;
        let Ok(sent) = serde_json::from_value::<Sent>(held) else {
            let reached = Reached::read(method, input.typed()?, self, at);
            return Ok(match reached {
                Ok(reached) => self.send_code(at, &reached).await,
                Err(failure) => failed(at, failure, || form(method)),
            });
        };
        let reached = match Reached::again(method, &sent.to) {
            Ok(reached) => reached,
            Err(failure) => return Ok(failed(at, failure, || form(method))),
        };
        let now = self.0.world.now();
        let last = at.session.codes.last;
        let wait = last.map_or(0, |last| (BETWEEN - now.duration_since(last).as_secs()).clamp(0, BETWEEN));
        let stands = |problem| Ask::new(reached.step(wait), json!(sent)).because(problem);
        if input.resend {
            if wait > 0 || at.session.codes.sent >= MOST_SENT {
                return Ok(Next::Ask(stands(InputProblem::new(InputProblemCode::TooSoon))));
            }
            return Ok(self.send_code(at, &reached).await);
        }
        if now.duration_since(sent.at) > GOOD {
            return Ok(Next::Ask(stands(InputProblem::new(InputProblemCode::ExpiredCode))));
        }
        let code = input.code.as_deref().unwrap_or_default();
        let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        if verify_slices_are_equal(code.as_bytes(), sent.code.as_bytes()).is_err() {
            let left = MOST_WRONG - 1 - at.attempt.wrong;
            if left <= 0 {
                return Ok(Next::End(Verdict::Undecided { code: AgeFailureReason::WrongCode }));
            }
            let problem = InputProblem {
                code: InputProblemCode::WrongCode,
                field: Some("code"),
                remaining: Some(left),
            };
            return Ok(Next::Ask(Ask { wrong: true, ..stands(problem) }));
        }
        let providers = self.providers(at);
        let answer = match (&reached, &providers.mobile, &providers.email) {
            (Reached::Phone(phone), Some(mobile), _) => mobile.ask(phone, at.years()).await,
            (Reached::Email(email), _, Some(registry)) => {
                registry.ask(&Subject::Email(email.clone()), at.years()).await
            }
            _ => return Ok(not_set_up()),
        };
        Ok(self.answered(at, answer, || form(method)))
    }

    /// Judges an address that the relying party has verified, where the request has one: nobody types a code.
    pub async fn judge_email(&self, command: &mut CreateSession) -> Result<(), NotDone> {
        let Some(VerifiedEmail { address, country, ip }) = command.wanted.email.take() else { return Ok(()) };
        let providers = if command.sandbox { &self.0.sandbox } else { &self.0.providers };
        let (Some(block), Some(registry)) = (command.wanted.judged_email(providers), &providers.email) else {
            return Ok(());
        };
        self.0.signer.ready().await?;
        let unusable = |_| NotDone::wrong("email.data.verified_email", "it is no e-mail address");
        let email = Email::parse(&address).map_err(unusable)?.at(country, ip);
        let years = u8::try_from(block.threshold).unwrap_or(u8::MAX);
        command.shown = Some(match registry.ask(&Subject::Email(email), years).await {
            Ok(Evidence { known, id }) => judge::finding(known, &command.wanted, block, self.today(), id),
            Err(Failure::Unavailable(words)) => {
                tracing::warn!(method = %block.method, "a provider cannot be asked: {words}");
                Verdict::Broken { code: AgeFailureReason::ProviderUnavailable }
            }
            Err(Failure::Input { .. } | Failure::Unknown(_)) => {
                Verdict::Undecided { code: AgeFailureReason::NotFound }
            }
        });
        Ok(())
    }

    /// Sends a code, and asks for it.
    async fn send_code(&self, at: At<'_>, reached: &Reached) -> Next {
        if at.session.codes.sent >= MOST_SENT {
            return Next::End(Verdict::Undecided { code: AgeFailureReason::TooManyCodes });
        }
        let code = if at.session.sandbox { SANDBOX_CODE.to_owned() } else { self.draw_code() };
        let words = words(at.locale, &code);
        let sent = match reached {
            Reached::Phone(phone) => match &self.providers(at).sms {
                Some(sms) => sms.send(phone, &words).await,
                None => return not_set_up(),
            },
            Reached::Email(_) if at.session.sandbox => Ok(()),
            Reached::Email(email) => {
                let sent = self.0.mail.send_now(&Letter::code(email.expose(), &words)).await;
                sent.map_err(|_| Failure::Unavailable("the mail server did not take a code".to_owned()))
            }
        };
        match sent {
            Ok(()) => {
                let held = Sent { to: reached.expose().to_owned(), code, at: self.0.world.now() };
                Next::Ask(Ask { sent: true, ..Ask::new(reached.step(BETWEEN), json!(held)) })
            }
            Err(failure) => failed(at, failure, || form(at.block.method)),
        }
    }

    fn draw_code(&self) -> String {
        let mut chance = [0; 8];
        self.0.world.fill(&mut chance);
        // Of 2^64 numbers a million share the rest that is left over.
        format!("{:0DIGITS$}", u64::from_le_bytes(chance) % 10_u64.pow(DIGITS as u32))
    }
}

/// What is written to a person, in the language of his page.
fn words(locale: &str, code: &str) -> String {
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
