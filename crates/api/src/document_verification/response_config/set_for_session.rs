//! `PUT /idverify/v1/sessions/{sessionId}/response-config`

use super::{
    config::{ResponseConfigRequest, SentResponseConfig},
    require_sandbox,
};
use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::SessionOwner, error},
};
use axum::{Json, extract::State};

/// Set what a session's sandbox answers, instead of its application's.
///
/// Production refuses it with `INSUFFICIENT_PERMISSION`: only a sandbox answers what is configured.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body(
        content = ResponseConfigRequest,
        example = json!({ "check_reports": { "ID_DOCUMENT_FACE_MATCH": [{ "result": { "report_template": "SUCCESS" } }] } }),
    ),
    responses((status = 200, description = "The response configuration is set.", body = SentResponseConfig), error::SetSessionResponsesErrors),
)]
pub(crate) async fn set_session_responses(
    State(api): State<ApiState>,
    owner: SessionOwner,
) -> Result<Json<SentResponseConfig>, DocumentApiError> {
    require_sandbox(&owner.party)?;
    let sent = ResponseConfigRequest::validate(&owner.party.request)?;
    api.document_verification.set_session_response_config(owner.stored.session.id, sent.0.clone()).await?;
    Ok(Json(sent))
}
