//! What was scanned, and what came of it.

use crate::status::CredentialStatus;
use crate::{cwt, jwt, mdoc, sd_jwt};
use base::{LimitViolation, SignedDuration, Timestamp};

pub use crate::detect_format::parse_scanned;

/// Characters of a QR code at most (version 40, alphanumeric, error correction L).
pub const MAX_QR_CHARS: usize = 4296;
/// Bytes that a compressed proof may grow to.
pub const MAX_INFLATED_PROOF_BYTES: usize = 16 * 1024;
/// How old a scan may be when it is sent in. The caller holds to it; here it lengthens the memory of used proofs.
pub const MAX_SCAN_AGE: SignedDuration = SignedDuration::from_secs(120);

/// What a scanned value turned out to be.
#[derive(Clone, Debug)]
pub enum ScannedValue {
    /// A proof that [`TrustList::verify`](crate::trust_store::TrustList::verify) can judge.
    Proof(ParsedProof),
    /// An https address under which the proof lies; see
    /// [`TrustList::issuer_of_reference`](crate::trust_store::TrustList::issuer_of_reference).
    Reference(String),
    /// A request for a proof, not a proof; what kind, in words.
    Request(&'static str),
    /// A device engagement (ISO 18013-5): an invitation to talk to a phone, with no credential in it.
    Engagement,
}

/// Why a scanned value is nothing that can be judged. Says nothing of its text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{detail}")]
pub struct UnsupportedProofError {
    /// One sentence, lower case.
    pub detail: String,
    /// Where a limit was broken.
    pub measured: Option<LimitViolation>,
}

impl UnsupportedProofError {
    pub(crate) fn new(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), measured: None }
    }
}

/// The kinds of proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialFormat {
    /// CBOR Web Token in `COSE_Sign1`, our own among them.
    Cwt,
    /// SD-JWT Verifiable Credential.
    SdJwtVc,
    /// A JWT, plain or as a W3C Verifiable Credential.
    Jwt,
    /// Mobile document of ISO 18013-5.
    Mdoc,
}

impl CredentialFormat {
    /// The word of the trust list: `cwt`, `sd-jwt-vc`, `jwt`, `mdoc`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cwt => "cwt",
            Self::SdJwtVc => "sd-jwt-vc",
            Self::Jwt => "jwt",
            Self::Mdoc => "mdoc",
        }
    }

    /// The format that a word of the trust list names.
    pub fn from_name(word: &str) -> Option<Self> {
        [Self::Cwt, Self::SdJwtVc, Self::Jwt, Self::Mdoc].into_iter().find(|format| format.as_str() == word)
    }
}

/// A proof taken apart; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub struct ParsedProof(pub(crate) Box<ProofToken>);

#[derive(Clone, Debug)]
pub(crate) enum ProofToken {
    Cwt(cwt::Cwt),
    SdJwt(sd_jwt::SdJwt),
    Jwt(jwt::Jwt),
    Mdoc(mdoc::Mdoc),
}

impl ParsedProof {
    /// What kind of proof it is.
    pub fn format(&self) -> CredentialFormat {
        match &*self.0 {
            ProofToken::Cwt(_) => CredentialFormat::Cwt,
            ProofToken::SdJwt(_) => CredentialFormat::SdJwtVc,
            ProofToken::Jwt(_) => CredentialFormat::Jwt,
            ProofToken::Mdoc(_) => CredentialFormat::Mdoc,
        }
    }

    /// The issuer that it claims, unverified. A mobile document claims none: its certificates tell.
    pub fn claimed_issuer(&self) -> Option<&str> {
        match &*self.0 {
            ProofToken::Cwt(cwt) => cwt.issuer(),
            ProofToken::SdJwt(token) => token.issuer(),
            ProofToken::Jwt(jwt) => jwt.issuer(),
            ProofToken::Mdoc(_) => None,
        }
    }

    /// The name of the key that it claims, unverified; bytes that are no printable text as base64url.
    pub fn claimed_key(&self) -> Option<String> {
        match &*self.0 {
            ProofToken::Cwt(cwt) => cwt.token.kid.as_deref().map(|kid| match std::str::from_utf8(kid) {
                Ok(text) if text.chars().all(|letter| letter.is_ascii_graphic()) => text.to_owned(),
                _ => base64_simd::URL_SAFE_NO_PAD.encode_to_string(kid),
            }),
            ProofToken::SdJwt(token) => token.token.kid.clone(),
            ProofToken::Jwt(jwt) => jwt.token.kid.clone(),
            ProofToken::Mdoc(_) => None,
        }
    }
}

