//! `GET /api/v1/sessions/{sessionId}/appeal`

use super::{
    super::{AgeApiError, AgeErrorCode, NoStoreJson, auth::OwnSession, error, no_store_json},
    record::AppealRecord,
};
use crate::ApiState;
use axum::extract::State;

/// See what became of an appeal.
#[utoipa::path(
    get, path = "/api/v1/sessions/{sessionId}/appeal", tag = "appeals", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The appeal.", body = AppealRecord), error::GetAgeAppealErrors),
)]
pub(crate) async fn get_age_appeal(
    State(api): State<ApiState>,
    OwnSession(session): OwnSession,
) -> Result<NoStoreJson<AppealRecord>, AgeApiError> {
    let appeal = api.age_verification.find_appeal(&mut api.db.read().await?, session.app, session.id).await?;
    let missing = || AgeApiError::new(AgeErrorCode::NotFound, "there is no appeal of this session");
    Ok(no_store_json(AppealRecord::from(appeal.ok_or_else(missing)?)))
}
