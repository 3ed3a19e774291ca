//! Housekeeping: what recurs, as jobs.

use crate::{
    accounts::sign_in,
    age_verification, content_moderation, delivery,
    document_verification::SweepDocumentSessions,
    faces::SweepFaces,
    idempotency,
    proof_of_age::{self, RefreshTrust},
    tenancy::{nonces, tokens},
};
use base::{Environment, SignedDuration};
use db::{Db, DbError};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy, enqueue_unique};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Housekeeping is never given up: a database that was away for a night comes back, and so does this.
const MAINTENANCE_RETRY: RetryPolicy =
    RetryPolicy { waits: &[10, 60, 600, 3600, 3600, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };

/// Forgets nonces that no clock check would let pass any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeNonces {}

impl Job for PurgeNonces {
    const KIND: &'static str = "purge-nonces";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = MAINTENANCE_RETRY;
}

impl PurgeNonces {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(1);

    /// Forgets what is too old, in several rounds where there is much.
    pub async fn run(self, db: &Db, world: &Arc<dyn Environment>) -> Result<JobOutcome, JobError> {
        while nonces::purge(db, world).await? > 0 {}
        Ok(JobOutcome::Again(world.now() + Self::INTERVAL))
    }
}

/// Forgets what has expired: tokens, assertions, answers, deliveries, proofs, invitations, sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeExpired {}

impl Job for PurgeExpired {
    const KIND: &'static str = "purge-expired";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = MAINTENANCE_RETRY;
}

impl PurgeExpired {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(5);

    /// Forgets what is too old, in several rounds where there is much.
    pub async fn run(
        self,
        db: &Db,
        world: &dyn Environment,
        keep_deliveries: SignedDuration,
    ) -> Result<JobOutcome, JobError> {
        while tokens::purge(db, world).await? > 0 {}
        while idempotency::purge(db, world).await? > 0 {}
        while delivery::purge(db, world, keep_deliveries).await? > 0 {}
        while proof_of_age::purge(db, world).await? > 0 {}
        while age_verification::purge(db, world.now()).await? > 0 {}
        while sign_in::purge_expired(db, world).await? > 0 {}
        content_moderation::fail_dead_lettered(db, world).await?;
        Ok(JobOutcome::Again(world.now() + Self::INTERVAL))
    }
}

/// Queues what recurs and is not queued yet; every process does so when it starts.
pub async fn schedule_recurring_jobs(db: &Db, world: &dyn Environment) -> Result<(), DbError> {
    let mut tx = db.write().await?;
    enqueue_unique(&mut tx, world, &PurgeNonces {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &PurgeExpired {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &SweepFaces {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &SweepDocumentSessions {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &RefreshTrust {}, "recurring", world.now()).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use db::{sql, testing::TestDb};

    #[tokio::test]
    async fn what_recurs_is_queued_once_however_many_processes_start() {
        let test = TestDb::open().await;
        let world = TestEnvironment::at("2026-01-16T14:40:00Z");
        schedule_recurring_jobs(&test.db, &world).await.unwrap();
        schedule_recurring_jobs(&test.db, &world).await.unwrap();
        let mut view = test.db.read().await.unwrap();
        assert_eq!(view.count(sql!("SELECT count(*) FROM jobs")).await.unwrap(), 5);
    }

    #[tokio::test]
    async fn purging_comes_again_in_a_minute() {
        let test = TestDb::open().await;
        let world: Arc<dyn Environment> = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let ended = PurgeNonces {}.run(&test.db, &world).await.unwrap();
        assert_eq!(ended, JobOutcome::Again("2026-01-16T14:41:00Z".parse().unwrap()));
    }

    /// A row that an older build queued must still be understood.
    #[test]
    fn old_payloads_still_parse() {
        assert_eq!(serde_json::from_str::<PurgeNonces>("{}").unwrap(), PurgeNonces {});
        assert_eq!(serde_json::from_str::<PurgeExpired>("{}").unwrap(), PurgeExpired {});
    }
}
