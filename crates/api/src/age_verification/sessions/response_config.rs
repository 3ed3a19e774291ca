//! `PUT /sandbox/api/v1/sessions/{sessionId}/response-config`

use super::{
    super::{
        AgeApiError,
        auth::{AgeRelyingPartyRequest, OwnSandboxSession},
        body::DeclaredJsonBody,
        error,
    },
    record::{BrandedSessionRecord, SessionRecord},
};
use crate::{ApiState, http::json};
use axum::{Json, extract::State};
use domain::{
    Violation,
    age_verification::{
        SandboxResponse,
        types::{AgeMethod, AgeSessionStatus},
    },
};
use utoipa::ToSchema;

/// The outcome to set for a session of the sandbox.
#[derive(Debug, serde::Deserialize, ToSchema)]
pub(crate) struct SandboxResponseRequest {
    /// The state to set.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = AgeSessionStatus)]
    status: Option<AgeSessionStatus>,
    /// The age, years; only sessions of the type AGE report it.
    #[schema(minimum = 0, maximum = 120)]
    age: Option<i64>,
    /// The method of the outcome. Default: the first that is allowed.
    #[serde(default, deserialize_with = "json::enum_value")]
    method: Option<AgeMethod>,
}

impl SandboxResponseRequest {
    /// Reads a body; a refusal lists everything that is wrong with it.
    fn read(body: &[u8]) -> Result<SandboxResponse, AgeApiError> {
        let (Self { status, age, method }, mut violations) = json::parse_lenient(body)?;
        if status.is_none() && violations.iter().all(|violation| violation.path != "status") {
            violations.push(Violation::new("status", "it is required"));
        }
        let response = SandboxResponse { state: status.unwrap_or(AgeSessionStatus::Pending), age, method };
        violations.extend(response.violations());
        if violations.is_empty() { Ok(response) } else { Err(violations.into()) }
    }
}

/// Set the outcome of a session of the sandbox.
///
/// The session takes that state at once, and its webhook is sent.
#[utoipa::path(
    put, path = "/api/v1/sessions/{sessionId}/response-config", tag = "sandbox", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body(content = SandboxResponseRequest, example = json!({ "status": "COMPLETE", "age": 34, "method": "DOC_SCAN" })),
    responses((status = 200, description = "The session as it stands.", body = SessionRecord), error::SetAgeResponseErrors),
)]
pub(crate) async fn set_age_response(
    State(api): State<ApiState>,
    AgeRelyingPartyRequest(OwnSandboxSession(session), DeclaredJsonBody(body)): AgeRelyingPartyRequest<
        OwnSandboxSession,
        DeclaredJsonBody,
    >,
) -> Result<Json<BrandedSessionRecord>, AgeApiError> {
    let response = SandboxResponseRequest::read(body.json_bytes())?;
    let session = api.age_verification.apply_sandbox_response(session.id, &response).await?;
    Ok(Json(BrandedSessionRecord::of(&api, &session)))
}
