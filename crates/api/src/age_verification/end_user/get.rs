//! `GET /age/v1/sessions/{sessionId}`

use super::{
    super::{
        NoStoreJson,
        auth::{AdmitBlockedLocations, AgeEndUser, WhileShown},
        error, no_store_json,
    },
    page_session::PageSession,
};
use crate::ApiState;
use axum::extract::State;

/// Read the session for its page.
///
/// Once its time is over, the answer is 410, but not while a check is still running (`PROCESSING`), nor within ten minutes after the
/// session has ended and its time is over: so the end user sees what came of it. Nothing else can be done in it any more, except
/// that consent can be taken back while the check is running.
#[utoipa::path(
    get, path = "/age/v1/sessions/{sessionId}", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The session as it stands.", body = PageSession), error::SeeAgeSessionErrors),
)]
pub(crate) async fn see_age_session(
    State(api): State<ApiState>,
    user: AgeEndUser<AdmitBlockedLocations, WhileShown>,
) -> NoStoreJson<PageSession> {
    // The page opens all the same.
    if let Err(error) = api.age_verification.record_page_opened(&user.session).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "the opening of a page was not recorded");
    }
    no_store_json(PageSession::of(&api, &user.session, &user.relying_party).with_location(user.is_blocked))
}
