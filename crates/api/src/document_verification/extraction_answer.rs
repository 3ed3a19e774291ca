//! The answer to a request to read a document, which is the same for documents of both kinds.

use super::{DocumentApiError, auth::DocumentEndUser, sessions::view::TaskView};
use crate::ApiState;
use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::document_verification::{RequestedExtraction, types::ResourceKind};
use std::time::Duration;

/// A task and, while it is pending, how long it will probably take.
pub(super) struct ExtractionAnswer {
    task: TaskView,
    expected_wait: Option<Duration>,
}

impl ExtractionAnswer {
    /// Asks for a document to be read.
    pub(super) async fn request(
        api: &ApiState,
        user: DocumentEndUser,
        kind: ResourceKind,
    ) -> Result<Self, DocumentApiError> {
        let (id, resource) = (user.stored.session.id, user.path.resource()?);
        let RequestedExtraction { task, expected_wait } =
            api.document_verification.request_extraction(id, kind, resource, user.device).await?;
        let mut view = api.db.read().await?;
        let held = api.document_verification.find(&mut view, user.stored.session.app, id).await?;
        let session = held.map_or(user.stored.session, |held| held.session);
        Ok(Self { task: TaskView::of(&session, &task), expected_wait })
    }
}

impl IntoResponse for ExtractionAnswer {
    fn into_response(self) -> Response {
        let mut response = Json(self.task).into_response();
        if let Some(wait) = self.expected_wait {
            let seconds = HeaderValue::from(wait.as_secs_f64().ceil().max(1.0) as u64);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}
