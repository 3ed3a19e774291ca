//! SD-JWT Verifiable Credentials (RFC 9901 and draft-ietf-oauth-sd-jwt-vc) with key binding.
//!
//! The holder discloses some claims and signs them, together with the time, with the key in the credential's `cnf`.
//! Without that signature anyone who saw the code could show it, so it is refused unless the issuer's entry says
//! `unbound`; then the credential must expire, its use is remembered for a while, and it is reported as not bound.

use crate::age_attributes::AgeAttributes;
use crate::age_claims::AgeClaims;
use crate::digest::{ReplayKeySource, replay_key, sha256};
use crate::error::{ProofVerificationError, UnsupportedProofError};
use crate::jws::{Jws, base64url};
use crate::jwt;
use crate::keys::VerificationKey;
use crate::presentation::{PresentationBinding, VerifiedPresentation};
use crate::strict_json;
use crate::trust::TrustedIssuer;
use crate::validity::ValidityTimes;
use crate::verification::{ProofCheck, VerificationTerms, VerifiedProof};
use base::{SignedDuration, Timestamp};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Disclosures of one presentation at most.
const MAX_DISCLOSURES: usize = 256;
/// Levels of nested objects and arrays at most.
const MAX_DEPTH: usize = 16;
/// Claims that must not be selectively disclosed: those of draft-ietf-oauth-sd-jwt-vc, section 2.2.2.2, and those that
/// key binding rests on.
const NON_DISCLOSABLE_CLAIMS: [&str; 8] = ["iss", "nbf", "exp", "cnf", "vct", "status", "_sd_alg", "_sd"];

/// A credential, its disclosures, and the holder's signature (`kb+jwt`) if there is one.
#[derive(Clone, Debug)]
pub(crate) struct SdJwt {
    pub token: Jws,
    disclosures: Vec<String>,
    /// What the holder signs the digest of: everything up to and including the last `~`.
    presented: String,
    binding: Option<Jws>,
}

impl SdJwt {
    pub(crate) fn parse(text: &str) -> Result<Self, UnsupportedProofError> {
        let bad = |problem| UnsupportedProofError::new(format!("the credential {problem}"));
        let (presented, binding) = text.rsplit_once('~').ok_or_else(|| bad("has no disclosures"))?;
        let mut parts = presented.split('~');
        let token = Jws::parse(parts.next().unwrap_or_default()).map_err(bad)?;
        if !matches!(token.typ.as_deref(), Some("dc+sd-jwt" | "vc+sd-jwt")) {
            return Err(bad("is of a type that is not an SD-JWT VC"));
        }
        let binding = match binding {
            "" => None,
            text => Some(Jws::parse(text).map_err(|problem| {
                UnsupportedProofError::new(format!("the holder's signature over the credential {problem}"))
            })?),
        };
        let disclosures: Vec<_> = parts.map(str::to_owned).collect();
        if disclosures.len() > MAX_DISCLOSURES {
            return Err(bad("has too many disclosures"));
        }
        Ok(Self { token, disclosures, presented: format!("{presented}~"), binding })
    }

    pub(crate) fn issuer(&self) -> Option<&str> {
        self.token.text("iss")
    }

    /// Checks the issuer's part. Returns `vct`, the claims with every disclosure in its place, and the times.
    fn verify_issuer(
        &self,
        issuer: &TrustedIssuer,
        terms: &VerificationTerms,
    ) -> Result<(&str, Map<String, Value>, ValidityTimes), ProofVerificationError> {
        issuer.verify_signature(&jwt::signed_message(&self.token), terms.now)?;
        let payload = &self.token.payload;
        let vct = self
            .token
            .text("vct")
            .ok_or_else(|| ProofVerificationError::unsupported("the credential has no type (vct)"))?;
        if !issuer.accepts_vct(vct) {
            return Err(ProofVerificationError::unsupported(
                "the credential is of a type that the trust list does not accept of its issuer",
            ));
        }
        let claims = resolve_disclosures(payload, &self.disclosures)?;
        let times = jwt::parse_times(payload)?;
        times.check_valid_at_scan(terms)?;
        Ok((vct, claims, times))
    }

