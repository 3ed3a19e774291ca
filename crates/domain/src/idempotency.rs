//! `Idempotency-Key`: a request that is repeated, because its answer was lost, gets the same answer and has no second
//! effect (docs/adr/0001-common-rules.md).

use crate::vault::Vault;
use aws_lc_rs::digest;
use base::{AccountId, AppId, Environment, SignedDuration};
use db::{Db, DbError, FromRow, WriteTx, sql};

/// How long answers are stored.
pub const ANSWER_RETENTION: SignedDuration = SignedDuration::from_hours(24);
/// The longest key, in bytes of ASCII.
pub const MAX_KEY_BYTES: usize = 255;

/// A request with an idempotency key.
#[derive(Clone, Copy, Debug)]
pub struct IdempotentRequest<'a> {
    pub app: AppId,
    /// The account that the answer is about; the answer is deleted with it.
    pub account: Option<AccountId>,
    /// For example `POST /poa/v1/verify`.
    pub operation: &'a str,
    /// The key, 1 to 255 characters.
    pub key: &'a str,
    /// The raw body, which a repeat must match.
    pub body: &'a [u8],
}

/// What is known about a request.
#[derive(Debug)]
pub enum IdempotencyLookup {
    /// It is new: execute it, and store the answer in the same transaction.
    New(IdempotencyReservation),
    /// It was answered already, like this.
    Answered {
        /// The HTTP status.
        status: u16,
        body: Vec<u8>,
    },
    /// The key was used with another body.
    BodyMismatch,
}

/// The row for the answer to a new request, locked by the transaction.
#[derive(Debug)]
pub struct IdempotencyReservation {
    app: AppId,
    request: Vec<u8>,
}

#[derive(FromRow)]
struct StoredAnswerRow {
    body_hash: Vec<u8>,
    status: i64,
    sealed: Vec<u8>,
}

/// Looks up a request. A new one is reserved: a repeat that comes in the meantime waits for this transaction.
pub async fn reserve(
    tx: &mut WriteTx,
    vault: &Vault,
    env: &dyn Environment,
    request: IdempotentRequest<'_>,
) -> Result<IdempotencyLookup, DbError> {
    let IdempotentRequest { app, account, operation, key, body } = request;
    let id = hash(&[operation.as_bytes(), b"\n", key.as_bytes()]);
    // Keyed, because a body may hold a secret that is short enough to be guessed, such as the password of a camera.
    let body_hash = vault.keyed_hash(&aad(app, &id), body).to_vec();
    let now = env.now();
    tx.execute(sql!(
        "DELETE FROM idempotent_answers WHERE app_id = $1 AND request = $2 AND expires_at <= $3",
        app,
        id.clone(),
        now,
    ))
    .await?;
    let fresh = tx
        .execute(sql!(
            "INSERT INTO idempotent_answers (app_id, request, body_hash, status, sealed, expires_at, account_id)
             VALUES ($1, $2, $3, 0, $4, $5, $6) ON CONFLICT DO NOTHING",
            app,
            id.clone(),
            body_hash.clone(),
            Vec::new(),
            now + ANSWER_RETENTION,
            account,
        ))
        .await?;
    if fresh == 1 {
        return Ok(IdempotencyLookup::New(IdempotencyReservation { app, request: id }));
    }
    let row: Option<StoredAnswerRow> = tx
        .fetch_optional(sql!(
            "SELECT body_hash, status, sealed FROM idempotent_answers WHERE app_id = $1 AND request = $2",
            app,
            id.clone(),
        ))
        .await?;
    let Some(row) = row.filter(|row| row.body_hash == body_hash) else {
        return Ok(IdempotencyLookup::BodyMismatch);
    };
    let body = vault.open(&aad(app, &id), &row.sealed);
    // An answer that cannot be opened is lost (a rotation of the master key is no cause: it is sealed under the data key);
    // executing the request again could repeat its effect.
    Ok(body.map_or(IdempotencyLookup::BodyMismatch, |body| IdempotencyLookup::Answered {
        status: row.status as u16,
        body,
    }))
}

impl IdempotencyReservation {
    /// Stores the answer, in the same transaction as the effect.
    pub async fn store_answer(
        self,
        tx: &mut WriteTx,
        vault: &Vault,
        env: &dyn Environment,
        status: u16,
        body: &[u8],
    ) -> Result<(), DbError> {
        let sealed = vault.seal(env, &aad(self.app, &self.request), body);
        tx.execute(sql!(
            "UPDATE idempotent_answers SET status = $3, sealed = $4 WHERE app_id = $1 AND request = $2",
            self.app,
            self.request,
            i64::from(status),
            sealed,
        ))
        .await
        .map(drop)
    }
}

fn hash(parts: &[&[u8]]) -> Vec<u8> {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().to_vec()
}

fn aad(app: AppId, request: &[u8]) -> Vec<u8> {
    [b"idempotent answer ", app.to_string().as_bytes(), b" ", request].concat()
}

/// Deletes expired answers, at most 20,000 at a time; returns how many.
pub async fn purge(db: &Db, env: &dyn Environment) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM idempotent_answers WHERE (app_id, request) IN
                (SELECT app_id, request FROM idempotent_answers WHERE expires_at <= $1 LIMIT 20000)",
            env.now(),
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}
