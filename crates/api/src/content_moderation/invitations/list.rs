//! `GET /accounts/{accountId}/invitations`

use super::super::{
    ModerationApiError, authentication::MembersManage, error, path::AccountPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{InvitationId, Timestamp};
use domain::accounts::invitations::Invitation;
use utoipa::ToSchema;

/// A pending invitation.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Invitation)]
pub(crate) struct InvitationBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: InvitationId,
    /// The address it was sent to.
    email: String,
    /// The user name they will have.
    username: String,
    /// Whether they will be an administrator.
    admin: bool,
    /// Until when it may be accepted.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// When it was sent.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// The invitations of an account.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct InvitationList {
    /// Newest first.
    invitations: Vec<InvitationBody>,
}

/// List the pending invitations.
#[utoipa::path(
    get, path = "/accounts/{accountId}/invitations", tag = "invitations", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses((status = 200, description = "The invitations.", body = InvitationList), error::ReadErrors),
)]
pub(crate) async fn list_invitations(
    State(api): State<ApiState>,
    request: AccountRequest<MembersManage>,
) -> Result<Json<InvitationList>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let found = api.sign_in.invitations(&mut view, request.account.id).await?;
    Ok(Json(InvitationList { invitations: found.into_iter().map(InvitationBody::from).collect() }))
}

impl From<Invitation> for InvitationBody {
    fn from(Invitation { id, email, username, admin, expires_at, created_at }: Invitation) -> Self {
        Self { id, email, username, admin, expires_at, created_at }
    }
}
