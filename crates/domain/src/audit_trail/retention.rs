//! How long the trail is kept.

use super::AuditTrail;
use base::{Environment, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, FromRow, sql};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};

/// Records that are deleted in one transaction.
const PURGED_AT_ONCE: i64 = 10_000;

/// Deletes records of the audit trail that are older than they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeAuditTrail {}

impl Job for PurgeAuditTrail {
    const KIND: &'static str = "purge-audit-trail";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl PurgeAuditTrail {
    const INTERVAL: SignedDuration = SignedDuration::from_hours(6);

    /// Deletes what is older than `retention`, batch by batch.
    pub async fn run(
        self,
        db: &Db,
        trail: &AuditTrail,
        env: &dyn Environment,
        retention: SignedDuration,
    ) -> Result<JobOutcome, JobError> {
        let before = env.now() - retention;
        while trail.purge(db, before).await? > 0 {}
        Ok(JobOutcome::Again(env.now() + Self::INTERVAL))
    }
}

#[derive(FromRow)]
struct LastPurged {
    seq: i64,
    hash: String,
}

impl AuditTrail {
    /// Deletes the oldest records, those made before `before`, at most ten thousand; returns how many. The last one's hash
    /// is kept and signed, so that the rest still verifies.
    pub async fn purge(&self, db: &Db, before: Timestamp) -> Result<u64, DbError> {
        let mut tx = db.write().await?;
        let mut chain = self.lock(&mut tx).await?;
        // Up to the first that stays, as clocks of several machines differ.
        let last: Option<LastPurged> = tx
            .fetch_optional(sql!(
                "SELECT seq, hash FROM audit_records
                  WHERE seq <= $1 AND made_at < $2
                    AND seq < COALESCE((SELECT min(seq) FROM audit_records WHERE made_at >= $2), seq + 1)
                  ORDER BY seq DESC LIMIT 1",
                chain.purged_seq + PURGED_AT_ONCE,
                before,
            ))
            .await?;
        let Some(last) = last else { return Ok(0) };
        let count = tx.execute(sql!("DELETE FROM audit_records WHERE seq <= $1", last.seq)).await?;
        chain.purged_seq = last.seq;
        chain.purged_hash = last.hash;
        self.save(&mut tx, &chain).await?;
        tx.audit(AuditEvent::new("audit-trail.purge").detail("records", count).detail("last", last.seq));
        tx.commit().await?;
        Ok(count)
    }
}
