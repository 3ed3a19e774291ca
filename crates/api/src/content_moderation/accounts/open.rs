//! `POST /accounts`

use super::super::{
    ModerationApiError, ModerationErrorCode,
    authentication::Administrator,
    created::CreatedResource,
    error,
    request::{ApplicationRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::LimitViolation;
use domain::{
    Violation,
    accounts::{self, AccountCreationError, MAX_ACCOUNT_NAME_CHARS},
};
use utoipa::ToSchema;

/// The account to open.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct OpenAccountRequest {
    /// Its name, unique within the application.
    #[schema(value_type = String, min_length = 1, max_length = 200, example = "Production")]
    name: Option<String>,
}

impl CommandPayload for OpenAccountRequest {
    type Command = String;

    const REQUIRES_JSON_CONTENT_TYPE: bool = true;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("name", self.name)
    }
}

/// Open an account.
///
/// An application may have several, for example one for tests and one for production.
#[utoipa::path(
    post, path = "/accounts", tag = "accounts", security(("api key" = [], "application" = [])),
    params(IdempotencyKeyHeader),
    request_body(content = OpenAccountRequest, example = json!({ "name": "Production" })),
    responses((status = 201, description = "The account is open.", body = CreatedResource), error::OpenAccountErrors),
)]
pub(crate) async fn open_account(
    State(api): State<ApiState>,
    request: ApplicationRequest<Administrator, (), ReceivedCommand<OpenAccountRequest>>,
) -> Result<Response, ModerationApiError> {
    let (app, name) = (request.app, &request.input.command);
    idempotent(&api, request.fingerprint(), async |tx| {
        let id =
            accounts::create(tx, &*api.environment, app, name, api.settings.max_accounts_per_application)
                .await?;
        Ok((StatusCode::CREATED, CreatedResource::new(id)))
    })
    .await
}

impl From<AccountCreationError> for ModerationApiError {
    fn from(error: AccountCreationError) -> Self {
        let words = error.to_string();
        match error {
            AccountCreationError::Name(length) => {
                let limit = format!("1 to {MAX_ACCOUNT_NAME_CHARS} characters");
                let measured = LimitViolation::new(length as f64, limit, "choose another name");
                Violation::with_limit("name", words, measured).into()
            }
            AccountCreationError::Duplicate => {
                Self::violation_with_code(ModerationErrorCode::DuplicateAccountName, "name", words, None)
            }
            AccountCreationError::TooMany(_) => Self::new(ModerationErrorCode::TooManyAccounts, words),
            AccountCreationError::Db(error) => Self::unavailable(&error),
        }
    }
}
