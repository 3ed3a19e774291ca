//! `POST /age/v1/sessions/{sessionId}/key`

use super::{
    super::{AgeApiError, NoStoreJson, auth::AgeEndUser, body::JsonBody, error, no_store_json},
    page_session::PageSession,
    passkey::{PasskeyChallenge, PasskeyOptions, PasskeyResponse},
};
use crate::ApiState;
use axum::extract::State;
use domain::age_verification::KeepResultOutcome;
use utoipa::ToSchema;

/// What to ask the browser, or the session whose result is stored.
#[derive(Debug, serde::Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum KeepResultResponse {
    /// Ask the browser to create a passkey.
    Asked(PasskeyChallenge),
    /// The result is stored.
    Kept(Box<PageSession>),
}

/// Store the result under a passkey of the end user.
///
/// With an empty body, the answer is what to ask the browser; with the browser's answer, the result is stored.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/key", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = PasskeyResponse,
    responses((status = 200, description = "What the browser is asked, or the session.", body = KeepResultResponse), error::KeepResultErrors),
)]
pub(crate) async fn keep_age_result(
    State(api): State<ApiState>,
    AgeEndUser { session, relying_party: business, .. }: AgeEndUser,
    JsonBody(answer): JsonBody<PasskeyResponse>,
) -> Result<NoStoreJson<KeepResultResponse>, AgeApiError> {
    let given = answer.into_parts();
    let given = given.as_ref().map(|(continuation, credential)| (continuation.as_str(), credential));
    Ok(no_store_json(match api.age_verification.keep_result(session.id, given).await? {
        KeepResultOutcome::PasskeyRequested { options, continuation } => {
            KeepResultResponse::Asked(PasskeyChallenge { options: PasskeyOptions(options), continuation })
        }
        KeepResultOutcome::Stored(session) => {
            KeepResultResponse::Kept(Box::new(PageSession::of(&api, &session, &business)))
        }
    }))
}
