//! `POST /console/deliveries/replay`

use crate::{
    ApiState,
    console::{
        RecordCommandErrors,
        permissions::DeliveriesManage,
        request::{ConsoleCall, ConsoleCommand},
    },
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{Json, extract::State};
use base::{AppId, MOMENT_WORDS, Timestamp, Uuid, storable_moment};
use domain::{
    Violation,
    delivery::{self, DeliveryFilter, DeliveryState},
};
use serde::Deserialize;
use utoipa::ToSchema;

/// Messages that one call sends again, at most.
const MAX_REPLAYED: i64 = 1000;

/// Which messages to send again; those that every member fits.
#[derive(Deserialize, ToSchema)]
#[schema(as = ReplayDeliveries)]
pub(in crate::console) struct ReplayDeliveriesRequest {
    /// Of this application. Members replay those of their own, whether or not it is named.
    #[schema(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// In this state.
    #[schema(default = "FAILED")]
    state: Option<DeliveryState>,
    /// About this, such as `ages.result`.
    #[schema(max_length = 100)]
    topic: Option<String>,
    /// To this origin, such as `https://hooks.example.com`.
    #[schema(max_length = 300)]
    origin: Option<String>,
    /// About this session, moderation or profile.
    subject_id: Option<Uuid>,
    /// Queued at or after this moment.
    #[schema(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Queued before this moment.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

impl CommandPayload for ReplayDeliveriesRequest {
    type Command = Self;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<Self> {
        for (name, moment) in [("from", self.from), ("to", self.to)] {
            if moment.is_some_and(|moment| storable_moment(moment).is_none()) {
                violations.push(Violation::new(name, format!("it is {MOMENT_WORDS}")));
            }
        }
        Some(self)
    }
}

/// How many messages are sent again.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct ReplayedDeliveries {
    #[schema(minimum = 0, maximum = 1000)]
    count: u64,
    /// Whether there may be more that fit; the same call again sends the next ones.
    may_have_more: bool,
}

/// Send many messages again.
///
/// The oldest first, at most 1,000 at once. What is being sent at this moment, or was erased, is left out. For operators and
/// members with `deliveries:manage`.
#[utoipa::path(
    post, path = "/console/deliveries/replay", tag = "deliveries", security(("session" = [], "console" = [])),
    request_body(content = ReplayDeliveriesRequest, example = json!({ "state": "FAILED", "origin": "https://hooks.example.com" })),
    responses((status = 200, description = "The number of messages that are queued again.", body = ReplayedDeliveries), RecordCommandErrors),
)]
pub(in crate::console) async fn replay_deliveries(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesManage, (), ConsoleCommand<ReplayDeliveriesRequest>>,
) -> Result<Json<ReplayedDeliveries>, ModerationApiError> {
    let asked = &call.input.0;
    let mut tx = call.begin(&api).await?;
    let filter = DeliveryFilter {
        app: call.narrow_to(&mut tx, asked.application_id).await?,
        state: asked.state,
        topic: asked.topic.as_deref(),
        origin: asked.origin.as_deref(),
        subject: asked.subject_id,
        from: asked.from,
        to: asked.to,
    };
    let count = delivery::replay_matching(&mut tx, &*api.environment, filter, MAX_REPLAYED).await?;
    tx.commit().await?;
    Ok(Json(ReplayedDeliveries { count, may_have_more: count >= MAX_REPLAYED as u64 }))
}
