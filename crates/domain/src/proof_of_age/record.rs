//! What became of a proof, as callers see it: in the answer, in the notification and when asked for later.

use crate::wire_enum::wire_enum;
use base::{Environment, Timestamp};
use credentials::proof::{ProofCheck, ProofFailureReason};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// How a verification stands.
    pub enum ProofStatus {
        /// The proof holds.
        Success => "SUCCESS",
        /// It does not; the reason is told.
        Failure => "FAILURE",
        /// The issuer is being asked.
        Pending => "PENDING",
    }
}

/// A verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofRecord {
    /// 22 characters of base64url: 16 random bytes.
    pub id: String,
    /// How it stands.
    pub status: ProofStatus,
    /// When that was found.
    pub timestamp: Timestamp,
    /// Who vouches for the holder, as the trust list calls them; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What was proven, with SUCCESS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ProvenAge>,
    /// Why nothing was, with FAILURE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ProofFailureDetail>,
}

/// What was proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenAge {
    /// The holder is at least this old, years.
    pub age_over: u8,
    /// Whether that suffices for alcohol where this server stands, with this provider.
    pub valid_for_alcohol: bool,
    /// What was checked.
    pub checks: Vec<String>,
}

/// Why nothing was proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofFailureDetail {
    /// One of the reasons of the interface.
    pub reason: String,
    /// The same in words, for a developer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ProofRecord {
    /// An id for a verification.
    pub(super) fn random_id(world: &dyn Environment) -> String {
        let mut chance = [0; 16];
        world.fill_random(&mut chance);
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(chance)
    }

    pub(super) fn pending(id: String, timestamp: Timestamp, provider: Option<String>) -> Self {
        Self { id, status: ProofStatus::Pending, timestamp, provider, result: None, failure: None }
    }

    pub(super) fn decided(
        id: String,
        timestamp: Timestamp,
        provider: Option<String>,
        outcome: ProofOutcome,
    ) -> Self {
        let (status, result, failure) = match outcome {
            ProofOutcome::Proven { age_over, valid_for_alcohol, checks } => {
                let checks = checks.iter().map(|check| check.as_str().to_owned()).collect();
                (ProofStatus::Success, Some(ProvenAge { age_over, valid_for_alcohol, checks }), None)
            }
            ProofOutcome::NotProven { reason, detail } => {
                let failure =
                    ProofFailureDetail { reason: reason.as_str().to_owned(), message: Some(detail) };
                (ProofStatus::Failure, None, Some(failure))
            }
        };
        Self { id, status, timestamp, provider, result, failure }
    }
}

/// What a verification came to.
#[derive(Clone, Debug)]
pub(super) enum ProofOutcome {
    Proven { age_over: u8, valid_for_alcohol: bool, checks: Vec<ProofCheck> },
    NotProven { reason: ProofFailureReason, detail: String },
}
