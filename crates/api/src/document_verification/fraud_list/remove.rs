//! `DELETE /idverify/v1/fraud-list/{entryId}`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::RelyingPartyRequest, error},
};
use axum::{extract::State, http::StatusCode};
use domain::document_verification::DocumentSessionError;

/// Remove an entry from the list.
#[utoipa::path(
    delete, path = "/idverify/v1/fraud-list/{entryId}", tag = "fraud list", security(("signature" = []), ("bearer" = [])),
    params(("entryId" = Uuid, Path, description = "The entry.")),
    responses((status = 204, description = "The entry is removed."), error::RemoveFromFraudListErrors),
)]
pub(crate) async fn remove_from_fraud_list(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<StatusCode, DocumentApiError> {
    party.require_production()?;
    let entry = party.path.fraud_list_entry()?;
    if api.document_verification.remove_from_fraud_list(Some(party.app), entry).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(DocumentSessionError::ItemNotFound("entry").into())
}
