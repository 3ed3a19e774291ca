//! Whom a proof may come from: the trust list, and the judgement it allows.
//!
//! ```json
//! { "issuers": [{
//!     "id": "https://issuer.example", "provider": "EXAMPLE", "formats": ["cwt", "sd-jwt-vc"],
//!     "keys": [{ "kty": "EC", "crv": "P-256", "x": "…", "y": "…", "kid": "2026-1", "not_after": "2027-01-01T00:00:00Z" }]
//! }] }
//! ```
//!
//! | Member of an entry | What it says |
//! |---|---|
//! | `id` | the issuer as tokens name it (`iss`); for mobile documents any unique name |
//! | `provider` | the word that results name it by: capitals, digits, `_` |
//! | `formats` | some of `cwt`, `sd-jwt-vc`, `jwt`, `mdoc` |
//! | `keys` | public keys as JWK with `kid`; `not_before` and `not_after` for rotation |
//! | `roots` | root certificates, PEM or base64 of DER; list only roots that certify this issuer's signers |
//! | `key_set_url` | an https address of a JWK Set; the caller fetches it, and `keys` stay valid beside it |
//! | `reference_hosts` | hosts that proofs may be fetched from |
//! | `status` | `required`, `when_present` (default) or `ignored` |
//! | `status_unavailable` | `refuse` (default) or `accept`, when a list cannot be had or the status cannot be understood |
//! | `status_hosts` | hosts of status lists; default: the host of `id` |
//! | `highest_age_over` | the highest threshold the issuer is believed for |
//! | `valid_for_alcohol` | default `true` |
//! | `not_before`, `not_after` | when the entry holds |
//! | `vct` | the types of SD-JWT VC that are accepted; default: any |
//! | `freshness_seconds` | how long after it was made a proof may be scanned, instead of the caller's terms |
//! | `unbound` | accept SD-JWT VC and mobile documents without the holder's signature: copies of the code then work |
//! | `comment` | nothing |
//!
//! Any other member is an error: a misspelt restriction must not be a restriction that is silently absent.

mod merge;
mod parse;

use crate::certificate_chain::{self, CertificateChainError, ChainPurpose, RootCertificate};
use crate::jws::Jws;
use crate::keys::SignatureAlgorithm;
use crate::proof::{
    CredentialFormat, ParsedProof, ProofCheck, ProofToken, ProofVerificationError, StatusReference,
    VerificationTerms, VerifiedProof,
};
use crate::{https_host, proof::ProofFailureReason};
use base::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::Arc;

pub use crate::keys::{JwkError, VerificationKey};

/// The issuers that are trusted. Cheap to clone; never changes.
#[derive(Clone, Debug)]
pub struct TrustList(Arc<TrustListInner>);

#[derive(Debug)]
struct TrustListInner {
    issuers: Vec<Arc<TrustedIssuer>>,
    index_by_id: HashMap<String, usize>,
    expires: Option<Timestamp>,
}

/// Why a trust list, or a key set for one of its issuers, is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct InvalidTrustListError {
    /// The entry and the member, for example `issuers[2] ("https://issuer.example") keys[0].crv`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

/// What to do about a token's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusPolicy {
    /// A token without a status is refused.
    Required,
    /// A status is looked up where there is one.
    WhenPresent,
    /// No status is looked up.
    Ignored,
}

/// One issuer of the trust list.
#[derive(Clone, Debug)]
pub struct TrustedIssuer {
    id: String,
    provider: String,
    formats: Vec<CredentialFormat>,
    keys: Vec<VerificationKey>,
    fetched_keys: Vec<VerificationKey>,
    roots: Vec<RootCertificate>,
    key_set_url: Option<String>,
    reference_hosts: Vec<String>,
    status: StatusPolicy,
    accepts_unavailable_status: bool,
    status_hosts: Vec<String>,
    highest_age_over: Option<u8>,
    valid_for_alcohol: bool,
    not_before: Option<Timestamp>,
    not_after: Option<Timestamp>,
    vct: Vec<String>,
    freshness: Option<SignedDuration>,
    accepts_unbound: bool,
}

impl TrustList {
    /// Reads a list from a file's bytes.
    pub fn parse(json: &[u8]) -> Result<Self, InvalidTrustListError> {
        let members = crate::strict_json::parse_object(json).ok_or_else(|| InvalidTrustListError {
            place: "the list".to_owned(),
            problem: "is no JSON object, or repeats a member".to_owned(),
        })?;
        parse::parse_trust_list(&members)
    }

