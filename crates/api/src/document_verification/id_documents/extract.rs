//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError, auth::DocumentEndUser, error, extraction_answer::ExtractionAnswer,
        sessions::view::TaskView,
    },
};
use axum::extract::State;
use domain::document_verification::types::ResourceKind;

/// Extract the text of an identity document.
///
/// Waits a while for the result: a task that is still `PENDING` can be requested again, or followed in the
/// configuration. Documents are read in the order in which they were requested; `Retry-After` tells in how many seconds
/// this one will probably be read. Where that is longer than a call waits, the first call is answered at once.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The document."),
    ),
    responses(
        (status = 200, description = "The task, with its recommendation when it has ended.", body = TaskView,
            headers(("Retry-After" = u64, description = "Seconds until it will probably be read; while it is `PENDING`."))),
        error::ExtractErrors
    ),
)]
pub(crate) async fn extract_id_document(
    State(api): State<ApiState>,
    user: DocumentEndUser,
) -> Result<ExtractionAnswer, DocumentApiError> {
    ExtractionAnswer::request(&api, user, ResourceKind::IdDocument).await
}
