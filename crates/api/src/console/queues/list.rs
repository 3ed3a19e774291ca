//! `GET /console/queues`

use super::body::{QueueBody, QueueFiguresBody};
use crate::{
    ApiState,
    console::{
        CaseReadErrors,
        cases::{ExposureBody, request::ReviewerRequest},
    },
    content_moderation::ModerationApiError,
};
use axum::{Json, extract::State};
use utoipa::ToSchema;

/// The queues of a reviewer.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct QueueList {
    /// In the order in which they are asked whether they take a case.
    queues: Vec<QueueBody>,
    /// The figures of cases that no queue took.
    without_queue: QueueFiguresBody,
    exposure: ExposureBody,
}

/// List the queues whose cases the reviewer may decide, with their figures.
#[utoipa::path(
    get, path = "/console/queues", tag = "queues", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The queues.", body = QueueList), CaseReadErrors),
)]
pub(in crate::console) async fn list_queues(
    State(api): State<ApiState>,
    request: ReviewerRequest,
) -> Result<Json<QueueList>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let (figures, queues) = api.cases.queue_figures(&mut view, &request.reviewer).await?;
    let exposure = api.cases.exposure(&mut view, &request.reviewer).await?.into();
    let without_queue =
        figures.iter().find(|known| known.queue_id.is_none()).map(Into::into).unwrap_or_default();
    let queues = queues.into_iter().map(|queue| QueueBody::of(queue, &figures)).collect();
    Ok(Json(QueueList { queues, without_queue, exposure }))
}
