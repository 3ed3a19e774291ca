//! `POST /accounts/{accountId}/contents/{id}/profiles`

use super::{
    super::{
        Problem,
        authentication::ContentsManage,
        error,
        path::ContentPath,
        request::{AccountRequest, Payload, Sent},
        violations::Violations,
    },
    reports::Reports,
};
use crate::Api;
use axum::{Json, extract::State};
use base::ProfileId;
use domain::content;
use utoipa::ToSchema;

/// Who is in a content.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ProfileToAttach {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: Option<ProfileId>,
}

impl Payload for ProfileToAttach {
    type Command = ProfileId;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<ProfileId> {
        violations.required("profile_id", self.profile_id)
    }
}

/// Say that a profile is known to be in a content.
///
/// The answer is the content's reports, as this interface has it.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents/{id}/profiles", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath),
    request_body = ProfileToAttach,
    responses((status = 200, description = "It is attached; these are the content's reports.", body = Reports), error::Writing),
)]
pub(crate) async fn attach_profile(
    State(api): State<Api>,
    request: AccountRequest<ContentsManage, ContentPath, Sent<ProfileToAttach>>,
) -> Result<Json<Reports>, Problem> {
    let (account, content) = (request.account.id, request.path.content);
    let mut tx = request.begin(&api).await?;
    content::attach_profile(&mut tx, &api.faces, account, content, request.input.command).await?;
    let reports = Reports::of(&mut tx, account, content, 0).await?;
    tx.commit().await?;
    Ok(Json(reports))
}
