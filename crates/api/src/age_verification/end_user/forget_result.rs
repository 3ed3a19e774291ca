//! `POST /age/v1/keys/forget`

use super::{
    super::{AgeApiError, NoStoreJson, auth::AnonymousCaller, body::JsonBody, error, no_store_json},
    passkey::{PasskeyChallenge, PasskeyOptions, PasskeyResponse},
};
use crate::ApiState;
use axum::extract::State;
use utoipa::ToSchema;

/// What to ask the browser, or whether there was a result to delete.
#[derive(Debug, serde::Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ForgetResultResponse {
    /// Ask the browser for the passkey.
    Asked(PasskeyChallenge),
    /// The stored result is deleted.
    Forgotten {
        /// Whether there was a stored result.
        forgotten: bool,
    },
}

/// Delete the result that is stored under a passkey.
///
/// With an empty body, the answer is what to ask the browser; with the browser's answer, the result that is stored
/// under its passkey is deleted.
#[utoipa::path(
    post, path = "/age/v1/keys/forget", tag = "person",
    request_body = PasskeyResponse,
    responses((status = 200, description = "What the browser is asked, or whether there was something.", body = ForgetResultResponse), error::ForgetResultErrors),
)]
pub(crate) async fn forget_age_result(
    State(api): State<ApiState>,
    AnonymousCaller { sandbox }: AnonymousCaller,
    JsonBody(answer): JsonBody<PasskeyResponse>,
) -> Result<NoStoreJson<ForgetResultResponse>, AgeApiError> {
    Ok(no_store_json(match answer.into_parts() {
        None => {
            let (options, continuation) = api.age_verification.begin_forget_result(sandbox)?;
            ForgetResultResponse::Asked(PasskeyChallenge { options: PasskeyOptions(options), continuation })
        }
        Some((continuation, credential)) => {
            let forgotten = api.age_verification.forget_result(sandbox, &continuation, &credential).await?;
            ForgetResultResponse::Forgotten { forgotten }
        }
    }))
}
