//! `DELETE /accounts/{accountId}/invitations/{invitationId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, InvitationId};
use domain::accounts::Scope;

/// Take an invitation back.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/invitations/{invitationId}", tag = "invitations", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account."), ("invitationId" = Uuid, Path, description = "The invitation.")),
    responses((status = 204, description = "Its link works no more."), Problem),
)]
pub(crate) async fn revoke_invitation(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, invitation)): Ids<(AccountId, InvitationId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::MembersManage).await?;
    if !api.doors.revoke(&mut tx, account, invitation).await? {
        return Err(Problem::missing("invitation"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
