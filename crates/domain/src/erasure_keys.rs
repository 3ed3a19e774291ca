//! Keys whose deletion deletes: a document session and each of its traces, an age session, a profile, a moderation, the
//! uploaded file of a content and an entry of a fraud list each have a random key, and what is known of people is sealed
//! with it. Once the key is gone, copies of the sealed data reveal nothing, wherever
//! they are: in the database's files, in its log, in a bucket that keeps versions.
//!
//! All keys lie in one small table, `erasure_keys`, sealed by the server's vault. [`clean_files`] removes from the
//! database's files what was deleted from it.

use crate::vault::Vault;
use base::{
    AgeSessionId, ContentUploadId, DocumentSessionId, DocumentTraceId, Environment, FraudListEntryId,
    ModerationId, ProfileId, Secret, SignedDuration, Uuid,
};
use db::{Db, DbError, FromRow, Query, ReadTx, WriteTx, ids_json, sql};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whose key it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOwner {
    DocumentSession(DocumentSessionId),
    AgeSession(AgeSessionId),
    Profile(ProfileId),
    Moderation(ModerationId),
    ContentUpload(ContentUploadId),
    FraudListEntry(FraudListEntryId),
    DocumentTrace(DocumentTraceId),
}

impl KeyOwner {
    fn id(self) -> Uuid {
        match self {
            Self::DocumentSession(id) => id.into(),
            Self::AgeSession(id) => id.into(),
            Self::Profile(id) => id.into(),
            Self::Moderation(id) => id.into(),
            Self::ContentUpload(id) => id.into(),
            Self::FraudListEntry(id) => id.into(),
            Self::DocumentTrace(id) => id.into(),
        }
    }

    /// What the sealed key is bound to.
    pub(crate) fn aad(self) -> Vec<u8> {
        match self {
            Self::DocumentSession(id) => format!("identity session {id} key"),
            Self::AgeSession(id) => format!("age session {id} key"),
            Self::Profile(id) => format!("profile {id} key"),
            Self::Moderation(id) => format!("moderation {id} key"),
            Self::ContentUpload(id) => format!("content upload {id} key"),
            Self::FraudListEntry(id) => format!("fraud list entry {id} key"),
            Self::DocumentTrace(id) => format!("document trace {id} key"),
        }
        .into_bytes()
    }
}

/// Makes, opens and deletes keys; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct ErasureKeys {
    pub(crate) vault: Vault,
    pub(crate) environment: Arc<dyn Environment>,
}

#[derive(FromRow)]
struct SealedKeyRow {
    sealed: Vec<u8>,
}

impl ErasureKeys {
    /// Makes a key for an owner. One that the owner has already is replaced, and what it sealed is lost.
    pub(crate) async fn create(
        &self,
        tx: &mut WriteTx,
        owner: KeyOwner,
    ) -> Result<Secret<[u8; 32]>, DbError> {
        let (key, written) = self.generate(owner);
        tx.execute(written).await?;
        Ok(key)
    }

    /// [`Self::create`] for a caller that writes more besides: the key, and the statement that writes it.
    pub(crate) fn generate(&self, owner: KeyOwner) -> (Secret<[u8; 32]>, Query) {
        let mut key = [0; 32];
        self.environment.fill_random(&mut key);
        let written = sql!(
            "INSERT INTO erasure_keys (owner_id, sealed) VALUES ($1, $2)
             ON CONFLICT (owner_id) DO UPDATE SET sealed = excluded.sealed",
            owner.id(),
            self.vault.seal(&*self.environment, &owner.aad(), &key),
        );
        (Secret::new(key), written)
    }

    /// Opens a key that was read from its row; `None` if it was sealed under another master key.
    pub(crate) fn open(&self, owner: KeyOwner, sealed: &[u8]) -> Option<Secret<[u8; 32]>> {
        let key = self.vault.open(&owner.aad(), sealed).ok()?;
        Some(Secret::new(<[u8; 32]>::try_from(key).ok()?))
    }

    /// The vault that seals what belongs to an owner, from the key that was read with the owner's row. Owners that are
    /// older than these keys have none: theirs is the server's vault.
    ///
    /// A key that does not open gives a vault with a key that nobody has, so that the caller meets the same error as with a
    /// damaged value, and what is sealed with it is lost rather than readable.
    pub(crate) fn vault_of(&self, owner: KeyOwner, sealed: Option<&[u8]>) -> Vault {
        match sealed {
            None => self.vault.clone(),
            Some(sealed) => Vault::with_key(self.open(owner, sealed).unwrap_or_else(|| {
                let mut nobodys = [0; 32];
                self.environment.fill_random(&mut nobodys);
                Secret::new(nobodys)
            })),
        }
    }

    /// [`Self::vault_of`], reading the key.
    pub(crate) async fn load_vault(&self, view: &mut ReadTx, owner: KeyOwner) -> Result<Vault, DbError> {
        let row: Option<SealedKeyRow> = view
            .fetch_optional(sql!("SELECT sealed FROM erasure_keys WHERE owner_id = $1", owner.id()))
            .await?;
        Ok(self.vault_of(owner, row.as_ref().map(|row| &*row.sealed)))
    }
}

