//! `GET /accounts/{accountId}/notifications/{id}/statement-of-reasons`

use super::super::{
    ModerationApiError, authentication::NotificationsView, error, moderations::report::FaceMeasurementsBody,
    path::NotificationPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{ContentId, ModerationFindingId, ModerationId, NotificationId, Timestamp};
use domain::content_moderation::{
    AgeGroup, NotificationReason, StatementContentType, StatementDecision, StatementOfReasons, YesOrNo,
};
use utoipa::ToSchema;

/// Why a restriction was imposed (Regulation (EU) 2022/2065, Article 17). Members that the DSA Transparency Database has are
/// spelt as there. What whoever accepted the notification said of the decision stands beside what this server found.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = StatementOfReasons)]
pub(crate) struct StatementOfReasonsBody {
    /// The notification that was accepted: unique to this statement.
    #[schema(value_type = Uuid)]
    puid: NotificationId,
    /// When it was accepted.
    #[schema(value_type = String, format = DateTime)]
    decided_at: Timestamp,
    #[serde(flatten)]
    decision: StatementDecision,
    /// The kind of content.
    #[schema(min_items = 1, max_items = 1)]
    content_type: [StatementContentType; 1],
    /// Whether it was found by automated means: always.
    automated_detection: YesOrNo,
    /// What was found, for programs; `decision_facts` says it in words.
    facts: StatementFactsBody,
    /// The names of the members that are asked for and that nobody gave. `decision_visibility` stands for any restriction.
    #[schema(example = json!(["redress"]))]
    missing: Vec<&'static str>,
}

/// What was found. It names no profile.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = StatementFacts)]
pub(crate) struct StatementFactsBody {
    /// What the notification reported.
    reason: NotificationReason,
    /// When the face was seen, seconds since 1970.
    observed_at: f64,
    /// Whether the person was banned after they had been seen.
    retroactive: bool,
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: ContentId,
    /// The moderation.
    #[schema(value_type = Uuid)]
    moderation_id: ModerationId,
    /// The line of its report.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    finding_id: Option<ModerationFindingId>,
    /// The position in the content, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    frame_time: Option<f64>,
    /// The age group that the face looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_group: Option<AgeGroup>,
    /// The numbers behind it; absent where an older version of the server found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    measurements: Option<FaceMeasurementsBody>,
}

impl From<StatementOfReasons> for StatementOfReasonsBody {
    fn from(statement: StatementOfReasons) -> Self {
        let StatementOfReasons { notification, measurements, content_type, decided_at, decision, missing } =
            statement;
        Self {
            puid: notification.id,
            decided_at,
            decision,
            content_type: [content_type],
            automated_detection: YesOrNo::Yes,
            facts: StatementFactsBody {
                reason: notification.reason,
                observed_at: notification.observed_at,
                retroactive: notification.retroactive,
                content_id: notification.content_id,
                moderation_id: notification.moderation_id,
                finding_id: notification.finding_id,
                frame_time: notification.frame_time,
                age_group: notification.age_group(),
                measurements: measurements.map(Into::into),
            },
            missing,
        }
    }
}

/// See the statement of reasons for an accepted notification.
///
/// There is one for a notification about a face as long as its last review accepted it. `accept` takes what this server cannot
/// know, as `decision`; whatever was not given is absent here, and named in `missing`.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications/{id}/statement-of-reasons", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath),
    responses((status = 200, description = "The statement.", body = StatementOfReasonsBody), error::ReadErrors),
)]
pub(crate) async fn statement_of_reasons(
    State(api): State<ApiState>,
    request: AccountRequest<NotificationsView, NotificationPath>,
) -> Result<Json<StatementOfReasonsBody>, ModerationApiError> {
    let (account, notification) = (request.account.id, request.path.notification);
    let mut view = api.db.read().await?;
    let statement = api.content_moderation.statement_of_reasons(&mut view, account, notification).await?;
    let missing = || ModerationApiError::not_found("statement of reasons: the notification is not accepted");
    Ok(Json(statement.ok_or_else(missing)?.into()))
}
