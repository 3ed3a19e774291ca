//! The replay store: nonces that were used. Many requests share one write, so a nonce costs no disk flush of its own.
//! The process may die at any moment without allowing a replay, because the operating system has the write before the
//! request goes on.

use base::{AppId, Environment, Timestamp, Uuid};
use db::{Db, DbError, Durability, FromRow, sql};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

/// How long nonces are kept of applications whose timestamps are not wall clock time.
pub const UNCLOCKED_NONCE_RETENTION_DAYS: i64 = 400;

/// Nonces that share a write, at most.
const MAX_NONCES_PER_WRITE: usize = 256;
/// Requests that may wait for a write; further ones are refused with [`NonceStoreError`].
const MAX_PENDING_NONCES: usize = 4096;
/// What was written reaches the disk within this time. Nonces of the last second may be lost in a power cut.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// The replay store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct NonceStore(mpsc::Sender<NonceUse>);

#[derive(Debug)]
struct NonceUse {
    app: AppId,
    nonce: Uuid,
    until: Timestamp,
    reply: oneshot::Sender<Result<bool, NonceStoreError>>,
}

/// The store cannot say whether a nonce was used, so the request must be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the replay store does not answer")]
pub struct NonceStoreError;

impl NonceStore {
    /// Starts the writer task; it ends when the last clone is dropped.
    pub fn start(db: Db) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_PENDING_NONCES);
        tokio::spawn(run_writer(db, receiver));
        Self(sender)
    }

    /// Whether this is the first use of the nonce by this application, across restarts. It is remembered until `until`.
    pub async fn use_once(&self, app: AppId, nonce: Uuid, until: Timestamp) -> Result<bool, NonceStoreError> {
        let (reply, replied) = oneshot::channel();
        self.0.try_send(NonceUse { app, nonce, until, reply }).map_err(|_| NonceStoreError)?;
        replied.await.map_err(|_| NonceStoreError)?
    }
}

async fn run_writer(db: Db, mut uses: mpsc::Receiver<NonceUse>) {
    let mut group = Vec::with_capacity(MAX_NONCES_PER_WRITE);
    let mut unflushed: Option<Instant> = None;
    loop {
        let due = async {
            match unflushed {
                Some(since) => tokio::time::sleep_until(since + FLUSH_INTERVAL).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = due => {
                unflushed = None;
                if let Err(error) = db.flush().await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "used nonces are not on the disk yet");
                }
            }
            taken = uses.recv_many(&mut group, MAX_NONCES_PER_WRITE) => {
                if taken == 0 {
                    break;
                }
                let outcome = insert(&db, &group).await;
                unflushed = unflushed.or_else(|| Some(Instant::now()));
                send_replies(group.drain(..), outcome);
            }
        }
    }
}

fn send_replies(group: impl Iterator<Item = NonceUse>, outcome: Result<HashSet<(AppId, Uuid)>, DbError>) {
    match outcome {
        Ok(mut fresh) => {
            for used in group {
                // Of two equal nonces in a group the first removes the entry, and the second finds none.
                let first = fresh.remove(&(used.app, used.nonce));
                let _caller_gone = used.reply.send(Ok(first));
            }
        }
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "nonces cannot be recorded");
            for used in group {
                let _caller_gone = used.reply.send(Err(NonceStoreError));
            }
        }
    }
}

#[derive(FromRow)]
struct InsertedNonce {
    app_id: AppId,
    nonce: Uuid,
}

