//! `POST /age/v1/sessions/{sessionId}/cancel`

use super::{
    super::{
        NoStore, Problem,
        auth::{Admitted, EndUser},
        error, no_store,
    },
    session::PageSession,
};
use crate::Api;
use axum::extract::State;

/// Call the session off.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/cancel", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "It is cancelled.", body = PageSession), error::Cancelling),
)]
pub(crate) async fn cancel_age_session(
    State(api): State<Api>,
    user: EndUser<Admitted>,
) -> Result<NoStore<PageSession>, Problem> {
    let session = api.ages.cancel(user.session.id).await?;
    Ok(no_store(PageSession::of(&api, &session, &user.business)))
}
