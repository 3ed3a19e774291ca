//! What became of a proof, as callers see it: in the answer, in the notification and when asked for later.

use crate::words::wire_enum;
use base::{Timestamp, World};
use credentials::proof::{Check, Reason};
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
pub struct Record {
    /// 22 characters of base64url: 16 random bytes.
    pub id: String,
    /// How it stands.
    pub status: ProofStatus,
    /// When that was found.
    pub timestamp: Timestamp,
    /// Who vouches for the holder, as the trust list calls him; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What was proven, with SUCCESS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Proven>,
    /// Why nothing was, with FAILURE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<NotProven>,
}

/// What was proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proven {
    /// The holder is at least this old, years.
    pub age_over: u8,
    /// Whether that suffices for alcohol where this server stands, with this provider.
    pub valid_for_alcohol: bool,
    /// What was checked.
    pub checks: Vec<String>,
}

/// Why nothing was proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotProven {
    /// One of the reasons of the interface.
    pub reason: String,
    /// The same in words, for a developer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Record {
    /// An id for a verification.
    pub(super) fn fresh_id(world: &dyn World) -> String {
        let mut chance = [0; 16];
        world.fill(&mut chance);
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(chance)
    }

    pub(super) fn pending(id: String, timestamp: Timestamp, provider: Option<String>) -> Self {
        Self { id, status: ProofStatus::Pending, timestamp, provider, result: None, failure: None }
    }

    pub(super) fn of(id: String, timestamp: Timestamp, provider: Option<String>, outcome: Outcome) -> Self {
        let (status, result, failure) = match outcome {
            Outcome::Proven { age_over, valid_for_alcohol, checks } => {
                let checks = checks.iter().map(|check| check.as_str().to_owned()).collect();
                (ProofStatus::Success, Some(Proven { age_over, valid_for_alcohol, checks }), None)
            }
            Outcome::NotProven { reason, detail } => {
                let failure = NotProven { reason: reason.as_str().to_owned(), message: Some(detail) };
                (ProofStatus::Failure, None, Some(failure))
            }
        };
        Self { id, status, timestamp, provider, result, failure }
    }
}

/// What a verification came to.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Proven { age_over: u8, valid_for_alcohol: bool, checks: Vec<Check> },
    NotProven { reason: Reason, detail: String },
}