    pub(crate) fn verify(
        &self,
        issuer: &TrustedIssuer,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        let (_, claims, times) = self.verify_issuer(issuer, terms)?;
        let (replay, checks): (_, &[_]) = match &self.binding {
            Some(binding) => {
                let until = self.check_binding(binding, issuer.freshness_window(terms), terms)?;
                let key = replay_key(issuer.id(), ReplayKeySource::Message, binding.signing_input.as_bytes());
                ((key, until), &[ProofCheck::Fresh, ProofCheck::HolderBound])
            }
            None if issuer.accepts_unbound() => {
                // Whichever claims are disclosed, it is the same credential.
                let key =
                    replay_key(issuer.id(), ReplayKeySource::Message, self.token.signing_input.as_bytes());
                ((key, times.copy_end(terms, issuer.freshness_window(terms))?), &[])
            }
            None => {
                return Err(ProofVerificationError::unverified(
                    "the credential's holder did not sign this presentation",
                ));
            }
        };
        let age_over = AgeClaims::of_json(&claims)?.highest_reached(issuer.highest_age_over())?;
        let status = issuer.status_to_check(jwt::parse_status_reference(&self.token.payload))?;
        Ok(issuer.to_verified_proof(age_over, replay, status, checks))
    }

    /// Judges the credential as the response to a request. Its holder must have signed for that request, also where the
    /// issuer's entry says `unbound`.
    pub(crate) fn verify_presentation(
        &self,
        issuer: &TrustedIssuer,
        request: &PresentationBinding<'_>,
        terms: &VerificationTerms,
    ) -> Result<VerifiedPresentation, ProofVerificationError> {
        let (vct, claims, _) = self.verify_issuer(issuer, terms)?;
        let binding = self.binding.as_ref().ok_or_else(|| {
            ProofVerificationError::unverified("the credential's holder did not sign this presentation")
        })?;
        // The request is made for this one response, so it decides how long that may take, and not the issuer's entry.
        self.check_binding(binding, terms.freshness, terms)?;
        let (aud, nonce) = (binding.text("aud"), binding.text("nonce"));
        if aud != Some(request.client_id) || nonce != Some(request.nonce) {
            return Err(ProofVerificationError::unverified("the holder signed for another request"));
        }
        let status = issuer.status_to_check(jwt::parse_status_reference(&self.token.payload))?;
        Ok(VerifiedPresentation::of(issuer, vct, AgeAttributes::of_json(&claims)?, status))
    }

    /// Checks that the key in the credential's `cnf` signed exactly this presentation within `window`. Returns until
    /// when it could be shown again.
    fn check_binding(
        &self,
        binding: &Jws,
        window: SignedDuration,
        terms: &VerificationTerms,
    ) -> Result<Timestamp, ProofVerificationError> {
        if binding.typ.as_deref() != Some("kb+jwt") {
            return Err(ProofVerificationError::unverified("the holder's signature is not of type kb+jwt"));
        }
        let key = self.token.payload.get("cnf").and_then(|cnf| cnf.get("jwk"));
        let key = key.and_then(|key| VerificationKey::parse(key).ok());
        let key = key.ok_or_else(|| {
            ProofVerificationError::unverified("the credential names no holder's key that is accepted here")
        })?;
        let message = binding.signing_input.as_bytes();
        if !binding.alg.is_some_and(|alg| key.verifies(alg, message, &binding.signature)) {
            return Err(ProofVerificationError::unverified(
                "the presentation is not signed by the credential's holder",
            ));
        }
        let digest = BASE64URL.encode_to_string(sha256(&[self.presented.as_bytes()]));
        if binding.text("sd_hash") != Some(digest.as_str()) {
            return Err(ProofVerificationError::unverified("the holder signed another presentation"));
        }
        if binding.text("nonce").is_none() || !binding.payload.contains_key("aud") {
            return Err(ProofVerificationError::unsupported("the holder's signature lacks aud or nonce"));
        }
        jwt::check_audience(&binding.payload, terms)?;
        let times = jwt::parse_times(&binding.payload)?;
        times.check_valid_at_scan(terms)?;
        times.check_freshness(terms, window)
    }
}

