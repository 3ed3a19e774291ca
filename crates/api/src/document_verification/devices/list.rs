//! `GET /idverify/v1/sessions/{sessionId}/tracked-devices`

use crate::document_verification::{DocumentApiError, auth::SessionOwner, error};
use axum::Json;
use base::{ResourceId, Timestamp};
use domain::{DeviceMetadata, document_verification::session::DeviceEvent};
use utoipa::ToSchema;

/// A device that was used.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct TrackedDevice {
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    device: DeviceMetadata,
    /// What it was used for.
    #[schema(example = "CREATE_SESSION")]
    event: String,
    /// The resource that it was used for, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    resource_id: Option<ResourceId>,
}

impl From<DeviceEvent> for TrackedDevice {
    fn from(tracked: DeviceEvent) -> Self {
        let DeviceEvent { event, resource_id, created, device } = tracked;
        Self { created, device, event, resource_id }
    }
}

/// List the devices that a session was used with.
///
/// Each event with its time and the device, as `X-Svc-Device-Meta` described it; oldest first.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/tracked-devices", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "At most the latest 100.", body = Vec<TrackedDevice>), error::SessionOwnerErrors),
)]
pub(crate) async fn list_devices(owner: SessionOwner) -> Result<Json<Vec<TrackedDevice>>, DocumentApiError> {
    Ok(Json(owner.stored.session.devices.into_iter().map(Into::into).collect()))
}
