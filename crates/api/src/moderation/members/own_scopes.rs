//! `GET /accounts/{accountId}/scopes`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    ScopeWord,
};
use crate::Api;
use axum::{Json, extract::State};
use base::AccountId;
use domain::accounts::Scope;
use utoipa::ToSchema;

/// What may be done.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct OwnScopes {
    /// In the interface's order.
    #[schema(value_type = Vec<ScopeWord>)]
    scopes: Vec<Scope>,
}

/// See what you may do in an account.
///
/// Any caller may ask. An administrator, and an API key without scopes of its own, may do everything.
#[utoipa::path(
    get, path = "/accounts/{accountId}/scopes", tag = "members", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    responses((status = 200, description = "What the caller may do.", body = OwnScopes), Problem),
)]
pub(crate) async fn own_scopes(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
) -> Result<Json<OwnScopes>, Problem> {
    caller.account(&mut api.db.read().await?, account).await?;
    Ok(Json(OwnScopes { scopes: Scope::ALL.into_iter().filter(|scope| caller.0.may(*scope)).collect() }))
}