/// The credential's claims with every disclosure in its place (RFC 9901, section 7.1). Every disclosure must be
/// referred to, exactly once.
fn resolve_disclosures(
    payload: &Map<String, Value>,
    disclosures: &[String],
) -> Result<Map<String, Value>, ProofVerificationError> {
    let bad = |problem: &str| {
        ProofVerificationError::unsupported(format!("the credential's disclosures {problem}"))
    };
    if payload.get("_sd_alg").is_some_and(|alg| alg != "sha-256") {
        return Err(bad("are digested with an algorithm other than sha-256"));
    }
    let mut pending = HashMap::new();
    for disclosure in disclosures {
        let digest = BASE64URL.encode_to_string(sha256(&[disclosure.as_bytes()]));
        let parts = base64url(disclosure).and_then(|bytes| strict_json::parse_value(&bytes));
        let Some(Value::Array(parts)) = parts else { return Err(bad("are not lists in base64url")) };
        if pending.insert(digest, parts).is_some() {
            return Err(bad("are given twice"));
        }
    }
    let mut resolver = DisclosureResolver { pending, seen: HashSet::new() };
    let claims = resolver.members(payload, 0)?;
    if resolver.pending.is_empty() { Ok(claims) } else { Err(bad("hold one that the issuer did not sign")) }
}

struct DisclosureResolver {
    pending: HashMap<String, Vec<Value>>,
    seen: HashSet<String>,
}

impl DisclosureResolver {
    /// The disclosure with this digest, if it was given. A digest may occur only once in a credential.
    fn take(&mut self, digest: &Value) -> Result<Option<Vec<Value>>, ProofVerificationError> {
        let bad = |problem: &str| ProofVerificationError::unsupported(format!("the credential {problem}"));
        let digest = digest.as_str().ok_or_else(|| bad("has a digest that is not text"))?;
        if !self.seen.insert(digest.to_owned()) {
            return Err(bad("repeats a digest"));
        }
        Ok(self.pending.remove(digest))
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Result<Map<String, Value>, ProofVerificationError> {
        let bad = |problem: &str| ProofVerificationError::unsupported(format!("the credential {problem}"));
        if depth > MAX_DEPTH {
            return Err(bad("is nested too deeply"));
        }
        let mut resolved = Map::new();
        for (name, value) in members.iter().filter(|(name, _)| !matches!(name.as_str(), "_sd" | "_sd_alg")) {
            if name == "..." {
                return Err(bad("has a digest where none belongs"));
            }
            resolved.insert(name.clone(), self.value(value, depth + 1)?);
        }
        let digests = match members.get("_sd") {
            None => &[][..],
            Some(Value::Array(digests)) => digests,
            Some(_) => return Err(bad("has digests that are not a list")),
        };
        for digest in digests {
            let Some(parts) = self.take(digest)? else { continue };
            let [Value::String(_), Value::String(name), value] = &parts[..] else {
                return Err(bad("has a disclosure that is not salt, name and value"));
            };
            let reserved = name == "..."
                || name == "_sd"
                || (depth == 0 && NON_DISCLOSABLE_CLAIMS.contains(&name.as_str()));
            if reserved || resolved.contains_key(name) {
                return Err(bad(
                    "has a disclosure of a claim that may not be disclosed, or is there already",
                ));
            }
            let value = self.value(value, depth + 1)?;
            resolved.insert(name.clone(), value);
        }
        Ok(resolved)
    }

    fn value(&mut self, value: &Value, depth: usize) -> Result<Value, ProofVerificationError> {
        let bad = |problem: &str| ProofVerificationError::unsupported(format!("the credential {problem}"));
        if depth > MAX_DEPTH {
            return Err(bad("is nested too deeply"));
        }
        Ok(match value {
            Value::Object(members) => Value::Object(self.members(members, depth)?),
            Value::Array(elements) => {
                let mut resolved = Vec::new();
                for element in elements {
                    let reference = element
                        .as_object()
                        .and_then(|members| members.get("...").map(|digest| (members.len(), digest)));
                    match reference {
                        None => resolved.push(self.value(element, depth + 1)?),
                        Some((1, digest)) => {
                            let Some(parts) = self.take(digest)? else { continue };
                            let [Value::String(_), element] = &parts[..] else {
                                return Err(bad("has a disclosure that is not salt and value"));
                            };
                            resolved.push(self.value(element, depth + 1)?);
                        }
                        Some(_) => return Err(bad("has a digest beside other members")),
                    }
                }
                Value::Array(resolved)
            }
            other => other.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
