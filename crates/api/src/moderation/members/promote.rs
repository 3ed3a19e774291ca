//! `POST /accounts/{accountId}/admin`

use super::{
    super::{
        Problem,
        sent::{Ids, Sent},
    },
    MemberBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, MemberId};
use domain::accounts::{Scope, members};
use utoipa::ToSchema;

/// Who is to be an administrator.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewAdministrator {
    /// The member.
    #[schema(value_type = Uuid)]
    member_id: Option<String>,
}

/// Make a member an administrator.
#[utoipa::path(
    post, path = "/accounts/{accountId}/admin", tag = "members", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = NewAdministrator,
    responses((status = 200, description = "He is one.", body = MemberBody), Problem),
)]
pub(crate) async fn promote(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<NewAdministrator>,
) -> Result<Json<MemberBody>, Problem> {
    sent.caller.administers()?;
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::MembersManage).await?;
    let id =
        sent.body.member_id.as_deref().ok_or_else(|| Problem::violation("member_id", "it is required"))?;
    let id: MemberId = id.parse().map_err(|_| Problem::violation("member_id", "it is not a UUID"))?;
    let member = members::promote(&mut tx, account, id).await?;
    tx.commit().await?;
    Ok(Json(member.into()))
}
