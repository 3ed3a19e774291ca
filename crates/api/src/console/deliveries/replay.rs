//! `POST /console/deliveries/{deliveryId}/replay`

use super::DeliveryPath;
use crate::{
    ApiState,
    console::{RecordChangeErrors, permissions::DeliveriesManage, request::ConsoleCall},
    content_moderation::ModerationApiError,
};
use axum::{extract::State, http::StatusCode};
use domain::delivery;

/// Send a message again.
///
/// At once, and then on the usual schedule if that fails. Its `webhook-id` stays the same, so a receiver that has it already
/// can tell. Refused with `CONFLICT` while it is being sent, and if what it said was erased. For operators and members with
/// `deliveries:manage`.
#[utoipa::path(
    post, path = "/console/deliveries/{deliveryId}/replay", tag = "deliveries", security(("session" = [], "console" = [])),
    params(DeliveryPath),
    responses((status = 204, description = "The message is queued again."), RecordChangeErrors),
)]
pub(in crate::console) async fn replay_delivery(
    State(api): State<ApiState>,
    call: ConsoleCall<DeliveriesManage, DeliveryPath>,
) -> Result<StatusCode, ModerationApiError> {
    let (app, id) = (call.own_application(), call.path.delivery);
    let mut tx = call.begin(&api).await?;
    let found = delivery::show(&mut tx, app, id).await?;
    found.ok_or_else(|| ModerationApiError::not_found("delivery"))?;
    delivery::replay(&mut tx, &*api.environment, app, id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
