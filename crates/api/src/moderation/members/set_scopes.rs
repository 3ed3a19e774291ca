//! `PUT /accounts/{accountId}/members/{memberId}`

use super::{
    super::{
        Problem,
        sent::{Ids, Sent},
    },
    ScopeWord, scopes,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, MemberId};
use domain::accounts::{Scope, members};
use utoipa::ToSchema;

/// What a member is to be allowed.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewScopes {
    /// All that he may do; what is not among them he may do no more.
    #[schema(value_type = Vec<ScopeWord>)]
    scopes: Option<Vec<String>>,
}

/// Set what a member may do.
#[utoipa::path(
    put, path = "/accounts/{accountId}/members/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account."), ("memberId" = Uuid, Path, description = "The member.")),
    request_body = NewScopes,
    responses((status = 204, description = "He may do this, from his next call on."), Problem),
)]
pub(crate) async fn set_scopes(
    State(api): State<Api>,
    Ids((account, member)): Ids<(AccountId, MemberId)>,
    sent: Sent<NewScopes>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::MembersManage).await?;
    let wanted = sent.body.scopes.as_deref().ok_or_else(|| Problem::violation("scopes", "it is required"))?;
    members::set_scopes(&mut tx, account, member, &scopes(wanted)?).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
