//! `PUT /accounts/{accountId}/members/{memberId}`

use super::super::{
    Problem,
    authentication::MembersManage,
    error,
    path::MemberPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use domain::accounts::{Scope, members};
use utoipa::ToSchema;

/// What a member is to be allowed.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewScopes {
    /// All that they may do; what is not among them they may do no more.
    #[schema(value_type = Vec<Scope>)]
    scopes: Option<Vec<Scope>>,
}

impl Payload for NewScopes {
    type Command = Vec<Scope>;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<Vec<Scope>> {
        violations.required("scopes", self.scopes)
    }
}

/// Set what a member may do.
#[utoipa::path(
    put, path = "/accounts/{accountId}/members/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(MemberPath),
    request_body = NewScopes,
    responses((status = 204, description = "They may do this, from their next call on."), error::Writing),
)]
pub(crate) async fn set_scopes(
    State(api): State<Api>,
    request: AccountRequest<MembersManage, MemberPath, Sent<NewScopes>>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    members::set_scopes(&mut tx, request.account.id, request.path.member, &request.input.command).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
