//! What a wallet posts: an encrypted answer, or an error. Everything is bounded before it is read, and what cannot be read
//! is told apart from what can and does not hold.

use super::{Asked, ENCRYPTIONS, Finding, Request, Verifier, Why, query};
use crate::age_on;
use base::SignedDuration;
use credentials::{
    jwe,
    proof::{Failed, Reason, Terms},
    status::Status,
    vp::{self, Presentation, Stated},
};
use jiff::{civil::Date, tz::TimeZone};
use serde_json::{Map, Value};

/// The longest post that is read, bytes.
const LONGEST: usize = 256 << 10;
/// How long a holder's signature serves: people compare and confirm at their own pace.
const FRESH: SignedDuration = SignedDuration::from_mins(15);
/// How far a wallet's clock may be off.
const SKEW: SignedDuration = SignedDuration::from_secs(60);
/// The longest error word that is looked at.
const LONGEST_ERROR: usize = 100;
/// The ages that people have, years.
const AGES: std::ops::RangeInclusive<i16> = 0..=130;

/// What a wallet posted, taken apart.
#[derive(Debug)]
pub enum Posted {
    /// A credential of the kind that the query calls so. None where it cannot be read as one.
    Presented(&'static str, Option<Box<Presentation>>),
    /// Nothing.
    Nothing(Why),
}

/// Why a post is no answer to the request, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(&'static str);

impl Verifier {
    /// Takes apart what a wallet posted as a form.
    pub fn read(&self, request: &Request, body: &[u8]) -> Result<Posted, Unreadable> {
        if body.len() > LONGEST {
            return Err(Unreadable("it is too long"));
        }
        let (mut response, mut error, mut state) = (None, None, None);
        for (name, value) in url::form_urlencoded::parse(body) {
            let place = match &*name {
                "response" => &mut response,
                "error" => &mut error,
                "state" => &mut state,
                _ => continue,
            };
            if place.replace(value).is_some() {
                return Err(Unreadable("it has a member twice"));
            }
        }
        // Errors may come as they are, for a wallet that cannot read the request has no key to encrypt to.
        if let (Some(error), None) = (&error, &response) {
            return match state {
                Some(state) if state != request.state => Err(Unreadable("it names another state")),
                _ => Ok(Posted::Nothing(why(error))),
            };
        }
        let response = response.ok_or(Unreadable("it has neither a response nor an error"))?;
        let opened = jwe::decrypt(&response, &[&request.key], LONGEST)
            .map_err(|_| Unreadable("the response is not encrypted to the key of this request"))?;
        if opened.alg != "ECDH-ES" || !ENCRYPTIONS.contains(&opened.enc.as_str()) {
            return Err(Unreadable("the response is encrypted in a way that was not asked for"));
        }
        let members: Map<String, Value> = serde_json::from_slice(opened.payload.expose())
            .map_err(|_| Unreadable("the response is no JSON object"))?;
        if members.get("state").and_then(Value::as_str) != Some(&request.state) {
            return Err(Unreadable("the response names another state"));
        }
        if let Some(error) = members.get("error") {
            return Ok(Posted::Nothing(why(error.as_str().unwrap_or_default())));
        }
        let tokens = members.get("vp_token").and_then(Value::as_object);
        let tokens = tokens.ok_or(Unreadable("the response has no vp_token that is an object"))?;
        let known = [query::AGE, query::IDENTITY, query::LICENCE];
        let Some((kind, presented)) = known.iter().find_map(|kind| Some((*kind, tokens.get(*kind)?))) else {
            return Ok(Posted::Nothing(Why::NoCredential));
        };
        let [Value::String(text)] = presented.as_array().map(Vec::as_slice).unwrap_or_default() else {
            return Err(Unreadable("the response has not one presentation of the credential"));
        };
        let presentation = match kind {
            query::IDENTITY => Presentation::sd_jwt(text),
            _ => Presentation::mdoc(text, &request.bound_to()),
        };
        if let Err(unsupported) = &presentation {
            tracing::debug!("a wallet's presentation cannot be read: {unsupported}");
        }
        Ok(Posted::Presented(kind, presentation.ok().map(Box::new)))
    }

