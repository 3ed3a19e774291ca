//! `DELETE /idverify/v1/sessions/{sessionId}/media/{mediaId}/content`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::SessionOwner, error},
};
use axum::{extract::State, http::StatusCode};

/// Delete the contents of a media for good; its session must have ended.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/media/{mediaId}/content", tag = "media",
    security(("signature" = []), ("bearer" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("mediaId" = Uuid, Path, description = "The media."),
    ),
    responses((status = 204, description = "The contents are deleted."), error::DeleteMediaErrors),
)]
pub(crate) async fn delete_media(
    State(api): State<ApiState>,
    owner: SessionOwner,
) -> Result<StatusCode, DocumentApiError> {
    let media = owner.party.path.media()?;
    api.document_verification.redact_media(owner.stored.session.id, media, owner.party.device).await?;
    Ok(StatusCode::NO_CONTENT)
}