    /// Reads a signed list: a compact JWS with `typ` `trust-list+jwt`, signed by one of `keys`, whose payload is the
    /// list, with `exp` beside `issuers`. The caller holds to [`TrustList::expires`].
    pub fn parse_signed(jws: &str, keys: &[VerificationKey]) -> Result<Self, InvalidTrustListError> {
        let bad = |problem: &str| InvalidTrustListError {
            place: "the signed list".to_owned(),
            problem: problem.to_owned(),
        };
        let token = Jws::parse(jws.trim()).map_err(bad)?;
        if token.typ.as_deref() != Some("trust-list+jwt") {
            return Err(bad("is not of type trust-list+jwt"));
        }
        let alg = token.alg.ok_or_else(|| bad("is signed with an algorithm that is not accepted"))?;
        let named =
            |key: &&VerificationKey| token.kid.as_deref().is_none_or(|kid| key.matches_kid(kid.as_bytes()));
        if !keys
            .iter()
            .filter(named)
            .any(|key| key.verifies(alg, token.signing_input.as_bytes(), &token.signature))
        {
            return Err(bad("is not signed by a key that was given"));
        }
        parse::parse_trust_list(&token.payload)
    }

    /// The issuer of an id.
    pub fn issuer(&self, id: &str) -> Option<&TrustedIssuer> {
        self.0.index_by_id.get(id).and_then(|place| self.0.issuers.get(*place)).map(Arc::as_ref)
    }

    /// All issuers, in the order of the list.
    pub fn issuers(&self) -> impl Iterator<Item = &TrustedIssuer> {
        self.0.issuers.iter().map(Arc::as_ref)
    }

    /// When the list expires, where it says so (`exp`).
    pub fn expires(&self) -> Option<Timestamp> {
        self.0.expires
    }

    /// The issuer whose proofs may be fetched from an https address.
    pub fn issuer_of_reference(&self, url: &str) -> Option<&TrustedIssuer> {
        let host = https_host::https_host(url)?;
        self.issuers().find(|issuer| issuer.reference_hosts.contains(&host))
    }

    /// The list with an issuer's fetched key set (the JSON bytes of a JWK Set), in place of the one fetched before.
    /// The keys of the entry itself stay; of equal names the entry's wins. Only for an issuer that lists `key_set_url`.
    pub fn with_keys(
        &self,
        issuer_id: &str,
        jwks: &[u8],
        now: Timestamp,
    ) -> Result<Self, InvalidTrustListError> {
        let bad = |problem: String| InvalidTrustListError {
            place: format!("the key set of {issuer_id:?}"),
            problem,
        };
        let place = self.0.index_by_id.get(issuer_id).copied();
        let known = place.and_then(|place| Some((place, self.0.issuers.get(place)?)));
        let (place, issuer) = known.ok_or_else(|| bad("is not of an issuer on the list".to_owned()))?;
        if issuer.key_set_url.is_none() {
            return Err(bad("is not expected: the entry lists no key_set_url".to_owned()));
        }
        let mut fetched = VerificationKey::parse_set(jwks).map_err(|error| bad(error.to_string()))?;
        fetched.retain(|key| key.is_valid_at(now) && key.kid().is_some());
        fetched.retain(|key| issuer.keys.iter().all(|listed| listed.kid() != key.kid()));
        if fetched.is_empty() {
            return Err(bad("has no new key with a kid that can be used here now".to_owned()));
        }
        let issuer = Arc::new(TrustedIssuer { fetched_keys: fetched, ..TrustedIssuer::clone(issuer) });
        let mut issuers = self.0.issuers.clone();
        issuers.splice(place..=place, [issuer]);
        Ok(Self(Arc::new(TrustListInner {
            issuers,
            index_by_id: self.0.index_by_id.clone(),
            expires: self.0.expires,
        })))
    }

