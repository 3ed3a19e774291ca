//! Live faces of a session: one picture, or several as the face comes nearer.

pub(super) mod add_static;
pub(super) mod add_zoom;
pub(super) mod put_facemap;
pub(super) mod put_static_frame;
pub(super) mod put_zoom_frame;

use super::{
    DocumentApiError,
    auth::EndUserRequest,
    sessions::{
        configuration::AttemptsRemaining,
        view::{MediaView, TaskRecommendation},
    },
};
use crate::{ApiState, http::json};
use base::{ResourceId, Timestamp};
use domain::document_verification::{FrameReceipt, types::LivenessType};
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

/// A frame that was stored; with its last frame, what a capture was judged to be.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct StoredFrame {
    /// Attempts that are left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    attempts_remaining: Option<AttemptsRemaining>,
    media: MediaView,
    /// What the end user should do, once the capture is complete and was judged: `MUST_TRY_AGAIN` asks for another capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recommendation: Option<TaskRecommendation>,
}

impl StoredFrame {
    fn of(receipt: &FrameReceipt) -> Self {
        let judged = receipt.judged.as_ref();
        Self {
            attempts_remaining: judged.map(|judged| AttemptsRemaining::of_faces(judged.attempts_remaining)),
            // It was stored just now, so it says when.
            media: MediaView::new(&receipt.media, Timestamp::default()),
            recommendation: judged.map(|judged| (&judged.next).into()),
        }
    }
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
) -> Result<StoredFrame, DocumentApiError> {
    let (resource, frame) = (caller.user.path.resource()?, caller.user.path.frame()?);
    let upload = caller.read_upload(api).await?;
    let (held, device) = (&caller.user.stored, caller.user.device);
    let service = &api.document_verification;
    Ok(StoredFrame::of(&service.put_frame(held, kind, resource, frame, upload, device).await?))
}
