//! `GET /idverify/v1/apps/{sdkId}/response-config`

use super::{config::SentResponseConfig, own_app};
use crate::{
    Api,
    identity::{Problem, caller::RelyingParty, error},
};
use axum::{Json, extract::State};

/// Read what an application's sandbox answers.
#[utoipa::path(
    get, path = "/idverify/v1/apps/{sdkId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sdkId" = Uuid, Path, description = "The application.")),
    responses((status = 200, description = "The response configuration.", body = SentResponseConfig), error::RelyingPartyCall),
)]
pub(crate) async fn get_app_responses(
    State(api): State<Api>,
    party: RelyingParty,
) -> Result<Json<SentResponseConfig>, Problem> {
    let app = own_app(&party)?;
    let mut view = api.db.read().await?;
    let sent = api.identities.app_responses(&mut view, app).await?;
    Ok(Json(sent.map(SentResponseConfig).unwrap_or_default()))
}
