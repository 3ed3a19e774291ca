//! `digital_id`: a wallet that presents a credential (OpenID4VP 1.0).
//!
//! The page shows an address, as a QR code and as a link, and asks from time to time. What the server must know of a request
//! is sealed into that address, and of the answer nothing is kept but what came of it. The first answer that can be read
//! counts, and no other.
//!
//! Two addresses are made. Who scans the code holds another device, and the answer settles the attempt. Who follows the link
//! is sent back to the page with a code where the answer is as was asked, and the attempt is settled by the browser that
//! began it and brings the code: a link of the page that a stranger was talked into following passes nothing. Any other
//! answer settles the attempt at once, so that nobody has it forgotten by not coming back. Nothing can tell whether somebody
//! was talked into scanning a code, or into following its address.
//!
//! Where the block lets an estimated age do (`age_estimation_allowed`) and the wallet says nothing, the attempt goes on with a
//! photo of the face.

use super::{Ask, At, Next, Step, TurnInput, not_set_up};
use crate::{
    ages::{
        Ages, Business, NotDone,
        flow::parts,
        judge,
        session::{Attempt, Session, Verdict},
        words::{AgeFailureReason, AgeMethod, AgeSessionType},
    },
    vault::Vault,
};
use ::methods::{
    Known,
    wallet::{Asked, Choice, Finding, Request, Verifier, Why},
};
use base::{AgeSessionId, AttemptId, Secret, SignedDuration, Timestamp, Uuid, World};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How often the page asks whether the wallet has answered, milliseconds.
const POLL_MS: u32 = 1500;
/// What requests and codes are sealed for.
const REQUEST: &[u8] = b"request to a wallet";
const CODE: &str = "answer of a wallet to attempt ";
/// The longest sealed text that is opened.
const LONGEST: usize = 1024;

/// How long an answer is judged at most; the issuer is asked meanwhile. What became of one that took longer, nobody knows.
const JUDGED: SignedDuration = SignedDuration::from_secs(60);
/// How often a turn of the page may come between an answer and its being written down.
const TRIES: usize = 5;

/// How far an attempt is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Progress {
    /// Since when a wallet's answer is judged.
    taken: Option<Timestamp>,
    /// Whether a wallet has answered.
    answered: bool,
    /// Whether a photo is asked for instead.
    estimating: bool,
}

impl Progress {
    fn of(attempt: &Attempt) -> Self {
        serde_json::from_value(attempt.held.clone()).unwrap_or_default()
    }

    /// Whether a wallet may answer.
    fn waits(self, now: Timestamp) -> bool {
        !self.answered && self.taken.is_none_or(|taken| now.duration_since(taken) > JUDGED)
    }
}

/// The addresses on the page; the same each time it asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Shown {
    url: String,
    links: Vec<String>,
}

/// What a request's address holds.
struct Ticket {
    session: AgeSessionId,
    attempt: AttemptId,
    /// Whether the wallet is on the page's own device.
    here: bool,
    /// Whether the request is unsigned.
    unsigned: bool,
    seed: Secret<[u8; 32]>,
}

impl Ticket {
    /// 65 bytes, so that a QR code stays small.
    fn seal(&self, vault: &Vault, world: &dyn World) -> String {
        let mut plain = Vec::with_capacity(65);
        for id in [Uuid::from(self.session), Uuid::from(self.attempt)] {
            plain.extend_from_slice(id.as_bytes());
        }
        plain.push(u8::from(self.here) | u8::from(self.unsigned) << 1);
        plain.extend_from_slice(self.seed.expose());
        let plain = Secret::new(plain);
        BASE64URL.encode_to_string(vault.seal(world, REQUEST, plain.expose()))
    }

    fn open(vault: &Vault, sealed: &str) -> Option<Self> {
        let sealed = BASE64URL.decode_to_vec(Some(sealed).filter(|text| text.len() <= LONGEST)?).ok()?;
        let plain = Secret::new(vault.open(REQUEST, &sealed).ok()?);
        let (session, rest) = plain.expose().split_first_chunk::<16>()?;
        let (attempt, rest) = rest.split_first_chunk::<16>()?;
        let (flags, seed) = rest.split_first()?;
        Some(Self {
            session: Uuid::from_bytes(*session).into(),
            attempt: Uuid::from_bytes(*attempt).into(),
            here: flags & 1 != 0,
            unsigned: flags & 2 != 0,
            seed: Secret::new(seed.try_into().ok()?),
        })
    }
}

/// What came of an answer, as it travels through the browser: no more than the business is told.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Came {
    Over(u8, bool),
    Age(u8),
    Nothing(Why),
    Unavailable,
}

