//! How a trail begins: with the keys of the database, and anew where it is not whole any more.

use super::{
    AuditTrail, AuditTrailError, ChainEnd, ChainRow, ExportedRecord, NO_HASH, derive_signer,
    verification::BATCH_RECORDS,
};
use crate::keyring::Keyring;
use aws_lc_rs::digest;
use db::{AuditEvent, DbError, ReadTx, WriteTx, sql};
use std::io;

/// Signs the state before the first record, in the transaction that makes the keys of a database. A trail that is put back
/// into the unsigned state that the schema begins with is told by that. One with records, or that is signed, stays as it is.
pub async fn sign_beginning(tx: &mut WriteTx, keyring: &Keyring) -> Result<(), DbError> {
    let mut chain = ChainRow::before_first();
    chain.sign(&derive_signer(keyring));
    tx.execute(sql!(
        "UPDATE audit_chain SET signature = $1
          WHERE id = 1 AND signature = '' AND last_seq = 0 AND purged_seq = 0 AND last_hash = $2 AND purged_hash = $2",
        chain.signature.as_str(),
        NO_HASH,
    ))
    .await
    .map(drop)
}

/// A trail that another one took the place of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerTrail {
    /// How many records there were.
    pub records: u64,
    /// SHA-256 of their lines, each with its line feed, hexadecimal.
    pub sha256: String,
    /// Its end, as it was found.
    pub end: ChainEnd,
    /// What was wrong with it, in words.
    pub problem: String,
}

/// Why no new trail was begun. The transaction must be dropped.
#[derive(Debug, thiserror::Error)]
pub enum BeginTrailError {
    /// Nothing is wrong with the one that there is.
    #[error(
        "the trail is whole, so it goes on; a new one is begun only in the place of one that does not verify"
    )]
    Whole,
    /// The records of the former trail could not be kept.
    #[error("the records that there are could not be kept, so none was removed")]
    Keep(#[source] io::Error),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl AuditTrail {
    /// Begins a new trail in the place of one that is not whole: its records are removed, once `keep` has got each as a line
    /// of an export with its line feed, and the numbers begin again at 1. The first record says what was there before:
    /// `audit-trail.begin`, with how many records, the SHA-256 of their lines, the former end and what was wrong.
    ///
    /// Other writers wait meanwhile. The caller commits, once what `keep` was given cannot be lost any more.
    pub async fn begin_anew(
        &self,
        tx: &mut WriteTx,
        mut keep: impl FnMut(&str) -> io::Result<()>,
    ) -> Result<FormerTrail, BeginTrailError> {
        let was_missing = insert_missing_chain(tx).await?;
        let former = self.lock(tx).await?;
        let problem = match self.verify(tx, None).await {
            _ if was_missing => AuditTrailError::EndsMissing.to_string(),
            Ok(_) => return Err(BeginTrailError::Whole),
            Err(AuditTrailError::Db(error)) => return Err(error.into()),
            Err(error) => error.to_string(),
        };
        let (mut context, mut records) = (digest::Context::new(&digest::SHA256), 0);
        let mut after = i64::MIN;
        loop {
            let batch = stored_lines(tx, after).await?;
            let Some(last) = batch.last() else { break };
            after = last.seq;
            for record in &batch {
                let line = record.json_line() + "\n";
                context.update(line.as_bytes());
                keep(&line).map_err(BeginTrailError::Keep)?;
                records += 1;
            }
        }
        tx.execute(sql!("DELETE FROM audit_records")).await?;
        let mut chain = ChainRow::before_first();
        chain.sign(&self.signer);
        self.save(tx, &chain).await?;
        let former =
            FormerTrail { records, sha256: hex::encode(context.finish()), end: former.end(), problem };
        tx.audit(
            AuditEvent::new("audit-trail.begin")
                .detail("records", former.records)
                .detail("sha256", former.sha256.as_str())
                .detail("last", former.end.seq)
                .detail("hash", former.end.hash.as_str())
                .detail("problem", former.problem.as_str()),
        );
        Ok(former)
    }
}

/// Writes the row with both ends, unsigned, if it was deleted; returns whether it was.
async fn insert_missing_chain(tx: &mut WriteTx) -> Result<bool, DbError> {
    let ChainRow { last_seq, last_hash, purged_seq, purged_hash, signature } = ChainRow::before_first();
    let rows = tx
        .execute(sql!(
            "INSERT INTO audit_chain (id, last_seq, last_hash, purged_seq, purged_hash, signature)
             VALUES (1, $1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING",
            last_seq,
            last_hash,
            purged_seq,
            purged_hash,
            signature,
        ))
        .await?;
    Ok(rows == 1)
}

/// The next records after a number. By their numbers alone: what somebody wrote into the column of times must hide none.
async fn stored_lines(view: &mut ReadTx, after: i64) -> Result<Vec<ExportedRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT seq, record, hash FROM audit_records WHERE seq > $1 ORDER BY seq LIMIT $2",
        after,
        BATCH_RECORDS,
    ))
    .await
}
