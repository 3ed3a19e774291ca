//! `POST /accounts/{accountId}/moderations`

use super::super::{
    Code, Problem,
    accounts::open::Created,
    sent::{Ids, Sent},
};
use crate::{
    Api,
    http::{idempotency::idempotent, json::object},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::AccountId;
use domain::{
    accounts::Scope,
    moderation::{Destinations, NewModeration, NotStarted},
};
use utoipa::ToSchema;

/// What to look for, and whom to tell.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ModerationInput {
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: Option<String>,
    /// Profiles that are known here. Where neither these nor groups nor the content name any, every profile of the account
    /// is.
    profile_ids: Option<Vec<String>>,
    /// Groups of profiles that are known here.
    group_ids: Option<Vec<String>>,
    /// 0 to 100: an unknown face that looks younger is told.
    #[schema(minimum = 0, maximum = 100)]
    age_estimation: Option<i64>,
    /// Whether unknown faces are told.
    unknown_faces: Option<bool>,
    /// Where notifications go.
    #[serde(default, deserialize_with = "object")]
    notifications: Option<NotificationsInput>,
    /// The member in whose inbox notifications go.
    #[schema(value_type = Option<Uuid>)]
    member_id: Option<String>,
}

/// Where notifications go.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NotificationsInput {
    /// Addresses that get the notification as JSON, signed; at most 20.
    web_destinations: Option<Vec<String>>,
    /// Incoming webhooks of Slack; at most 20.
    slack_destinations: Option<Vec<String>>,
    /// The same as beside it.
    #[schema(value_type = Option<Uuid>)]
    member_id: Option<String>,
}

/// Moderate a content.
///
/// Banned profiles are always looked for. Answers when the content was reached; the work is done afterwards.
#[utoipa::path(
    post, path = "/accounts/{accountId}/moderations", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = ModerationInput,
    responses((status = 201, description = "It is queued.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn start_moderation(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<ModerationInput>,
) -> Result<Response, Problem> {
    let account = sent.caller.enter(&mut api.db.read().await?, account, Scope::ModerationsManage).await?;
    sent.insist_on_json()?;
    let body = &sent.body;
    let whom = body.notifications.as_ref();
    let list = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
    let new = NewModeration {
        content_id: body
            .content_id
            .clone()
            .ok_or_else(|| Problem::violation("content_id", "it is required"))?,
        profile_ids: list(&body.profile_ids),
        group_ids: list(&body.group_ids),
        age_estimation: body.age_estimation,
        unknown_faces: body.unknown_faces.unwrap_or_default(),
        destinations: Destinations {
            web: whom.map(|whom| list(&whom.web_destinations)).unwrap_or_default(),
            slack: whom.map(|whom| list(&whom.slack_destinations)).unwrap_or_default(),
        },
        member_id: body.member_id.clone().or_else(|| whom.and_then(|whom| whom.member_id.clone())),
    };
    // Whoever repeats a request is not made to wait for the content again.
    let ready = api.moderations.prepare(account, &new).await;
    idempotent(&api, sent.identity(), async |tx| {
        // The account may have gone meanwhile.
        sent.caller.enter_to_write(tx, account, Scope::ModerationsManage).await?;
        let id = api.moderations.start(tx, account, ready?).await?;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await
}

impl From<NotStarted> for Problem {
    fn from(no: NotStarted) -> Self {
        match no {
            NotStarted::Invalid(invalid) => invalid.into(),
            NotStarted::Unreachable(ref error) => {
                let words = format!("it cannot be reached: {error}");
                Self::refused(Code::ContentUnreachable, "content_id", words, None)
            }
            NotStarted::Db(error) => Self::unavailable(&error),
        }
    }
}
