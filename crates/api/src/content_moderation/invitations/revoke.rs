//! `DELETE /accounts/{accountId}/invitations/{invitationId}`

use super::super::{
    ModerationApiError, authentication::MembersManage, error, path::InvitationPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Revoke an invitation.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/invitations/{invitationId}", tag = "invitations", security(("api key" = [], "application" = [])),
    params(InvitationPath),
    responses((status = 204, description = "The invitation is revoked; its link no longer works."), error::ReadErrors),
)]
pub(crate) async fn revoke_invitation(
    State(api): State<ApiState>,
    request: AccountRequest<MembersManage, InvitationPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    if !api.sign_in.revoke_invitation(&mut tx, request.account.id, request.path.invitation).await? {
        return Err(ModerationApiError::not_found("invitation"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
