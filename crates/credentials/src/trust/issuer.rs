//! One issuer of the trust list, and what its entry allows.

use crate::certificate_chain::{
    self, CertificateChainError, ChainPurpose, Revocation, RevocationList, RootCertificate,
};
use crate::error::{ProofFailureReason, ProofVerificationError};
use crate::https_host;
use crate::keys::{KeyLife, SignatureAlgorithm, VerificationKey};
use crate::verification::{CredentialFormat, ProofCheck, StatusReference, VerificationTerms, VerifiedProof};
use base::{SignedDuration, Timestamp};

/// What to do about a credential's revocation status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusPolicy {
    /// A credential without a status is refused.
    Required,
    /// The status is looked up if the credential has one.
    WhenPresent,
    /// The status is never looked up.
    Ignored,
}

/// One issuer of the trust list.
#[derive(Clone, Debug)]
pub struct TrustedIssuer {
    pub(super) id: String,
    pub(super) provider: String,
    pub(super) formats: Vec<CredentialFormat>,
    /// Listed in the entry itself.
    pub(super) keys: Vec<VerificationKey>,
    /// From `key_set_url`, see [`TrustList::with_keys`](super::TrustList::with_keys).
    pub(super) fetched_keys: Vec<VerificationKey>,
    pub(super) roots: Vec<RootCertificate>,
    pub(super) revocation_lists: Vec<RevocationList>,
    pub(super) key_set_url: Option<String>,
    pub(super) reference_hosts: Vec<String>,
    pub(super) status: StatusPolicy,
    pub(super) accepts_unavailable_status: bool,
    pub(super) status_hosts: Vec<String>,
    pub(super) highest_age_over: Option<u8>,
    pub(super) valid_for_alcohol: bool,
    pub(super) not_before: Option<Timestamp>,
    pub(super) not_after: Option<Timestamp>,
    /// Accepted types of SD-JWT VC; empty: any.
    pub(super) vct: Vec<String>,
    pub(super) freshness: Option<SignedDuration>,
    pub(super) accepts_unbound: bool,
}

/// A signed message, and what its token says about the signer.
#[derive(Clone, Copy)]
pub(crate) struct SignedMessage<'a> {
    pub alg: Option<SignatureAlgorithm>,
    pub kid: Option<&'a [u8]>,
    pub chain: &'a [Vec<u8>],
    pub message: &'a [u8],
    pub signature: &'a [u8],
}

impl TrustedIssuer {
    /// The issuer as its tokens name it (`iss`).
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name that results give it.
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

    /// What to do about the status of its credentials.
    pub fn status(&self) -> StatusPolicy {
        self.status
    }

    /// Whether a proof is accepted although its status list is unavailable or has no such index.
    pub fn accepts_unavailable_status(&self) -> bool {
        self.accepts_unavailable_status
    }

    /// Hosts that its proofs may be fetched from.
    pub fn reference_hosts(&self) -> &[String] {
        &self.reference_hosts
    }

    /// Hosts that its status lists may be fetched from.
    pub fn status_hosts(&self) -> &[String] {
        &self.status_hosts
    }

    /// From when and until when its entry counts.
    pub fn validity(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        (self.not_before, self.not_after)
    }

    /// When the keys may be used that the trust list has.
    pub fn listed_key_lives(&self) -> Vec<KeyLife> {
        self.keys.iter().map(VerificationKey::life).collect()
    }

    /// When the keys may be used that were fetched from where it publishes them.
    pub fn fetched_key_lives(&self) -> Vec<KeyLife> {
        self.fetched_keys.iter().map(VerificationKey::life).collect()
    }

    /// When its root certificates are valid.
    pub fn root_lives(&self) -> Vec<KeyLife> {
        let life = |root: &RootCertificate| {
            let (not_before, not_after) = root.validity();
            KeyLife { id: None, not_before: Some(not_before), not_after: Some(not_after) }
        };
        self.roots.iter().map(life).collect()
    }

    /// What is known of certificates that were revoked.
    pub(super) fn revocation(&self) -> Revocation<'_> {
        Revocation { lists: &self.revocation_lists, accepts_unknown: self.accepts_unavailable_status }
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

    /// Whether the entry is valid now and lists this format.
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

    /// Checks that the signature was made with one of the issuer's keys, or with a key that one of its roots certifies.
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
                self.revocation(),
                ChainPurpose::TokenOf(&self.id),
                now,
            )
            .map_err(|error| {
                ProofVerificationError::unverified(match error {
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

    /// The status to look up under the entry's policy. `found` is `Err` if the token names a status in an unknown way.
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

    /// The result for a proof of this issuer. `replay` is its replay key and until when that must be remembered;
    /// `further` are the checks beyond those that every proof has passed.
    pub(crate) fn to_verified_proof(
        &self,
        age_over: u8,
        replay: ([u8; 32], Timestamp),
        status: Option<StatusReference>,
        further: &[ProofCheck],
    ) -> VerifiedProof {
        let (replay_key, replay_key_until) = replay;
        let mut checks = vec![ProofCheck::SignatureVerified, ProofCheck::ProviderTrusted];
        checks.extend_from_slice(further);
        VerifiedProof {
            issuer: self.id.clone(),
            provider: self.provider.clone(),
            age_over,
            valid_for_alcohol: self.valid_for_alcohol,
            replay_key,
            replay_key_until,
            holder_bound: checks.contains(&ProofCheck::HolderBound),
            checks,
            status,
        }
    }
}
