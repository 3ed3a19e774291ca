//! `DELETE /accounts/{accountId}/profiles/{profileId}/dismissals/{dismissalId}`

use super::super::{
    ModerationApiError, authentication::NotificationsManage, error, path::DismissalPath,
    request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Undo a dismissal.
///
/// The face is matched to the profile again. The review that dismissed it stays in the notification's list. To accept the
/// notification undoes its dismissal, too.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/profiles/{profileId}/dismissals/{dismissalId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(DismissalPath),
    responses((status = 204, description = "The dismissal is undone."), error::ReadErrors),
)]
pub(crate) async fn undo_dismissal(
    State(api): State<ApiState>,
    request: AccountRequest<NotificationsManage, DismissalPath>,
) -> Result<StatusCode, ModerationApiError> {
    let (account, DismissalPath { profile, dismissal, .. }) = (request.account.id, &request.path);
    let mut tx = request.begin_locked(&api).await?;
    api.faces.undo_dismissal(&mut tx, account, *profile, *dismissal).await?;
    tx.commit().await?;
    api.faces.apply_committed_changes(account).await;
    Ok(StatusCode::NO_CONTENT)
}
