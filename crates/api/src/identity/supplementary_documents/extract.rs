//! `PUT /idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/text-extraction`

use crate::{
    Api,
    identity::{Problem, caller::EndUser, error, sessions::view::TaskView},
};
use axum::{Json, extract::State};
use domain::identity::words::ResourceKind;

/// Have a supplementary document read.
///
/// Waits for it a while: a task that is still `PENDING` can be asked for again, or followed in the configuration.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/text-extraction", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The document."),
    ),
    responses(
        (status = 200, description = "The task, with its recommendation when it has ended.", body = TaskView),
        error::Extracting
    ),
)]
pub(crate) async fn extract_supplementary_document(
    State(api): State<Api>,
    user: EndUser,
) -> Result<Json<TaskView>, Problem> {
    let (id, resource) = (user.held.session.id, user.path.resource()?);
    let kind = ResourceKind::SupplementaryDocument;
    let task = api.identities.extract(id, kind, resource, user.device).await?;
    let mut view = api.db.read().await?;
    let held = api.identities.find(&mut view, user.held.session.app, id).await?;
    let session = held.map_or(user.held.session, |held| held.session);
    Ok(Json(TaskView::of(&session, &task)))
}
