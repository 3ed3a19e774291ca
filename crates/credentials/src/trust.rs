//! The trust list: which issuers' proofs are accepted, with which keys and on which terms.
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
//! | `id` | the issuer as its tokens name it (`iss`); for mobile documents any unique name |
//! | `provider` | the name that results give it: capitals, digits, `_` |
//! | `formats` | some of `cwt`, `sd-jwt-vc`, `jwt`, `mdoc` |
//! | `keys` | public keys as JWK with `kid`; `not_before` and `not_after` for rotation |
//! | `roots` | root certificates, PEM or base64 of DER; list only roots that certify this issuer's signers |
//! | `crls` | certificate revocation lists (RFC 5280) of the authorities below `roots`, PEM or base64 of DER |
//! | `key_set_url` | an https address of a JWK Set; the caller fetches it, and `keys` stay valid beside it |
//! | `reference_hosts` | hosts that proofs may be fetched from |
//! | `status` | `required`, `when_present` (default) or `ignored` |
//! | `status_unavailable` | `refuse` (default) or `accept`, when a list is unavailable, `crls` cover a certificate no more, or the status cannot be understood |
//! | `status_hosts` | hosts of status lists; default: the host of `id` |
//! | `highest_age_over` | the highest threshold the issuer is trusted for, in years |
//! | `valid_for_alcohol` | default `true` |
//! | `not_before`, `not_after` | when the entry is valid |
//! | `vct` | the types of SD-JWT VC that are accepted; default: any |
//! | `freshness_seconds` | how long after it was made a proof may be scanned, instead of the caller's terms |
//! | `unbound` | accept SD-JWT VC and mobile documents without the holder's signature: copies of the code then work |
//! | `comment` | ignored |
//!
//! Any other member is an error: a misspelt restriction must not be silently absent.

mod issuer;
mod merge;
mod parse;

use crate::certificate_chain::{self, CertificateChainError, ChainPurpose};
use crate::error::{ProofFailureReason, ProofVerificationError};
use crate::https_host;
use crate::jws::Jws;
use crate::strict_json;
use crate::verification::CredentialFormat;
use base::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

pub use self::issuer::{StatusPolicy, TrustedIssuer};
pub use crate::keys::{JwkError, KeyLife, VerificationKey};

pub(crate) use self::issuer::SignedMessage;

/// The trusted issuers. Cheap to clone; immutable.
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
    /// The entry and the member at fault, for example `issuers[2] ("https://issuer.example") keys[0].crv`.
    pub place: String,
    /// What is wrong with it.
    pub problem: String,
}

impl TrustList {
    /// Reads an unsigned list: JSON.
    pub fn parse(json: &[u8]) -> Result<Self, InvalidTrustListError> {
        let members = strict_json::parse_object(json).ok_or_else(|| InvalidTrustListError {
            place: "the list".to_owned(),
            problem: "is not a JSON object, or repeats a member".to_owned(),
        })?;
        parse::parse_trust_list(&members)
    }

    /// Reads a signed list: a compact JWS with `typ` `trust-list+jwt`, signed by one of `keys`, whose payload is the
    /// list, with `exp` beside `issuers`. The caller enforces [`TrustList::expires`].
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

    /// The issuer with this id.
    pub fn issuer(&self, id: &str) -> Option<&TrustedIssuer> {
        self.0.index_by_id.get(id).and_then(|index| self.0.issuers.get(*index)).map(Arc::as_ref)
    }

    /// All issuers, in the order of the list.
    pub fn issuers(&self) -> impl Iterator<Item = &TrustedIssuer> {
        self.0.issuers.iter().map(Arc::as_ref)
    }

    /// When the list expires (`exp`), if it does.
    pub fn expires(&self) -> Option<Timestamp> {
        self.0.expires
    }

    /// The issuer whose proofs may be fetched from an https address.
    pub fn issuer_of_reference(&self, url: &str) -> Option<&TrustedIssuer> {
        let host = https_host::https_host(url)?;
        self.issuers().find(|issuer| issuer.reference_hosts.contains(&host))
    }

    /// This list with an issuer's fetched key set (the JSON bytes of a JWK Set) in place of the one fetched before. The
    /// keys in the entry itself stay, and win where a fetched key has the same `kid`. Only for an issuer whose entry
    /// has `key_set_url`.
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
        let index = self.0.index_by_id.get(issuer_id).copied();
        let listed = index.and_then(|index| Some((index, self.0.issuers.get(index)?)));
        let (index, issuer) = listed.ok_or_else(|| bad("is not of an issuer on the list".to_owned()))?;
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
        issuers.splice(index..=index, [issuer]);
        Ok(Self(Arc::new(TrustListInner {
            issuers,
            index_by_id: self.0.index_by_id.clone(),
            expires: self.0.expires,
        })))
    }

    pub(crate) fn issuer_by_claim(&self, id: Option<&str>) -> Result<&TrustedIssuer, ProofVerificationError> {
        let unknown = |detail| ProofVerificationError::new(ProofFailureReason::UnknownProvider, detail);
        let id = id.ok_or_else(|| unknown("the proof does not say who issued it"))?;
        self.issuer(id).ok_or_else(|| unknown("the proof's issuer is not on the trust list"))
    }

    /// The issuer to one of whose roots the chain leads, and the key that the chain certifies.
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
            match certificate_chain::verify_chain(chain, &issuer.roots, issuer.revocation(), purpose, now) {
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
