//! `POST /age/v1/sessions/{sessionId}/key`

use super::{
    super::{NoStore, Problem, auth::EndUser, body::JsonBody, error, no_store},
    passkey::{PasskeyAnswer, PasskeyOptions, PasskeyQuestion},
    session::PageSession,
};
use crate::Api;
use axum::extract::State;
use domain::ages::Kept;
use utoipa::ToSchema;

/// What the browser is asked, or the session whose result is kept.
#[derive(Debug, serde::Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum KeptResult {
    /// The browser is asked to make a key.
    Asked(PasskeyQuestion),
    /// The result is kept.
    Kept(Box<PageSession>),
}

/// Keep the result under a key of one's own.
///
/// With an empty body the browser is asked to make a key; with its answer the result is kept.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/key", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = PasskeyAnswer,
    responses((status = 200, description = "What the browser is asked, or the session.", body = KeptResult), error::Keeping),
)]
pub(crate) async fn keep_age_result(
    State(api): State<Api>,
    EndUser { session, business, .. }: EndUser,
    JsonBody(answer): JsonBody<PasskeyAnswer>,
) -> Result<NoStore<KeptResult>, Problem> {
    let given = answer.given();
    let given = given.as_ref().map(|(continuation, credential)| (continuation.as_str(), credential));
    Ok(no_store(match api.ages.keep_result(session.id, given).await? {
        Kept::Asked { options, continuation } => {
            KeptResult::Asked(PasskeyQuestion { options: PasskeyOptions(options), continuation })
        }
        Kept::Done(session) => KeptResult::Kept(Box::new(PageSession::of(&api, &session, &business))),
    }))
}