/// Deletes the key of an owner, and with it everything that it sealed.
pub(crate) async fn erase(tx: &mut WriteTx, owner: KeyOwner) -> Result<(), DbError> {
    tx.execute(sql!("DELETE FROM erasure_keys WHERE owner_id = $1", owner.id())).await?;
    record_erasure(tx).await
}

/// Deletes the keys of several owners. The caller records the erasure, as the last of its transaction.
pub(crate) async fn delete_keys(tx: &mut WriteTx, owners: &[Uuid]) -> Result<(), DbError> {
    tx.execute(sql!(
        sqlite: "DELETE FROM erasure_keys WHERE owner_id IN (SELECT unhex(value) FROM json_each($1))",
        postgres: "DELETE FROM erasure_keys
                    WHERE owner_id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($1))",
        ids_json(owners),
    ))
    .await
    .map(drop)
}

/// Records that this transaction deletes what is known of somebody, so that the files of the database are cleaned.
pub(crate) async fn record_erasure(tx: &mut WriteTx) -> Result<(), DbError> {
    tx.execute(sql!("UPDATE erasure_progress SET erased = erased + 1 WHERE id = 1")).await.map(drop)
}

#[derive(FromRow)]
struct ErasureProgressRow {
    erased: i64,
    cleaned: i64,
}

/// Removes from the database's files what was deleted before this call; see [`Db::clean_files`]. Returns false if
/// something that still reads the database prevents it for now.
pub async fn clean_files(db: &Db) -> Result<bool, DbError> {
    let progress: Option<ErasureProgressRow> = db
        .read_once()
        .await?
        .fetch_optional(sql!("SELECT erased, cleaned FROM erasure_progress WHERE id = 1"))
        .await?;
    let Some(ErasureProgressRow { erased, cleaned }) = progress else { return Ok(true) };
    if erased <= cleaned {
        return Ok(true);
    }
    if !db.clean_files("VACUUM (FULL) erasure_keys").await? {
        return Ok(false);
    }
    let mut tx = db.write().await?;
    tx.execute(sql!("UPDATE erasure_progress SET cleaned = $1 WHERE id = 1 AND cleaned < $1", erased))
        .await?;
    tx.commit().await?;
    Ok(true)
}

/// Cleans the database's files after erasures; recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanFiles {}

impl Job for CleanFiles {
    const KIND: &'static str = "clean-files";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl CleanFiles {
    const INTERVAL: SignedDuration = SignedDuration::from_secs(30);

    /// Runs the job.
    pub async fn run(self, db: &Db, env: &dyn Environment) -> Result<JobOutcome, JobError> {
        clean_files(db).await?;
        Ok(JobOutcome::Again(env.now() + Self::INTERVAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyring::Keyring;
    use base::TestEnvironment;
    use db::testing::TestDb;

    fn keys() -> ErasureKeys {
        ErasureKeys {
            vault: Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap()),
            environment: Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z")),
        }
    }

    #[tokio::test]
    async fn what_a_key_sealed_does_not_open_once_the_key_is_gone() {
        let (test, keys) = (TestDb::open().await, keys());
        let owner = KeyOwner::Profile(Uuid::from_u128(7).into());
        let mut tx = test.db.write().await.unwrap();
        let key = keys.create(&mut tx, owner).await.unwrap();
        let sealed = Vault::with_key(key).seal(&*keys.environment, b"x", b"a face");
        assert_eq!(keys.load_vault(&mut tx, owner).await.unwrap().open(b"x", &sealed).unwrap(), b"a face");
        let damaged = keys.vault_of(owner, Some(b"no key"));
        let lost = damaged.seal(&*keys.environment, b"x", b"a face");
        assert!(
            Vault::with_key(Secret::new([0; 32])).open(b"x", &lost).is_err(),
            "nobody's key is no constant"
        );
        assert!(keys.vault_of(owner, Some(b"no key")).open(b"x", &lost).is_err());
        let other = KeyOwner::Moderation(Uuid::from_u128(7).into());
        assert!(
            keys.load_vault(&mut tx, other).await.unwrap().open(b"x", &sealed).is_err(),
            "a key is bound to its owner"
        );
        erase(&mut tx, owner).await.unwrap();
        assert!(keys.load_vault(&mut tx, owner).await.unwrap().open(b"x", &sealed).is_err());
    }

    #[tokio::test]
    async fn files_are_cleaned_once_for_all_erasures_before() {
        let test = TestDb::open().await;
        // On PostgreSQL, tests beside this one may have transactions that are waited for.
        let clean = async || while !clean_files(&test.db).await.unwrap() {};
        clean().await;
        let progress = async || {
            let mut view = test.db.read().await.unwrap();
            let row: ErasureProgressRow = view
                .fetch_optional(sql!("SELECT erased, cleaned FROM erasure_progress WHERE id = 1"))
                .await
                .unwrap()
                .unwrap();
            (row.erased, row.cleaned)
        };
        assert_eq!(progress().await, (1, 1));
        for _ in 0..3 {
            let mut tx = test.db.write().await.unwrap();
            record_erasure(&mut tx).await.unwrap();
            tx.commit().await.unwrap();
        }
        assert_eq!(progress().await, (4, 1));
        clean().await;
        assert_eq!(progress().await, (4, 4));
    }

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        assert_eq!(serde_json::from_str::<CleanFiles>("{}").unwrap(), CleanFiles {});
    }
}
