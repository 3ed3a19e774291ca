//! `POST /accounts/{accountId}/moderations`

use super::super::{
    ModerationApiError, ModerationErrorCode,
    authentication::ModerationsManage,
    created::CreatedResource,
    error,
    path::AccountPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::{CommandViolations, TextList, texts},
};
use crate::{
    ApiState,
    http::{
        idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
        json,
    },
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{ContentId, MemberId};
use domain::content_moderation::{self, ModerationRequest, ModerationStartError, NotificationDestinations};
use utoipa::ToSchema;

/// What to look for, and whom to notify.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct StartModerationRequest {
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: Option<ContentId>,
    /// Profiles that count as known. If neither these, nor groups, nor the content name any, every profile of the
    /// account counts as known.
    #[schema(value_type = Option<Vec<Uuid>>, max_items = 1000)]
    profile_ids: TextList,
    /// Groups of profiles that count as known.
    #[schema(value_type = Option<Vec<Uuid>>, max_items = 1000)]
    group_ids: TextList,
    /// Notify about unknown faces that look younger than this, years.
    #[serde(default, deserialize_with = "json::whole_number")]
    #[schema(minimum = 0, maximum = 100)]
    age_estimation: Option<i64>,
    /// Whether to notify about unknown faces.
    #[schema(default = false)]
    unknown_faces: Option<bool>,
    /// Where notifications go.
    #[serde(default, deserialize_with = "json::object")]
    notifications: Option<NotificationTargets>,
    /// The member whose inbox receives notifications.
    #[schema(value_type = Option<Uuid>)]
    member_id: Option<MemberId>,
    /// How similar a face must be to a profile's to match it: 1 for the same picture, 0.5 at the distance up to which two
    /// faces are taken for one person's. The operator bounds it. If absent, the server's own limit for searches.
    #[schema(minimum = 0, maximum = 1)]
    min_similarity: Option<f64>,
}

/// Where notifications go.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct NotificationTargets {
    /// Addresses that get the notification as JSON, signed.
    #[schema(value_type = Option<Vec<String>>, max_items = 20, example = json!(["https://hooks.example.com/assay"]))]
    web_destinations: TextList,
    /// Incoming webhooks of Slack.
    #[schema(value_type = Option<Vec<String>>, max_items = 20)]
    slack_destinations: TextList,
    /// The same as `member_id` of the request, which takes precedence.
    #[schema(value_type = Option<Uuid>)]
    member_id: Option<MemberId>,
}

impl CommandPayload for StartModerationRequest {
    type Command = ModerationRequest;

    const REQUIRES_JSON_CONTENT_TYPE: bool = true;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<ModerationRequest> {
        let targets = self.notifications.unwrap_or_default();
        let new = content_moderation::ModerationInput {
            content_id: self.content_id,
            profile_ids: violations.ids("profile_ids", self.profile_ids, "there is no such profile"),
            group_ids: violations.ids("group_ids", self.group_ids, "there is no such group"),
            age_estimation: self.age_estimation,
            unknown_faces: self.unknown_faces.unwrap_or_default(),
            destinations: NotificationDestinations {
                web: texts(targets.web_destinations),
                slack: texts(targets.slack_destinations),
            },
            member_id: self.member_id.or(targets.member_id),
            min_similarity: self.min_similarity,
        };
        violations.check_all(api.content_moderation.validate(new))
    }
}

/// Moderate a content.
///
/// Banned profiles are always looked for. The answer is sent once the content was reached; the moderation runs
/// afterwards.
#[utoipa::path(
    post, path = "/accounts/{accountId}/moderations", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = StartModerationRequest, example = json!({
        "content_id": "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11",
        "unknown_faces": true,
        "age_estimation": 18,
        "notifications": { "web_destinations": ["https://hooks.example.com/assay"] },
    })),
    responses((status = 201, description = "The moderation is queued.", body = CreatedResource), error::StartModerationErrors),
)]
pub(crate) async fn start_moderation(
    State(api): State<ApiState>,
    request: AccountRequest<ModerationsManage, AccountPath, ReceivedCommand<StartModerationRequest>>,
) -> Result<Response, ModerationApiError> {
    // Before the content's server is called: it may be slow, and the content may have gone since.
    if let Some(answer) = stored_response(&api, &request.fingerprint()).await? {
        return Ok(answer);
    }
    // Outside of the transaction, because it calls the content's server. A refusal is returned inside of it: the request may have
    // been answered meanwhile.
    let prepared = api.content_moderation.prepare(request.account.id, request.input.command.clone()).await;
    idempotent(&api, request.fingerprint(), async |tx| {
        let id = api.content_moderation.start(tx, prepared?).await?;
        Ok((StatusCode::CREATED, CreatedResource::new(id)))
    })
    .await
}

impl From<ModerationStartError> for ModerationApiError {
    fn from(error: ModerationStartError) -> Self {
        match error {
            ModerationStartError::Invalid(violations) => violations.into(),
            ModerationStartError::Unreachable(ref error) => {
                let words = format!("it cannot be reached: {error}");
                Self::violation_with_code(ModerationErrorCode::ContentUnreachable, "content_id", words, None)
            }
            ModerationStartError::LimitReached(reached) => reached.into(),
            ModerationStartError::NoAccount => Self::not_found("account"),
            ModerationStartError::Db(error) => Self::unavailable(&error),
        }
    }
}
