//! `GET /accounts/{accountId}/deletion-receipt`

use super::super::{
    ModerationApiError,
    authentication::Administrator,
    error,
    path::{AccountPath, AccountScopedPath as _},
    request::ApplicationRequest,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{AccountId, ReceiptId, Timestamp};
use domain::{
    accounts::{DeletionReceipt, SignedReceipt},
    jwk::Jwk,
};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What was deleted with an account, and the proof of it.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = DeletionReceipt)]
pub(crate) struct DeletionReceiptBody {
    /// The claims.
    receipt: DeletionReceiptClaims,
    /// The claims as a JWS in compact form (RFC 7515), signed by `EdDSA` (RFC 8037).
    jws: String,
    /// The public key that verifies the JWS.
    key: Jwk,
}

/// The claims of a receipt.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct DeletionReceiptClaims {
    /// The receipt's id.
    #[schema(value_type = Uuid)]
    id: ReceiptId,
    /// The account that is gone.
    #[schema(value_type = Uuid)]
    account_id: AccountId,
    /// How many of each kind were deleted; kinds of which there were none are left out.
    what: BTreeMap<String, i64>,
    /// When the deletion was requested. From then on the account answered as one that does not exist.
    #[schema(value_type = String, format = DateTime)]
    requested_at: Timestamp,
    /// When the deletion was complete.
    #[schema(value_type = String, format = DateTime)]
    completed_at: Timestamp,
    /// Who asked: `api key ID`, `member` or `operator`.
    by: String,
    /// What the deletion reached and what it could not. Receipts of older servers have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<DeletionScope>,
}

/// What a deletion reached when it was complete, and what it could not reach.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct DeletionScope {
    /// What is gone.
    covers: Vec<String>,
    /// Where copies may remain, and until when.
    excludes: Vec<String>,
}

/// See what was deleted with an account.
///
/// An extension: for the application whose account it was, by an API key of an administrator.
#[utoipa::path(
    get, path = "/accounts/{accountId}/deletion-receipt", tag = "accounts", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses((status = 200, description = "The receipt.", body = DeletionReceiptBody), error::ReadErrors),
)]
pub(crate) async fn get_deletion_receipt(
    State(api): State<ApiState>,
    request: ApplicationRequest<Administrator, AccountPath>,
) -> Result<Json<DeletionReceiptBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let signed =
        api.account_deletion.receipts().find(&mut view, Some(request.app), request.path.account()).await?;
    signed.map(|signed| Json(signed.into())).ok_or_else(|| ModerationApiError::not_found("receipt"))
}

impl From<SignedReceipt> for DeletionReceiptBody {
    fn from(SignedReceipt { receipt, jws, key }: SignedReceipt) -> Self {
        let DeletionReceipt { id, account_id, what, requested_at, completed_at, by, scope } = receipt;
        let scope = scope.map(|scope| DeletionScope { covers: scope.covers, excludes: scope.excludes });
        let receipt = DeletionReceiptClaims { id, account_id, what, requested_at, completed_at, by, scope };
        Self { receipt, jws, key }
    }
}
