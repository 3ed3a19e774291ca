//! `POST /accounts/{accountId}/admin`

use super::{
    super::{
        ModerationApiError,
        authentication::Administrator,
        error,
        path::AccountPath,
        request::{AccountRequest, CommandPayload, ReceivedCommand},
        violations::CommandViolations,
    },
    MemberBody,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::MemberId;
use domain::accounts::members;
use utoipa::ToSchema;

/// The member to make an administrator.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct PromoteMemberRequest {
    /// The member.
    #[schema(value_type = Uuid)]
    member_id: Option<MemberId>,
}

impl CommandPayload for PromoteMemberRequest {
    type Command = MemberId;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<MemberId> {
        violations.required("member_id", self.member_id)
    }
}

/// Make a member an administrator.
#[utoipa::path(
    post, path = "/accounts/{accountId}/admin", tag = "members", security(("api key" = [], "application" = [])),
    params(AccountPath),
    request_body = PromoteMemberRequest,
    responses((status = 200, description = "The member is an administrator now.", body = MemberBody), error::WriteErrors),
)]
pub(crate) async fn promote(
    State(api): State<ApiState>,
    request: AccountRequest<Administrator, AccountPath, ReceivedCommand<PromoteMemberRequest>>,
) -> Result<Json<MemberBody>, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    let member = members::promote(&mut tx, request.account.id, request.input.command).await?;
    tx.commit().await?;
    Ok(Json(member.into()))
}
