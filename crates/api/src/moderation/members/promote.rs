//! `POST /accounts/{accountId}/admin`

use super::{
    super::{
        Problem,
        authentication::Administrator,
        error,
        path::AccountPath,
        request::{AccountRequest, Payload, Sent},
        violations::Violations,
    },
    MemberBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::MemberId;
use domain::accounts::members;
use utoipa::ToSchema;

/// Who is to be an administrator.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewAdministrator {
    /// The member.
    #[schema(value_type = Uuid)]
    member_id: Option<MemberId>,
}

impl Payload for NewAdministrator {
    type Command = MemberId;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<MemberId> {
        violations.required("member_id", self.member_id)
    }
}

/// Make a member an administrator.
#[utoipa::path(
    post, path = "/accounts/{accountId}/admin", tag = "members", security(("api key" = [], "application" = [])),
    params(AccountPath),
    request_body = NewAdministrator,
    responses((status = 200, description = "They are one.", body = MemberBody), error::Writing),
)]
pub(crate) async fn promote(
    State(api): State<Api>,
    request: AccountRequest<Administrator, AccountPath, Sent<NewAdministrator>>,
) -> Result<Json<MemberBody>, Problem> {
    let mut tx = request.begin(&api).await?;
    let member = members::promote(&mut tx, request.account.id, request.input.command).await?;
    tx.commit().await?;
    Ok(Json(member.into()))
}
