//! `POST /accounts/{accountId}/contents/{id}/profiles`

use super::{
    super::{
        ModerationApiError,
        authentication::ContentsManage,
        error,
        path::ContentPath,
        request::{AccountRequest, CommandPayload, ReceivedCommand},
        violations::CommandViolations,
    },
    reports::ContentReportList,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::ProfileId;
use domain::content_moderation::contents;
use utoipa::ToSchema;

/// The profile that is in a content.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AttachProfileRequest {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: Option<ProfileId>,
}

impl CommandPayload for AttachProfileRequest {
    type Command = ProfileId;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<ProfileId> {
        violations.required("profile_id", self.profile_id)
    }
}

/// Record that a profile is known to be in a content.
///
/// The answer is the content's reports, as this interface defines it.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents/{id}/profiles", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath),
    request_body = AttachProfileRequest,
    responses((status = 200, description = "The profile is attached; these are the content's reports.", body = ContentReportList), error::WriteErrors),
)]
pub(crate) async fn attach_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsManage, ContentPath, ReceivedCommand<AttachProfileRequest>>,
) -> Result<Json<ContentReportList>, ModerationApiError> {
    let (account, content) = (request.account.id, request.path.content);
    let mut tx = request.begin_locked(&api).await?;
    contents::attach_profile(&mut tx, &api.faces, account, content, request.input.command).await?;
    let reports = ContentReportList::of(&api, &mut tx, account, content, 0).await?;
    tx.commit().await?;
    Ok(Json(reports))
}
