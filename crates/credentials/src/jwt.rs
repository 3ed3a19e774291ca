//! Compact JWS of configured issuers: plain JWT, and W3C Verifiable Credentials as JWT (`vc` claim of data model 1.1,
//! or the credential itself as payload in 2.0).
//!
//! Ages stand at the top level or in `credentialSubject`. A token needs an issuer (`iss` or `issuer`), a start of
//! validity (`iat`, `nbf` or `validFrom`) and an end (`exp` or `validUntil`). It is a bearer token, so it may be
//! scanned only shortly after it was made: 30 seconds unless the issuer's entry says otherwise. A token with `cnf` is
//! bound to a holder, whose signature a plain JWT cannot carry, and is refused.

use crate::age_claims::AgeClaims;
use crate::digest::{ReplayKeySource, replay_key};
use crate::error::{ProofVerificationError, UnsupportedProofError};
use crate::jws::Jws;
use crate::strict_json;
use crate::trust::{SignedMessage, TrustedIssuer};
use crate::validity::ValidityTimes;
use crate::verification::{ProofCheck, StatusReference, VerificationTerms, VerifiedProof};
use base::Timestamp;
use serde_json::{Map, Value};

/// A parsed token; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub(crate) struct Jwt {
    pub token: Jws,
    issuer: Option<String>,
}

impl Jwt {
    pub(crate) fn parse(text: &str) -> Result<Self, UnsupportedProofError> {
        let token =
            Jws::parse(text).map_err(|problem| UnsupportedProofError::new(format!("the token {problem}")))?;
        // A token that the same key signed for another purpose must not pass for a proof.
        if token.typ.as_deref().is_some_and(|typ| !["jwt", "vc+jwt", "vc+ld+jwt"].contains(&typ)) {
            return Err(UnsupportedProofError::new("the token is of a type that is not a proof"));
        }
        if token.payload.contains_key("vp") {
            return Err(UnsupportedProofError::new(
                "the token is a presentation made for one verifier's request",
            ));
        }
        let issuer = named_issuer(&token.payload)?;
        Ok(Self { token, issuer })
    }

    pub(crate) fn issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    pub(crate) fn verify(
        &self,
        issuer: &TrustedIssuer,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        issuer.verify_signature(&signed_message(&self.token), terms.now)?;
        let payload = &self.token.payload;
        if payload.contains_key("cnf") {
            return Err(ProofVerificationError::unverified(
                "the token is bound to its holder, who did not sign this presentation",
            ));
        }
        check_audience(payload, terms)?;
        let vc = payload.get("vc").and_then(Value::as_object);
        let mut times = parse_times(payload)?;
        for (time, [numeric, text]) in
            [(&mut times.iat, ["iat", "validFrom"]), (&mut times.exp, ["exp", "validUntil"])]
        {
            for object in [Some(payload), vc].into_iter().flatten() {
                if time.is_none() && !object.contains_key(numeric) {
                    *time = object.get(text).map(parse_date_time).transpose()?;
                }
            }
        }
        times.iat = times.iat.or(times.nbf);
        times.check_valid_at_scan(terms)?;
        times.replay_end(terms)?;
        let until = times.check_freshness(terms, issuer.freshness_window(terms))?;

        let mut ages = AgeClaims::of_json(payload)?;
        for object in [Some(payload), vc].into_iter().flatten() {
            match object.get("credentialSubject") {
                Some(Value::Object(subject)) => ages.read_json(subject)?,
                Some(Value::Array(subjects)) => match &subjects[..] {
                    [Value::Object(subject)] => ages.read_json(subject)?,
                    _ => {
                        return Err(ProofVerificationError::unsupported(
                            "the credential speaks of several subjects",
                        ));
                    }
                },
                _ => {}
            }
        }
        let age_over = ages.highest_reached(issuer.highest_age_over())?;

        let has_w3c_status =
            [Some(payload), vc].into_iter().flatten().any(|object| object.contains_key("credentialStatus"));
        let status = if has_w3c_status { Err(()) } else { parse_status_reference(payload) };
        let status = issuer.status_to_check(status)?;
        let key = match payload.get("jti") {
            Some(Value::String(id)) if !id.is_empty() => {
                replay_key(issuer.id(), ReplayKeySource::Id, id.as_bytes())
            }
            Some(_) => {
                return Err(ProofVerificationError::unsupported("the token has an id that is not text"));
            }
            None => replay_key(issuer.id(), ReplayKeySource::Message, self.token.signing_input.as_bytes()),
        };
        Ok(issuer.to_verified_proof(age_over, (key, until), status, &[ProofCheck::Fresh]))
    }
}