    /// Judges a proof. What it cannot know is left to the caller: whether [`VerifiedProof::use_key`] was seen before, and
    /// what the list at [`VerifiedProof::status`] says.
    pub fn verify(
        &self,
        proof: &ParsedProof,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        let format = proof.format();
        let (issuer, key) = match &*proof.0 {
            ProofToken::Mdoc(mdoc) => {
                let (issuer, key) = self.issuer_of_chain(mdoc.chain()?, format, terms.now)?;
                (issuer, Some(key))
            }
            ProofToken::SdJwt(token) if token.issuer().is_none() => {
                (self.issuer_of_chain(&token.token.chain, format, terms.now)?.0, None)
            }
            _ => (self.issuer_by_claim(proof.claimed_issuer())?, None),
        };
        issuer
            .check_in_force(format, terms.now)
            .and_then(|()| match (&*proof.0, key) {
                (ProofToken::Cwt(cwt), _) => cwt.verify(issuer, terms),
                (ProofToken::SdJwt(token), _) => token.verify(issuer, terms),
                (ProofToken::Jwt(jwt), _) => jwt.verify(issuer, terms),
                (ProofToken::Mdoc(mdoc), Some(key)) => mdoc.verify(issuer, &key, terms),
                (ProofToken::Mdoc(_), None) => {
                    Err(ProofVerificationError::unverified("the mobile document has no certificates"))
                }
            })
            .map_err(|failed| ProofVerificationError { provider: Some(issuer.provider.clone()), ..failed })
    }

    pub(crate) fn issuer_by_claim(&self, id: Option<&str>) -> Result<&TrustedIssuer, ProofVerificationError> {
        let unknown = |detail| ProofVerificationError::new(ProofFailureReason::UnknownProvider, detail);
        let id = id.ok_or_else(|| unknown("the proof does not say who issued it"))?;
        self.issuer(id).ok_or_else(|| unknown("the proof's issuer is not on the trust list"))
    }

    /// The issuer to one of whose roots a chain leads, and the key that the chain vouches for.
    pub(crate) fn issuer_of_chain(
        &self,
        chain: &[Vec<u8>],
        format: CredentialFormat,
        now: Timestamp,
    ) -> Result<(&TrustedIssuer, VerificationKey), ProofVerificationError> {
        let mut failed = ProofVerificationError::new(
            ProofFailureReason::UnknownProvider,
            "the proof's certificates lead to no root on the trust list",
        );
        for issuer in
            self.issuers().filter(|issuer| issuer.formats.contains(&format) && !issuer.roots.is_empty())
        {
            let purpose = if format == CredentialFormat::Mdoc {
                ChainPurpose::Mdoc
            } else {
                ChainPurpose::TokenOf(&issuer.id)
            };
            match certificate_chain::verify_chain(chain, &issuer.roots, purpose, now) {
                Ok(key) => return Ok((issuer, key)),
                Err(CertificateChainError::UnknownRoot) => {}
                Err(CertificateChainError::Broken(problem)) => {
                    failed = ProofVerificationError::unverified(format!(
                        "the proof's chain of certificates {problem}"
                    ));
                    failed.provider = Some(issuer.provider.clone());
                }
            }
        }
        Err(failed)
    }
}

/// A signature, and what the token says about who made it.
#[derive(Clone, Copy)]
pub(crate) struct SignedMessage<'a> {
    pub alg: Option<SignatureAlgorithm>,
    pub kid: Option<&'a [u8]>,
    pub chain: &'a [Vec<u8>],
    pub message: &'a [u8],
    pub signature: &'a [u8],
}

impl TrustedIssuer {
    /// The issuer as tokens name it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The word that results name it by.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The formats that its proofs are accepted in.
    pub fn formats(&self) -> &[CredentialFormat] {
        &self.formats
    }

    /// Where its keys can be fetched.
    pub fn key_set_url(&self) -> Option<&str> {
        self.key_set_url.as_deref()
    }

    /// What to do about a token's status.
    pub fn status(&self) -> StatusPolicy {
        self.status
    }

    /// Whether a proof is accepted all the same when its status list cannot be had or has no such place.
    pub fn accepts_unavailable_status(&self) -> bool {
        self.accepts_unavailable_status
    }

    /// Hosts that proofs may be fetched from.
    pub fn reference_hosts(&self) -> &[String] {
        &self.reference_hosts
    }

    /// Hosts that status lists may be fetched from.
    pub fn status_hosts(&self) -> &[String] {
        &self.status_hosts
    }

    /// How long after it was made a proof may be scanned.
    pub(crate) fn freshness_window(&self, terms: &VerificationTerms) -> SignedDuration {
        self.freshness.unwrap_or(terms.freshness)
    }

    pub(crate) fn accepts_unbound(&self) -> bool {
        self.accepts_unbound
    }

    pub(crate) fn accepts_vct(&self, vct: &str) -> bool {
        self.vct.is_empty() || self.vct.iter().any(|accepted| accepted == vct)
    }

