//! `POST /poa/v1/verify`

use super::{ProofApiError, auth::BearerRequest, error, fetch::ProofVerification};
use crate::{
    ApiState,
    http::{
        idempotency::{IdempotencyKeyHeader, RequestFingerprint, idempotent},
        json::{object, parse},
    },
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::Secret;
use domain::proof_of_age::{ProofNotificationRequest, ProofQuery, ProofRequest, ProofStatus};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A proof that was scanned.
#[derive(serde::Deserialize, ToSchema)]
#[schema(as = PoaQuery)]
pub(crate) struct VerifyProofRequest {
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = ScannedCode, required = true)]
    qr: Option<ScannedCode>,
    #[serde(default, deserialize_with = "object")]
    #[schema(value_type = ScanningTerminal, required = true)]
    terminal: Option<ScanningTerminal>,
    #[serde(default, deserialize_with = "object")]
    notification: Option<ProofNotificationTarget>,
}

/// What was scanned.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ScannedCode {
    /// The value of the code, at most 4,296 characters. With `session_transcript`: a `DeviceResponse` (ISO 18013-5) that the
    /// terminal received from a device, CBOR in base64url, base64 or base45, at most 131,072 characters.
    #[schema(value_type = String)]
    value: Option<String>,
    /// When it was scanned, RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    scanned_at: Option<String>,
    /// An extension, for a `DeviceResponse`: the `SessionTranscript` (or `SessionTranscriptBytes`) of the terminal's session
    /// with the device, base64url, at most 16,384 bytes. The device's signature covers it.
    session_transcript: Option<String>,
    /// An extension, for a `DeviceResponse` with a `deviceMac`: the terminal's ephemeral private key of that session, a JWK
    /// on P-256, P-384 or P-521.
    #[schema(value_type = Option<Object>)]
    reader_key: Option<serde_json::Map<String, serde_json::Value>>,
}

/// The terminal that scanned it.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ScanningTerminal {
    /// The terminal's id, at most 200 characters.
    #[schema(value_type = String)]
    id: Option<String>,
    /// The store or unit it is registered under, at most 200 characters.
    store_id: Option<String>,
}

/// Where to send the result, if it is not known at once.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ProofNotificationTarget {
    /// The receiver: an https address on the public internet.
    #[schema(value_type = String, format = "uri")]
    url: Option<String>,
    /// `POST` (default): the verification is the body. `GET`: its `id` and `status` are in the query.
    method: Option<String>,
    /// Whether the receiver's certificate must be valid. Default: true; false only if the operator allows it.
    #[serde(rename = "verifyTls")]
    verify_tls: Option<bool>,
    /// Headers to send along, at most 32.
    headers: Option<BTreeMap<String, String>>,
}

/// Verify a proof of age.
///
/// An invalid proof is a result as well: 200 with `FAILURE` and a reason. 202 means that the issuer has to be asked;
/// the result is then sent to `notification`. Any result can be fetched for 30 days.
#[utoipa::path(
    post, path = "/poa/v1/verify", tag = "proof of age", security(("bearer" = [])),
    params(IdempotencyKeyHeader),
    request_body = VerifyProofRequest,
    responses(
        (status = 200, description = "The result.", body = ProofVerification),
        (status = 202, description = "The issuer is being asked.", body = ProofVerification),
        error::VerifyProofErrors
    ),
)]
pub(crate) async fn verify_proof(
    State(api): State<ApiState>,
    sent: BearerRequest,
) -> Result<Response, ProofApiError> {
    let query = ProofQuery::validate(into_query(parse(&sent.body)?)?, api.proof_of_age.outbox())?;
    let judgement = api.proof_of_age.assess(sent.bearer.app, &query).await?;

    let identity = RequestFingerprint {
        app: sent.bearer.app,
        account: None,
        operation: &sent.operation,
        key: sent.idempotency_key.as_deref(),
        body: &sent.body,
        actor: format!("application:{}", sent.bearer.app),
    };
    idempotent(&api, identity, async |tx| {
        let record = api.proof_of_age.store(tx, sent.bearer.app, &query, judgement).await?;
        let status =
            if record.status == ProofStatus::Pending { StatusCode::ACCEPTED } else { StatusCode::OK };
        Ok((status, ProofVerification::from(&record)))
    })
    .await
}

/// Refuses missing members as malformed; the values of the others are checked later.
fn into_query(query: VerifyProofRequest) -> Result<ProofRequest, ProofApiError> {
    let missing = |path: &str| {
        ProofApiError::new(super::ProofErrorCode::MalformedPayload, format!("{path} is required"))
    };
    let qr = query.qr.ok_or_else(|| missing("qr"))?;
    let terminal = query.terminal.ok_or_else(|| missing("terminal"))?;
    let notification = query.notification.map(|whom| {
        Ok::<_, ProofApiError>(ProofNotificationRequest {
            url: whom.url.ok_or_else(|| missing("notification.url"))?,
            method: whom.method,
            verify_tls: whom.verify_tls.unwrap_or(true),
            headers: whom.headers.unwrap_or_default().into_iter().collect(),
        })
    });
    Ok(ProofRequest {
        value: qr.value.ok_or_else(|| missing("qr.value"))?,
        scanned_at: qr.scanned_at.ok_or_else(|| missing("qr.scanned_at"))?,
        session_transcript: qr.session_transcript,
        reader_key: qr.reader_key.map(|key| Secret::new(serde_json::Value::Object(key).to_string())),
        terminal_id: terminal.id.ok_or_else(|| missing("terminal.id"))?,
        store_id: terminal.store_id,
        notification: notification.transpose()?,
    })
}
