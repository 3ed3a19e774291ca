//! Whether the trail is whole.

use super::{AuditTrail, ChainEnd, ChainRow, chained_hash};
use base::Timestamp;
use db::{DbError, FromRow, ReadTx, sql};
use serde::Deserialize;

/// Records that are read at once.
pub(super) const BATCH_RECORDS: i64 = 1000;

/// What is wrong with the trail.
#[derive(Debug, thiserror::Error)]
pub enum AuditTrailError {
    /// The row with the chain's ends was deleted.
    #[error("the ends of the chain are gone; nothing can be verified")]
    EndsMissing,
    /// The ends were changed, or signed with another master key.
    #[error("the ends of the chain are not signed with this server's master key")]
    Signature,
    /// The ends are as the schema makes them, and this server has signed its beginning when it made its keys.
    #[error(
        "the trail is empty and its beginning is not signed: all records were removed and the ends put back, or the keys were \
         made by an older build that recorded nothing since"
    )]
    Reset,
    /// A record was changed, or the one before it was.
    #[error("record {0} was changed, or another was put in its place")]
    Changed(i64),
    /// The column by which a record is found has another time than the record, whose hash is chained.
    #[error("record {0} is found by another time than the one that it has")]
    OtherTime(i64),
    /// Records were removed, or their numbers changed.
    #[error("record {expected} is missing{}", found.map_or_else(String::new, |seq| format!("; after it comes {seq}")))]
    Missing {
        expected: i64,
        /// The next record that there is.
        found: Option<i64>,
    },
    /// There is a record after the end.
    #[error("record {0} comes after the signed end of the chain")]
    BeyondEnd(i64),
    /// The record that a kept end names has another hash now.
    #[error("record {seq} is not the one that was the end of the chain when its hash was kept")]
    OtherEnd { seq: i64 },
    /// The chain ends before a kept end: records were cut off, or an older database was restored.
    #[error("the chain ends at record {last}, and once it ended at record {kept}: records were cut off")]
    CutOff { kept: i64, last: i64 },
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// A record as its row has it.
#[derive(FromRow)]
pub(super) struct StoredRecord {
    pub(super) seq: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    made_at: Timestamp,
    record: String,
    hash: String,
}

/// The next records after a number.
pub(super) async fn records_after(view: &mut ReadTx, seq: i64) -> Result<Vec<StoredRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT seq, made_at, record, hash FROM audit_records WHERE seq > $1 ORDER BY seq LIMIT $2",
        seq,
        BATCH_RECORDS,
    ))
    .await
}

/// The moment of a record, which its hash is over; `None` if it is no record any more.
fn recorded_moment(record: &str) -> Option<Timestamp> {
    #[derive(Deserialize)]
    struct RecordedMoment {
        at: Timestamp,
    }
    serde_json::from_str::<RecordedMoment>(record).ok().map(|moment| moment.at)
}

/// A place in the chain, up to which every record is as it was written.
pub(super) struct ChainWalk {
    pub(super) seq: i64,
    pub(super) hash: String,
}

impl ChainWalk {
    /// Checks that a record is the next one, and goes on to it. Returns when it was made.
    pub(super) fn step(&mut self, next: &StoredRecord) -> Result<Timestamp, AuditTrailError> {
        let expected = self.seq + 1;
        if next.seq != expected {
            return Err(AuditTrailError::Missing { expected, found: Some(next.seq) });
        }
        let hash = chained_hash(&self.hash, &next.record);
        if hash != next.hash {
            return Err(AuditTrailError::Changed(next.seq));
        }
        let made_at = recorded_moment(&next.record).ok_or(AuditTrailError::Changed(next.seq))?;
        if made_at != next.made_at {
            return Err(AuditTrailError::OtherTime(next.seq));
        }
        (self.seq, self.hash) = (next.seq, hash);
        Ok(made_at)
    }
}

impl AuditTrail {
    /// The ends of the chain, with a valid signature.
    pub(super) async fn checked_chain(&self, view: &mut ReadTx) -> Result<ChainRow, AuditTrailError> {
        let found: Option<ChainRow> = view
            .fetch_optional(sql!(
                "SELECT last_seq, last_hash, purged_seq, purged_hash, signature FROM audit_chain WHERE id = 1"
            ))
            .await?;
        let chain = found.ok_or(AuditTrailError::EndsMissing)?;
        if self.is_trusted(&chain) {
            return Ok(chain);
        }
        Err(if chain.is_unsigned_beginning() { AuditTrailError::Reset } else { AuditTrailError::Signature })
    }

    /// Verifies every record and both ends, and that the chain still contains `kept`, an end that was kept elsewhere.
    /// Returns how many records there are.
    ///
    /// The ends and the records must be of one state ([`db::Db::read_snapshot`]), unless `view` holds the lock of the chain:
    /// what is recorded meanwhile would be taken for records after the end.
    pub async fn verify(&self, view: &mut ReadTx, kept: Option<&ChainEnd>) -> Result<u64, AuditTrailError> {
        let chain = self.checked_chain(view).await?;
        if let Some(kept) = kept.filter(|kept| kept.seq > chain.last_seq) {
            return Err(AuditTrailError::CutOff { kept: kept.seq, last: chain.last_seq });
        }
        let is_another = |seq: i64, hash: &str| kept.is_some_and(|kept| kept.seq == seq && kept.hash != hash);
        let mut walk = ChainWalk { seq: chain.purged_seq, hash: chain.purged_hash };
        if is_another(walk.seq, &walk.hash) {
            return Err(AuditTrailError::OtherEnd { seq: walk.seq });
        }
        let mut count = 0;
        // From the first there is, so that one that was left before the signed beginning is found.
        let mut after = i64::MIN;
        loop {
            let records = records_after(view, after).await?;
            let Some(last) = records.last() else { break };
            after = last.seq;
            for record in &records {
                if record.seq > chain.last_seq {
                    return Err(AuditTrailError::BeyondEnd(record.seq));
                }
                walk.step(record)?;
                if is_another(walk.seq, &walk.hash) {
                    return Err(AuditTrailError::OtherEnd { seq: walk.seq });
                }
                count += 1;
            }
        }
        if walk.seq != chain.last_seq {
            return Err(AuditTrailError::Missing { expected: walk.seq + 1, found: None });
        }
        if walk.hash != chain.last_hash {
            return Err(AuditTrailError::Changed(walk.seq));
        }
        Ok(count)
    }
}
