//! Which master key each running process would start with now. A former key is retired only when none needs it.

use super::{DataKey, DataKeyState, list};
use crate::master_key::{KeyFingerprint, MasterKeyProvider};
use base::{Environment, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, Durability, FromRow, ReadTx, sql};

/// How often a process looks at its master key.
pub const HOLDER_INTERVAL: SignedDuration = SignedDuration::from_secs(15);
/// How long a process counts as running after it was last seen.
pub const HOLDER_TIMEOUT: SignedDuration = SignedDuration::from_mins(2);
/// How often a process is recorded while nothing changes.
const RECORD_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

/// A process, and the master key that it would start with now.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct MasterKeyHolder {
    /// What it is, where it runs, and its number there.
    pub name: String,
    /// A fingerprint; `None` if it finds no key of this database.
    pub master_key: Option<String>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub seen_at: Timestamp,
}

/// This process, as the others see it.
#[derive(Debug)]
pub struct HolderRecord {
    process: Uuid,
    name: String,
    last: Option<(Option<KeyFingerprint>, Timestamp)>,
}

/// What a process finds at the place of its master key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldKey {
    /// The current key.
    Current(KeyFingerprint),
    /// A former key, which still opens the data.
    Retiring(KeyFingerprint),
    /// No key that opens the data: the process would not start again. Why.
    Unusable(String),
}

impl HolderRecord {
    /// A process of this name.
    pub fn new(environment: &dyn Environment, name: String) -> Self {
        Self { process: environment.uuid_v7(), name, last: None }
    }

    /// Looks at the master key, and records it if that is new or a while ago.
    pub async fn refresh(
        &mut self,
        db: &Db,
        environment: &dyn Environment,
        provider: &dyn MasterKeyProvider,
    ) -> Result<HeldKey, DbError> {
        let stored = list(&mut db.read().await?).await?;
        let held = find_held_key(provider, &stored);
        let fingerprint = match &held {
            HeldKey::Current(key) | HeldKey::Retiring(key) => Some(key.clone()),
            HeldKey::Unusable(_) => None,
        };
        let now = environment.now();
        let is_recorded = self
            .last
            .as_ref()
            .is_some_and(|(last, at)| *last == fingerprint && now.duration_since(*at) < RECORD_INTERVAL);
        if !is_recorded {
            let mut tx = db.write_with_durability(Durability::Process).await?;
            tx.execute(sql!(
                "INSERT INTO master_key_holders (process_id, name, master_key, seen_at) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (process_id) DO UPDATE SET master_key = excluded.master_key, seen_at = excluded.seen_at",
                self.process,
                self.name.clone(),
                fingerprint.as_ref().map(|key| key.as_str().to_owned()),
                now,
            ))
            .await?;
            tx.execute(sql!("DELETE FROM master_key_holders WHERE seen_at < $1", now - HOLDER_TIMEOUT))
                .await?;
            tx.commit().await?;
            self.last = Some((fingerprint, now));
        }
        Ok(held)
    }

    /// Removes this process, which is about to end.
    pub async fn remove(&self, db: &Db) -> Result<(), DbError> {
        let mut tx = db.write_with_durability(Durability::Process).await?;
        tx.execute(sql!("DELETE FROM master_key_holders WHERE process_id = $1", self.process)).await?;
        tx.commit().await
    }
}

fn find_held_key(provider: &dyn MasterKeyProvider, stored: &[DataKey]) -> HeldKey {
    let keys = match provider.load() {
        Ok(keys) => keys,
        Err(error) => return HeldKey::Unusable(error.to_string()),
    };
    match super::match_key(provider, &keys, stored) {
        Ok((_, row)) if row.state == DataKeyState::Current => HeldKey::Current(row.master_key.clone()),
        Ok((_, row)) => HeldKey::Retiring(row.master_key.clone()),
        Err(error) => HeldKey::Unusable(error.to_string()),
    }
}

/// The processes that ran a moment ago.
pub async fn list_holders(
    view: &mut ReadTx,
    environment: &dyn Environment,
) -> Result<Vec<MasterKeyHolder>, DbError> {
    view.fetch_all(sql!(
        "SELECT name, master_key, seen_at FROM master_key_holders WHERE seen_at >= $1
          ORDER BY name, process_id LIMIT 1000",
        environment.now() - HOLDER_TIMEOUT,
    ))
    .await
}
