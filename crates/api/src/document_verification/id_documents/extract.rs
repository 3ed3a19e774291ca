//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::DocumentEndUser, error, sessions::view::TaskView},
};
use axum::{Json, extract::State};
use domain::document_verification::types::ResourceKind;

/// Extract the text of an identity document.
///
/// Waits a while for the result: a task that is still `PENDING` can be requested again, or followed in the
/// configuration.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The document."),
    ),
    responses(
        (status = 200, description = "The task, with its recommendation when it has ended.", body = TaskView),
        error::ExtractErrors
    ),
)]
pub(crate) async fn extract_id_document(
    State(api): State<ApiState>,
    user: DocumentEndUser,
) -> Result<Json<TaskView>, DocumentApiError> {
    let (id, resource) = (user.stored.session.id, user.path.resource()?);
    let kind = ResourceKind::IdDocument;
    let task = api.document_verification.request_extraction(id, kind, resource, user.device).await?;
    let mut view = api.db.read().await?;
    let held = api.document_verification.find(&mut view, user.stored.session.app, id).await?;
    let session = held.map_or(user.stored.session, |held| held.session);
    Ok(Json(TaskView::of(&session, &task)))
}
