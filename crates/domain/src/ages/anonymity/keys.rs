//! Keys that sign blindly, one for each age and time, and the tokens of theirs that were spent.
//!
//! A key is made when it is first needed, kept sealed, and the same on every node: it begins where its time begins, which
//! the clock says, and of two nodes that make one the first counts. Everybody gets the same key, or it would be a name.

use super::super::{Ages, NotDone};
use ::methods::blind::{IssuerKey, PublishedKey, VerifyingKey};
use base::{SignedDuration, Timestamp};
use db::{Db, DbError, Durability, FromRow, Tx, sql};

/// How long a key signs on for those who began while it was the newest, or whose server has not heard of the next.
const AFTERWARDS: SignedDuration = SignedDuration::from_hours(2);
/// How long its tokens count after its time.
const COUNTS: SignedDuration = SignedDuration::from_hours(24);
/// Keys that are looked at, of one sandbox or production.
const MOST: usize = 64;
/// Tries to make a key whose short name no other has.
const TRIES: usize = 8;

#[derive(FromRow)]
struct Public {
    years: i64,
    public_key: Vec<u8>,
    #[sqlx(try_from = "db::At")]
    signs_from: Timestamp,
    #[sqlx(try_from = "db::At")]
    next_at: Timestamp,
    #[sqlx(try_from = "db::At")]
    ends_at: Timestamp,
}

#[derive(FromRow)]
struct Sealed {
    id: Vec<u8>,
    sealed: Vec<u8>,
}

/// A key, and from when another signs.
struct Known {
    key: PublishedKey,
    next_at: Timestamp,
}

impl Ages {
    /// The public halves of this issuer's keys whose tokens count; those of now are made where they lack.
    pub(in crate::ages) async fn own_keys(&self, sandbox: bool) -> Result<Vec<PublishedKey>, NotDone> {
        let now = self.0.world.now();
        let Some(anonymity) = self.anonymity() else { return Ok(Vec::new()) };
        let mut known = self.known_keys(sandbox).await?;
        let signs = |known: &[Known], years| {
            known.iter().any(|one| one.key.years == years && one.key.from <= now && now < one.next_at)
        };
        let lacking: Vec<_> =
            anonymity.settings.thresholds.iter().copied().filter(|years| !signs(&known, *years)).collect();
        if !lacking.is_empty() {
            for years in lacking {
                self.make_key(sandbox, years, i64::from(anonymity.settings.key_days), &known).await?;
            }
            known = self.known_keys(sandbox).await?;
        }
        Ok(known.into_iter().map(|known| known.key).collect())
    }

    async fn known_keys(&self, sandbox: bool) -> Result<Vec<Known>, DbError> {
        let mut view = self.0.db.read().await?;
        let rows: Vec<Public> = view
            .fetch_all(sql!(
                "SELECT years, public_key, signs_from, next_at, ends_at FROM age_issuer_keys
                  WHERE sandbox = $1 AND ends_at > $2 ORDER BY years, signs_from DESC LIMIT $3",
                sandbox,
                self.0.world.now(),
                MOST as i64,
            ))
            .await?;
        let known = |row: Public| {
            let key = PublishedKey {
                key: VerifyingKey::from_spki(&row.public_key)?,
                years: u8::try_from(row.years).ok()?,
                from: row.signs_from,
                until: row.ends_at,
            };
            Some(Known { key, next_at: row.next_at })
        };
        Ok(rows.into_iter().filter_map(known).collect())
    }

    /// Makes the key of now for an age, unless another node was quicker.
    async fn make_key(&self, sandbox: bool, years: u8, days: i64, known: &[Known]) -> Result<(), NotDone> {
        let now = self.0.world.now().as_second();
        let period = days * 24 * 60 * 60;
        let begins = now - now.rem_euclid(period);
        // Where the length of a key's time was changed, the one before is let end.
        let of_age = known.iter().filter(|known| known.key.years == years);
        let before = of_age.map(|known| known.next_at.as_second()).filter(|next| *next <= now).max();
        let begins = before.map_or(begins, |before| before.max(begins));
        let moment =
            |second| Timestamp::from_second(second).map_err(|error| NotDone::NoKey(error.to_string()));
        let (from, next) = (moment(begins)?, moment(now - now.rem_euclid(period) + period)?);

        // Requests name a key by one byte.
        let taken: Vec<u8> = known.iter().map(|known| known.key.key.short_id()).collect();
        let made = tokio::task::spawn_blocking(move || {
            (0..TRIES)
                .filter_map(|_| IssuerKey::generate())
                .find(|key| !taken.contains(&key.public().short_id()))
        });
        let made = made.await.map_err(|error| NotDone::NoKey(error.to_string()))?;
        let key = made.ok_or_else(|| NotDone::NoKey("none could be made".to_owned()))?;
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
            self.0.vault.seal(&*self.0.world, &place(&id), key.to_pkcs8_der().expose()),
            from,
            next,
            next + COUNTS,
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
    ) -> Result<Option<IssuerKey>, NotDone> {
        let now = self.0.world.now();
        let mut view = self.0.db.read().await?;
        let rows: Vec<Sealed> = view
            .fetch_all(sql!(
                "SELECT id, sealed FROM age_issuer_keys
                  WHERE sandbox = $1 AND years = $2 AND signs_from <= $3 AND next_at > $4
                  ORDER BY signs_from DESC, id LIMIT 4",
                sandbox,
                i64::from(years),
                now,
                now - AFTERWARDS,
            ))
            .await?;
        let Some(row) = rows.into_iter().find(|row| row.id.last() == Some(&short_id)) else {
            return Ok(None);
        };
        let der = self.0.vault.open(&place(&row.id), &row.sealed);
        let der = der.map_err(|error| NotDone::NoKey(error.to_string()))?;
        let key = IssuerKey::from_pkcs8_der(&der);
        key.map(Some).ok_or_else(|| NotDone::NoKey("what is kept is no key".to_owned()))
    }
}

/// Notes that a token was redeemed; false where it was before.
pub(in crate::ages) async fn spend(tx: &mut Tx, token: [u8; 32], until: Timestamp) -> Result<bool, DbError> {
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
pub(in crate::ages) async fn purge(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write_as(Durability::Process).await?;
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

fn place(id: &[u8]) -> Vec<u8> {
    [b"age issuer key ", id].concat()
}
