//! `GET /accounts/{accountId}/contents`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    ContentBody,
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State, http::StatusCode};
use base::{AccountId, ContentId};
use domain::{accounts::Scope, content};
use utoipa::ToSchema;

/// A page of contents.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Contents {
    /// The id of the first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    id: Option<ContentId>,
    /// The contents, newest first, 20 on a page.
    contents: Vec<ContentBody>,
    /// How many the account has.
    total_count: i64,
}

/// List the contents of an account.
///
/// The status is 201, as this interface has it.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("page" = Option<i64>, Query, description = "From 1; 1 by default.", minimum = 1),
    ),
    responses((status = 201, description = "A page of them; empty past the end.", body = Contents), Problem),
)]
pub(crate) async fn list_contents(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
    page: Page,
) -> Result<(StatusCode, Json<Contents>), Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ContentsList).await?;
    let (found, total_count) = content::list(&mut view, account, page.offset(), PAGE_ITEMS).await?;
    let mut contents = Vec::with_capacity(found.len());
    for content in found {
        contents.push(ContentBody::of(&mut view, account, content).await?);
    }
    let id = contents.first().map(|content| content.id);
    Ok((StatusCode::CREATED, Json(Contents { id, contents, total_count })))
}
