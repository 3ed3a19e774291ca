//! `GET /idverify/v1/apps/{sdkId}/response-config`

use super::{config::SentResponseConfig, require_own_application};
use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::RelyingPartyRequest, error},
};
use axum::{Json, extract::State};

/// Read what an application's sandbox answers.
#[utoipa::path(
    get, path = "/idverify/v1/apps/{sdkId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sdkId" = Uuid, Path, description = "The application.")),
    responses((status = 200, description = "The response configuration.", body = SentResponseConfig), error::RelyingPartyErrors),
)]
pub(crate) async fn get_app_responses(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<Json<SentResponseConfig>, DocumentApiError> {
    let app = require_own_application(&party)?;
    let mut view = api.db.read().await?;
    let sent = api.document_verification.app_response_config(&mut view, app).await?;
    Ok(Json(sent.map(SentResponseConfig).unwrap_or_default()))
}
