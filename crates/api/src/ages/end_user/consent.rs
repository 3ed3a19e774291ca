//! `POST /age/v1/sessions/{sessionId}/consent`

use super::{
    super::{NoStore, Problem, auth::EndUser, body::JsonBody, error, no_store},
    session::PageSession,
};
use crate::Api;
use axum::extract::State;
use utoipa::ToSchema;

/// What the end user says to the use of their face.
#[derive(Debug, serde::Deserialize, ToSchema)]
pub(crate) struct ConsentRequest {
    /// Yes or no.
    given: bool,
}

/// Give or refuse consent to the use of one's face.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/consent", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = ConsentRequest,
    responses((status = 200, description = "It is noted.", body = PageSession), error::Consenting),
)]
pub(crate) async fn give_age_consent(
    State(api): State<Api>,
    user: EndUser,
    JsonBody(ConsentRequest { given }): JsonBody<ConsentRequest>,
) -> Result<NoStore<PageSession>, Problem> {
    let session = api.ages.consent(user.session.id, given).await?;
    Ok(no_store(PageSession::of(&api, &session, &user.business)))
}
