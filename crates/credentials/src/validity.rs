//! When a proof is valid, and when it is fresh.

use crate::error::{ProofFailureReason, ProofVerificationError};
use crate::verification::{MAX_SCAN_AGE, VerificationTerms};
use base::{SignedDuration, Timestamp};

/// The times of a token, in seconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValidityTimes {
    pub iat: Option<i64>,
    pub nbf: Option<i64>,
    pub exp: Option<i64>,
}

impl ValidityTimes {
    /// Checks that the scan lies within the token's validity: not before `iat` and `nbf`, not after `exp`, give or take
    /// the clock skew.
    pub(crate) fn check_valid_at_scan(
        &self,
        terms: &VerificationTerms,
    ) -> Result<(), ProofVerificationError> {
        let scanned = terms.scanned_at;
        for from in [self.iat, self.nbf].into_iter().flatten() {
            if scanned < timestamp(from)?.saturating_sub(terms.skew).unwrap_or(Timestamp::MIN) {
                return Err(expired("the proof is not valid yet"));
            }
        }
        match self.exp {
            Some(exp) if later(timestamp(exp)?, terms.skew) < scanned => {
                Err(expired("the proof has expired"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the scan came at most `window` after the proof was made. Returns until when the proof could be shown
    /// again, that is, how long its replay key must be remembered.
    pub(crate) fn check_freshness(
        &self,
        terms: &VerificationTerms,
        window: SignedDuration,
    ) -> Result<Timestamp, ProofVerificationError> {
        let iat = self.iat.ok_or_else(|| {
            ProofVerificationError::new(
                ProofFailureReason::UnsupportedPayload,
                "the proof does not say when it was made",
            )
        })?;
        let last = later(later(timestamp(iat)?, window), terms.skew);
        if last < terms.scanned_at {
            return Err(expired("the proof was made too long before it was scanned"));
        }
        let last = match self.exp {
            Some(exp) => last.min(later(timestamp(exp)?, terms.skew)),
            None => last,
        };
        Ok(later(last, MAX_SCAN_AGE))
    }

    /// How long the use of a proof that its holder did not sign is remembered: as long as one that they signed could be
    /// shown again. Its holder has no other one, so it must not be used up by its first use.
    pub(crate) fn copy_end(
        &self,
        terms: &VerificationTerms,
        window: SignedDuration,
    ) -> Result<Timestamp, ProofVerificationError> {
        Ok(self
            .replay_end(terms)?
            .min(later(later(later(terms.scanned_at, window), terms.skew), MAX_SCAN_AGE)))
    }

    /// Until when a proof that is accepted until it expires could be shown again. Such a proof must have an `exp`.
    pub(crate) fn replay_end(&self, terms: &VerificationTerms) -> Result<Timestamp, ProofVerificationError> {
        let exp = self.exp.ok_or_else(|| {
            ProofVerificationError::new(ProofFailureReason::UnsupportedPayload, "the proof never expires")
        })?;
        Ok(later(later(timestamp(exp)?, terms.skew), MAX_SCAN_AGE))
    }
}

fn later(moment: Timestamp, by: SignedDuration) -> Timestamp {
    moment.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn timestamp(seconds: i64) -> Result<Timestamp, ProofVerificationError> {
    Timestamp::from_second(seconds).map_err(|_| {
        ProofVerificationError::new(
            ProofFailureReason::UnsupportedPayload,
            "the proof has a time outside the calendar",
        )
    })
}

fn expired(detail: &str) -> ProofVerificationError {
    ProofVerificationError::new(ProofFailureReason::PresentationExpired, detail)
}
