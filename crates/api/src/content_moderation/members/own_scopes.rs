//! `GET /accounts/{accountId}/scopes`

use super::super::{
    ModerationApiError, authentication::AnyCaller, error, path::AccountPath, request::AccountRequest,
};
use axum::Json;
use domain::accounts::Scope;
use utoipa::ToSchema;

/// What the caller may do.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct OwnScopes {
    /// The scopes, in the interface's order.
    scopes: Vec<Scope>,
}

/// See what you may do in an account.
///
/// Any caller may ask. An administrator, and an API key without scopes of its own, may do everything.
#[utoipa::path(
    get, path = "/accounts/{accountId}/scopes", tag = "members", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses((status = 200, description = "What the caller may do.", body = OwnScopes), error::ReadErrors),
)]
pub(crate) async fn own_scopes(
    request: AccountRequest<AnyCaller>,
) -> Result<Json<OwnScopes>, ModerationApiError> {
    Ok(Json(OwnScopes { scopes: request.caller.granted_scopes() }))
}
