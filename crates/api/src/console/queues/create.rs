//! `POST /console/queues`

use super::{body::QueueRequest, owners};
use crate::{
    ApiState,
    console::{
        QueueCommandErrors,
        cases::request::{Command, ReviewerRequest},
    },
    content_moderation::{ModerationApiError, ModerationErrorCode},
};
use axum::{Json, extract::State, http::StatusCode};
use base::CaseQueueId;
use domain::accounts::{self, ConsoleScope};
use utoipa::ToSchema;

/// A queue that was created.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct CreatedQueue {
    #[schema(value_type = Uuid)]
    id: CaseQueueId,
}

/// Create a queue behind the others. Needs `queues:manage`.
#[utoipa::path(
    post, path = "/console/queues", tag = "queues", security(("session" = [], "console" = [])),
    request_body(content = QueueRequest, example = json!({ "name": "Banned people", "rules": { "kinds": ["FINDING"], "reasons": ["BANNED_PROFILE"] }, "target_minutes": 60 })),
    responses((status = 201, description = "The queue.", body = CreatedQueue), QueueCommandErrors),
)]
pub(in crate::console) async fn create_queue(
    State(api): State<ApiState>,
    request: ReviewerRequest<(), Command<QueueRequest>>,
) -> Result<(StatusCode, Json<CreatedQueue>), ModerationApiError> {
    request.require(ConsoleScope::QueuesManage)?;
    let command = &request.input.0;
    let owner = owners(&request).into_iter().find(|(_, account)| account.is_none() == command.of_application);
    let owner = owner.ok_or_else(|| {
        let message = "queues of the application need documents:review or ages:review";
        ModerationApiError::new(ModerationErrorCode::Unauthorized, message)
    })?;
    let mut tx = request.begin(&api).await?;
    if !accounts::lock_shared(&mut tx, request.reviewer.account).await? {
        return Err(ModerationApiError::not_found("account"));
    }
    let id = api.cases.create_queue(&mut tx, owner, &command.input).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedQueue { id })))
}
