//! Whether the trail is whole.

use super::{AuditTrail, ChainEnd, ChainRow, chained_hash};
use db::{DbError, FromRow, ReadTx, sql};

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
    /// A record was changed, or the one before it was.
    #[error("record {0} was changed, or another was put in its place")]
    Changed(i64),
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

#[derive(FromRow)]
struct StoredRecord {
    seq: i64,
    record: String,
    hash: String,
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
        let untouched = chain.last_seq == 0 && chain.purged_seq == 0 && chain.signature.is_empty();
        if untouched || self.signature_is_valid(&chain) { Ok(chain) } else { Err(AuditTrailError::Signature) }
    }

    /// Verifies every record and both ends, and that the chain still contains `kept`, an end that was kept elsewhere.
    /// Returns how many records there are.
    pub async fn verify(&self, view: &mut ReadTx, kept: Option<&ChainEnd>) -> Result<u64, AuditTrailError> {
        let chain = self.checked_chain(view).await?;
        if let Some(kept) = kept.filter(|kept| kept.seq > chain.last_seq) {
            return Err(AuditTrailError::CutOff { kept: kept.seq, last: chain.last_seq });
        }
        let is_another = |seq: i64, hash: &str| kept.is_some_and(|kept| kept.seq == seq && kept.hash != hash);
        let (mut seq, mut hash) = (chain.purged_seq, chain.purged_hash.clone());
        if is_another(seq, &hash) {
            return Err(AuditTrailError::OtherEnd { seq });
        }
        let mut count = 0;
        // From the first there is, so that one that was left before the signed beginning is found.
        let mut after = -1;
        loop {
            let records: Vec<StoredRecord> = view
                .fetch_all(sql!(
                    "SELECT seq, record, hash FROM audit_records WHERE seq > $1 ORDER BY seq LIMIT $2",
                    after,
                    BATCH_RECORDS,
                ))
                .await?;
            let Some(last) = records.last().map(|record| record.seq) else { break };
            after = last;
            for record in records {
                if record.seq > chain.last_seq {
                    return Err(AuditTrailError::BeyondEnd(record.seq));
                }
                if record.seq != seq + 1 {
                    return Err(AuditTrailError::Missing { expected: seq + 1, found: Some(record.seq) });
                }
                hash = chained_hash(&hash, &record.record);
                if hash != record.hash {
                    return Err(AuditTrailError::Changed(record.seq));
                }
                if is_another(record.seq, &hash) {
                    return Err(AuditTrailError::OtherEnd { seq: record.seq });
                }
                seq = record.seq;
                count += 1;
            }
        }
        if seq != chain.last_seq {
            return Err(AuditTrailError::Missing { expected: seq + 1, found: None });
        }
        if hash != chain.last_hash {
            return Err(AuditTrailError::Changed(seq));
        }
        Ok(count)
    }
}