impl Came {
    fn of(finding: Finding) -> Self {
        match finding {
            Finding::Over { years, is } => Self::Over(years, is),
            Finding::Age(years) => Self::Age(years),
            Finding::Nothing(why) => Self::Nothing(why),
            Finding::Unavailable(words) => {
                tracing::warn!(method = %AgeMethod::DigitalId, "a provider cannot be asked: {words}");
                Self::Unavailable
            }
        }
    }
}

/// Whether an attempt at a wallet goes on with a photo of the face.
pub(in crate::ages) fn is_estimating(attempt: &Attempt) -> bool {
    attempt.method == AgeMethod::DigitalId && Progress::of(attempt).estimating
}

/// What a block asks.
fn asked(at: At<'_>) -> Asked {
    match at.session.wanted.kind {
        AgeSessionType::Over => Asked::Over(at.years()),
        AgeSessionType::Under => Asked::Under(at.years()),
        AgeSessionType::Age => Asked::Age,
    }
}

impl Ages {
    pub(super) fn open_wallet(&self, at: At<'_>) -> Next {
        let Some(verifier) = &self.providers(at).wallet else { return not_set_up() };
        let mut seed = [0; 32];
        self.0.world.fill(&mut seed);
        let seed = Secret::new(seed);
        let link = |scheme: &str, unsigned: bool, here: bool| {
            let (session, attempt) = (at.session.id, at.attempt.id);
            let ticket = Ticket { session, attempt, here, unsigned, seed: seed.clone() };
            let sealed = ticket.seal(&self.0.vault, &*self.0.world);
            verifier.link(&self.wallet_request_of(verifier, &ticket, &sealed, at), scheme)
        };
        let schemes = verifier.schemes(asked(at));
        let Some((scheme, unsigned)) = schemes.first() else {
            return Next::End(Verdict::Undecided { code: AgeFailureReason::AgeNotTold });
        };
        Next::Ask(ask(Shown {
            url: link(scheme, *unsigned, false),
            links: schemes.iter().map(|(scheme, unsigned)| link(scheme, *unsigned, true)).collect(),
        }))
    }

    fn wallet_request_of(&self, verifier: &Verifier, ticket: &Ticket, sealed: &str, at: At<'_>) -> Request {
        let sandbox = if at.session.sandbox { "/sandbox" } else { "" };
        let address = format!("{}{sandbox}/age/v1/wallet/{sealed}", self.0.settings.public_url);
        verifier.request(&ticket.seed, address, ticket.unsigned, asked(at))
    }

