//! `POST /accounts/{accountId}/profiles/{profileId}/ban`

use super::super::{
    ModerationApiError,
    authentication::ProfilesFlag,
    error,
    path::ProfilePath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use base::Timestamp;
use domain::faces::BanRequest;
use utoipa::ToSchema;

/// A ban.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct BanProfileRequest {
    /// Why the person is banned.
    #[schema(max_length = 500, example = "threatened staff on 16 January")]
    reason: Option<String>,
    /// When the ban ends by itself, to the minute; never, if absent.
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
}

impl CommandPayload for BanProfileRequest {
    type Command = BanRequest;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<BanRequest> {
        let reason = self.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        let ban = BanRequest { reason, until: self.until };
        ban.violations(api.environment.now()).into_iter().for_each(|violation| violations.push(violation));
        Some(ban)
    }
}

/// Ban a person.
///
/// From now on, every moderation of the account notifies about this person. Banning them again replaces reason and end. A
/// profile that nobody can be recognised by, of `profile_type` 2 or without a face, is refused. A body is not needed.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/ban", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    request_body = Option<BanProfileRequest>,
    responses((status = 204, description = "The person is banned."), error::WriteErrors),
)]
pub(crate) async fn ban_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesFlag, ProfilePath, ReceivedCommand<BanProfileRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let user = (request.account.id, request.caller.id());
    let mut tx = request.begin_locked(&api).await?;
    api.faces.ban(&mut tx, user, request.path.profile, request.input.command.clone()).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