/// Under what terms a proof is judged.
#[derive(Clone, Debug)]
pub struct VerificationTerms {
    /// The present moment: certificates, keys and entries of the trust list must be valid now.
    pub now: Timestamp,
    /// When the code was scanned: the proof must have been valid and fresh then.
    pub scanned_at: Timestamp,
    /// How long after a proof was made it may be scanned, unless the issuer's entry says otherwise.
    pub freshness: SignedDuration,
    /// How far clocks may differ.
    pub skew: SignedDuration,
    /// The audience that a proof which names one must name. Without it no audience is looked at.
    pub audience: Option<String>,
}

impl VerificationTerms {
    /// The usual terms: 30 seconds from making to scanning, 5 seconds between clocks, any audience.
    pub fn new(now: Timestamp, scanned_at: Timestamp) -> Self {
        let (freshness, skew) = (SignedDuration::from_secs(30), SignedDuration::from_secs(5));
        Self { now, scanned_at, freshness, skew, audience: None }
    }
}

/// Where a token's status is written: a Token Status List and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusReference {
    /// The list's https address.
    pub uri: String,
    /// The place in the list, from 0.
    pub index: u64,
}

/// A proof that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedProof {
    /// The issuer's id in the trust list.
    pub issuer: String,
    /// The provider's word in the trust list, for example `GOV_UK`.
    pub provider: String,
    /// The highest threshold shown as reached, in years.
    pub age_over: u8,
    /// Whether the issuer's proofs count for alcohol at all; whether the age does is for the caller to say.
    pub valid_for_alcohol: bool,
    /// What must be remembered so that the proof is not used twice. It does not change when somebody re-spells the proof.
    pub replay_key: [u8; 32],
    /// Until when `use_key` must be remembered: later scans would be refused as expired.
    pub replay_key_until: Timestamp,
    /// What was checked, in order.
    pub checks: Vec<ProofCheck>,
    /// The status that must be looked up before the proof is accepted; [`VerifiedProof::apply_status`] takes what was found.
    pub status: Option<StatusReference>,
    /// Whether the holder's own key signed this presentation. Without it, a copy of the code is as good as the code.
    pub holder_bound: bool,
}

impl VerifiedProof {
    /// Draws the conclusion from the status found at [`VerifiedProof::status`].
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

/// One thing that was checked and found right.
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
    /// The word on the wire.
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

/// Why a proof does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", reason.as_str())]
pub struct ProofVerificationError {
    /// The word on the wire.
    pub reason: ProofFailureReason,
    /// One sentence for the caller, lower case. Never holds text of the proof.
    pub detail: String,
    /// The provider, where the trust list knows the issuer that the proof claims.
    pub provider: Option<String>,
    /// The id of an issuer who may have a new key: it lists the address of a key set, and the proof names a key that is
    /// not known. The caller may fetch the set, give it to
    /// [`TrustList::with_keys`](crate::trust_store::TrustList::with_keys) and verify again.
    pub refetch_keys_of: Option<String>,
}

impl ProofVerificationError {
    pub(crate) fn new(reason: ProofFailureReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), provider: None, refetch_keys_of: None }
    }

    pub(crate) fn unsupported(detail: impl Into<String>) -> Self {
        Self::new(ProofFailureReason::UnsupportedPayload, detail)
    }

    pub(crate) fn unverified(detail: impl Into<String>) -> Self {
        Self::new(ProofFailureReason::UnableToVerifySignature, detail)
    }
}

/// The reasons of the interface. Two of them only the caller can give: a proof was used before, a provider is excluded
/// by the business. `REVOKED` is ours: no word of the interface says that an issuer took a credential back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofFailureReason {
    /// No listed key of the issuer verifies the signature, or one that is needed is missing.
    UnableToVerifySignature,
    /// Scanned before or after the proof was valid, or too long after it was made.
    PresentationExpired,
    /// Shown before.
    PresentationAlreadyUsed,
    /// Not a proof of age in a form that is accepted.
    UnsupportedPayload,
    /// A known provider that is not, or no longer, accepted.
    ExcludedProvider,
    /// No issuer on the trust list.
    UnknownProvider,
    /// The holder released nothing.
    UserDidNotConsent,
    /// The issuer revoked or suspended the credential.
    Revoked,
}

impl ProofFailureReason {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnableToVerifySignature => "UNABLE_TO_VERIFY_SIGNATURE",
            Self::PresentationExpired => "PRESENTATION_EXPIRED",
            Self::PresentationAlreadyUsed => "PRESENTATION_ALREADY_USED",
            Self::UnsupportedPayload => "UNSUPPORTED_PAYLOAD",
            Self::ExcludedProvider => "EXCLUDED_PROVIDER",
            Self::UnknownProvider => "UNKNOWN_PROVIDER",
            Self::UserDidNotConsent => "USER_DID_NOT_CONSENT",
            Self::Revoked => "REVOKED",
        }
    }
}
