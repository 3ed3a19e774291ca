//! `GET /console/deliveries`

use super::{body::DeliveryBody, visible_record};
use crate::{
    ApiState,
    console::{
        RecordListErrors,
        list_position::{ITEMS_PER_LIST, ListPosition, POSITION_WORDS, cut_page},
        permissions::DeliveriesView,
        request::{ConsoleCall, ConsoleQuery},
    },
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{QueryParameters, QueryString, one_of},
    },
};
use axum::{Json, extract::State};
use base::{AppId, Timestamp, Uuid};
use domain::delivery::{self, DeliveryFilter, DeliveryPosition, DeliveryState};
use utoipa::{IntoParams, ToSchema};

/// Which deliveries.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct DeliveryQuery {
    /// Only those of this application. Members see those of their own, whether or not it is named.
    #[param(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// Only those in this state.
    #[param(value_type = Option<DeliveryState>)]
    state: Option<DeliveryState>,
    /// Only those about this, such as `ages.result`.
    #[param(max_length = 100)]
    topic: Option<String>,
    /// Only those to this origin, such as `https://hooks.example.com`.
    #[param(max_length = 300)]
    origin: Option<String>,
    /// Only those about this session, moderation or profile.
    subject_id: Option<Uuid>,
    /// Only those queued at or after this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Only those queued before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Behind which delivery the page begins: the member `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<ListPosition>,
}

impl QueryParameters for DeliveryQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        Some(Self {
            application_id: query.read("application_id", "a UUID", violations),
            state: query.read("state", one_of(DeliveryState::VARIANTS), violations),
            topic: query.get("topic").map(str::to_owned),
            origin: query.get("origin").map(str::to_owned),
            subject_id: query.read("subject_id", "a UUID", violations),
            from: query.moment("from", violations),
            to: query.moment("to", violations),
            after: query.read("after", POSITION_WORDS, violations),
        })
    }
}

/// A page of deliveries.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct DeliveryList {
    /// The newest first.
    #[schema(max_items = 50)]
    deliveries: Vec<DeliveryBody>,
    /// `after` of the next page. Absent: this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// List deliveries.
///
/// For operators with `deliveries:manage`, and for members with `deliveries:view` or `deliveries:manage`.
#[utoipa::path(
    get, path = "/console/deliveries", tag = "deliveries", security(("session" = [], "console" = [])),
    params(DeliveryQuery),
    responses((status = 200, description = "A page of them.", body = DeliveryList), RecordListErrors),
)]
pub(in crate::console) async fn list_deliveries(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesView, (), ConsoleQuery<DeliveryQuery>>,
) -> Result<Json<DeliveryList>, ModerationApiError> {
    let asked = &call.input.0;
    let mut view = api.db.read().await?;
    let filter = DeliveryFilter {
        app: call.narrow_to(&mut view, asked.application_id).await?,
        state: asked.state,
        topic: asked.topic.as_deref(),
        origin: asked.origin.as_deref(),
        subject: asked.subject_id,
        from: asked.from,
        to: asked.to,
    };
    let after =
        asked.after.map(|position| DeliveryPosition { created_at: position.at, id: position.id.into() });
    let mut found = delivery::list(&mut view, filter, after, ITEMS_PER_LIST + 1).await?;
    let next = cut_page(&mut found, |record| ListPosition { at: record.created_at, id: record.id.into() });
    let visible = found.into_iter().map(|record| DeliveryBody::from(visible_record(&call, record)));
    Ok(Json(DeliveryList { deliveries: visible.collect(), next }))
}
