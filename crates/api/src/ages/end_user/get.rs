//! `GET /age/v1/sessions/{sessionId}`

use super::{
    super::{
        NoStore,
        auth::{Admitted, EndUser},
        error, no_store,
    },
    session::PageSession,
};
use crate::Api;
use axum::extract::State;

/// Read the session for its page.
#[utoipa::path(
    get, path = "/age/v1/sessions/{sessionId}", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The session as it stands.", body = PageSession), error::Seeing),
)]
pub(crate) async fn see_age_session(State(api): State<Api>, user: EndUser<Admitted>) -> NoStore<PageSession> {
    no_store(PageSession::of(&api, &user.session, &user.business).with_location(user.is_blocked))
}
