//! `Idempotency-Key`, for every operation that creates (decisions, section 0).

use crate::Api;
use axum::{
    Json,
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use base::{AccountId, AppId};
use db::{DbError, Tx};
use domain::idempotency::{self, Kept, Known};
use serde::Serialize;

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The key of a request, where one came. A key that cannot be kept is refused, in these words: whoever sends one relies on
/// it.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<String>, String> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let key = value.to_str().unwrap_or_default().trim();
    if (1..=idempotency::LONGEST).contains(&key.len()) {
        return Ok(Some(key.to_owned()));
    }
    Err(format!("Idempotency-Key has 1 to {} ASCII characters", idempotency::LONGEST))
}

/// A request, as far as a repeat of it is known by that.
pub(crate) struct Asked<'a> {
    pub(crate) app: AppId,
    /// What the answer is about, where it is an account.
    pub(crate) account: Option<AccountId>,
    /// With the path, as `POST /poa/v1/verify`.
    pub(crate) operation: &'a str,
    pub(crate) key: Option<&'a str>,
    pub(crate) body: &'a [u8],
}

/// How an operation goes on.
pub(crate) enum Begun {
    /// It is new, or nobody asked that it be done once: do it, and [`Once::answer`].
    New(Once),
    /// It was answered so before.
    Answered(Response),
    /// The key came with another body.
    OtherBody,
}

/// A place for the answer, held by the transaction, where one is kept.
pub(crate) struct Once(Option<Kept>);

/// Looks a request up, and holds its place where it is new.
pub(crate) async fn begin(api: &Api, tx: &mut Tx, asked: Asked<'_>) -> Result<Begun, DbError> {
    let Asked { app, account, operation, key, body } = asked;
    let Some(key) = key else { return Ok(Begun::New(Once(None))) };
    let request = idempotency::Request { app, account, operation, key, body };
    Ok(match idempotency::begin(tx, &api.vault, &*api.world, request).await? {
        Known::New(kept) => Begun::New(Once(Some(kept))),
        Known::Answered { status, body } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            Begun::Answered((status, [(header::CONTENT_TYPE, "application/json")], body).into_response())
        }
        Known::OtherBody => Begun::OtherBody,
    })
}

impl Once {
    /// Keeps the answer and commits: effect and answer count together.
    pub(crate) async fn answer<T: Serialize>(
        self,
        api: &Api,
        mut tx: Tx,
        status: StatusCode,
        body: &T,
    ) -> Result<Response, DbError> {
        if let Some(kept) = self.0 {
            let body = serde_json::to_vec(body).expect("an answer of our own is JSON");
            kept.keep(&mut tx, &api.vault, &*api.world, status.as_u16(), &body).await?;
        }
        tx.commit().await?;
        Ok((status, Json(body)).into_response())
    }
}
