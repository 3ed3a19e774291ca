//! What every format of proof shares: the terms it is verified under, and what a successful verification states.

use crate::error::{ProofFailureReason, ProofVerificationError};
use base::{SignedDuration, Timestamp};

/// How old a scan may be when it is sent in. The caller enforces it; here it lengthens how long a used proof must be
/// remembered.
pub const MAX_SCAN_AGE: SignedDuration = SignedDuration::from_secs(120);

/// The formats of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialFormat {
    /// CBOR Web Token in `COSE_Sign1`; Assay's own proofs are of this format.
    Cwt,
    /// SD-JWT Verifiable Credential.
    SdJwtVc,
    /// A JWT, plain or as a W3C Verifiable Credential.
    Jwt,
    /// Mobile document (ISO 18013-5).
    Mdoc,
}

impl CredentialFormat {
    /// As the trust list spells it: `cwt`, `sd-jwt-vc`, `jwt`, `mdoc`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cwt => "cwt",
            Self::SdJwtVc => "sd-jwt-vc",
            Self::Jwt => "jwt",
            Self::Mdoc => "mdoc",
        }
    }

    /// Reads the trust list's spelling.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Cwt, Self::SdJwtVc, Self::Jwt, Self::Mdoc].into_iter().find(|format| format.as_str() == name)
    }
}

/// The terms that a proof is judged under.
#[derive(Clone, Debug)]
pub struct VerificationTerms {
    /// The current time: certificates, keys and trust list entries must be valid now.
    pub now: Timestamp,
    /// When the code was scanned: the proof must have been valid and fresh at that moment.
    pub scanned_at: Timestamp,
    /// How long after a proof was made it may be scanned, unless the issuer's entry says otherwise.
    pub freshness: SignedDuration,
    /// By how much clocks may differ.
    pub skew: SignedDuration,
    /// The audience that a proof must name if it names any. `None`: the audience is not checked.
    pub audience: Option<String>,
}

impl VerificationTerms {
    /// The default terms: 30 seconds between making and scanning, 5 seconds of clock skew, any audience.
    pub fn new(now: Timestamp, scanned_at: Timestamp) -> Self {
        let (freshness, skew) = (SignedDuration::from_secs(30), SignedDuration::from_secs(5));
        Self { now, scanned_at, freshness, skew, audience: None }
    }
}

/// Where a credential's status is published: an index into a Token Status List.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusReference {
    /// The https address of the list.
    pub uri: String,
    /// The index in the list, from 0.
    pub index: u64,
}

/// What a status list says of one credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialStatus {
    /// 0: valid.
    Valid,
    /// 1: revoked for good.
    Invalid,
    /// 2: suspended for now.
    Suspended,
    /// Any other value, whose meaning is private to the issuer.
    Other(u8),
}

/// A proof that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedProof {
    /// The issuer's id in the trust list.
    pub issuer: String,
    /// The provider's name in the trust list, for example `GOV_UK`.
    pub provider: String,
    /// The highest threshold that is shown as reached, in years.
    pub age_over: u8,
    /// Whether this issuer's proofs count for alcohol at all; whether the age suffices is for the caller to decide.
    pub valid_for_alcohol: bool,
    /// What must be remembered so that the proof is not used twice. Encoding the same proof differently does not
    /// change it.
    pub replay_key: [u8; 32],
    /// Until when `replay_key` must be remembered: later scans would be refused as expired.
    pub replay_key_until: Timestamp,
    /// What was checked, in order.
    pub checks: Vec<ProofCheck>,
    /// The status to look up before the proof is accepted; pass what was found to [`VerifiedProof::apply_status`].
    pub status: Option<StatusReference>,
    /// Whether the holder's own key signed this presentation. Without that, a copy of the code works like the code.
    pub holder_bound: bool,
}

impl VerifiedProof {
    /// Applies the status found at [`VerifiedProof::status`]. Anything but [`CredentialStatus::Valid`] is
    /// [`ProofFailureReason::Revoked`].
    pub fn apply_status(mut self, status: CredentialStatus) -> Result<Self, ProofVerificationError> {
        let detail = match status {
            CredentialStatus::Valid => {
                self.checks.push(ProofCheck::NotRevoked);
                self.status = None;
                return Ok(self);
            }
            CredentialStatus::Invalid => "the issuer has revoked the credential",
            CredentialStatus::Suspended => "the issuer has suspended the credential",
            CredentialStatus::Other(_) => "the issuer gives the credential a status that is not known here",
        };
        let mut failed = ProofVerificationError::new(ProofFailureReason::Revoked, detail);
        failed.provider = Some(self.provider);
        Err(failed)
    }
}

/// One check that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofCheck {
    /// The signature is the issuer's.
    SignatureVerified,
    /// The issuer is on the trust list, for this format, today.
    ProviderTrusted,
    /// The proof was made just before it was scanned.
    Fresh,
    /// The holder's own key signed this presentation.
    HolderBound,
    /// The issuer's status list says that the credential is valid.
    NotRevoked,
}

impl ProofCheck {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SignatureVerified => "SIGNATURE_VERIFIED",
            Self::ProviderTrusted => "PROVIDER_TRUSTED",
            Self::Fresh => "FRESH",
            Self::HolderBound => "HOLDER_BOUND",
            Self::NotRevoked => "NOT_REVOKED",
        }
    }
}
