//! `GET /console/applications/{applicationId}/webhook-endpoints`

use crate::{
    ApiState,
    console::{CaseReadErrors, permissions::DeliveriesView, request::ConsoleCall, tenants::ApplicationPath},
    content_moderation::ModerationApiError,
};
use axum::{Json, extract::State};
use base::{SignedDuration, Timestamp};
use domain::delivery::{self, EndpointFigures};
use utoipa::ToSchema;

/// The period that the figures are of.
const FIGURES_PERIOD: SignedDuration = SignedDuration::from_hours(24 * 7);

/// Where an application's messages of the last seven days went.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct WebhookEndpointList {
    /// In the order of their origins.
    #[schema(max_items = 200)]
    endpoints: Vec<WebhookEndpoint>,
}

/// An origin that messages go to. Sessions, moderations and proofs name the addresses, so one is known once a message to it
/// was queued.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct WebhookEndpoint {
    #[schema(example = "https://hooks.example.com")]
    origin: String,
    /// Whether its certificate must be valid.
    verify_tls: bool,
    /// Messages of the last seven days that are not over.
    #[schema(minimum = 0)]
    pending: i64,
    /// Messages of the last seven days that it accepted.
    #[schema(minimum = 0)]
    delivered: i64,
    /// Messages of the last seven days that were given up.
    #[schema(minimum = 0)]
    failed: i64,
    /// When it last accepted one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last_delivered_at: Option<Timestamp>,
    /// When one of them was last given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last_failed_at: Option<Timestamp>,
}

impl From<EndpointFigures> for WebhookEndpoint {
    fn from(figures: EndpointFigures) -> Self {
        let EndpointFigures {
            origin,
            verify_tls,
            pending,
            delivered,
            failed,
            last_delivered_at,
            last_failed_at,
        } = figures;
        Self { origin, verify_tls, pending, delivered, failed, last_delivered_at, last_failed_at }
    }
}

/// See where an application's messages go, and how that goes.
///
/// For operators with `deliveries:manage`, and for members with `deliveries:view` or `deliveries:manage`.
#[utoipa::path(
    get, path = "/console/applications/{applicationId}/webhook-endpoints", tag = "deliveries", security(("session" = [], "console" = [])),
    params(ApplicationPath),
    responses((status = 200, description = "The endpoints.", body = WebhookEndpointList), CaseReadErrors),
)]
pub(in crate::console) async fn list_webhook_endpoints(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesView, ApplicationPath>,
) -> Result<Json<WebhookEndpointList>, ModerationApiError> {
    let app = call.path.application;
    let mut view = api.db.read().await?;
    call.require_application(&mut view, app).await?;
    let found = delivery::list_endpoints(&mut view, app, api.environment.now() - FIGURES_PERIOD).await?;
    Ok(Json(WebhookEndpointList { endpoints: found.into_iter().map(WebhookEndpoint::from).collect() }))
}
