//! Captures of a live face: a single frame (`STATIC`), or frames of a face that comes nearer (`ZOOM`).

use super::{CapturedMedia, IdempotentCall};
use crate::{
    DeviceMetadata,
    document_verification::{
        error::DocumentSessionError,
        notifications::NotificationSubject,
        session::{
            DocumentSession, Requirement, SessionMedia, SuppliedResource, state_machine::RequirementEvent,
        },
        store::{SessionMediaStore, UnsealedDocumentSession},
        types::{CaptureMethod, LivenessType, MediaType, NotificationTopic, ResourceKind},
        unit_of_work::DocumentUnitOfWork,
    },
};
use base::{DocumentSessionId, ResourceId};

/// Frames that a zoom needs to be complete.
const MIN_ZOOM_FRAMES: usize = 3;
/// The highest number of a zoom's frame.
const MAX_ZOOM_FRAME_NUMBER: u32 = 7;
/// The highest number of a static frame: clients call the only one 0 or 1.
const MAX_STATIC_FRAME_NUMBER: u32 = 1;

/// Takes in live faces; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct LivenessCaptureService {
    unit_of_work: DocumentUnitOfWork,
    media: SessionMediaStore,
}

impl LivenessCaptureService {
    pub(in crate::document_verification) fn new(
        unit_of_work: DocumentUnitOfWork,
        media: SessionMediaStore,
    ) -> Self {
        Self { unit_of_work, media }
    }

    /// Creates a liveness resource without frames; uses an attempt.
    pub(in crate::document_verification) async fn add_liveness(
        &self,
        id: DocumentSessionId,
        liveness: LivenessType,
        requirement: Option<&str>,
        call: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, DocumentSessionError> {
        let (id, _) = self
            .unit_of_work
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                if let Some(created) = call.earlier_result(session)? {
                    return Ok(created);
                }
                session.ensure_biometric_consent()?;
                let named = requirement.map(|text| text.parse::<ResourceId>().ok());
                let fits = |requirement: &&mut Requirement| {
                    named.is_none_or(|named| named == Some(requirement.id))
                        && requirement.kind == ResourceKind::Liveness
                        && requirement.liveness_type == Some(liveness)
                };
                let requirement = session.requirements.iter_mut().find(fits).ok_or_else(|| {
                    DocumentSessionError::ResourceLocked(format!(
                        "the session asks for no liveness of the type {liveness}"
                    ))
                })?;
                requirement.use_attempt()?;
                let resource = SuppliedResource::begin(env, requirement);
                session.attach_resource(resource, call, device, effects, env)
            })
            .await?;
        Ok(id)
    }

    /// Puts a frame in its place; a frame with the same number is replaced.
    pub(in crate::document_verification) async fn put_frame(
        &self,
        stored: &UnsealedDocumentSession,
        liveness: LivenessType,
        resource: ResourceId,
        number: u32,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let session = &stored.session;
        let max_number = match liveness {
            LivenessType::Zoom => MAX_ZOOM_FRAME_NUMBER,
            LivenessType::Static => MAX_STATIC_FRAME_NUMBER,
        };
        if number > max_number {
            return Err(DocumentSessionError::invalid_member(
                "frame",
                format!("frames are numbered from 0 to {max_number}"),
            ));
        }
        require_liveness(session, resource, liveness)?;
        session.ensure_biometric_consent()?;
        let (media_kind, content_type) = upload.inspect(false, !session.sandbox)?;
        let media = self.media.put(stored, media_kind, content_type, resource, &upload.bytes).await?;
        let added = media.clone();
        self.unit_of_work
            .update_with_media(stored, media, move |session, effects, env| {
                require_liveness(session, resource, liveness)?;
                session.apply_requirement_event(resource, RequirementEvent::Supplied)?;
                let capture = session.require_resource_mut(resource)?;
                let is_new = !capture.pages.iter().any(|page| page.number == number);
                // As many frames as the highest number, though numbers count from 0: one of them stays unused.
                if is_new && capture.pages.len() >= max_number as usize {
                    return Err(DocumentSessionError::ResourceLocked(format!(
                        "a liveness capture of the type {liveness} takes at most {max_number} frames"
                    )));
                }
                effects.discarded_media.extend(capture.put_page(number, CaptureMethod::Camera, added.id));
                // The first frame also serves as the picture of the face.
                capture.image = capture.pages.first().and_then(|page| page.media);
                let frames = capture.pages.iter().filter(|page| page.media.is_some()).count();
                session.media.push(added);
                if liveness == LivenessType::Static || frames >= MIN_ZOOM_FRAMES {
                    session.apply_requirement_event(resource, RequirementEvent::Accepted)?;
                }
                session.record_resource_change(resource, "FRAME_UPLOADED", device, effects, env);
                Ok(())
            })
            .await
    }

    /// Stores the shape of the face that a client measured itself. It is kept as it is and not used by any check.
    pub(in crate::document_verification) async fn put_facemap(
        &self,
        stored: &UnsealedDocumentSession,
        resource: ResourceId,
        bytes: Vec<u8>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        require_liveness(&stored.session, resource, LivenessType::Zoom)?;
        stored.session.ensure_biometric_consent()?;
        if bytes.is_empty() {
            return Err(DocumentSessionError::Unprocessable("binary-content has no bytes".to_owned()));
        }
        let media =
            self.media.put(stored, MediaType::Binary, "application/octet-stream", resource, &bytes).await?;
        let added = media.clone();
        self.unit_of_work
            .update_with_media(stored, media, move |session, effects, env| {
                require_liveness(session, resource, LivenessType::Zoom)?;
                let capture = session.require_resource_mut(resource)?;
                effects.discarded_media.extend(capture.facemap.replace(added.id));
                session.media.push(added);
                session.mark_updated(resource, env);
                effects.notify(NotificationTopic::ResourceUpdate, NotificationSubject::Resource(resource));
                Ok(())
            })
            .await
    }
}

/// Refuses a resource that is not a live face of this type.
fn require_liveness(
    session: &DocumentSession,
    resource: ResourceId,
    liveness: LivenessType,
) -> Result<(), DocumentSessionError> {
    match session.require_resource(ResourceKind::Liveness, resource)?.liveness_type {
        Some(own) if own == liveness => Ok(()),
        _ => Err(DocumentSessionError::ItemNotFound("resource")),
    }
}
