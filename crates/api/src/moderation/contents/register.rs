//! `POST /accounts/{accountId}/contents`

use super::{
    super::{
        Problem,
        accounts::open::Created,
        sent::{Ids, Sent},
    },
    parts,
};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AccountId, Uuid};
use domain::{
    accounts::Scope,
    content::{self, ContentType, NewContent},
};
use utoipa::ToSchema;

/// A content to be.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ContentInput {
    /// Where it is: an https address of the public internet.
    #[schema(value_type = String, pattern = "https://*", example = "https://media.example.com/1.jpg")]
    url: Option<String>,
    /// What it is.
    #[schema(value_type = ContentType, example = "IMAGE")]
    r#type: Option<ContentType>,
    /// Profiles that are known to be in it, at most 100.
    profile_ids: Option<Vec<String>>,
    /// Who brought it: an id of your own, or a profile's.
    uploader_id: Option<Uuid>,
    /// Up to 200 characters.
    #[schema(max_length = 200)]
    title: Option<String>,
}

/// Register a content.
///
/// Only its address is kept; what is behind it is fetched when it is moderated.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = ContentInput,
    responses((status = 201, description = "It is registered.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn register_content(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<ContentInput>,
) -> Result<Response, Problem> {
    idempotent(&api, sent.identity(), async |tx| {
        let account = sent.caller.enter_to_write(tx, account, Scope::ContentsManage).await?;
        let new = NewContent {
            url: sent.body.url.clone().ok_or_else(|| Problem::violation("url", "it is required"))?,
            content_type: sent.body.r#type.ok_or_else(|| Problem::violation("type", "it is required"))?,
            profile_ids: sent.body.profile_ids.clone().unwrap_or_default(),
            uploader_id: sent.body.uploader_id,
            title: sent.body.title.clone(),
        };
        let id = content::register(tx, &*api.world, parts(&api), account, &new).await?;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await
}
