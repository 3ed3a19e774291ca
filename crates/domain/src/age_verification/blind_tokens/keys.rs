//! The keys of this issuer, one for each age and period, and of them the private halves.
//!
//! A key is generated when it is first needed, stored sealed, and the same on every node: periods begin at fixed times
//! of the clock, and if two nodes generate a key for one period, the first counts. All end users get the same key,
//! because a key of their own would identify them.

use super::{super::AgeSessionError, BlindTokenSettings};
use crate::vault::Vault;
use age_methods::blind_tokens::{IssuerKey, PublishedKey, VerifyingKey};
use base::{Environment, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, Durability, FromRow, sql};
use std::sync::Arc;

/// How long a key signs beyond its period: for those who began within it, and for servers that have not fetched the
/// next key.
const SIGNING_OVERLAP: SignedDuration = SignedDuration::from_hours(2);
/// How long tokens of a key are accepted after its period.
const REDEMPTION_GRACE: SignedDuration = SignedDuration::from_hours(24);
/// Keys that are loaded, of the sandbox or of production.
const MAX_ISSUER_KEYS: usize = 64;
/// Tries to generate a key whose short id no other key has.
const MAX_KEY_GENERATION_ATTEMPTS: usize = 8;

/// Generates, stores and loads the keys of this issuer.
#[derive(Debug)]
pub(in crate::age_verification) struct IssuerKeyStore {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
}

#[derive(FromRow)]
struct IssuerKeyRow {
    years: i64,
    public_key: Vec<u8>,
    #[sqlx(try_from = "db::DbTimestamp")]
    signs_from: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    next_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    ends_at: Timestamp,
}

#[derive(FromRow)]
struct SealedKeyRow {
    id: Vec<u8>,
    sealed: Vec<u8>,
}

/// A key, and when the next one begins to sign.
struct ScheduledIssuerKey {
    key: PublishedKey,
    next_at: Timestamp,
}

impl IssuerKeyStore {
    pub(in crate::age_verification) fn new(db: Db, environment: Arc<dyn Environment>, vault: Vault) -> Self {
        Self { db, environment, vault }
    }

    /// The public halves of the keys whose tokens are accepted; current keys that are missing are generated.
    pub(in crate::age_verification) async fn public_keys(
        &self,
        settings: &BlindTokenSettings,
        sandbox: bool,
    ) -> Result<Vec<PublishedKey>, AgeSessionError> {
        let now = self.environment.now();
        let mut keys = self.load(sandbox).await?;
        let has_current = |keys: &[ScheduledIssuerKey], years| {
            keys.iter().any(|one| one.key.years == years && one.key.from <= now && now < one.next_at)
        };
        let missing: Vec<_> =
            settings.thresholds.iter().copied().filter(|years| !has_current(&keys, *years)).collect();
        if !missing.is_empty() {
            for years in missing {
                self.create(sandbox, years, i64::from(settings.key_days), &keys).await?;
            }
            keys = self.load(sandbox).await?;
        }
        Ok(keys.into_iter().map(|scheduled| scheduled.key).collect())
    }

    async fn load(&self, sandbox: bool) -> Result<Vec<ScheduledIssuerKey>, DbError> {
        let mut db = self.db.read_once().await?;
        let rows: Vec<IssuerKeyRow> = db
            .fetch_all(sql!(
                "SELECT years, public_key, signs_from, next_at, ends_at FROM age_issuer_keys
                  WHERE sandbox = $1 AND ends_at > $2 ORDER BY years, signs_from DESC LIMIT $3",
                sandbox,
                self.environment.now(),
                MAX_ISSUER_KEYS as i64,
            ))
            .await?;
        let scheduled = |row: IssuerKeyRow| {
            let key = PublishedKey {
                key: VerifyingKey::from_spki(&row.public_key)?,
                years: u8::try_from(row.years).ok()?,
                from: row.signs_from,
                until: row.ends_at,
            };
            Some(ScheduledIssuerKey { key, next_at: row.next_at })
        };
        Ok(rows.into_iter().filter_map(scheduled).collect())
    }

