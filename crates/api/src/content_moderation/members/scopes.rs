//! `GET /accounts/{accountId}/scopes`

use super::super::{
    ModerationApiError, authentication::AnyCaller, error, path::AccountPath, request::AccountRequest,
};
use axum::Json;
use domain::accounts::Scope;
use utoipa::ToSchema;

/// What there is to allow, and what the caller may do.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ScopeList {
    /// Every scope that a member can be given.
    scopes: &'static [Scope],
    /// Those that the caller has.
    granted: Vec<Scope>,
}

/// List the scopes.
///
/// Any caller may ask. An administrator, and an API key without scopes of its own, have all of them.
#[utoipa::path(
    get, path = "/accounts/{accountId}/scopes", tag = "members", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses((status = 200, description = "All scopes, and those of the caller.", body = ScopeList), error::ReadErrors),
)]
pub(crate) async fn list_scopes(
    request: AccountRequest<AnyCaller>,
) -> Result<Json<ScopeList>, ModerationApiError> {
    Ok(Json(ScopeList { scopes: &Scope::ALL, granted: request.caller.granted_scopes() }))
}
