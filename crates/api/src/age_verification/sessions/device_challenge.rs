//! `POST /api/v1/sessions/{sessionId}/device-signal/challenge`

use super::super::{
    AgeApiError, NO_STORE_HEADERS,
    auth::{AgeRelyingPartyRequest, OwnSession},
    body::RequestBody,
    error,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base::Timestamp;
use domain::age_verification::DeviceChallenge;
use serde::Serialize;
use tracing::Instrument as _;
use utoipa::ToSchema;

/// What the relying party's app binds its statement to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeviceChallengeRecord {
    /// 32 random bytes, base64url. It counts once, for this session.
    #[schema(example = "nV7cXbB6Yy7wq0n3c2ZkZz3rV5q1m8kq3Vb5s9dQ2hA")]
    challenge: String,
    /// Until when.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// Open `device_signal`, for the relying party's app.
///
/// The app reads the age from the phone's system, as JSON, and lets the platform attest SHA-256 of the challenge, a full stop and
/// that JSON: as `nonce` or `requestHash` (base64url) of Play Integrity, as `clientDataHash` of App Attest. An unfinished attempt is
/// abandoned and does not count; a new challenge replaces an earlier one.
#[utoipa::path(
    post, path = "/api/v1/sessions/{sessionId}/device-signal/challenge", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        IdempotencyKeyHeader,
    ),
    responses((status = 201, description = "What to bind the statement to.", body = DeviceChallengeRecord), error::BeginDeviceSignalErrors),
)]
pub(crate) async fn begin_device_signal(
    State(api): State<ApiState>,
    AgeRelyingPartyRequest(OwnSession(session), body): AgeRelyingPartyRequest<OwnSession, RequestBody>,
) -> Result<Response, AgeApiError> {
    let key = body.idempotency_key()?;
    // In a task of its own: a broken connection cancels its handler, but what was supplied for the attempt that is replaced is
    // deleted all the same.
    let begin = async move {
        let identity = body.fingerprint(session.app, key.as_deref());
        let mut before = None;
        let answer: Response = idempotent(&api, identity, async |tx| {
            let (challenge, replaced) = api.age_verification.begin_device_signal(tx, session.id).await?;
            before = Some(replaced);
            let DeviceChallenge { text, until, .. } = challenge;
            Ok::<_, AgeApiError>((
                StatusCode::CREATED,
                DeviceChallengeRecord { challenge: text, expires_at: until },
            ))
        })
        .await?;
        if let Some(before) = before {
            api.age_verification.discard_attempt(&before).await;
        }
        Ok::<_, AgeApiError>(answer)
    };
    let answer = tokio::spawn(begin.in_current_span()).await.map_err(AgeApiError::broken_task)??;
    Ok((NO_STORE_HEADERS, answer).into_response())
}
