//! How long the trail is kept.

use super::{
    AuditTrail, AuditTrailError,
    verification::{ChainWalk, records_after},
};
use base::{Environment, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, ReadTx, sql};
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

impl AuditTrail {
    /// Deletes the oldest records, those made before `before`, at most ten thousand; returns how many. The last one's hash
    /// is kept and signed, so that the rest still verifies.
    ///
    /// How old a record is says the record itself, and only what is chained to the signed beginning is deleted: somebody who
    /// can write to the database cannot have records deleted by making them look old. Where the trail is not whole so far,
    /// nothing is deleted: it may be needed to find out what was changed.
    pub async fn purge(&self, db: &Db, before: Timestamp) -> Result<u64, DbError> {
        // Checked before other writers have to wait. In one state: what is recorded meanwhile comes after the end that was read.
        let found = self.find_purgeable(&mut db.read_snapshot().await?, before).await;
        let (first, last) = match found {
            Ok(Some(purgeable)) => purgeable,
            Ok(None) => return Ok(0),
            Err(AuditTrailError::Db(error)) => return Err(error),
            Err(error) => {
                log_refused_purge(&error);
                return Ok(0);
            }
        };
        let mut tx = db.write().await?;
        let mut chain = self.lock(&mut tx).await?;
        if !self.is_trusted(&chain) {
            log_refused_purge(&AuditTrailError::Signature);
            return Ok(0);
        }
        let found =
            sql!("SELECT count(*) FROM audit_records WHERE seq = $1 AND hash = $2", last.seq, &*last.hash);
        if chain.purged_seq + 1 != first || tx.count(found).await? != 1 {
            // Another process has deleted them meanwhile, or begun another trail.
            return Ok(0);
        }
        let count = tx
            .execute(sql!("DELETE FROM audit_records WHERE seq >= $1 AND seq <= $2", first, last.seq))
            .await?;
        if i64::try_from(count) != Ok(last.seq - chain.purged_seq) {
            log_refused_purge(&AuditTrailError::Missing { expected: first, found: None });
            return Ok(0);
        }
        chain.purged_seq = last.seq;
        chain.purged_hash = last.hash;
        chain.sign(&self.signer);
        self.save(&mut tx, &chain).await?;
        tx.audit(
            AuditEvent::new("audit-trail.purge").detail("records", count).detail("last", chain.purged_seq),
        );
        tx.commit().await?;
        Ok(count)
    }

    /// The number of the oldest record, and the last one of those that are to be deleted; `None` if none is.
    async fn find_purgeable(
        &self,
        view: &mut ReadTx,
        before: Timestamp,
    ) -> Result<Option<(i64, ChainWalk)>, AuditTrailError> {
        let chain = self.checked_chain(view).await?;
        let first = chain.purged_seq + 1;
        let mut last = ChainWalk { seq: chain.purged_seq, hash: chain.purged_hash };
        'records: while last.seq < chain.purged_seq + PURGED_AT_ONCE {
            let records = records_after(view, last.seq).await?;
            if records.is_empty() {
                break;
            }
            for record in &records {
                if record.seq > chain.last_seq {
                    return Err(AuditTrailError::BeyondEnd(record.seq));
                }
                let mut next = ChainWalk { seq: last.seq, hash: last.hash.clone() };
                // Up to the first that stays, as clocks of several machines differ.
                if next.step(record)? >= before {
                    break 'records;
                }
                last = next;
            }
        }
        Ok((last.seq >= first).then_some((first, last)))
    }
}

fn log_refused_purge(error: &AuditTrailError) {
    tracing::error!(
        error = error as &dyn std::error::Error,
        "the audit trail is not whole: no record of it is deleted"
    );
}