    pub(super) async fn turn_wallet(
        &self,
        at: At<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<Next, NotDone> {
        if is_estimating(at.attempt) {
            let agreed = at.session.consent.is_some_and(|consent| consent.given);
            if input.photo.is_none() {
                return Ok(self.open_estimation(at));
            }
            if !agreed && at.session.asks_for_consent() {
                return Err(NotDone::NoConsent);
            }
            return self.estimate_age(at, held, input).await;
        }
        let shown: Option<Shown> = serde_json::from_value(held).ok();
        let Some(shown) = shown else { return Err(NotDone::Stale) };
        // Whoever comes back without a code, or with another attempt's, has not been answered for.
        let code = input.returned.as_ref().and_then(|returned| returned.get("response_code"));
        let came = code.and_then(|code| self.opened_code(at.attempt.id, code));
        Ok(match came {
            Some(came) => self.came_of_wallet(at, came),
            None => Next::Ask(ask(shown)),
        })
    }

    /// What an answer means for the attempt.
    fn came_of_wallet(&self, at: At<'_>, came: Came) -> Next {
        let known = match came {
            Came::Over(years, is) => Known::Over { years, is },
            Came::Age(years) => {
                Known::Born(self.today().saturating_sub(jiff::Span::new().years(i64::from(years))))
            }
            Came::Nothing(why) if why.is_silence() && may_estimate(at) => {
                let kept = Some(json!(Progress { taken: None, answered: true, estimating: true }));
                return match self.open_estimation(at) {
                    Next::Ask(ask) => Next::Ask(Ask { kept, ..ask }),
                    other => other,
                };
            }
            Came::Nothing(why) => return Next::End(Verdict::Undecided { code: failure_reason(why) }),
            Came::Unavailable => {
                return Next::End(Verdict::Broken { code: AgeFailureReason::ProviderUnavailable });
            }
        };
        let evidence = Some(self.0.world.random_uuid().to_string());
        Next::End(judge::finding(known, &at.session.wanted, at.block, self.today(), evidence))
    }

    /// Whose session a request's address is of.
    pub fn wallet_session(&self, sealed: &str) -> Option<AgeSessionId> {
        Ticket::open(&self.0.vault, sealed).map(|ticket| ticket.session)
    }

    /// A request that waits for its answer.
    async fn asked_of_wallet(
        &self,
        sealed: &str,
        sandbox: bool,
    ) -> Result<(Ticket, Session, Business), NotDone> {
        let ticket = Ticket::open(&self.0.vault, sealed).ok_or(NotDone::NoSession)?;
        let (session, business) = self.of_person(ticket.session, sandbox).await?;
        if !session.lives(self.0.world.now()) {
            return Err(NotDone::Expired);
        }
        let begun = session.attempt.as_ref().filter(|begun| begun.id == ticket.attempt);
        let begun = begun.filter(|begun| begun.method == AgeMethod::DigitalId).ok_or(NotDone::Stale)?;
        let waits = Progress::of(begun).waits(self.0.world.now());
        if waits { Ok((ticket, session, business)) } else { Err(NotDone::Stale) }
    }

    /// The request object that a wallet fetches, a signed JWT; `nonce` is what the wallet wants to see in it.
    pub async fn wallet_request(
        &self,
        sealed: &str,
        sandbox: bool,
        nonce: Option<&str>,
    ) -> Result<String, NotDone> {
        let (ticket, session, _) = self.asked_of_wallet(sealed, sandbox).await?;
        let (block, attempt) = parts(&session, ticket.attempt).ok_or(NotDone::Stale)?;
        let at = At { session: &session, block, attempt, locale: "" };
        let verifier = self.providers(at).wallet.as_ref().ok_or(NotDone::NoSession)?;
        let request = self.wallet_request_of(verifier, &ticket, sealed, at);
        verifier.object(&request, nonce).ok_or(NotDone::NoSession)
    }

    /// Takes what a wallet posts, once. Answers where the wallet sends its holder, where it is on the device that asks.
    pub async fn wallet_answer(
        &self,
        sealed: &str,
        sandbox: bool,
        body: &[u8],
    ) -> Result<Option<String>, NotDone> {
        // A connection that breaks takes its call with it, and what was taken must come to something.
        let (ages, sealed, body) = (self.clone(), sealed.to_owned(), body.to_vec());
        let judging = tokio::spawn(async move { ages.judge_answer(&sealed, sandbox, &body).await });
        judging.await.unwrap_or_else(|broke| match broke.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(NotDone::State("the server is stopping".to_owned())),
        })
    }

    async fn judge_answer(
        &self,
        sealed: &str,
        sandbox: bool,
        body: &[u8],
    ) -> Result<Option<String>, NotDone> {
        self.0.signer.ready().await?;
        let (ticket, session, _) = self.asked_of_wallet(sealed, sandbox).await?;
        let (block, attempt) = parts(&session, ticket.attempt).ok_or(NotDone::Stale)?;
        let at = At { session: &session, block, attempt, locale: "" };
        let verifier = self.providers(at).wallet.as_ref().ok_or(NotDone::NoSession)?;
        let request = self.wallet_request_of(verifier, &ticket, sealed, at);
        // What nobody can read was not made for this request, so the wallet may still answer.
        let posted = verifier.read(&request, body);
        let posted = posted.map_err(|unreadable| NotDone::wrong("response", unreadable.to_string()))?;

        let now = self.0.world.now();
        self.advance(&ticket, |progress| {
            progress.waits(now).then_some(Progress { taken: Some(now), ..progress })
        })
        .await?;
        let came = Came::of(verifier.judge(&request, posted).await);
        let next = self.came_of_wallet(at, came);
        if ticket.here && matches!(next, Next::Ask(_) | Next::End(Verdict::Passed { .. })) {
            self.advance(&ticket, |progress| {
                (progress.taken == Some(now)).then_some(Progress { answered: true, ..progress })
            })
            .await?;
            let code = self.code_of(ticket.attempt, came);
            return Ok(Some(format!("{}&response_code={code}", self.way_back(at))));
        }
        self.settle_wallet(&ticket, came).await?;
        Ok(ticket.here.then(|| self.way_back(at)))
    }

    /// Where a wallet on this device brings its holder. The attempt tells the page which of several is meant.
    fn way_back(&self, at: At<'_>) -> String {
        format!("{}?attempt={}", self.return_address(at), at.attempt.id)
    }

