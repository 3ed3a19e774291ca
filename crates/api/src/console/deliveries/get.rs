//! `GET /console/deliveries/{deliveryId}`

use super::{
    DeliveryPath,
    body::{DeliveryAttemptBody, DeliveryBody, DeliveryMessageBody},
    visible_record,
};
use crate::{
    ApiState,
    console::{CaseReadErrors, permissions::DeliveriesView, request::ConsoleCall},
    content_moderation::ModerationApiError,
};
use axum::{Json, extract::State};
use db::AuditEvent;
use domain::delivery;
use utoipa::ToSchema;

/// A delivery, with all that is kept of it.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct DeliveryDetails {
    delivery: DeliveryBody,
    /// The latest attempts, the oldest first.
    #[schema(max_items = 30)]
    attempts: Vec<DeliveryAttemptBody>,
    /// What it says. Absent: it was erased with the person or session that it was about, or cannot be decrypted.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<DeliveryMessageBody>,
}

/// See a delivery, what it says and how its attempts ended.
///
/// That somebody saw it is recorded in the audit trail. For operators with `deliveries:manage`, and for members with
/// `deliveries:view` or `deliveries:manage`.
#[utoipa::path(
    get, path = "/console/deliveries/{deliveryId}", tag = "deliveries", security(("session" = [], "console" = [])),
    params(DeliveryPath),
    responses((status = 200, description = "The delivery.", body = DeliveryDetails), CaseReadErrors),
)]
pub(in crate::console) async fn get_delivery(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesView, DeliveryPath>,
) -> Result<Json<DeliveryDetails>, ModerationApiError> {
    let (app, id) = (call.own_application(), call.path.delivery);
    let mut tx = call.begin(&api).await?;
    let found = delivery::show(&mut tx, app, id).await?;
    let found = found.ok_or_else(|| ModerationApiError::not_found("delivery"))?;
    let record = visible_record(&call, found);
    let message = api.outbox.open_message(&mut tx, app, id).await?;
    tx.audit(AuditEvent::new("delivery.view").app(record.app_id).target(id));
    tx.commit().await?;
    Ok(Json(DeliveryDetails {
        attempts: record.attempts.iter().cloned().map(DeliveryAttemptBody::from).collect(),
        delivery: record.into(),
        message: message.map(DeliveryMessageBody::from),
    }))
}
