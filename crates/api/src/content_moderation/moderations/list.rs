//! `GET /accounts/{accountId}/moderations`

use super::{
    super::{
        ModerationApiError, authentication::ModerationsView, error, path::AccountPath,
        query::ModerationQuery, request::AccountRequest,
    },
    item::ModerationItem,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};
use domain::{
    CreationRange,
    content_moderation::{ModerationFilter, ModerationSummary},
};
use utoipa::ToSchema;

/// A page of moderations.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ModerationList {
    /// The moderations, newest first.
    #[schema(max_items = 20)]
    contents: Vec<ModerationItem>,
}

/// List the moderations of an account.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(AccountPath, ModerationQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = ModerationList), error::ListErrors),
)]
pub(crate) async fn list_moderations(
    State(api): State<ApiState>,
    request: AccountRequest<ModerationsView, AccountPath, ModerationQuery>,
) -> Result<Json<ModerationList>, ModerationApiError> {
    let ModerationQuery { page, r#type, state, created_from, created_before } = request.input;
    let created = CreationRange { from: created_from, before: created_before };
    let filter = ModerationFilter { content_type: r#type, state, created };
    let range = (page.offset(), ITEMS_PER_PAGE);
    let mut view = api.db.read().await?;
    Ok(Json(api.content_moderation.list(&mut view, request.account.id, filter, range).await?.into()))
}

impl From<Vec<ModerationSummary>> for ModerationList {
    fn from(items: Vec<ModerationSummary>) -> Self {
        Self { contents: items.into_iter().map(Into::into).collect() }
    }
}
