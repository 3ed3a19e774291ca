//! `PUT /accounts/{accountId}/members/{memberId}`

use super::super::{
    ModerationApiError,
    authentication::MembersManage,
    error,
    path::MemberPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use domain::accounts::{Scope, members};
use utoipa::ToSchema;

/// The scopes to set for a member.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct SetScopesRequest {
    /// All that they may do; scopes that are left out are revoked.
    #[schema(value_type = Vec<Scope>)]
    scopes: Option<Vec<Scope>>,
}

impl CommandPayload for SetScopesRequest {
    type Command = Vec<Scope>;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<Vec<Scope>> {
        violations.required("scopes", self.scopes)
    }
}

/// Set what a member may do.
///
/// Nobody can give a scope that they do not have themselves; what the member has already may stay. A role that the console
/// has given them, and that allows more than the given set, is taken from them.
#[utoipa::path(
    put, path = "/accounts/{accountId}/members/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(MemberPath),
    request_body = SetScopesRequest,
    responses((status = 204, description = "The permissions are set; they apply from the next call on."), error::WriteErrors),
)]
pub(crate) async fn set_scopes(
    State(api): State<ApiState>,
    request: AccountRequest<MembersManage, MemberPath, ReceivedCommand<SetScopesRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    let (account, member) = (request.account.id, request.path.member);
    members::set_scopes(&mut tx, &request.caller, account, member, &request.input.command).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
