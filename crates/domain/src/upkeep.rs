//! Housekeeping: what recurs, as jobs.

use crate::{
    accounts::doors,
    ages, delivery,
    faces::SweepFaces,
    idempotency,
    identity::SweepSessions,
    moderation,
    proof::{self, RefreshTrust},
    tenancy::{nonces, tokens},
};
use base::{SignedDuration, World};
use db::{Db, DbError};
use jobs::{Failure, Job, Lane, Outcome, Retry, enqueue_unique};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Housekeeping is never given up: a database that was away for a night comes back, and so does this.
const PATIENT: Retry = Retry { waits: &[10, 60, 600, 3600, 3600, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };

/// Forgets nonces that no clock check would let pass any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeNonces {}

impl Job for PurgeNonces {
    const KIND: &'static str = "purge-nonces";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: Retry = PATIENT;
}

impl PurgeNonces {
    const EVERY: SignedDuration = SignedDuration::from_mins(1);

    /// Forgets what is too old, in several rounds where there is much.
    pub async fn run(self, db: &Db, world: &Arc<dyn World>) -> Result<Outcome, Failure> {
        while nonces::purge(db, world).await? > 0 {}
        Ok(Outcome::Again(world.now() + Self::EVERY))
    }
}

/// Forgets what has expired: tokens, assertions, answers, deliveries, proofs, invitations, sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeExpired {}

impl Job for PurgeExpired {
    const KIND: &'static str = "purge-expired";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: Retry = PATIENT;
}

impl PurgeExpired {
    const EVERY: SignedDuration = SignedDuration::from_mins(5);

    /// Forgets what is too old, in several rounds where there is much.
    pub async fn run(
        self,
        db: &Db,
        world: &dyn World,
        keep_deliveries: SignedDuration,
    ) -> Result<Outcome, Failure> {
        while tokens::purge(db, world).await? > 0 {}
        while idempotency::purge(db, world).await? > 0 {}
        while delivery::purge(db, world, keep_deliveries).await? > 0 {}
        while proof::purge(db, world).await? > 0 {}
        while ages::purge(db, world.now()).await? > 0 {}
        while doors::purge(db, world).await? > 0 {}
        moderation::bury(db, world).await?;
        Ok(Outcome::Again(world.now() + Self::EVERY))
    }
}

/// Queues what recurs and is not queued yet; every process does so when it starts.
pub async fn schedule(db: &Db, world: &dyn World) -> Result<(), DbError> {
    let mut tx = db.write().await?;
    enqueue_unique(&mut tx, world, &PurgeNonces {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &PurgeExpired {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &SweepFaces {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &SweepSessions {}, "recurring", world.now()).await?;
    enqueue_unique(&mut tx, world, &RefreshTrust {}, "recurring", world.now()).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::StillWorld;
    use db::{sql, testing::TestDb};

    #[tokio::test]
    async fn what_recurs_is_queued_once_however_many_processes_start() {
        let test = TestDb::open().await;
        let world = StillWorld::at("2026-01-16T14:40:00Z");
        schedule(&test.db, &world).await.unwrap();
        schedule(&test.db, &world).await.unwrap();
        let mut view = test.db.read().await.unwrap();
        assert_eq!(view.count(sql!("SELECT count(*) FROM jobs")).await.unwrap(), 5);
    }

    #[tokio::test]
    async fn purging_comes_again_in_a_minute() {
        let test = TestDb::open().await;
        let world: Arc<dyn World> = Arc::new(StillWorld::at("2026-01-16T14:40:00Z"));
        let ended = PurgeNonces {}.run(&test.db, &world).await.unwrap();
        assert_eq!(ended, Outcome::Again("2026-01-16T14:41:00Z".parse().unwrap()));
    }

    /// A row that an older build queued must still be understood.
    #[test]
    fn old_payloads_still_parse() {
        assert_eq!(serde_json::from_str::<PurgeNonces>("{}").unwrap(), PurgeNonces {});
        assert_eq!(serde_json::from_str::<PurgeExpired>("{}").unwrap(), PurgeExpired {});
    }
}
