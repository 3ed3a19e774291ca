//! Compact JWS of configured issuers: plain JWT, and W3C Verifiable Credentials as JWT (`vc` claim of data model 1.1, or
//! the credential itself as payload in 2.0).
//!
//! Ages stand at the top or in `credentialSubject`. A token needs an issuer (`iss` or `issuer`), a beginning (`iat`,
//! `nbf` or `validFrom`) and an end (`exp` or `validUntil`). It is a bearer's token, so its window is short: 30
//! seconds unless the issuer's entry says otherwise. A token with `cnf` belongs to a holder, who has not signed: refused.

use crate::ages::Ages;
use crate::digest::{UseOf, use_key};
use crate::json;
use crate::jws::Jws;
use crate::proof::{Check, Failed, StatusReference, Terms, Unsupported, Verified};
use crate::times::Times;
use crate::trust::{Issuer, Signed};
use base::Timestamp;
use serde_json::{Map, Value};

/// A token taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Jwt {
    pub token: Jws,
    issuer: Option<String>,
}

impl Jwt {
    pub(crate) fn parse(text: &str) -> Result<Self, Unsupported> {
        let token = Jws::parse(text).map_err(|problem| Unsupported::new(format!("the token {problem}")))?;
        // A token made for another purpose by the same key must not pass for a proof.
        if token.typ.as_deref().is_some_and(|typ| !["jwt", "vc+jwt", "vc+ld+jwt"].contains(&typ)) {
            return Err(Unsupported::new("the token is of a type that is no proof"));
        }
        if token.payload.contains_key("vp") {
            return Err(Unsupported::new("the token is a presentation made for one verifier's request"));
        }
        let issuer = named_issuer(&token.payload)?;
        Ok(Self { token, issuer })
    }

    pub(crate) fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    pub(crate) fn verify(&self, issuer: &Issuer, terms: &Terms) -> Result<Verified, Failed> {
        issuer.vouches(&signed(&self.token), terms.now)?;
        let payload = &self.token.payload;
        if payload.contains_key("cnf") {
            return Err(Failed::unverified(
                "the token is bound to its holder, who did not sign this presentation",
            ));
        }
        check_audience(payload, terms)?;
        let vc = payload.get("vc").and_then(Value::as_object);
        let mut times = times(payload)?;
        for (moment, names) in
            [(&mut times.iat, ["iat", "validFrom"]), (&mut times.exp, ["exp", "validUntil"])]
        {
            for holder in [Some(payload), vc].into_iter().flatten() {
                if moment.is_none() && !holder.contains_key(names[0]) {
                    *moment = holder.get(names[1]).map(date).transpose()?;
                }
            }
        }
        times.iat = times.iat.or(times.nbf);
        times.hold(terms)?;
        times.end(terms)?;
        let until = times.fresh(terms, issuer.window(terms))?;

        let mut ages = Ages::of_json(payload)?;
        for holder in [Some(payload), vc].into_iter().flatten() {
            match holder.get("credentialSubject") {
                Some(Value::Object(subject)) => ages.read_json(subject)?,
                Some(Value::Array(subjects)) => match &subjects[..] {
                    [Value::Object(subject)] => ages.read_json(subject)?,
                    _ => return Err(Failed::unsupported("the credential speaks of several subjects")),
                },
                _ => {}
            }
        }
        let age_over = ages.highest(issuer.highest_age_over())?;

        let other =
            [Some(payload), vc].into_iter().flatten().any(|holder| holder.contains_key("credentialStatus"));
        let status = if other { Err(()) } else { status(payload) };
        let status = issuer.status_of(status)?;
        let key = match payload.get("jti") {
            Some(Value::String(id)) if !id.is_empty() => use_key(issuer.id(), UseOf::Id, id.as_bytes()),
            Some(_) => return Err(Failed::unsupported("the token has an id that is no text")),
            None => use_key(issuer.id(), UseOf::Message, self.token.signing_input.as_bytes()),
        };
        Ok(issuer.verified(age_over, (key, until), status, &[Check::Fresh]))
    }
}

/// The one issuer that a payload names, as `iss`, as `issuer`, or inside `vc`.
fn named_issuer(payload: &Map<String, Value>) -> Result<Option<String>, Unsupported> {
    let inside = payload.get("vc").and_then(|vc| vc.get("issuer"));
    let mut named = [payload.get("iss"), payload.get("issuer"), inside]
        .into_iter()
        .flatten()
        .map(|issuer| issuer.get("id").unwrap_or(issuer).as_str());
    let issuer = named.next().flatten();
    if named.any(|other| other != issuer) {
        return Err(Unsupported::new("the token names two issuers"));
    }
    Ok(issuer.map(str::to_owned))
}

/// A token's signature, for the issuer to vouch for.
pub(crate) fn signed(token: &Jws) -> Signed<'_> {
    Signed {
        alg: token.alg,
        kid: token.kid.as_deref().map(str::as_bytes),
        chain: &token.chain,
        message: token.signing_input.as_bytes(),
        signature: &token.signature,
    }
}

/// A token that names an audience must name ours, where one is configured.
pub(crate) fn check_audience(payload: &Map<String, Value>, terms: &Terms) -> Result<(), Failed> {
    let (Some(expected), Some(named)) = (&terms.audience, payload.get("aud")) else { return Ok(()) };
    let one = |value: &Value| value.as_str() == Some(expected.as_str());
    if one(named) || named.as_array().is_some_and(|all| all.iter().any(one)) {
        Ok(())
    } else {
        Err(Failed::unsupported("the proof is meant for another audience"))
    }
}

/// The registered moments of a payload.
pub(crate) fn times(payload: &Map<String, Value>) -> Result<Times, Failed> {
    let moment = |name: &str| match payload.get(name) {
        None => Ok(None),
        Some(value) => json::seconds(value)
            .map(Some)
            .ok_or_else(|| Failed::unsupported("the proof has a moment that is no number")),
    };
    Ok(Times { iat: moment("iat")?, nbf: moment("nbf")?, exp: moment("exp")? })
}

/// A status claim in JSON.
pub(crate) fn status(payload: &Map<String, Value>) -> Result<Option<StatusReference>, ()> {
    let Some(claim) = payload.get("status") else { return Ok(None) };
    let list = claim.get("status_list").ok_or(())?;
    match (list.get("idx").and_then(Value::as_u64), list.get("uri").and_then(Value::as_str)) {
        (Some(index), Some(uri)) => Ok(Some(StatusReference { uri: uri.to_owned(), index })),
        _ => Err(()),
    }
}

fn date(value: &Value) -> Result<i64, Failed> {
    let moment = value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let moment =
        moment.ok_or_else(|| Failed::unsupported("the credential has a date that is no RFC 3339 moment"))?;
    Ok(moment.as_second())
}
