//! `GET /console/verification-sessions/{verificationSessionId}`

use super::{VerificationSessionPath, find_session, record::VerificationSessionBody};
use crate::{
    ApiState,
    console::{SessionReadErrors, permissions::SessionsView, request::ConsoleCall},
    content_moderation::ModerationApiError,
};
use axum::{Json, extract::State};
use base::{DeliveryId, Timestamp};
use domain::verification_sessions::{TimelineEntry, TimelineEvent};
use utoipa::ToSchema;

/// A session, and what happened in it.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct VerificationSessionHistory {
    session: VerificationSessionBody,
    /// In the order of time. Of sessions that an older version of the server made, it lacks what that version did not
    /// record.
    #[schema(max_items = 701)]
    timeline: Vec<TimelineEntryBody>,
}

/// Something that happened in a session.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = TimelineEntry)]
struct TimelineEntryBody {
    event: TimelineEvent,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// When it was over. Absent: it is under way, or took no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// A method, a kind of document, a check; of a message, its topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "AGE_ESTIMATION")]
    subject: Option<String>,
    /// `PASSED`, `FAILED`, `UNDECIDED` or `LEFT`. Of a message: `WAITING`, `RUNNING`, `DELIVERED` or `FAILED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "FAILED")]
    outcome: Option<String>,
    /// Why, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "UNDER_AGE")]
    reason: Option<String>,
    /// The delivery of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    delivery_id: Option<DeliveryId>,
}

impl From<TimelineEntry> for TimelineEntryBody {
    fn from(entry: TimelineEntry) -> Self {
        let TimelineEntry { event, at, ended_at, subject, outcome, reason, delivery_id } = entry;
        Self { event, at, ended_at, subject, outcome, reason, delivery_id }
    }
}

/// See a session and what happened in it.
#[utoipa::path(
    get, path = "/console/verification-sessions/{verificationSessionId}", tag = "verification-sessions", security(("session" = [], "console" = [])),
    params(VerificationSessionPath),
    responses((status = 200, description = "The session.", body = VerificationSessionHistory), SessionReadErrors),
)]
pub(in crate::console) async fn get_verification_session(
    State(api): State<ApiState>,
    call: ConsoleCall<SessionsView, VerificationSessionPath>,
) -> Result<Json<VerificationSessionHistory>, ModerationApiError> {
    let record = find_session(&api, &call).await?;
    let entries = api.verification_sessions.timeline(&mut api.db.read().await?, &record).await?;
    let timeline = entries.into_iter().map(TimelineEntryBody::from).collect();
    Ok(Json(VerificationSessionHistory { session: record.into(), timeline }))
}
