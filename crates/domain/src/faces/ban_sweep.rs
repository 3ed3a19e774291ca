//! The job that looks for somebody who was banned among the faces that were found before. It is queued with the ban, by
//! whatever way that is imposed, and withdrawn when the ban is lifted; content moderation runs it.

use base::{AccountId, Environment, ModerationFindingId, ProfileId, SignedDuration, Timestamp};
use db::{DbError, WriteTx};
use jobs::{Job, Lane, NewJob, RetryPolicy, enqueue, withdraw};
use serde::{Deserialize, Serialize};

/// How long a sweep waits, so that what moderations were about to write when the ban was imposed is there to be seen.
const SWEEP_DELAY: SignedDuration = SignedDuration::from_secs(10);

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

/// Ends the sweep of a ban, if it goes on.
pub(super) async fn cancel(tx: &mut WriteTx, profile: ProfileId) -> Result<(), DbError> {
    withdraw::<SweepFindingsOfBan>(tx, &profile.to_string()).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Uuid;

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
