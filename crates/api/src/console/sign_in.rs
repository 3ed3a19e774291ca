//! `POST /console/sign-in`

use super::request::ConsoleRequest;
use crate::{
    Api,
    moderation::{Code, Payload, Problem, Violations, error, unusable},
};
use axum::{extract::State, http::StatusCode};
use base::Uuid;
use domain::accounts::{Email, doors::NotAsked};
use utoipa::ToSchema;

/// Who wants to come in.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct SignInRequest {
    /// Their address.
    #[schema(value_type = String, min_length = 7, max_length = 100, example = "ada@example.com")]
    email: Option<String>,
}

impl Payload for SignInRequest {
    type Command = Email;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<Email> {
        violations.check(self.email.unwrap_or_default().parse().map_err(unusable))
    }
}

/// Ask for a mail with a sign-in link.
///
/// The answer is the same whether anybody has the address or not, after the same work: who is a member is found out by a job.
#[utoipa::path(
    post, path = "/console/sign-in", tag = "sessions", security(("console" = [])),
    request_body(content = SignInRequest, example = json!({ "email": "ada@example.com" })),
    responses((status = 202, description = "Whoever is a member gets a mail."), error::AskingForLink),
)]
pub(super) async fn ask_for_link(
    State(api): State<Api>,
    ConsoleRequest(email): ConsoleRequest<SignInRequest>,
) -> Result<StatusCode, Problem> {
    // One bucket for all: it says nothing about an address.
    api.sign_ins.take(&Uuid::nil().into()).map_err(|empty| Problem::too_many_of_all(empty.reset))?;
    let mut tx = api.db.write().await?;
    api.doors.ask_for_links(&mut tx, &email).await?;
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}

impl From<NotAsked> for Problem {
    fn from(no: NotAsked) -> Self {
        match no {
            NotAsked::Mail(no) => Self::new(Code::Unavailable, no.to_string()),
            NotAsked::Db(error) => Self::unavailable(&error),
        }
    }
}
