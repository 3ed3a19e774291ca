//! `POST /accounts/{accountId}/groups`

use super::super::{
    Problem,
    accounts::open::Created,
    sent::{Ids, Sent},
};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::AccountId;
use domain::accounts::Scope;
use utoipa::ToSchema;

/// A group to be.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewGroup {
    /// 1 to 100 characters; no two groups of an account have the same.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Staff")]
    label: Option<String>,
}

/// Make a group.
///
/// A moderation can look for all profiles of a group at once.
#[utoipa::path(
    post, path = "/accounts/{accountId}/groups", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = NewGroup,
    responses((status = 201, description = "It is there.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn make_group(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<NewGroup>,
) -> Result<Response, Problem> {
    idempotent(&api, sent.identity(), async |tx| {
        let account = sent.caller.enter_to_write(tx, account, Scope::ProfilesManage).await?;
        let label =
            sent.body.label.as_deref().ok_or_else(|| Problem::violation("label", "it is required"))?;
        let id = api.faces.make_group(tx, account, label).await?;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await
}
