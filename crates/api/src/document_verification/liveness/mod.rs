//! Live faces of a session: one picture, or several as the face comes nearer.

pub(super) mod add_static;
pub(super) mod add_zoom;
pub(super) mod put_facemap;
pub(super) mod put_static_frame;
pub(super) mod put_zoom_frame;

use super::{DocumentApiError, auth::EndUserRequest};
use crate::{ApiState, http::json};
use base::ResourceId;
use domain::document_verification::{session::SessionMedia, types::LivenessType};
use utoipa::ToSchema;

/// The requirement of the configuration that it is for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewLivenessCapture {
    /// The requirement's `id`. Default: the first of the type.
    requirement_id: Option<String>,
}

/// A capture that was begun.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CreatedLivenessCapture {
    /// The capture's id, for the paths of its frames.
    #[schema(value_type = Uuid)]
    id: ResourceId,
}

async fn begin_capture(
    api: &ApiState,
    caller: EndUserRequest,
    kind: LivenessType,
) -> Result<CreatedLivenessCapture, DocumentApiError> {
    let NewLivenessCapture { requirement_id } = json::parse(caller.request.json())?;
    let (session, repeat) = (caller.user.stored.session.id, caller.request.end_user_fingerprint()?);
    let (requirement, device) = (requirement_id.as_deref(), caller.user.device);
    let id = api.document_verification.add_liveness(session, kind, requirement, &repeat, device).await?;
    Ok(CreatedLivenessCapture { id })
}

async fn put_frame(
    api: &ApiState,
    caller: EndUserRequest,
    kind: LivenessType,
) -> Result<SessionMedia, DocumentApiError> {
    let (resource, frame) = (caller.user.path.resource()?, caller.user.path.frame()?);
    let upload = caller.read_upload(api).await?;
    let (held, device) = (&caller.user.stored, caller.user.device);
    Ok(api.document_verification.put_frame(held, kind, resource, frame, upload, device).await?)
}
