//! Recurring jobs: maintenance.

use crate::{
    age_verification::ExpireAgeSessions,
    audit_trail::PurgeAuditTrail,
    content_moderation::{SweepContentUploads, SweepFindingPictures, SweepModerations},
    data_keys,
    document_verification::SweepDocumentSessions,
    erasure_keys::CleanFiles,
    faces::SweepFaces,
    proof_of_age::{RefreshTrust, SweepProofs},
    retention::PurgeExpired,
    sealed_texts::SealTexts,
    tenancy::nonces,
};
use base::{Environment, SignedDuration};
use db::{Db, DbError};
use jobs::{Job, JobError, JobOutcome, Lane, NewJob, RetryPolicy, enqueue};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Deletes nonces whose requests the clock check would refuse anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeNonces {}

impl Job for PurgeNonces {
    const KIND: &'static str = "purge-nonces";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl PurgeNonces {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(1);

    /// Deletes what has expired, batch by batch.
    pub async fn run(self, db: &Db, env: &Arc<dyn Environment>) -> Result<JobOutcome, JobError> {
        while nonces::purge(db, env).await? > 0 {}
        Ok(JobOutcome::Again(env.now() + Self::INTERVAL))
    }
}

/// Queues the recurring jobs that are not queued yet, and those again that an earlier build gave up. Every process calls this
/// when it starts.
pub async fn schedule_recurring_jobs(db: &Db, env: &dyn Environment) -> Result<(), DbError> {
    let mut tx = db.write().await?;
    enqueue(&mut tx, NewJob::new(env, &PurgeNonces {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &PurgeExpired {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &CleanFiles {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &SealTexts {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &SweepFaces {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &SweepModerations {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &SweepContentUploads {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &SweepFindingPictures {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &SweepDocumentSessions {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &ExpireAgeSessions {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &RefreshTrust {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &SweepProofs {}).recurring()).await?;
    enqueue(&mut tx, NewJob::new(env, &PurgeAuditTrail {}).recurring()).await?;
    data_keys::rotation::schedule_retirement(&mut tx, env).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use db::{sql, testing::TestDb};

    #[tokio::test]
    async fn recurring_jobs_are_queued_once_however_many_processes_start() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        schedule_recurring_jobs(&test.db, &env).await.unwrap();
        schedule_recurring_jobs(&test.db, &env).await.unwrap();
        let mut view = test.db.read().await.unwrap();
        assert_eq!(view.count(sql!("SELECT count(*) FROM jobs")).await.unwrap(), 13);
    }

    #[tokio::test]
    async fn recurring_jobs_that_were_parked_come_back() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        schedule_recurring_jobs(&test.db, &env).await.unwrap();
        let mut tx = test.db.write().await.unwrap();
        tx.execute(sql!("UPDATE jobs SET state = 'PARKED', attempts = 11")).await.unwrap();
        tx.commit().await.unwrap();
        schedule_recurring_jobs(&test.db, &env).await.unwrap();
        let mut view = test.db.read().await.unwrap();
        let waiting = sql!("SELECT count(*) FROM jobs WHERE state = 'WAITING' AND attempts = 0");
        assert_eq!(view.count(waiting).await.unwrap(), 13);
    }

    #[tokio::test]
    async fn nonces_are_purged_again_in_a_minute() {
        let test = TestDb::open().await;
        let env: Arc<dyn Environment> = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let outcome = PurgeNonces {}.run(&test.db, &env).await.unwrap();
        assert_eq!(outcome, JobOutcome::Again("2026-01-16T14:41:00Z".parse().unwrap()));
    }

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        assert_eq!(serde_json::from_str::<PurgeNonces>("{}").unwrap(), PurgeNonces {});
    }
}
