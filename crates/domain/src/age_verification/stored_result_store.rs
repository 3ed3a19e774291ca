//! How results under passkeys are stored: one sealed row each, found by a hash of the passkey's credential id, which
//! the authenticator gives out only after it has verified its user. A row names neither session nor relying party.

use super::session_config::StoredAgeResult;
use crate::{erasure_keys, vault::Vault};
use age_methods::passkey::StoredPasskey;
use aws_lc_rs::digest;
use base::{Environment, SignedDuration, Timestamp};
use db::{Db, DbError, Durability, FromRow, WriteTx, sql};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Loads, saves and deletes stored results.
#[derive(Debug)]
pub(super) struct StoredResultStore {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
    /// How long a result is kept.
    retention: SignedDuration,
}

/// A result and the passkey that it is stored under. Rows of older builds must stay readable: give new members
/// defaults, and keep the serialised names.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredResultRecord {
    pub(super) key: StoredPasskey,
    #[serde(rename = "held")]
    pub(super) result: StoredAgeResult,
    /// When it was stored.
    pub(super) at: Timestamp,
    /// When the age was proved. Rows of older builds do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) proved_at: Option<Timestamp>,
    pub(super) sandbox: bool,
}

impl StoredResultRecord {
    /// When the age was proved; when the result was stored, if the row does not say.
    pub(super) fn proved_at(&self) -> Timestamp {
        self.proved_at.unwrap_or(self.at)
    }
}

impl StoredResultStore {
    pub(super) fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        vault: Vault,
        retention: SignedDuration,
    ) -> Self {
        Self { db, environment, vault, retention }
    }

    pub(super) fn retention(&self) -> SignedDuration {
        self.retention
    }

    /// The result under a passkey, in the sandbox or in production; none if it is too old.
    pub(super) async fn load(
        &self,
        credential_id: &[u8],
        sandbox: bool,
    ) -> Result<Option<StoredResultRecord>, DbError> {
        #[derive(FromRow)]
        struct StoredResultRow {
            sealed: Vec<u8>,
        }
        let id = hash_credential_id(credential_id);
        let mut db = self.db.read_once().await?;
        let row: Option<StoredResultRow> = db
            .fetch_optional(sql!(
                "SELECT sealed FROM age_tokens WHERE id = $1 AND forget_at > $2",
                id.clone(),
                self.environment.now(),
            ))
            .await?;
        let plain = row.and_then(|row| self.vault.open(&stored_result_aad(&id), &row.sealed).ok());
        let record: Option<StoredResultRecord> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        Ok(record.filter(|record| record.sandbox == sandbox))
    }

    /// Writes a result under a new passkey. Returns `false`, and changes nothing, if there is one under this id already:
    /// whoever registers a passkey chooses its id, so it may be somebody else's. A result whose time is over is replaced.
    pub(super) async fn insert(
        &self,
        tx: &mut WriteTx,
        credential_id: &[u8],
        record: &StoredResultRecord,
    ) -> Result<bool, DbError> {
        let id = hash_credential_id(credential_id);
        let rows = tx
            .execute(sql!(
                "INSERT INTO age_tokens (id, sealed, forget_at) VALUES ($1, $2, $3)
                 ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed, forget_at = excluded.forget_at
                  WHERE age_tokens.forget_at <= $4",
                id.clone(),
                self.seal(&id, record),
                record.at + self.retention,
                self.environment.now(),
            ))
            .await?;
        Ok(rows == 1)
    }

    /// Replaces the result under a passkey that its holder has just used, without extending its time. Nothing happens
    /// if it was deleted meanwhile.
    pub(super) async fn update(
        &self,
        credential_id: &[u8],
        record: &StoredResultRecord,
    ) -> Result<(), DbError> {
        let id = hash_credential_id(credential_id);
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "UPDATE age_tokens SET sealed = $2 WHERE id = $1",
            id.clone(),
            self.seal(&id, record)
        ))
        .await?;
        tx.commit().await
    }

    fn seal(&self, id: &[u8], record: &StoredResultRecord) -> Vec<u8> {
        let plain = serde_json::to_vec(record).expect("a stored result is JSON");
        self.vault.seal(&*self.environment, &stored_result_aad(id), &plain)
    }

    /// Deletes the result under a passkey. Returns whether there was one.
    pub(super) async fn delete(&self, credential_id: &[u8]) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let rows = tx
            .execute(sql!("DELETE FROM age_tokens WHERE id = $1", hash_credential_id(credential_id)))
            .await?;
        if rows > 0 {
            erasure_keys::record_erasure(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(rows > 0)
    }
}

/// Deletes results whose time is over, at most 1,000 at once. Returns how many.
pub(super) async fn purge_stored_results(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM age_tokens WHERE id IN (SELECT id FROM age_tokens WHERE forget_at <= $1 LIMIT 1000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

/// SHA-256 of a credential id: the key of the row.
fn hash_credential_id(credential_id: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, credential_id).as_ref().to_vec()
}

fn stored_result_aad(id: &[u8]) -> Vec<u8> {
    [b"age token ", id].concat()
}
