//! The result of a verification, as callers see it: in the answer, in the notification and when queried later.

use crate::wire_enum::wire_enum;
use base::{Environment, Timestamp};
use credentials::proof::{ProofCheck, ProofFailureReason};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// The status of a verification.
    pub enum ProofStatus {
        /// The proof is valid.
        Success => "SUCCESS",
        /// It is not; the record has the reason.
        Failure => "FAILURE",
        /// The issuer is being asked.
        Pending => "PENDING",
    }
}

/// The characters of a verification's id.
pub const PROOF_ID_CHARS: usize = 22;

/// A verification and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofRecord {
    /// 22 characters of base64url: 16 random bytes.
    pub id: String,
    pub status: ProofStatus,
    /// When the status was determined.
    pub timestamp: Timestamp,
    /// The provider that issued the proof, as the trust list names it; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What was proven, if the status is SUCCESS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ProvenAge>,
    /// Why nothing was proven, if the status is FAILURE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ProofFailureDetail>,
    /// The terminal that scanned it; `None` in records of older builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<ProofTerminal>,
}

/// The terminal that scanned a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofTerminal {
    pub id: String,
    /// The store that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_id: Option<String>,
}

/// What was proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenAge {
    /// The holder is at least this old, in years.
    pub age_over: u8,
    /// Whether that suffices for alcohol: the provider's proofs count for it, and the age is the operator's
    /// `alcohol_age`.
    pub valid_for_alcohol: bool,
    /// The checks that succeeded, as [`ProofCheck`] spells them.
    pub checks: Vec<String>,
    /// Whether the holder's own key signed the presentation. Without that a copy works like the proof. `None` in records of
    /// older builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder_bound: Option<bool>,
}

/// Why nothing was proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofFailureDetail {
    /// As [`ProofFailureReason`] spells it.
    pub reason: String,
    /// A sentence for a developer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ProofRecord {
    /// A new id for a verification.
    pub(super) fn random_id(env: &dyn Environment) -> String {
        let mut random = [0; 16];
        env.fill_random(&mut random);
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(random)
    }

    pub(super) fn pending(id: String, timestamp: Timestamp, provider: Option<String>) -> Self {
        Self {
            id,
            status: ProofStatus::Pending,
            timestamp,
            provider,
            result: None,
            failure: None,
            terminal: None,
        }
    }

    pub(super) fn decided(
        id: String,
        timestamp: Timestamp,
        provider: Option<String>,
        outcome: ProofOutcome,
    ) -> Self {
        let (status, result, failure) = match outcome {
            ProofOutcome::Proven { age_over, valid_for_alcohol, checks, holder_bound } => {
                let holder_bound = Some(holder_bound);
                let checks = checks.iter().map(|check| check.as_str().to_owned()).collect();
                (
                    ProofStatus::Success,
                    Some(ProvenAge { age_over, valid_for_alcohol, checks, holder_bound }),
                    None,
                )
            }
            ProofOutcome::NotProven { reason, detail } => {
                let failure =
                    ProofFailureDetail { reason: reason.as_str().to_owned(), message: Some(detail) };
                (ProofStatus::Failure, None, Some(failure))
            }
        };
        Self { id, status, timestamp, provider, result, failure, terminal: None }
    }
}

/// The outcome of a verification.
#[derive(Clone, Debug)]
pub(super) enum ProofOutcome {
    Proven { age_over: u8, valid_for_alcohol: bool, checks: Vec<ProofCheck>, holder_bound: bool },
    NotProven { reason: ProofFailureReason, detail: String },
}
