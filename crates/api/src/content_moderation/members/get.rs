//! `GET /accounts/{accountId}/members/{memberId}`

use super::{
    super::{
        ModerationApiError, authentication::MembersManage, error, path::MemberPath, request::AccountRequest,
    },
    MemberBody,
};
use crate::ApiState;
use axum::{Json, extract::State};
use domain::accounts::members;

/// See a member.
#[utoipa::path(
    get, path = "/accounts/{accountId}/members/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(MemberPath),
    responses((status = 200, description = "The member.", body = MemberBody), error::ReadErrors),
)]
pub(crate) async fn get_member(
    State(api): State<ApiState>,
    request: AccountRequest<MembersManage, MemberPath>,
) -> Result<Json<MemberBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let member = members::find(&mut view, request.account.id, request.path.member).await?;
    member.map(|member| Json(member.into())).ok_or_else(|| ModerationApiError::not_found("member"))
}
