//! `POST /age/v1/keys/forget`

use super::{
    super::{NoStore, Problem, auth::Anonymous, body::JsonBody, error, no_store},
    passkey::{PasskeyAnswer, PasskeyOptions, PasskeyQuestion},
};
use crate::Api;
use axum::extract::State;
use utoipa::ToSchema;

/// What the browser is asked, or whether there was something to forget.
#[derive(Debug, serde::Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ForgottenResult {
    /// The browser is asked for the key.
    Asked(PasskeyQuestion),
    /// It is forgotten.
    Forgotten {
        /// Whether there was something.
        forgotten: bool,
    },
}

/// Forget what is kept under a key, whoever's.
///
/// With an empty body the browser is asked for the key; with its answer what is kept under it is forgotten.
#[utoipa::path(
    post, path = "/age/v1/keys/forget", tag = "person",
    request_body = PasskeyAnswer,
    responses((status = 200, description = "What the browser is asked, or whether there was something.", body = ForgottenResult), error::Forgetting),
)]
pub(crate) async fn forget_age_result(
    State(api): State<Api>,
    Anonymous { sandbox }: Anonymous,
    JsonBody(answer): JsonBody<PasskeyAnswer>,
) -> Result<NoStore<ForgottenResult>, Problem> {
    Ok(no_store(match answer.given() {
        None => {
            let (options, continuation) = api.ages.ask_to_forget(sandbox)?;
            ForgottenResult::Asked(PasskeyQuestion { options: PasskeyOptions(options), continuation })
        }
        Some((continuation, credential)) => {
            let forgotten = api.ages.forget(sandbox, &continuation, &credential).await?;
            ForgottenResult::Forgotten { forgotten }
        }
    }))
}
