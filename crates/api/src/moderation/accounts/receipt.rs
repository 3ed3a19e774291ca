//! `GET /accounts/{accountId}/deletion-receipt`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{Json, extract::State};
use base::AccountId;
use domain::accounts::Signed;
use utoipa::{ToSchema, openapi::Object};

/// What was deleted with an account, and what proves it.
#[derive(serde::Serialize, ToSchema)]
#[serde(transparent)]
#[schema(as = DeletionReceipt, value_type = SignedReceipt)]
pub(crate) struct ReceiptBody(Signed);

/// A signed receipt.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes in the document what `Signed` serialises to")]
pub(crate) struct SignedReceipt {
    /// What it says.
    receipt: ReceiptClaims,
    /// The same as a JWS in compact form, `EdDSA`.
    jws: String,
    /// The public key that it verifies with, a JWK.
    key: Object,
}

/// What a receipt says.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes in the document what `Receipt` serialises to")]
pub(crate) struct ReceiptClaims {
    /// The receipt's id.
    #[schema(value_type = Uuid)]
    id: String,
    /// The account that is gone.
    #[schema(value_type = Uuid)]
    account_id: String,
    /// How many of each kind were deleted.
    #[schema(value_type = std::collections::BTreeMap<String, i64>)]
    what: Object,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    requested_at: String,
    /// When nothing was left.
    #[schema(value_type = String, format = DateTime)]
    completed_at: String,
    /// Who asked: `api key ID`, `member` or `operator`.
    by: String,
}

/// See what was deleted with an account.
///
/// An extension: for the application whose account it was, by an API key of an administrator.
#[utoipa::path(
    get, path = "/accounts/{accountId}/deletion-receipt", tag = "accounts", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account that is gone.")),
    responses((status = 200, description = "The receipt.", body = SignedReceipt), Problem),
)]
pub(crate) async fn get_deletion_receipt(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
) -> Result<Json<ReceiptBody>, Problem> {
    caller.administers()?;
    let app = caller.application()?;
    let found = api.closing.receipts().find(&mut api.db.read().await?, Some(app), account).await?;
    found.map(|signed| Json(ReceiptBody(signed))).ok_or_else(|| Problem::missing("receipt"))
}
