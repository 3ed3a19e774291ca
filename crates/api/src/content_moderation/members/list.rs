//! `GET /accounts/{accountId}/members`

use super::{
    super::{
        ModerationApiError, authentication::MembersManage, error, path::AccountPath, request::AccountRequest,
    },
    MemberBody,
};
use crate::ApiState;
use axum::{Json, extract::State};
use domain::accounts::members;
use utoipa::ToSchema;

/// The members of an account.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct MemberList {
    /// The earliest member first.
    members: Vec<MemberBody>,
}

/// List the members.
#[utoipa::path(
    get, path = "/accounts/{accountId}/members", tag = "members", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses((status = 200, description = "The members.", body = MemberList), error::ReadErrors),
)]
pub(crate) async fn list_members(
    State(api): State<ApiState>,
    request: AccountRequest<MembersManage>,
) -> Result<Json<MemberList>, ModerationApiError> {
    let found = members::list(&mut api.db.read().await?, request.account.id).await?;
    Ok(Json(MemberList { members: found.into_iter().map(MemberBody::from).collect() }))
}
