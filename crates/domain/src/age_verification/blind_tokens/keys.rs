//! Keys that sign blindly, one for each age and time, and the tokens of theirs that were spent.
//!
//! A key is made when it is first needed, kept sealed, and the same on every node: it begins where its time begins, which
//! the clock says, and of two nodes that make one the first counts. Everybody gets the same key, or it would be a name.

use super::super::{AgeSessionError, AgeVerificationService};
use age_methods::blind_tokens::{IssuerKey, PublishedKey, VerifyingKey};
use base::{SignedDuration, Timestamp};
use db::{Db, DbError, Durability, FromRow, WriteTx, sql};

/// How long a key signs on for those who began while it was the newest, or whose server has not heard of the next.
const SIGNING_OVERLAP: SignedDuration = SignedDuration::from_hours(2);
/// How long its tokens count after its time.
const REDEMPTION_GRACE: SignedDuration = SignedDuration::from_hours(24);
/// Keys that are looked at, of one sandbox or production.
const MAX_ISSUER_KEYS: usize = 64;
/// Tries to make a key whose short name no other has.
const MAX_KEY_GENERATION_ATTEMPTS: usize = 8;

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

/// A key, and from when another signs.
struct ScheduledIssuerKey {
    key: PublishedKey,
    next_at: Timestamp,
}

impl AgeVerificationService {
    /// The public halves of this issuer's keys whose tokens count; those of now are made where they lack.
    pub(in crate::age_verification) async fn issuer_public_keys(
        &self,
        sandbox: bool,
    ) -> Result<Vec<PublishedKey>, AgeSessionError> {
        let now = self.0.world.now();
        let Some(anonymity) = self.blind_tokens() else { return Ok(Vec::new()) };
        let mut known = self.load_issuer_keys(sandbox).await?;
        let signs = |known: &[ScheduledIssuerKey], years| {
            known.iter().any(|one| one.key.years == years && one.key.from <= now && now < one.next_at)
        };
        let lacking: Vec<_> =
            anonymity.settings.thresholds.iter().copied().filter(|years| !signs(&known, *years)).collect();
        if !lacking.is_empty() {
            for years in lacking {
                self.create_issuer_key(sandbox, years, i64::from(anonymity.settings.key_days), &known)
                    .await?;
            }
            known = self.load_issuer_keys(sandbox).await?;
        }
        Ok(known.into_iter().map(|known| known.key).collect())
    }

    async fn load_issuer_keys(&self, sandbox: bool) -> Result<Vec<ScheduledIssuerKey>, DbError> {
        let mut view = self.0.db.read().await?;
        let rows: Vec<IssuerKeyRow> = view
            .fetch_all(sql!(
                "SELECT years, public_key, signs_from, next_at, ends_at FROM age_issuer_keys
                  WHERE sandbox = $1 AND ends_at > $2 ORDER BY years, signs_from DESC LIMIT $3",
                sandbox,
                self.0.world.now(),
                MAX_ISSUER_KEYS as i64,
            ))
            .await?;
        let known = |row: IssuerKeyRow| {
            let key = PublishedKey {
                key: VerifyingKey::from_spki(&row.public_key)?,
                years: u8::try_from(row.years).ok()?,
                from: row.signs_from,
                until: row.ends_at,
            };
            Some(ScheduledIssuerKey { key, next_at: row.next_at })
        };
        Ok(rows.into_iter().filter_map(known).collect())
    }

    /// Makes the key of now for an age, unless another node was quicker.
    async fn create_issuer_key(
        &self,
        sandbox: bool,
        years: u8,
        days: i64,
        known: &[ScheduledIssuerKey],
    ) -> Result<(), AgeSessionError> {
        let now = self.0.world.now().as_second();
        let period = days * 24 * 60 * 60;
        let begins = now - now.rem_euclid(period);
        // Where the length of a key's time was changed, the one before is let end.
        let of_age = known.iter().filter(|known| known.key.years == years);
        let before = of_age.map(|known| known.next_at.as_second()).filter(|next| *next <= now).max();
        let begins = before.map_or(begins, |before| before.max(begins));
        let moment = |second| {
            Timestamp::from_second(second)
                .map_err(|error| AgeSessionError::UnusableIssuerKey(error.to_string()))
        };
        let (from, next) = (moment(begins)?, moment(now - now.rem_euclid(period) + period)?);

        // Requests name a key by one byte.
        let taken: Vec<u8> = known.iter().map(|known| known.key.key.short_id()).collect();
        let made = tokio::task::spawn_blocking(move || {
            (0..MAX_KEY_GENERATION_ATTEMPTS)
                .filter_map(|_| IssuerKey::generate())
                .find(|key| !taken.contains(&key.public().short_id()))
        });
        let made = made.await.map_err(|error| AgeSessionError::UnusableIssuerKey(error.to_string()))?;
        let key = made.ok_or_else(|| AgeSessionError::UnusableIssuerKey("none could be made".to_owned()))?;
        let id = key.public().id().to_vec();
        let mut tx = self.0.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO age_issuer_keys
                    (id, sandbox, years, public_key, sealed, signs_from, next_at, ends_at, issued)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0) ON CONFLICT DO NOTHING",
            id.clone(),
            sandbox,
            i64::from(years),
            key.public().to_spki().to_vec(),
            self.0.vault.seal(&*self.0.world, &issuer_key_aad(&id), key.to_pkcs8_der().expose()),
            from,
            next,
            next + REDEMPTION_GRACE,
        ))
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The private half of a key for an age that signs now, by its short name.
    pub(super) async fn signing_key(
        &self,
        sandbox: bool,
        years: u8,
        short_id: u8,
    ) -> Result<Option<IssuerKey>, AgeSessionError> {
        let now = self.0.world.now();
        let mut view = self.0.db.read().await?;
        let rows: Vec<SealedKeyRow> = view
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
        let der = self.0.vault.open(&issuer_key_aad(&row.id), &row.sealed);
        let der = der.map_err(|error| AgeSessionError::UnusableIssuerKey(error.to_string()))?;
        let key = IssuerKey::from_pkcs8_der(&der);
        key.map(Some).ok_or_else(|| AgeSessionError::UnusableIssuerKey("what is kept is no key".to_owned()))
    }
}

/// Notes that a token was redeemed; false where it was before.
pub(in crate::age_verification) async fn record_redemption(
    tx: &mut WriteTx,
    token: [u8; 32],
    until: Timestamp,
) -> Result<bool, DbError> {
    let rows = tx
        .execute(sql!(
            "INSERT INTO age_tokens_spent (id, forget_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            token.to_vec(),
            until,
        ))
        .await?;
    Ok(rows == 1)
}

/// Forgets keys whose tokens do not count any more, and those tokens, at most 1,000 at once; how many.
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

fn issuer_key_aad(id: &[u8]) -> Vec<u8> {
    [b"age issuer key ", id].concat()
}