    /// Moves an attempt on, where it may be moved.
    async fn advance(
        &self,
        ticket: &Ticket,
        to: impl FnOnce(Progress) -> Option<Progress>,
    ) -> Result<(), NotDone> {
        let (tx, mut held) = self.held(ticket.session).await?;
        let begun = held.session.attempt.as_mut().filter(|begun| begun.id == ticket.attempt);
        let begun = begun.ok_or(NotDone::Stale)?;
        begun.held = json!(to(Progress::of(begun)).ok_or(NotDone::Stale)?);
        self.written(tx, held).await.map(|_| ())
    }

    /// Writes down what came of an answer. The page may take turns all the while, and none of them takes it away.
    async fn settle_wallet(&self, ticket: &Ticket, came: Came) -> Result<(), NotDone> {
        for _ in 0..TRIES {
            let session = self.find(ticket.session).await?.ok_or(NotDone::NoSession)?;
            let (block, attempt) = parts(&session, ticket.attempt).ok_or(NotDone::Stale)?;
            let next = self.came_of_wallet(At { session: &session, block, attempt, locale: "" }, came);
            match self.settle(ticket.session, ticket.attempt, attempt.turn, next, "").await {
                Err(NotDone::Stale) => {}
                settled => return settled.map(|_| ()),
            }
        }
        Err(NotDone::Stale)
    }

    /// Answers a request of the sandbox as its own wallet does.
    pub async fn sandbox_wallet(&self, sealed: &str, choice: Choice) -> Result<Option<String>, NotDone> {
        let (ticket, session, _) = self.asked_of_wallet(sealed, true).await?;
        let (block, attempt) = parts(&session, ticket.attempt).ok_or(NotDone::Stale)?;
        let at = At { session: &session, block, attempt, locale: "" };
        let verifier = self.providers(at).wallet.as_ref().ok_or(NotDone::NoSession)?;
        let request = self.wallet_request_of(verifier, &ticket, sealed, at);
        let body = verifier.sandbox_posts(&request, choice).ok_or(NotDone::NoSession)?;
        self.wallet_answer(sealed, true, &body).await
    }

    /// What the browser that began an attempt brings back.
    fn code_of(&self, attempt: AttemptId, came: Came) -> String {
        let plain = serde_json::to_vec(&came).expect("what came is JSON");
        let place = format!("{CODE}{attempt}");
        BASE64URL.encode_to_string(self.0.vault.seal(&*self.0.world, place.as_bytes(), &plain))
    }

    fn opened_code(&self, attempt: AttemptId, code: &str) -> Option<Came> {
        let sealed = BASE64URL.decode_to_vec(Some(code).filter(|code| code.len() <= LONGEST)?).ok()?;
        let place = format!("{CODE}{attempt}");
        serde_json::from_slice(&self.0.vault.open(place.as_bytes(), &sealed).ok()?).ok()
    }
}

fn ask(shown: Shown) -> Ask {
    let held = json!(shown);
    Ask::new(Step::Wallet { url: shown.url, links: shown.links, poll_ms: POLL_MS }, held)
}

/// Whether a photo may speak where the wallet does not: the business lets it, and the person has not said no.
fn may_estimate(at: At<'_>) -> bool {
    let refused = at.session.consent.is_some_and(|consent| !consent.given);
    at.block.age_estimation_allowed == Some(true) && !(refused && at.session.asks_for_consent())
}

/// Why a wallet's answer shows nothing.
fn failure_reason(why: Why) -> AgeFailureReason {
    match why {
        Why::Declined => AgeFailureReason::Declined,
        Why::NoCredential => AgeFailureReason::NoCredential,
        Why::WalletError => AgeFailureReason::WalletError,
        Why::AgeNotTold => AgeFailureReason::AgeNotTold,
        Why::UntrustedIssuer => AgeFailureReason::UntrustedIssuer,
        Why::CredentialExpired => AgeFailureReason::CredentialExpired,
        Why::CredentialRevoked => AgeFailureReason::CredentialRevoked,
        Why::NotAccepted => AgeFailureReason::NotAccepted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_which_nothing_came_makes_room_for_another() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        let taken = Progress { taken: Some(now), ..Progress::default() };
        assert!(Progress::default().waits(now));
        assert!(!taken.waits(now) && !taken.waits(now + JUDGED));
        assert!(taken.waits(now + JUDGED + SignedDuration::from_secs(1)));
        let answered = Progress { answered: true, ..taken };
        assert!(!answered.waits(now + SignedDuration::from_hours(1)));
        // As it was kept before that was noted.
        let old: Progress = serde_json::from_value(json!({ "answered": true, "estimating": false })).unwrap();
        assert!(!old.waits(now));
    }
}
