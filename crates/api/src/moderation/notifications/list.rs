//! `GET /accounts/{accountId}/notifications`

use super::super::{
    Problem,
    caller::Caller,
    sent::{Ids, Parameter},
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use base::{AccountId, Timestamp};
use domain::{
    accounts::Scope,
    moderation::{Notification, NotificationPage},
};
use utoipa::ToSchema;

/// A page of notifications.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Notifications {
    /// The notifications, newest first, 20 on a page.
    #[schema(value_type = Vec<NotificationBody>)]
    notifications: Vec<serde_json::Value>,
    /// Where in the list they stand.
    meta: Meta,
}

/// Where in a list a page stands.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Meta {
    /// How many the list has.
    total_count: i64,
    /// The page.
    page: i64,
}

/// A notification.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes domain::moderation::Notification, which knows no HTTP, in the document"
)]
pub(crate) struct NotificationBody {
    /// Its id.
    id: base::Uuid,
    /// Whose it is.
    account_id: base::Uuid,
    /// `FACE` or `ACTION`.
    #[schema(example = "FACE")]
    r#type: String,
    /// When it was written.
    #[schema(format = DateTime)]
    created_at: String,
    /// What it tells.
    data: NotificationData,
    /// The mean of the reviews' scores, 0 to 100; 0 where there is none.
    #[schema(minimum = 0, maximum = 100)]
    average_score: i64,
    /// How many reviews there are.
    #[schema(minimum = 0)]
    total_revies: i64,
}

/// What a notification tells.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes domain::moderation::Notification, which knows no HTTP, in the document"
)]
pub(crate) struct NotificationData {
    /// The moderation.
    moderation_id: base::Uuid,
    /// The content.
    content_id: base::Uuid,
    /// Where it is.
    url: String,
    /// `IMAGE`, `VIDEO` or `LIVE_VIDEO`.
    content_type: String,
    /// `BANNED_PROFILE`, `AGE_ESTIMATION`, `UNKNOWN_FACE`, `STARTED` or `STOPPED`; one.
    reasons: Vec<String>,
    /// Where in the content the face was seen best, seconds.
    frame_time: Option<f64>,
    /// When it was seen, seconds since 1970.
    observed_at: f64,
    /// Upper edge of the face, pixels of the content.
    top: Option<i64>,
    /// Left edge.
    left: Option<i64>,
    /// Lower edge.
    bottom: Option<i64>,
    /// Right edge.
    right: Option<i64>,
    /// How old the face looks.
    age_group: Option<String>,
    /// Whose face it is, where somebody knows.
    profile_id: Option<base::Uuid>,
}

impl Notifications {
    /// The body of a page that exists.
    pub(crate) fn of(page: Page, found: &NotificationPage) -> Result<Json<Self>, Problem> {
        page.within(found.total)?;
        Ok(Json(Self {
            notifications: found.notifications.iter().map(Notification::to_reviewed_json).collect(),
            meta: Meta { total_count: found.total, page: page.number() },
        }))
    }
}

/// `epoch` of a query string: seconds since 1970.
pub(crate) struct Since(pub(crate) Option<Timestamp>);

impl FromRequestParts<Api> for Since {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let parameters = Parameter::from_request_parts(parts, api).await?;
        let Some(text) = parameters.get("epoch") else { return Ok(Self(None)) };
        let moment = text.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        let wrong = || Problem::violation("epoch", "it is a moment in whole seconds since 1970");
        Ok(Self(Some(moment.ok_or_else(wrong)?)))
    }
}

/// List the notifications of an account.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("page" = Option<i64>, Query, description = "From 1; 1 by default.", minimum = 1),
        ("epoch" = Option<i64>, Query, description = "Seconds since 1970: those at or after this moment alone."),
    ),
    responses((status = 200, description = "A page of them, newest first.", body = Notifications), Problem),
)]
pub(crate) async fn list_notifications(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
    page: Page,
    since: Since,
) -> Result<Json<Notifications>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::NotificationsView).await?;
    let found =
        api.moderations.notifications(&mut view, account, since.0, (page.offset(), PAGE_ITEMS)).await?;
    Notifications::of(page, &found)
}
