//! `POST /accounts/{accountId}/archive/contents`

use super::super::{
    Problem,
    authentication::ContentsManage,
    error,
    path::AccountPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::ContentId;
use domain::content;
use utoipa::ToSchema;

/// What to put away.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ContentToArchive {
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: Option<ContentId>,
}

impl Payload for ContentToArchive {
    type Command = ContentId;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<ContentId> {
        violations.required("content_id", self.content_id)
    }
}

/// Put a content away.
///
/// An archived content is not moderated any more until it is restored; what was found in it stays.
#[utoipa::path(
    post, path = "/accounts/{accountId}/archive/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(AccountPath),
    request_body = ContentToArchive,
    responses((status = 204, description = "It is archived."), error::Writing),
)]
pub(crate) async fn archive_content(
    State(api): State<Api>,
    request: AccountRequest<ContentsManage, AccountPath, Sent<ContentToArchive>>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    content::archive(&mut tx, request.account.id, request.input.command, true).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
