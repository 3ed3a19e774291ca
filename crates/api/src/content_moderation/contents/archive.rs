//! `POST /accounts/{accountId}/archive/contents`

use super::super::{
    ModerationApiError,
    authentication::ContentsArchive,
    error,
    path::AccountPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use base::ContentId;
use utoipa::ToSchema;

/// The content to archive.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ArchiveContentRequest {
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: Option<ContentId>,
}

impl CommandPayload for ArchiveContentRequest {
    type Command = ContentId;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<ContentId> {
        violations.required("content_id", self.content_id)
    }
}

/// Archive a content.
///
/// An archived content is not moderated any more until it is restored: moderations that wait or run are stopped, and what they
/// found stays.
#[utoipa::path(
    post, path = "/accounts/{accountId}/archive/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(AccountPath),
    request_body = ArchiveContentRequest,
    responses((status = 204, description = "The content is archived."), error::WriteErrors),
)]
pub(crate) async fn archive_content(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsArchive, AccountPath, ReceivedCommand<ArchiveContentRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    api.content_moderation.archive_content(&mut tx, request.account.id, request.input.command).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
