//! What a job is: its kind, its lane, when it is retried, and how a run of it ends.

use base::{
    AccountId, AppId, ContentId, DocumentSessionId, ModerationId, ResourceId, SignedDuration, Timestamp, Uuid,
};
use serde::{Serialize, de::DeserializeOwned};
use tracing::{Span, field::display};

/// The payload of a job, as it is stored in the row. Payloads of older builds must still parse: add members with
/// defaults, and never change what a member means. `KIND` never changes either.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name of this kind of job in the database, in metrics and in the log.
    const KIND: &'static str;
    /// The lane whose workers run it.
    const LANE: Lane;
    /// How often a failed run is repeated, and after what waits.
    const RETRY: RetryPolicy;

    /// The ids that the payload names. They become fields of the span that a run takes place in, so every log line of the
    /// run carries them. Leave out what docs/LOGGING.md forbids, such as the ids of age verification sessions.
    fn ids(&self) -> JobIds<'_> {
        JobIds::default()
    }
}

/// What a job is about, as fields of its span. The account that a job was queued for is recorded without it.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobIds<'a> {
    /// `app.id`
    pub app: Option<AppId>,
    /// `account.id`
    pub account: Option<AccountId>,
    /// `content.id`
    pub content: Option<ContentId>,
    /// `moderation.id`
    pub moderation: Option<ModerationId>,
    /// `session.id`, of a document verification session
    pub session: Option<DocumentSessionId>,
    /// `resource.id`, something an end user supplied in that session
    pub resource: Option<ResourceId>,
    /// `proof.id`, of the verification of a proof of age
    pub proof: Option<&'a str>,
    /// `mail.id`
    pub mail: Option<Uuid>,
}

impl JobIds<'_> {
    /// The span of a run, with the fields that these ids are recorded in.
    pub(crate) fn span(id: Uuid, kind: &str, attempt: i64, account: Option<AccountId>) -> Span {
        // Level ERROR: whatever `log.filter` lets through, its lines say which job they belong to.
        tracing::error_span!(
            "job",
            job.kind = kind,
            job.id = %id,
            job.attempt = attempt,
            job.ended = tracing::field::Empty,
            app.id = tracing::field::Empty,
            account.id = account.map(display),
            content.id = tracing::field::Empty,
            moderation.id = tracing::field::Empty,
            session.id = tracing::field::Empty,
            resource.id = tracing::field::Empty,
            proof.id = tracing::field::Empty,
            mail.id = tracing::field::Empty,
        )
    }

    /// Records the ids on the span of the run that calls this, for what is known only once a row was read. Record each
    /// id once.
    pub fn record(self) {
        let span = Span::current();
        let Self { app, account, content, moderation, session, resource, proof, mail } = self;
        span.record("app.id", app.map(display));
        span.record("account.id", account.map(display));
        span.record("content.id", content.map(display));
        span.record("moderation.id", moderation.map(display));
        span.record("session.id", session.map(display));
        span.record("resource.id", resource.map(display));
        span.record("proof.id", proof);
        span.record("mail.id", mail.map(display));
    }
}

/// Each lane has workers of its own, so that a flood of jobs in one lane never holds up another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Short work that somebody waits for: notifications, mail.
    Quick,
    /// Reading and checking documents while a person waits, in the order in which they came. A crowd of them must not
    /// hold up what is short.
    Documents,
    /// Long work: images and videos, searches through many faces.
    Heavy,
    /// Work that ends only when it is told to: live videos.
    Live,
    /// Housekeeping: expiry, retention, erasure.
    Upkeep,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 5] = [Self::Quick, Self::Documents, Self::Heavy, Self::Live, Self::Upkeep];

    /// The lane of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.as_str() == name)
    }

    /// The lane's name in the database and in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Documents => "documents",
            Self::Heavy => "heavy",
            Self::Live => "live",
            Self::Upkeep => "upkeep",
        }
    }
}

/// When a failed job is retried, and when it becomes a dead letter (`PARKED`), which waits for an operator.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// The wait before each further attempt, seconds. When the attempt after the last wait fails, the job is parked.
    pub waits: &'static [u32],
    /// Each wait is varied by up to this share of itself, up or down (0 to 1), so that jobs that failed together do not
    /// all come back at the same moment.
    pub jitter: f64,
}

impl RetryPolicy {
    /// Six attempts, spread over a little more than an hour.
    pub const DEFAULT: Self = Self { waits: &[1, 10, 60, 600, 3000], jitter: 0.2 };
    /// For recurring jobs, which must not end as dead letters: eleven attempts, so that they outlast a database that is
    /// unavailable for hours. What was queued as [recurring](crate::NewJob::recurring) has no last attempt.
    pub const RECURRING: Self =
        Self { waits: &[10, 60, 600, 3600, 3600, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
    /// One attempt: a job that fails is parked.
    pub const NEVER: Self = Self { waits: &[], jitter: 0.0 };

    /// The wait after so many failed attempts; `None` after the last. `fraction` is a random number from 0 to 1.
    pub fn wait(&self, attempts: i64, fraction: f64) -> Option<SignedDuration> {
        let index = usize::try_from(attempts.checked_sub(1)?).ok()?;
        let seconds = f64::from(*self.waits.get(index)?);
        let factor = 1.0 + self.jitter * (2.0 * fraction.clamp(0.0, 1.0) - 1.0);
        Some(SignedDuration::from_millis((seconds * factor * 1000.0) as i64))
    }

    /// The wait after so many failed attempts of a job that must never end: the last wait is repeated for ever.
    pub(crate) fn endless_wait(&self, attempts: i64, fraction: f64) -> SignedDuration {
        let last = self.waits.len() as i64;
        self.wait(attempts.min(last), fraction).unwrap_or(SignedDuration::from_hours(1))
    }

    /// How many attempts a job gets in all.
    pub fn attempts(&self) -> i64 {
        self.waits.len() as i64 + 1
    }
}

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobOutcome {
    /// The work is done. The row is deleted, unless [`crate::Lease::finish`] has deleted it already.
    Done,
    /// The job runs again at this moment, with its attempts counted from zero: the next round of something that recurs,
    /// or the rest of something that got further.
    Again(Timestamp),
}

/// A run that failed.
#[derive(Debug)]
pub struct JobError {
    /// What went wrong, for the operator. It is stored in the row: no secret, and nothing about a person.
    pub error: String,
    /// The earliest moment of the next attempt, if the job knows better than its [`RetryPolicy`]. The attempt counts.
    pub not_before: Option<Timestamp>,
    /// Whether no further attempt can help; the job is then parked at once.
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

    #[test]
    fn the_last_wait_is_repeated_for_what_must_never_end() {
        let retry = RetryPolicy { waits: &[5, 300], jitter: 0.1 };
        assert_eq!(retry.endless_wait(1, 0.5), SignedDuration::from_secs(5));
        for attempts in [2, 3, 1000, i64::MAX] {
            assert_eq!(retry.endless_wait(attempts, 0.5), SignedDuration::from_secs(300), "{attempts}");
        }
        assert_eq!(RetryPolicy::NEVER.endless_wait(1, 0.5), SignedDuration::from_hours(1));
    }
}
