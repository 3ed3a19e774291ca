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

/// What the browser is asked, or the session whose result is kept.
#[derive(Debug, serde::Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum KeepResultResponse {
    /// The browser is asked to make a key.
    Asked(PasskeyChallenge),
    /// The result is kept.
    Kept(Box<PageSession>),
}

/// Keep the result under a key of one's own.
///
/// With an empty body the browser is asked to make a key; with its answer the result is kept.
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
