//! `DELETE /console/queues/{queueId}`

use super::{QueuePath, owners};
use crate::{
    ApiState,
    console::{CaseReadErrors, cases::request::ReviewerRequest},
    content_moderation::ModerationApiError,
};
use axum::{extract::State, http::StatusCode};
use domain::accounts::ConsoleScope;

/// Delete a queue. Its cases stay, in no queue. Needs `queues:manage`.
#[utoipa::path(
    delete, path = "/console/queues/{queueId}", tag = "queues", security(("session" = [], "console" = [])),
    params(QueuePath),
    responses((status = 204, description = "The queue is deleted."), CaseReadErrors),
)]
pub(in crate::console) async fn delete_queue(
    State(api): State<ApiState>,
    request: ReviewerRequest<QueuePath>,
) -> Result<StatusCode, ModerationApiError> {
    request.require(ConsoleScope::QueuesManage)?;
    let mut tx = request.begin(&api).await?;
    let mut deleted = false;
    for owner in owners(&request) {
        deleted |= api.cases.delete_queue(&mut tx, owner, request.path.queue).await?;
    }
    if !deleted {
        return Err(ModerationApiError::not_found("queue"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
