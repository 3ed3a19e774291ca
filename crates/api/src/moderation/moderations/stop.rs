//! `POST /accounts/{accountId}/moderations/{moderationId}/stop`

use super::super::{
    Problem, authentication::ModerationsManage, error, path::ModerationPath, request::AccountRequest,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};

/// Stop a moderation.
///
/// Takes effect within seconds; one that has ended stays as it is.
#[utoipa::path(
    post, path = "/accounts/{accountId}/moderations/{moderationId}/stop", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath),
    responses((status = 202, description = "It is being stopped."), error::Reading),
)]
pub(crate) async fn stop_moderation(
    State(api): State<Api>,
    request: AccountRequest<ModerationsManage, ModerationPath>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    if !api.moderations.stop(&mut tx, request.account.id, request.path.moderation).await? {
        return Err(Problem::missing("moderation"));
    }
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}