    /// Finds out what an answer says.
    pub async fn judge(&self, request: &Request, posted: Posted) -> Finding {
        let (kind, presentation) = match posted {
            Posted::Nothing(why) => return Finding::Nothing(why),
            Posted::Presented(_, None) => return Finding::Nothing(Why::NotAccepted),
            Posted::Presented(kind, Some(presentation)) => (kind, presentation),
        };
        let now = self.world.now();
        let terms = Terms { now, scanned_at: now, freshness: FRESH, skew: SKEW, audience: None };
        let bound = request.bound_to();
        if self.trusted.expires().is_some_and(|expires| expires <= now) {
            return Finding::Unavailable("the trust list has expired".to_owned());
        }
        let mut answer = self.trusted.answer(&presentation, &bound, &terms);
        for anew in [false, true] {
            let Err(Failed { keys_of: Some(issuer), .. }) = &answer else { break };
            match self.lists.with_keys(&self.trusted, issuer, anew).await {
                Ok(Some(trusted)) => answer = trusted.answer(&presentation, &bound, &terms),
                // A key that nobody published.
                Ok(None) => {}
                Err(failure) => return Finding::Unavailable(failure.to_string()),
            }
        }
        let stated = match answer {
            Ok(stated) => stated,
            Err(failed) => {
                tracing::debug!("a wallet's presentation does not hold: {failed}");
                return Finding::Nothing(reason(failed.reason));
            }
        };
        let is_asked = match kind {
            query::AGE => stated.kind == query::AGE_TYPE,
            query::LICENCE => stated.kind == query::LICENCE_TYPE,
            _ => self.vct.contains(&stated.kind),
        };
        if !is_asked {
            return Finding::Nothing(Why::NotAccepted);
        }
        if let Some(place) = &stated.status {
            match self.lists.status(&self.trusted, &stated.issuer, place).await {
                Ok(None | Some(Status::Valid)) => {}
                Ok(Some(_)) => return Finding::Nothing(Why::CredentialRevoked),
                Err(failure) => return Finding::Unavailable(failure.to_string()),
            }
        }
        found(&stated, request.asked, now.to_zoned(TimeZone::UTC).date())
    }
}

impl Request {
    /// What an answer is bound to.
    fn bound_to(&self) -> vp::Request<'_> {
        vp::Request {
            client_id: &self.client_id,
            nonce: &self.nonce,
            response_uri: &self.response_uri,
            key_thumbprint: self.key.thumbprint(),
        }
    }
}

/// What a wallet's error means (section 8.5).
fn why(error: &str) -> Why {
    match error.get(..LONGEST_ERROR).unwrap_or(error) {
        "access_denied" => Why::Declined,
        "vp_formats_not_supported" => Why::NoCredential,
        word => {
            let plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            tracing::info!(error = if plain { word } else { "?" }, "a wallet could not answer");
            Why::WalletError
        }
    }
}

fn reason(reason: Reason) -> Why {
    match reason {
        Reason::UnknownProvider | Reason::ExcludedProvider => Why::UntrustedIssuer,
        Reason::PresentationExpired => Why::CredentialExpired,
        Reason::Revoked => Why::CredentialRevoked,
        Reason::UserDidNotConsent => Why::Declined,
        Reason::UnableToVerifySignature | Reason::PresentationAlreadyUsed | Reason::UnsupportedPayload => {
            Why::NotAccepted
        }
    }
}

/// What a credential says of what was asked, no higher than its issuer is believed.
pub(super) fn found(stated: &Stated, asked: Asked, today: Date) -> Finding {
    let untold = Finding::Nothing(Why::AgeNotTold);
    let born = || {
        let born: Date = stated.age.born.as_ref()?.parse().ok()?;
        Some(age_on(born, today))
    };
    let age = stated.age.years.map(i16::from).or_else(born).filter(|age| AGES.contains(age));
    let age = age.and_then(|age| u8::try_from(age).ok());
    let believed = |years: u8| stated.highest.is_none_or(|highest| years <= highest);
    match asked {
        Asked::Age => match age.filter(|age| believed(*age)) {
            Some(age) => Finding::Age(age),
            None => untold,
        },
        Asked::Over(years) | Asked::Under(years) => {
            let told = stated.age.decides(years).map(|(_, is)| is).or(age.map(|age| age >= years));
            // Whoever is believed up to an age is believed of everybody who has not reached it.
            match told {
                Some(is) if !is || believed(years) => Finding::Over { years, is },
                _ => untold,
            }
        }
    }
}
