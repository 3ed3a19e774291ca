//! `POST /age/v1/keys/forget`

use super::{
    super::{AgeApiError, NoStoreJson, auth::AnonymousCaller, body::JsonBody, error, no_store_json},
    passkey::{PasskeyChallenge, PasskeyOptions, PasskeyResponse},
};
use crate::ApiState;
use axum::extract::State;
use utoipa::ToSchema;

/// What the browser is asked, or whether there was something to forget.
#[derive(Debug, serde::Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ForgetResultResponse {
    /// The browser is asked for the key.
    Asked(PasskeyChallenge),
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
