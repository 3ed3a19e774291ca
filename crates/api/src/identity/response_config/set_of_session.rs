//! `PUT /idverify/v1/sessions/{sessionId}/response-config`

use super::config::{ResponseConfigRequest, SentResponseConfig};
use crate::{
    Api,
    identity::{Problem, caller::SessionOwner, error},
};
use axum::{Json, extract::State};

/// Set what a session's sandbox answers, in the place of its application's.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body(
        content = ResponseConfigRequest,
        example = json!({ "check_reports": { "ID_DOCUMENT_FACE_MATCH": [{ "result": { "report_template": "SUCCESS" } }] } }),
    ),
    responses((status = 200, description = "It is set.", body = SentResponseConfig), error::ConfiguringSandboxSession),
)]
pub(crate) async fn set_session_responses(
    State(api): State<Api>,
    owner: SessionOwner,
) -> Result<Json<SentResponseConfig>, Problem> {
    let sent = ResponseConfigRequest::check(&owner.party.request)?;
    api.identities.set_responses(owner.held.session.id, sent.0.clone()).await?;
    Ok(Json(sent))
}
