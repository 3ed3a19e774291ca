//! `GET /accounts/{accountId}`

use super::super::{
    ModerationApiError, authentication::AnyCaller, error, path::AccountPath, request::AccountRequest,
};
use axum::Json;
use base::{AccountId, Timestamp};
use domain::accounts::Account;
use utoipa::ToSchema;

/// An account.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Account)]
pub(crate) struct AccountBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: AccountId,
    /// Its name.
    #[schema(example = "Production")]
    name: String,
    /// When it was opened.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// See an account.
#[utoipa::path(
    get, path = "/accounts/{accountId}", tag = "accounts", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses((status = 200, description = "The account.", body = AccountBody), error::ReadErrors),
)]
pub(crate) async fn get_account(
    request: AccountRequest<AnyCaller>,
) -> Result<Json<AccountBody>, ModerationApiError> {
    Ok(Json(request.account.into()))
}

impl From<Account> for AccountBody {
    fn from(Account { id, name, created_at }: Account) -> Self {
        Self { id, name, created_at }
    }
}
