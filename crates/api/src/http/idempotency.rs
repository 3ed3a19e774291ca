//! `Idempotency-Key`, for operations that create something: a repeat with the same key and body gets the same answer
//! and has no second effect (draft-ietf-httpapi-idempotency-key-header).

use super::{
    error::{ApiError, ErrorTable},
    virtual_hosts::SandboxUri,
};
use crate::ApiState;
use axum::{
    Json,
    http::{HeaderMap, HeaderName, StatusCode, header, request::Parts},
    response::{IntoResponse as _, Response},
};
use base::{AccountId, AppId};
use db::WriteTx;
use domain::{
    Violation,
    idempotency::{self, IdempotencyLookup, IdempotencyReservation, MAX_KEY_BYTES},
};
use serde::Serialize;
use utoipa::{
    IntoParams,
    openapi::{
        ObjectBuilder, Required, Type,
        path::{Parameter, ParameterBuilder, ParameterIn},
    },
};

const IDEMPOTENCY_KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// What a repeat of a request is recognised by.
#[derive(Clone, Debug)]
pub(crate) struct RequestFingerprint<'a> {
    pub(crate) app: AppId,
    /// The account that the answer is about, if any; the stored answer is deleted with it.
    pub(crate) account: Option<AccountId>,
    /// As [`operation_of`] has it.
    pub(crate) operation: &'a str,
    /// Without a key, no answer is stored.
    pub(crate) key: Option<&'a str>,
    pub(crate) body: &'a [u8],
    /// Who acts, for the audit trail.
    pub(crate) actor: String,
}

/// The method and the path of a request, such as `POST /poa/v1/verify`: of the sandbox as it was sent, so that a key of the
/// sandbox does not collide with one of production.
pub(crate) fn operation_of(parts: &Parts) -> String {
    let uri = parts.extensions.get::<SandboxUri>().map_or(&parts.uri, |SandboxUri(uri)| uri);
    format!("{} {}", parts.method, uri.path())
}

/// The key of a request, if it has one. A key that cannot be stored is refused, because its sender relies on it.
pub(crate) fn idempotency_key<T: ErrorTable>(headers: &HeaderMap) -> Result<Option<String>, ApiError<T>> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY_HEADER) else { return Ok(None) };
    let key = value.to_str().unwrap_or_default().trim();
    if (1..=MAX_KEY_BYTES).contains(&key.len()) {
        return Ok(Some(key.to_owned()));
    }
    let message = format!("it has 1 to {MAX_KEY_BYTES} ASCII characters");
    Err(T::from_malformed(vec![Violation::new("Idempotency-Key", message)]))
}

/// The header, for OpenAPI documents.
pub(crate) struct IdempotencyKeyHeader;

impl IntoParams for IdempotencyKeyHeader {
    fn into_params(_location: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(MAX_KEY_BYTES));
        let parameter = ParameterBuilder::new()
            .name("Idempotency-Key")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("Repeats with the same key and body are answered alike, for 24 hours."))
            .schema(Some(schema));
        vec![parameter.build()]
    }
}

/// Whether a request was answered before.
enum StoredResponseLookup {
    /// It is new; if it has a key, its answer is to be stored.
    New(Option<IdempotencyReservation>),
    Answered(Response),
}

async fn look_up<T: ErrorTable>(
    api: &ApiState,
    tx: &mut WriteTx,
    request: &RequestFingerprint<'_>,
) -> Result<StoredResponseLookup, ApiError<T>> {
    let &RequestFingerprint { app, account, operation, key, body, .. } = request;
    let Some(key) = key else { return Ok(StoredResponseLookup::New(None)) };
    let request = idempotency::IdempotentRequest { app, account, operation, key, body };
    match idempotency::reserve(tx, &api.vault, &*api.environment, request).await? {
        IdempotencyLookup::New(reservation) => Ok(StoredResponseLookup::New(Some(reservation))),
        IdempotencyLookup::Answered { status, body } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            let json = [(header::CONTENT_TYPE, "application/json")];
            Ok(StoredResponseLookup::Answered((status, json, body).into_response()))
        }
        IdempotencyLookup::BodyMismatch => {
            let message = "the Idempotency-Key was used with another body; use a new one for each request";
            Err(ApiError::new(T::idempotency_key_reused(), message))
        }
    }
}

/// The stored answer to an earlier request. Nothing is reserved: for operations that call others before their
/// transaction.
pub(crate) async fn stored_response<T: ErrorTable>(
    api: &ApiState,
    request: &RequestFingerprint<'_>,
) -> Result<Option<Response>, ApiError<T>> {
    if request.key.is_none() {
        return Ok(None);
    }
    let mut tx = api.db.write().await?;
    Ok(match look_up(api, &mut tx, request).await? {
        StoredResponseLookup::New(_) => None,
        StoredResponseLookup::Answered(answer) => Some(answer),
    })
}

/// Runs an operation in one transaction, once for each key: its effects and its answer are committed together. A repeat
/// gets the first answer.
pub(crate) async fn idempotent<T: ErrorTable, A: Serialize>(
    api: &ApiState,
    request: RequestFingerprint<'_>,
    operation: impl AsyncFnOnce(&mut WriteTx) -> Result<(StatusCode, A), ApiError<T>>,
) -> Result<Response, ApiError<T>> {
    let mut tx = api.db.write().await?;
    tx.set_actor(request.actor.as_str());
    let reservation = match look_up(api, &mut tx, &request).await? {
        StoredResponseLookup::New(reservation) => reservation,
        StoredResponseLookup::Answered(answer) => return Ok(answer),
    };
    let (status, answer) = operation(&mut tx).await?;
    if let Some(reservation) = reservation {
        let answer = serde_json::to_vec(&answer).map_err(|error| ApiError::internal(&error))?;
        reservation.store_answer(&mut tx, &api.vault, &*api.environment, status.as_u16(), &answer).await?;
    }
    tx.commit().await?;
    Ok((status, Json(answer)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    #[test]
    fn an_operation_is_method_and_path_and_of_the_sandbox_as_it_was_sent() {
        let request = Request::post("https://assay.example/idverify/v1/sessions?nonce=1");
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        assert_eq!(operation_of(&parts), "POST /idverify/v1/sessions");
        parts.extensions.insert(SandboxUri("/sandbox/idverify/v1/sessions?nonce=1".parse().unwrap()));
        assert_eq!(operation_of(&parts), "POST /sandbox/idverify/v1/sessions");
    }
}