    /// Generates and stores the current key for an age, unless another node was faster.
    async fn create(
        &self,
        sandbox: bool,
        years: u8,
        days: i64,
        existing: &[ScheduledIssuerKey],
    ) -> Result<(), AgeSessionError> {
        let now = self.environment.now().as_second();
        let period = days * 24 * 60 * 60;
        let period_start = now - now.rem_euclid(period);
        // If `key_days` was changed, the previous key signs to the end of its own period.
        let of_age = existing.iter().filter(|existing| existing.key.years == years);
        let previous_end = of_age.map(|key| key.next_at.as_second()).filter(|next| *next <= now).max();
        let begin = previous_end.map_or(period_start, |end| end.max(period_start));
        let timestamp = |second| Timestamp::from_second(second).map_err(unusable_key);
        let (from, next) = (timestamp(begin)?, timestamp(period_start + period)?);

        // Requests name a key by one byte, so no two keys may have the same.
        let taken: Vec<u8> = existing.iter().map(|existing| existing.key.key.short_id()).collect();
        let generated = tokio::task::spawn_blocking(move || {
            (0..MAX_KEY_GENERATION_ATTEMPTS)
                .filter_map(|_| IssuerKey::generate())
                .find(|key| !taken.contains(&key.public().short_id()))
        });
        let generated = generated.await.map_err(unusable_key)?;
        let key = generated
            .ok_or_else(|| AgeSessionError::UnusableIssuerKey("none could be generated".to_owned()))?;
        let id = key.public().id().to_vec();
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO age_issuer_keys
                    (id, sandbox, years, public_key, sealed, signs_from, next_at, ends_at, issued)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0) ON CONFLICT DO NOTHING",
            id.clone(),
            sandbox,
            i64::from(years),
            key.public().to_spki().to_vec(),
            self.vault.seal(&*self.environment, &issuer_key_aad(&id), key.to_pkcs8_der().expose()),
            from,
            next,
            next + REDEMPTION_GRACE,
        ))
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Ends the present period of every key, or with `at_once` deletes them and what they signed counts no more. Returns how
    /// many keys. A key whose period began within the last second is left as it is.
    pub(in crate::age_verification) async fn rotate(&self, at_once: bool) -> Result<u64, DbError> {
        let now = self.environment.now();
        let mut tx = self.db.write().await?;
        let keys = if at_once {
            tx.execute(sql!("DELETE FROM age_issuer_keys")).await?
        } else {
            tx.execute(sql!(
                "UPDATE age_issuer_keys SET next_at = $1 WHERE next_at > $1 AND signs_from < $2",
                now,
                now - SignedDuration::from_secs(1),
            ))
            .await?
        };
        let rotated = AuditEvent::new("blind-token-key.rotate").detail("keys", keys.cast_signed());
        tx.audit(rotated.detail("at_once", at_once));
        tx.commit().await?;
        Ok(keys)
    }

    /// The private half of the key for an age that has this short id and signs now.
    pub(super) async fn signing_key(
        &self,
        sandbox: bool,
        years: u8,
        short_id: u8,
    ) -> Result<Option<IssuerKey>, AgeSessionError> {
        let now = self.environment.now();
        let mut db = self.db.read_once().await?;
        let rows: Vec<SealedKeyRow> = db
            .fetch_all(sql!(
                "SELECT id, sealed FROM age_issuer_keys
                  WHERE sandbox = $1 AND years = $2 AND signs_from <= $3 AND next_at > $4
                  ORDER BY signs_from DESC, id LIMIT 4",
                sandbox,
                i64::from(years),
                now,
                now - SIGNING_OVERLAP,
            ))
            .await?;
        let Some(row) = rows.into_iter().find(|row| row.id.last() == Some(&short_id)) else {
            return Ok(None);
        };
        let der = self.vault.open(&issuer_key_aad(&row.id), &row.sealed);
        let der = der.map_err(unusable_key)?;
        let key = IssuerKey::from_pkcs8_der(&der);
        key.map(Some)
            .ok_or_else(|| AgeSessionError::UnusableIssuerKey("the stored key cannot be parsed".to_owned()))
    }
}

/// Deletes keys whose tokens are no longer accepted, and the records of redeemed tokens, at most 1,000 at once. Returns
/// how many rows.
pub(in crate::age_verification) async fn purge_issuer_keys(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let keys = tx.execute(sql!("DELETE FROM age_issuer_keys WHERE ends_at <= $1", now)).await?;
    let tokens = tx
        .execute(sql!(
            "DELETE FROM age_tokens_spent
              WHERE id IN (SELECT id FROM age_tokens_spent WHERE forget_at <= $1 LIMIT 1000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(keys + tokens)
}

fn unusable_key(error: impl std::fmt::Display) -> AgeSessionError {
    AgeSessionError::UnusableIssuerKey(error.to_string())
}

/// What a key is sealed with in addition.
pub(crate) fn issuer_key_aad(id: &[u8]) -> Vec<u8> {
    [b"age issuer key ", id].concat()
}
