//! What a job is.

use base::{SignedDuration, Timestamp};
use serde::{Serialize, de::DeserializeOwned};

/// A piece of work, as it is kept. Old payloads must still parse after an update: add members with defaults, and never
/// change what one means. `KIND` never changes either.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its name in the database.
    const KIND: &'static str;
    /// Which workers it waits for.
    const LANE: Lane;
    /// When it is tried again.
    const RETRY: RetryPolicy;
}

/// Lanes have workers of their own, so that a flood in one never holds up another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Short work that somebody waits for: deliveries, notifications, mail.
    Quick,
    /// Long work: video, large searches.
    Heavy,
    /// Work without an end of its own: live video.
    Live,
    /// Housekeeping: expiry, retention, purges.
    Upkeep,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 4] = [Self::Quick, Self::Heavy, Self::Live, Self::Upkeep];

    /// Its name in the database and in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Heavy => "heavy",
            Self::Live => "live",
            Self::Upkeep => "upkeep",
        }
    }
}

/// When a failed job is tried again, and when it is parked for somebody to look at.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// Seconds to wait before each further attempt; after the last the job is parked.
    pub waits: &'static [u32],
    /// The wait is varied by up to this share, up and down, so that what failed together does not come back together.
    pub jitter: f64,
}

impl RetryPolicy {
    /// Six attempts within an hour.
    pub const DEFAULT: Self = Self { waits: &[1, 10, 60, 600, 3000], jitter: 0.2 };
    /// One attempt: whatever fails is parked.
    pub const NEVER: Self = Self { waits: &[], jitter: 0.0 };

    /// The wait after `attempts` attempts; `None` when there were enough. `chance` is 0 to 1.
    pub fn wait(&self, attempts: i64, chance: f64) -> Option<SignedDuration> {
        let index = usize::try_from(attempts.checked_sub(1)?).ok()?;
        let seconds = f64::from(*self.waits.get(index)?);
        let factor = 1.0 + self.jitter * (2.0 * chance.clamp(0.0, 1.0) - 1.0);
        Some(SignedDuration::from_millis((seconds * factor * 1000.0) as i64))
    }

    /// Attempts in all.
    pub fn attempts(&self) -> i64 {
        self.waits.len() as i64 + 1
    }
}

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobOutcome {
    /// The work is done; the row goes, if [`crate::Lease::finish`] has not taken it already.
    Done,
    /// It is to be done again at this moment, with a clean record: the next round of something recurring.
    Again(Timestamp),
}

/// A run that failed.
#[derive(Debug)]
pub struct JobError {
    /// What went wrong, for the operator; never a secret, never anything about a person.
    pub error: String,
    /// When to try again, where the job knows better than its [`RetryPolicy`]; the number of attempts still counts.
    pub not_before: Option<Timestamp>,
    /// No further attempt can help: park it now.
    pub permanent: bool,
}

impl<E: std::error::Error> From<E> for JobError {
    fn from(error: E) -> Self {
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        let text = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
        Self { error: text, not_before: None, permanent: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_follow_the_table_and_end() {
        let retry = RetryPolicy { waits: &[5, 300], jitter: 0.1 };
        assert_eq!(retry.wait(1, 0.5), Some(SignedDuration::from_secs(5)));
        assert_eq!(retry.wait(2, 0.0), Some(SignedDuration::from_secs(270)));
        assert_eq!(retry.wait(2, 1.0), Some(SignedDuration::from_secs(330)));
        assert_eq!(retry.wait(3, 0.5), None);
        assert_eq!(retry.attempts(), 3);
        assert_eq!(RetryPolicy::NEVER.wait(1, 0.5), None);
    }
}
