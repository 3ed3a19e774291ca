//! How often somebody may be wrong. A try is counted before it is judged, and what is counted is forgotten with the
//! first right one, so tries that run at the same time count as well. Addresses that nobody has are counted alike.

use crate::vault::Vault;
use base::{Environment, SignedDuration, Timestamp};
use db::{Db, DbError, Durability, FromRow, WriteTx, sql};
use std::{sync::Arc, time::Duration};

/// Tries that need no wait.
const FREE_ATTEMPTS: i64 = 5;
/// The wait after the first try that is too much; it doubles with each further one, up to the longest.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(30);
const LONGEST_WAIT: SignedDuration = SignedDuration::from_mins(15);

/// Counts wrong passwords and codes; cheap to clone.
#[derive(Clone, Debug)]
pub struct AttemptGuard {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
}

/// Why a try is not judged.
#[derive(Debug, thiserror::Error)]
pub enum AttemptError {
    /// There were this many wrong ones in a row.
    #[error("{failures} wrong tries in a row; wait before the next one")]
    TooMany {
        /// How many.
        failures: i64,
        /// Until when nothing is judged.
        wait: Duration,
    },
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Whose tries are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptSubject(Vec<u8>);

#[derive(FromRow)]
struct FailureRow {
    failures: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    failed_at: Timestamp,
}

impl AttemptGuard {
    /// Counts in `db`.
    pub fn new(db: Db, environment: Arc<dyn Environment>, vault: Vault) -> Self {
        Self { db, environment, vault }
    }

    /// What tries of one kind for one name are counted under. The name is not stored.
    pub fn subject(&self, kind: &str, name: &str) -> AttemptSubject {
        let hash = self.vault.keyed_hash(b"wrong tries to sign in", format!("{kind} {name}").as_bytes());
        AttemptSubject(hash.to_vec())
    }

    /// Counts a try, before it is judged; refuses it if there were too many.
    pub async fn count(&self, subject: &AttemptSubject) -> Result<(), AttemptError> {
        let now = self.environment.now();
        let mut view = self.db.read().await?;
        let known: Option<FailureRow> = view
            .fetch_optional(sql!(
                "SELECT failures, failed_at FROM sign_in_failures WHERE subject = $1",
                subject.0.clone()
            ))
            .await?;
        drop(view);
        if let Some(FailureRow { failures, failed_at }) = known {
            let until = failed_at + wait_after(failures);
            if until > now {
                let wait = Duration::try_from(until.duration_since(now)).unwrap_or_default();
                return Err(AttemptError::TooMany { failures, wait });
            }
        }
        let mut tx = self.db.write_with_durability(Durability::Process).await?;
        tx.execute(sql!(
            "INSERT INTO sign_in_failures (subject, failures, failed_at) VALUES ($1, 1, $2)
             ON CONFLICT (subject) DO UPDATE SET failures = sign_in_failures.failures + 1, failed_at = excluded.failed_at",
            subject.0.clone(),
            now,
        ))
        .await?;
        Ok(tx.commit().await?)
    }

    /// Forgets the wrong tries, because one was right.
    pub async fn clear(&self, tx: &mut WriteTx, subject: &AttemptSubject) -> Result<(), DbError> {
        tx.execute(sql!("DELETE FROM sign_in_failures WHERE subject = $1", subject.0.clone())).await.map(drop)
    }
}

/// How long nothing is judged after this many wrong tries.
fn wait_after(failures: i64) -> SignedDuration {
    let doublings = failures - FREE_ATTEMPTS;
    if doublings < 0 {
        return SignedDuration::ZERO;
    }
    let factor = 1_i32 << doublings.min(16);
    LONGEST_WAIT.min(FIRST_WAIT * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_a_quarter_of_an_hour() {
        let waits: Vec<_> = (0..12).map(|failures| wait_after(failures).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900]);
        assert_eq!(wait_after(i64::MAX).as_secs(), 900);
    }
}
