//! `POST /accounts`

use super::super::{Code, Problem, sent::Sent};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AccountId, Measured};
use domain::{
    Violation,
    accounts::{self, LONGEST_NAME, NotOpened},
};
use utoipa::ToSchema;

/// An account to be.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewAccount {
    /// 1 to 200 characters; no two accounts of an application have the same.
    #[schema(value_type = String, example = "Production")]
    name: Option<String>,
}

/// What was made.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Created<T> {
    /// Its id.
    #[schema(value_type = Uuid)]
    pub(crate) id: T,
}

/// Open an account.
///
/// An application may have several, as one for tests and one for production.
#[utoipa::path(
    post, path = "/accounts", tag = "accounts", security(("api key" = [], "application" = [])),
    request_body = NewAccount,
    responses((status = 201, description = "It is open.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn open_account(
    State(api): State<Api>,
    sent: Sent<NewAccount>,
) -> Result<Response, Problem> {
    sent.caller.administers()?;
    let app = sent.caller.application()?;
    sent.insist_on_json()?;
    let name = sent.body.name.as_deref().ok_or_else(|| Problem::violation("name", "it is required"))?;
    idempotent(&api, sent.identity(), async |tx| {
        let id: AccountId = accounts::open(tx, &*api.world, app, name, api.settings.accounts).await?;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await
}

impl From<NotOpened> for Problem {
    fn from(no: NotOpened) -> Self {
        let words = no.to_string();
        match no {
            NotOpened::Name(length) => {
                let limit = format!("1 to {LONGEST_NAME} characters");
                let measured = Measured::new(length as f64, limit, "choose another name");
                Violation::measured("name", words, measured).into()
            }
            NotOpened::Duplicate => Self::refused(Code::DuplicateAccountName, "name", words, None),
            NotOpened::TooMany(_) => Self::new(Code::TooManyAccounts, words),
            NotOpened::Db(error) => Self::unavailable(&error),
        }
    }
}
