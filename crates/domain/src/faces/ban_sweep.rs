//! The job that looks for somebody who was banned among the faces that were found before. It is queued with the ban, by
//! whatever way that is imposed, and withdrawn when the ban is lifted; content moderation runs it. A moderation that did not
//! see the ban, and writes what it found when the job may be over, queues another one.

use base::{AccountId, Environment, ModerationFindingId, ProfileId, SignedDuration, Timestamp};
use db::{DbError, WriteTx};
use jobs::{Job, Lane, NewJob, RetryPolicy, enqueue, withdraw};
use serde::{Deserialize, Serialize};

/// How long a sweep waits, so that what moderations were about to write when the ban was imposed is there to be seen.
const SWEEP_DELAY: SignedDuration = SignedDuration::from_secs(10);
/// How much later a transaction may be committed than the moment that it records.
const COMMIT_DELAY: SignedDuration = SignedDuration::from_secs(3);

/// Looks for the person of a profile that was banned among the faces that were found before, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepFindingsOfBan {
    pub account: AccountId,
    pub profile: ProfileId,
    /// The last face that was looked at, and when it was seen; none in the beginning.
    #[serde(default)]
    pub after: Option<(Timestamp, ModerationFindingId)>,
    /// How many faces were looked at.
    #[serde(default)]
    pub examined: u64,
}

impl Job for SweepFindingsOfBan {
    const KIND: &'static str = "sweep-findings-of-ban";
    const LANE: Lane = Lane::Heavy;
    const RETRY: RetryPolicy = RetryPolicy::DEFAULT;
}

/// Queues the sweep of a ban, in place of one of an earlier ban.
pub(super) async fn queue(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    account: AccountId,
    profile: ProfileId,
) -> Result<(), DbError> {
    cancel(tx, profile).await?;
    let job = SweepFindingsOfBan { account, profile, after: None, examined: 0 };
    let (key, due_at) = (profile.to_string(), environment.now() + SWEEP_DELAY);
    let job = NewJob::new(environment, &job).of_account(account).unique(&key).due_at(due_at);
    enqueue(tx, job).await.map(drop)
}

/// From when on bans count for a moderation that judged faces at `judged_at` and writes them `now`: it may not have seen them,
/// and their sweeps may not see what it writes. `None` if it writes early enough for the sweeps.
pub(super) fn unseen_since(judged_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let since = judged_at - COMMIT_DELAY;
    (now + COMMIT_DELAY >= since + SWEEP_DELAY).then_some(since)
}

/// Queues another sweep of a ban with what a moderation writes too late for the first. It is not withdrawn, because a run of a
/// moderation locks no job but its own: it ends at once if the ban has been lifted by then.
pub(super) async fn queue_another(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    account: AccountId,
    profile: ProfileId,
) -> Result<(), DbError> {
    let job = SweepFindingsOfBan { account, profile, after: None, examined: 0 };
    enqueue(tx, NewJob::new(environment, &job).of_account(account)).await.map(drop)
}

/// Ends the sweep of a ban, if it goes on.
pub(super) async fn cancel(tx: &mut WriteTx, profile: ProfileId) -> Result<(), DbError> {
    withdraw::<SweepFindingsOfBan>(tx, &profile.to_string()).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Uuid;

    #[test]
    fn what_is_written_before_a_sweep_needs_no_other() {
        let judged_at: Timestamp = "2026-11-26T08:00:10Z".parse().unwrap();
        let since = |seconds| unseen_since(judged_at, judged_at + SignedDuration::from_secs(seconds));
        assert_eq!(since(3), None);
        // A ban of 08:00:07 that was committed three seconds later is swept at 08:00:17, when this may not be committed yet.
        assert_eq!(since(4), Some("2026-11-26T08:00:07Z".parse().unwrap()));
    }

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        let id = Uuid::from_u128(7);
        let text = format!(r#"{{"account":"{id}","profile":"{id}"}}"#);
        let job: SweepFindingsOfBan = serde_json::from_str(&text).unwrap();
        let fresh = SweepFindingsOfBan { account: id.into(), profile: id.into(), after: None, examined: 0 };
        assert_eq!(job, fresh);
        let text = format!(
            r#"{{"account":"{id}","profile":"{id}","after":["2026-11-26T08:00:00.000001Z","{id}"],"examined":200}}"#
        );
        let further: SweepFindingsOfBan = serde_json::from_str(&text).unwrap();
        let at = "2026-11-26T08:00:00.000001Z".parse().unwrap();
        assert_eq!(further, SweepFindingsOfBan { after: Some((at, id.into())), examined: 200, ..fresh });
    }
}