    pub(crate) fn highest_age_over(&self) -> Option<u8> {
        self.highest_age_over
    }

    /// Whether the entry holds now and for this format.
    pub(crate) fn check_in_force(
        &self,
        format: CredentialFormat,
        now: Timestamp,
    ) -> Result<(), ProofVerificationError> {
        if self.not_before.is_some_and(|from| now < from) || self.not_after.is_some_and(|until| until < now) {
            return Err(ProofVerificationError::new(
                ProofFailureReason::ExcludedProvider,
                "the trust list does not hold for the issuer today",
            ));
        }
        if !self.formats.contains(&format) {
            return Err(ProofVerificationError::unsupported(format!(
                "the issuer is not trusted for {}",
                format.as_str()
            )));
        }
        Ok(())
    }

    /// Whether one of the issuer's keys, or a key that one of its roots vouches for, made the signature.
    pub(crate) fn verify_signature(
        &self,
        signed: &SignedMessage<'_>,
        now: Timestamp,
    ) -> Result<(), ProofVerificationError> {
        let alg = signed.alg.ok_or_else(|| {
            ProofVerificationError::unverified(
                "the proof is signed with an algorithm that is not accepted, or with none",
            )
        })?;
        let mut known = false;
        for key in self.keys.iter().chain(&self.fetched_keys).filter(|key| key.is_valid_at(now)) {
            if signed.kid.is_none_or(|kid| key.matches_kid(kid)) {
                known = signed.kid.is_some();
                if key.verifies(alg, signed.message, signed.signature) {
                    return Ok(());
                }
            }
        }
        if !known && !signed.chain.is_empty() && !self.roots.is_empty() {
            let key = certificate_chain::verify_chain(
                signed.chain,
                &self.roots,
                ChainPurpose::TokenOf(&self.id),
                now,
            )
            .map_err(|untrusted| {
                ProofVerificationError::unverified(match untrusted {
                    CertificateChainError::UnknownRoot => {
                        "the proof's certificates lead to none of the issuer's roots".to_owned()
                    }
                    CertificateChainError::Broken(problem) => {
                        format!("the proof's chain of certificates {problem}")
                    }
                })
            })?;
            if key.verifies(alg, signed.message, signed.signature) {
                return Ok(());
            }
        }
        let mut failed = ProofVerificationError::unverified(if known {
            "the signature is not the issuer's"
        } else {
            "no listed key of the issuer made the signature"
        });
        failed.refetch_keys_of = self.key_set_url.as_ref().filter(|_| !known).map(|_| self.id.clone());
        Err(failed)
    }

    /// The status to look up, by the entry's policy. `found` is `Err` where the token names one in an unknown way.
    pub(crate) fn status_to_check(
        &self,
        found: Result<Option<StatusReference>, ()>,
    ) -> Result<Option<StatusReference>, ProofVerificationError> {
        let refuse = |detail| {
            if self.accepts_unavailable_status {
                Ok(None)
            } else {
                Err(ProofVerificationError::unsupported(detail))
            }
        };
        match (self.status, found) {
            (StatusPolicy::Ignored, _) | (StatusPolicy::WhenPresent, Ok(None)) => Ok(None),
            (StatusPolicy::Required, Ok(None)) => {
                Err(ProofVerificationError::unsupported("the proof names no status list"))
            }
            (_, Err(())) => refuse("the proof names its status in a way that is not known here"),
            (_, Ok(Some(status))) => {
                let host = https_host::https_host(&status.uri);
                if host.is_some_and(|host| self.status_hosts.contains(&host)) {
                    Ok(Some(status))
                } else {
                    refuse("the proof's status list lies on a host that the trust list does not name")
                }
            }
        }
    }

    /// A proof of this issuer that holds.
    pub(crate) fn to_verified_proof(
        &self,
        age_over: u8,
        used: ([u8; 32], Timestamp),
        status: Option<StatusReference>,
        further: &[ProofCheck],
    ) -> VerifiedProof {
        let (use_key, until) = used;
        let mut checks = vec![ProofCheck::SignatureVerified, ProofCheck::ProviderTrusted];
        checks.extend_from_slice(further);
        VerifiedProof {
            issuer: self.id.clone(),
            provider: self.provider.clone(),
            age_over,
            valid_for_alcohol: self.valid_for_alcohol,
            replay_key: use_key,
            replay_key_until: until,
            holder_bound: checks.contains(&ProofCheck::HolderBound),
            checks,
            status,
        }
    }
}
