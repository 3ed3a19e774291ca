//! `DELETE /accounts/{accountId}/invitations/{invitationId}`

use super::super::{
    Problem, authentication::MembersManage, error, path::InvitationPath, request::AccountRequest,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};

/// Take an invitation back.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/invitations/{invitationId}", tag = "invitations", security(("api key" = [], "application" = [])),
    params(InvitationPath),
    responses((status = 204, description = "Its link works no more."), error::Reading),
)]
pub(crate) async fn revoke_invitation(
    State(api): State<Api>,
    request: AccountRequest<MembersManage, InvitationPath>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    if !api.doors.revoke(&mut tx, request.account.id, request.path.invitation).await? {
        return Err(Problem::missing("invitation"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
