//! When a proof holds.

use crate::proof::{MAX_SCAN_AGE, ProofFailureReason, ProofVerificationError, VerificationTerms};
use base::{SignedDuration, Timestamp};

/// The moments of a token, in seconds of the Unix epoch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValidityTimes {
    pub iat: Option<i64>,
    pub nbf: Option<i64>,
    pub exp: Option<i64>,
}

impl ValidityTimes {
    /// Whether the scan lies within the token's life: not before `iat` and `nbf`, not after `exp`.
    pub(crate) fn check_valid_at_scan(
        &self,
        terms: &VerificationTerms,
    ) -> Result<(), ProofVerificationError> {
        let scanned = terms.scanned_at;
        for from in [self.iat, self.nbf].into_iter().flatten() {
            if scanned < moment(from)?.saturating_sub(terms.skew).unwrap_or(Timestamp::MIN) {
                return Err(expired("the proof is not valid yet"));
            }
        }
        match self.exp {
            Some(exp) if later(moment(exp)?, terms.skew) < scanned => Err(expired("the proof has expired")),
            _ => Ok(()),
        }
    }

    /// Whether the scan came soon enough after the proof was made. Answers until when the proof could be shown again.
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
        let last = later(later(moment(iat)?, window), terms.skew);
        if last < terms.scanned_at {
            return Err(expired("the proof was made too long before it was scanned"));
        }
        let last = match self.exp {
            Some(exp) => last.min(later(moment(exp)?, terms.skew)),
            None => last,
        };
        Ok(later(last, MAX_SCAN_AGE))
    }

    /// Until when a proof that is accepted all its life could be shown again; such a proof must end.
    pub(crate) fn replay_end(&self, terms: &VerificationTerms) -> Result<Timestamp, ProofVerificationError> {
        let exp = self.exp.ok_or_else(|| {
            ProofVerificationError::new(ProofFailureReason::UnsupportedPayload, "the proof never expires")
        })?;
        Ok(later(later(moment(exp)?, terms.skew), MAX_SCAN_AGE))
    }
}

fn later(moment: Timestamp, by: SignedDuration) -> Timestamp {
    moment.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn moment(seconds: i64) -> Result<Timestamp, ProofVerificationError> {
    Timestamp::from_second(seconds).map_err(|_| {
        ProofVerificationError::new(
            ProofFailureReason::UnsupportedPayload,
            "the proof names a moment outside the calendar",
        )
    })
}

fn expired(detail: &str) -> ProofVerificationError {
    ProofVerificationError::new(ProofFailureReason::PresentationExpired, detail)
}