/// The one issuer that a payload names, as `iss`, as `issuer`, or inside `vc`.
fn named_issuer(payload: &Map<String, Value>) -> Result<Option<String>, UnsupportedProofError> {
    let inside = payload.get("vc").and_then(|vc| vc.get("issuer"));
    let mut named = [payload.get("iss"), payload.get("issuer"), inside]
        .into_iter()
        .flatten()
        .map(|issuer| issuer.get("id").unwrap_or(issuer).as_str());
    let issuer = named.next().flatten();
    if named.any(|other| other != issuer) {
        return Err(UnsupportedProofError::new("the token names two issuers"));
    }
    Ok(issuer.map(str::to_owned))
}

/// A token's signed bytes and signature, for [`TrustedIssuer::verify_signature`].
pub(crate) fn signed_message(token: &Jws) -> SignedMessage<'_> {
    SignedMessage {
        alg: token.alg,
        kid: token.kid.as_deref().map(str::as_bytes),
        chain: &token.chain,
        message: token.signing_input.as_bytes(),
        signature: &token.signature,
    }
}

/// If the token names an audience and the terms require one, they must match.
pub(crate) fn check_audience(
    payload: &Map<String, Value>,
    terms: &VerificationTerms,
) -> Result<(), ProofVerificationError> {
    let (Some(expected), Some(named)) = (&terms.audience, payload.get("aud")) else { return Ok(()) };
    let one = |value: &Value| value.as_str() == Some(expected.as_str());
    if one(named) || named.as_array().is_some_and(|all| all.iter().any(one)) {
        Ok(())
    } else {
        Err(ProofVerificationError::unsupported("the proof is meant for another audience"))
    }
}

/// The registered times of a payload (`iat`, `nbf`, `exp`).
pub(crate) fn parse_times(payload: &Map<String, Value>) -> Result<ValidityTimes, ProofVerificationError> {
    let moment = |name: &str| match payload.get(name) {
        None => Ok(None),
        Some(value) => strict_json::parse_seconds(value).map(Some).ok_or_else(|| {
            ProofVerificationError::unsupported("the proof has a moment that is not a number")
        }),
    };
    Ok(ValidityTimes { iat: moment("iat")?, nbf: moment("nbf")?, exp: moment("exp")? })
}

/// The status claim. `Ok(None)` without one, `Err` if it is in an unknown form.
pub(crate) fn parse_status_reference(payload: &Map<String, Value>) -> Result<Option<StatusReference>, ()> {
    let Some(claim) = payload.get("status") else { return Ok(None) };
    let list = claim.get("status_list").ok_or(())?;
    match (list.get("idx").and_then(Value::as_u64), list.get("uri").and_then(Value::as_str)) {
        (Some(index), Some(uri)) => Ok(Some(StatusReference { uri: uri.to_owned(), index })),
        _ => Err(()),
    }
}

fn parse_date_time(value: &Value) -> Result<i64, ProofVerificationError> {
    let moment = value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let moment = moment.ok_or_else(|| {
        ProofVerificationError::unsupported("the credential has a date that is not an RFC 3339 moment")
    })?;
    Ok(moment.as_second())
}
