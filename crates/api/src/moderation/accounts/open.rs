//! `POST /accounts`

use super::super::{
    Code, Problem,
    authentication::Administrator,
    created::Created,
    error,
    request::{ApplicationRequest, Payload, Sent},
    violations::Violations,
};
use crate::{
    Api,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::Measured;
use domain::{
    Violation,
    accounts::{self, LONGEST_NAME, NotOpened},
};
use utoipa::ToSchema;

/// An account to be.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewAccount {
    /// What it is called; no two accounts of an application have the same name.
    #[schema(value_type = String, min_length = 1, max_length = 200, example = "Production")]
    name: Option<String>,
}

impl Payload for NewAccount {
    type Command = String;

    const INSISTS_ON_JSON: bool = true;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<String> {
        violations.required("name", self.name)
    }
}

/// Open an account.
///
/// An application may have several, as one for tests and one for production.
#[utoipa::path(
    post, path = "/accounts", tag = "accounts", security(("api key" = [], "application" = [])),
    params(IdempotencyKeyHeader),
    request_body(content = NewAccount, example = json!({ "name": "Production" })),
    responses((status = 201, description = "It is open.", body = Created), error::Opening),
)]
pub(crate) async fn open_account(
    State(api): State<Api>,
    request: ApplicationRequest<Administrator, (), Sent<NewAccount>>,
) -> Result<Response, Problem> {
    let (app, name) = (request.app, &request.input.command);
    idempotent(&api, request.identity(), async |tx| {
        let id = accounts::open(tx, &*api.world, app, name, api.settings.accounts).await?;
        Ok((StatusCode::CREATED, Created::new(id)))
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
