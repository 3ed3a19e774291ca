//! `POST /age/v1/sessions/{sessionId}/attempts/{attemptId}`

use super::{
    super::{
        AgeApiError, NoStoreJson,
        auth::{AgeEndUser, AttemptInPath, RefuseBlockedLocations, WhileShown},
        body::{MAX_TURN_BODY_BYTES, RequestBody},
        error, no_store_json,
    },
    passkey::PasskeyCredential,
    turn_response::TurnResponse,
};
use crate::{ApiState, http::json};
use axum::extract::State;
use domain::{
    age_verification::{AgeSessionError, FormValues, TurnInput},
    secure_capture::CaptureAttestation,
};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The input of a turn: what the last step asks for, or nothing, to poll.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct TurnRequest {
    /// The `continuation` of the last answer.
    #[schema(value_type = String)]
    continuation: Option<String>,
    /// `camera` and `frames`: a JPEG photo of at most 4 MiB, base64.
    #[schema(content_media_type = "image/jpeg", content_encoding = "base64")]
    img: Option<String>,
    /// `camera` and `frames`: the proof of capture.
    #[serde(default, deserialize_with = "json::object")]
    secure: Option<CaptureProof>,
    /// `frames`: JPEG pictures of at most 512 KiB that show the moves, base64.
    #[schema(max_items = 24)]
    frames: Option<Vec<String>>,
    /// `frames`: when each was taken, milliseconds. Default: three a second.
    times: Option<Vec<f64>>,
    /// `form`: what was typed, by the names of the fields.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    fields: Option<FormValues>,
    /// `code`: the code that was typed.
    code: Option<String>,
    /// `code`: whether another code is asked for.
    #[schema(default = false)]
    resend: Option<bool>,
    /// `choose`: the id of an option.
    choice: Option<String>,
    /// `redirect` and `wallet`: the parameters with which the end user returned.
    returned: Option<BTreeMap<String, String>>,
    /// `passkey`: the browser's answer; leave it out if there is no passkey.
    #[serde(default, deserialize_with = "json::object")]
    credential: Option<PasskeyCredential>,
    /// `token`: a Token (RFC 9577, section 2.2), base64url.
    token: Option<String>,
    /// `token`: whether the issuer gave no token.
    #[schema(default = false)]
    declined: Option<bool>,
}

/// Proof that a photo was taken by the capture module.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CaptureProof {
    /// Protocol version, `"1"`.
    version: Option<String>,
    /// The session token of `GET /ai/sm/v1/secure/1/token`.
    token: Option<String>,
    /// Base64url of the ECDSA P-256 signature over the characters of `verification`.
    signature: Option<String>,
    /// Base64url of `{"image": base64url(sha256(image bytes)), "multiframe": false}`.
    verification: Option<String>,
}

impl TurnRequest {
    fn into_input(self) -> TurnInput {
        let capture = |CaptureProof { version, token, signature, verification }| CaptureAttestation {
            version,
            token,
            signature,
            verification,
        };
        TurnInput {
            photo: self.img,
            secure: self.secure.map(capture),
            frames: self.frames,
            frame_times_ms: self.times,
            fields: self.fields,
            code: self.code,
            resend: self.resend.unwrap_or(false),
            choice: self.choice,
            returned: self.returned,
            credential: self.credential.map(Into::into),
            token: self.token,
            declined: self.declined.unwrap_or(false),
        }
    }
}

/// Take a turn of an attempt.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/attempts/{attemptId}", tag = "person", security(("sdk" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("attemptId" = Uuid, Path, description = "The attempt."),
    ),
    request_body = TurnRequest,
    responses((status = 200, description = "What the person does next.", body = TurnResponse), error::TakeTurnErrors),
)]
pub(crate) async fn take_age_turn(
    State(api): State<ApiState>,
    AgeEndUser { session, relying_party: business, .. }: AgeEndUser<RefuseBlockedLocations, WhileShown>,
    AttemptInPath(attempt): AttemptInPath,
    body: RequestBody<MAX_TURN_BODY_BYTES>,
) -> Result<NoStoreJson<TurnResponse>, AgeApiError> {
    // Pictures are large, so the body is parsed once, and a refusal names the first problem only.
    let mut request: TurnRequest = json::parse_borrowed(body.json_bytes())?;
    let continuation = request.continuation.take().ok_or(AgeSessionError::StaleContinuation)?;
    let turn =
        api.age_verification.submit_turn(session.id, attempt, &continuation, request.into_input()).await?;
    Ok(no_store_json(TurnResponse::of(&api, turn, &business)))
}
