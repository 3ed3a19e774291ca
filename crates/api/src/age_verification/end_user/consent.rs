//! `POST /age/v1/sessions/{sessionId}/consent`

use super::{
    super::{
        AgeApiError, NoStoreJson,
        auth::{AdmitBlockedLocations, AgeEndUser, WhileChecked},
        body::JsonBody,
        error, no_store_json,
    },
    page_session::PageSession,
};
use crate::ApiState;
use axum::extract::State;
use utoipa::ToSchema;

/// The end user's answer to whether their face may be used.
#[derive(Debug, serde::Deserialize, ToSchema)]
pub(crate) struct ConsentRequest {
    /// `true` if they consent, `false` if they refuse.
    given: bool,
}

/// Give or refuse consent to the use of one's face.
///
/// Once the time of the session is over, the answer is 410, but consent can be taken back while a check is still running
/// (`PROCESSING`). It can also be taken back where the session is blocked.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/consent", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body = ConsentRequest,
    responses((status = 200, description = "The session, with the decision recorded.", body = PageSession), error::GiveConsentErrors),
)]
pub(crate) async fn give_age_consent(
    State(api): State<ApiState>,
    user: AgeEndUser<AdmitBlockedLocations, WhileChecked>,
    JsonBody(ConsentRequest { given }): JsonBody<ConsentRequest>,
) -> Result<NoStoreJson<PageSession>, AgeApiError> {
    if given && user.is_blocked {
        return Err(AgeApiError::location_blocked());
    }
    let session = api.age_verification.record_consent(user.session.id, given).await?;
    Ok(no_store_json(PageSession::of(&api, &session, &user.relying_party)))
}
