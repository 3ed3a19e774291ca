//! `GET /accounts/{accountId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, Timestamp};
use domain::accounts::Account;
use utoipa::ToSchema;

/// An account.
#[derive(serde::Serialize, ToSchema)]
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
    params(("accountId" = Uuid, Path, description = "The account.")),
    responses((status = 200, description = "The account.", body = AccountBody), Problem),
)]
pub(crate) async fn get_account(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
) -> Result<Json<AccountBody>, Problem> {
    let account = caller.account(&mut api.db.read().await?, account).await?;
    Ok(Json(account.into()))
}

impl From<Account> for AccountBody {
    fn from(Account { id, name, created_at }: Account) -> Self {
        Self { id, name, created_at }
    }
}
