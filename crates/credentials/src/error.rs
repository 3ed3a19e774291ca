//! Why a scanned value is no proof, and why a proof is refused.

use base::LimitViolation;

/// Why a scanned value cannot be judged at all. Never quotes the scanned text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{detail}")]
pub struct UnsupportedProofError {
    /// One sentence, lower case.
    pub detail: String,
    /// The limit that was exceeded, where one was.
    pub measured: Option<LimitViolation>,
}

impl UnsupportedProofError {
    pub(crate) fn new(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), measured: None }
    }
}

/// Why a proof or a presentation was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", reason.as_str())]
pub struct ProofVerificationError {
    /// The reason that the interface reports.
    pub reason: ProofFailureReason,
    /// One sentence for the caller, lower case. Never quotes the proof.
    pub detail: String,
    /// The provider, where the claimed issuer is on the trust list.
    pub provider: Option<String>,
    /// The id of an issuer that may have a new key: the trust list has an address of its key set, and the proof names a
    /// key that is not known. The caller may fetch the set, pass it to
    /// [`TrustList::with_keys`](crate::trust::TrustList::with_keys) and verify again.
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

/// The failure reasons of the proof of age interface.
///
/// This crate never gives `PresentationAlreadyUsed`, and `ExcludedProvider` only for an entry outside its validity:
/// whether a proof was used before, or its provider is excluded by the relying party, only the caller knows. `Revoked`
/// is an addition of ours: the interface has no reason of its own for a credential that its issuer withdrew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofFailureReason {
    /// No listed key of the issuer verifies the signature, or the holder's signature is missing or wrong.
    UnableToVerifySignature,
    /// Scanned before or after the proof was valid, or too long after it was made.
    PresentationExpired,
    /// Shown before.
    PresentationAlreadyUsed,
    /// Not a proof of age in an accepted form.
    UnsupportedPayload,
    /// The provider is known, but not accepted, or not any more.
    ExcludedProvider,
    /// The issuer is not on the trust list.
    UnknownProvider,
    /// The holder released nothing.
    UserDidNotConsent,
    /// The issuer revoked or suspended the credential.
    Revoked,
}

impl ProofFailureReason {
    /// The value on the wire.
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
