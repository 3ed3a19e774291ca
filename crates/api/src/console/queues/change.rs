//! `PUT /console/queues/{queueId}`

use super::{QueuePath, body::QueueRequest, owners};
use crate::{
    ApiState,
    console::{
        QueueCommandErrors,
        cases::request::{Command, ReviewerRequest},
    },
    content_moderation::ModerationApiError,
};
use axum::{extract::State, http::StatusCode};
use domain::accounts::ConsoleScope;

/// Change a queue. Cases that it has keep what they were given. Needs `queues:manage`.
#[utoipa::path(
    put, path = "/console/queues/{queueId}", tag = "queues", security(("session" = [], "console" = [])),
    params(QueuePath),
    request_body(content = QueueRequest, example = json!({ "name": "Banned people", "rules": { "reasons": ["BANNED_PROFILE"] }, "target_minutes": 30 })),
    responses((status = 204, description = "The queue is changed."), QueueCommandErrors),
)]
pub(in crate::console) async fn change_queue(
    State(api): State<ApiState>,
    request: ReviewerRequest<QueuePath, Command<QueueRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    request.require(ConsoleScope::QueuesManage)?;
    let mut tx = request.begin(&api).await?;
    let mut changed = false;
    for owner in owners(&request) {
        changed |= api.cases.change_queue(&mut tx, owner, request.path.queue, &request.input.0.input).await?;
    }
    if !changed {
        return Err(ModerationApiError::not_found("queue"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
