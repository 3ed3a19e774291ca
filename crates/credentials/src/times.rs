//! When a proof holds.

use crate::proof::{Failed, Reason, SCAN_AGE, Terms};
use base::{SignedDuration, Timestamp};

/// The moments of a token, in seconds of the Unix epoch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    pub iat: Option<i64>,
    pub nbf: Option<i64>,
    pub exp: Option<i64>,
}

impl Times {
    /// Whether the scan lies within the token's life: not before `iat` and `nbf`, not after `exp`.
    pub(crate) fn hold(&self, terms: &Terms) -> Result<(), Failed> {
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
    pub(crate) fn fresh(&self, terms: &Terms, window: SignedDuration) -> Result<Timestamp, Failed> {
        let iat = self.iat.ok_or_else(|| {
            Failed::new(Reason::UnsupportedPayload, "the proof does not say when it was made")
        })?;
        let last = later(later(moment(iat)?, window), terms.skew);
        if last < terms.scanned_at {
            return Err(expired("the proof was made too long before it was scanned"));
        }
        let last = match self.exp {
            Some(exp) => last.min(later(moment(exp)?, terms.skew)),
            None => last,
        };
        Ok(later(last, SCAN_AGE))
    }

    /// Until when a proof that is accepted all its life could be shown again; such a proof must end.
    pub(crate) fn end(&self, terms: &Terms) -> Result<Timestamp, Failed> {
        let exp =
            self.exp.ok_or_else(|| Failed::new(Reason::UnsupportedPayload, "the proof never expires"))?;
        Ok(later(later(moment(exp)?, terms.skew), SCAN_AGE))
    }
}

fn later(moment: Timestamp, by: SignedDuration) -> Timestamp {
    moment.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn moment(seconds: i64) -> Result<Timestamp, Failed> {
    Timestamp::from_second(seconds)
        .map_err(|_| Failed::new(Reason::UnsupportedPayload, "the proof names a moment outside the calendar"))
}

fn expired(detail: &str) -> Failed {
    Failed::new(Reason::PresentationExpired, detail)
}