/// Inserts a group. Returns those that were not stored before.
async fn insert(db: &Db, group: &[NonceUse]) -> Result<HashSet<(AppId, Uuid)>, DbError> {
    let rows: serde_json::Value = group
        .iter()
        .map(|used| {
            let NonceUse { app, nonce, until, .. } = used;
            serde_json::json!([
                Uuid::from(*app).simple().to_string(),
                nonce.simple().to_string(),
                until.as_microsecond()
            ])
        })
        .collect();
    // On PostgreSQL a nonce that another process is inserting is waited for. In order, so that no two wait for each other.
    let inserted = db.write_once(
        Durability::Process,
        sql!(
            sqlite: "INSERT INTO used_nonces (app_id, nonce, expires_at)
                     SELECT unhex(value ->> 0), unhex(value ->> 1), value ->> 2 FROM json_each($1) WHERE true
                     ON CONFLICT DO NOTHING RETURNING app_id, nonce",
            postgres: "INSERT INTO used_nonces (app_id, nonce, expires_at)
                       SELECT CAST(value ->> 0 AS UUID), CAST(value ->> 1 AS UUID),
                              to_timestamp(CAST(value ->> 2 AS DOUBLE PRECISION) / 1000000)
                         FROM jsonb_array_elements($1)
                        ORDER BY 1, 2
                       ON CONFLICT DO NOTHING RETURNING app_id, nonce",
            rows,
        ),
    );
    let fresh: Vec<InsertedNonce> = inserted.await?;
    Ok(fresh.into_iter().map(|row| (row.app_id, row.nonce)).collect())
}

/// Deletes nonces whose requests the clock check would refuse anyway; returns how many. At most 20,000 at a time, so
/// that no writer waits long.
pub async fn purge(db: &Db, env: &Arc<dyn Environment>) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM used_nonces WHERE (app_id, nonce) IN
                (SELECT app_id, nonce FROM used_nonces WHERE expires_at < $1 LIMIT 20000)",
            env.now(),
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use db::testing::TestDb;

    #[tokio::test]
    async fn a_nonce_is_used_once_by_each_application_also_after_a_restart() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let until = env.now();
        let (app, other) = (AppId::from(env.uuid_v7()), AppId::from(env.uuid_v7()));
        let nonce = env.uuid_v7();

        let nonces = NonceStore::start(test.db.clone());
        assert_eq!(nonces.use_once(app, nonce, until).await, Ok(true));
        assert_eq!(nonces.use_once(app, nonce, until).await, Ok(false));
        assert_eq!(
            nonces.use_once(other, nonce, until).await,
            Ok(true),
            "another application's nonces are its own"
        );

        let restarted = NonceStore::start(test.db.clone());
        assert_eq!(restarted.use_once(app, nonce, until).await, Ok(false));
    }

    #[tokio::test]
    async fn of_a_hundred_simultaneous_uses_one_is_first() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let (app, nonce, until) = (AppId::from(env.uuid_v7()), env.uuid_v7(), env.now());
        let nonces = NonceStore::start(test.db.clone());
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                let nonces = nonces.clone();
                tokio::spawn(async move { nonces.use_once(app, nonce, until).await })
            })
            .collect();
        let mut first = 0;
        for task in tasks {
            first += usize::from(task.await.unwrap().unwrap());
        }
        assert_eq!(first, 1);
    }

    #[tokio::test]
    async fn processes_that_are_sent_the_same_nonces_do_not_wait_for_each_other() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let (app, until) = (AppId::from(env.uuid_v7()), env.now());
        let uses = |nonce: &Uuid| NonceUse { app, nonce: *nonce, until, reply: oneshot::channel().0 };
        for _ in 0..50 {
            let nonces: Vec<_> = (0..200).map(|_| env.uuid_v4()).collect();
            let group: Vec<_> = nonces.iter().map(uses).collect();
            let reversed: Vec<_> = nonces.iter().rev().map(uses).collect();
            let (one, other) = tokio::join!(insert(&test.db, &group), insert(&test.db, &reversed));
            let (one, other) = (one.unwrap(), other.unwrap());
            assert!(one.is_disjoint(&other), "a nonce is fresh once");
            assert_eq!(one.len() + other.len(), nonces.len());
        }
    }

    #[tokio::test]
    async fn only_expired_nonces_are_deleted() {
        let test = TestDb::open().await;
        let test_env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let env: Arc<dyn Environment> = test_env.clone();
        let (app, nonce) = (AppId::from(env.uuid_v7()), env.uuid_v7());
        let nonces = NonceStore::start(test.db.clone());
        let minutes = base::SignedDuration::from_mins;
        nonces.use_once(app, nonce, env.now() + minutes(10)).await.unwrap();
        assert_eq!(purge(&test.db, &env).await.unwrap(), 0);
        test_env.advance(minutes(11));
        assert_eq!(purge(&test.db, &env).await.unwrap(), 1);
        assert_eq!(nonces.use_once(app, nonce, env.now()).await, Ok(true));
    }
}
