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

    /// Counts a try, before it is judged; refuses it if there were too many. Tries that come at the same time wait for each
    /// other here, so that no number of them is judged at once.
    pub async fn count(&self, subject: &AttemptSubject) -> Result<(), AttemptError> {
        let now = self.environment.now();
        // Strangers who are refused must not hold the one writer that SQLite has.
        let mut view = self.db.read().await?;
        let known: Option<FailureRow> = view
            .fetch_optional(sql!(
                "SELECT failures, failed_at FROM sign_in_failures WHERE subject = $1",
                subject.0.clone()
            ))
            .await?;
        drop(view);
        refuse_while_waiting(known.as_ref(), now)?;
        let mut tx = self.db.write_with_durability(Durability::Process).await?;
        // Changes nothing, and keeps the row as it is until the transaction ends.
        let known: Option<FailureRow> = tx
            .fetch_optional(sql!(
                "UPDATE sign_in_failures SET failures = failures WHERE subject = $1 RETURNING failures, failed_at",
                subject.0.clone()
            ))
            .await?;
        refuse_while_waiting(known.as_ref(), now)?;
        let counted: Option<FailureRow> = tx
            .fetch_optional(sql!(
                "INSERT INTO sign_in_failures (subject, failures, failed_at) VALUES ($1, 1, $2)
                 ON CONFLICT (subject) DO UPDATE SET failures = sign_in_failures.failures + 1, failed_at = excluded.failed_at
                 RETURNING failures, failed_at",
                subject.0.clone(),
                now,
            ))
            .await?;
        tx.commit().await?;
        // Where there was no row to keep, others may have made one meanwhile.
        let others = counted.map_or(0, |row| row.failures - 1);
        if known.is_none() && others >= FREE_ATTEMPTS {
            return Err(AttemptError::TooMany { failures: others, wait: wait_after(others).unsigned_abs() });
        }
        Ok(())
    }

    /// Forgets the wrong tries, because one was right.
    pub async fn clear(&self, tx: &mut WriteTx, subject: &AttemptSubject) -> Result<(), DbError> {
        tx.execute(sql!("DELETE FROM sign_in_failures WHERE subject = $1", subject.0.clone())).await.map(drop)
    }
}

/// Refuses a try until the wait after the last wrong one is over.
fn refuse_while_waiting(known: Option<&FailureRow>, now: Timestamp) -> Result<(), AttemptError> {
    let Some(FailureRow { failures, failed_at }) = known else { return Ok(()) };
    let until = *failed_at + wait_after(*failures);
    if until > now {
        let wait = until.duration_since(now).unsigned_abs();
        return Err(AttemptError::TooMany { failures: *failures, wait });
    }
    Ok(())
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
