//! Faces: live ones, and pictures to compare them with.

use super::{IdempotentCall, MAX_ZOOM_FRAME_NUMBER, MIN_ZOOM_FRAMES, ResourceCaller};
use crate::{
    DeviceMetadata,
    document_verification::{
        DocumentVerificationService,
        session::{DocumentSession, Requirement, SessionMedia, SuppliedResource},
        state_machine::RequirementEvent,
        store::UnsealedDocumentSession,
        types::{CaptureMethod, LivenessType, MediaType, NotificationTopic, ResourceKind, ResourceSource},
        unit_of_work::{CapturedMedia, DocumentSessionError, NotificationSubject},
    },
};
use base::{DocumentSessionId, Environment, ResourceId};

impl DocumentVerificationService {
    /// Begins a capture of a live face.
    pub async fn add_liveness(
        &self,
        id: DocumentSessionId,
        liveness: LivenessType,
        requirement: Option<&str>,
        once: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, DocumentSessionError> {
        let (id, _) = self
            .update_session(id, |session, effects, world| {
                session.ensure_open_for_end_user(world)?;
                if let Some(made) = once.earlier_result(session)? {
                    return Ok(made);
                }
                let asked = requirement.map(|text| text.parse::<ResourceId>().ok());
                let wanted = |requirement: &&mut Requirement| {
                    asked.is_none_or(|asked| asked == Some(requirement.id))
                        && requirement.kind == ResourceKind::Liveness
                        && requirement.liveness_type == Some(liveness)
                };
                let requirement = session.requirements.iter_mut().find(wanted).ok_or_else(|| {
                    DocumentSessionError::ResourceLocked(format!(
                        "the session asks for no liveness of the type {liveness}"
                    ))
                })?;
                requirement.use_attempt()?;
                let resource = SuppliedResource::begin(world, requirement);
                session.attach_resource(resource, once, device, effects, world)
            })
            .await?;
        Ok(id)
    }

    /// Puts a frame of a live face in its place.
    pub async fn put_frame(
        &self,
        held: &UnsealedDocumentSession,
        liveness: LivenessType,
        resource: ResourceId,
        number: u32,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let session = &held.session;
        let last = if liveness == LivenessType::Zoom { MAX_ZOOM_FRAME_NUMBER } else { 1 };
        if number > last {
            return Err(DocumentSessionError::invalid_member(
                "frame",
                format!("frames are numbered from 0 to {last}"),
            ));
        }
        let kind = ResourceKind::Liveness;
        let ours = |session: &DocumentSession| match session.require_resource(kind, resource)?.liveness_type {
            Some(own) if own == liveness => Ok(()),
            _ => Err(DocumentSessionError::ItemNotFound("resource")),
        };
        ours(session)?;
        let (media_kind, content_type) = upload.inspect(false, !session.sandbox)?;
        let media = self.store_media(held, media_kind, content_type, Some(resource), &upload.bytes).await?;
        let added = media.clone();
        self.update_with_media(held, media, move |session, effects, world| {
            ours(session)?;
            session.apply_requirement_event(resource, RequirementEvent::Supplied)?;
            let place =
                session.resource_mut(resource).ok_or(DocumentSessionError::ItemNotFound("resource"))?;
            let new = !place.pages.iter().any(|page| page.number == number);
            if new && place.pages.len() >= last as usize {
                return Err(DocumentSessionError::ResourceLocked(format!("it takes at most {last} frames")));
            }
            effects.discarded_media.extend(place.put_page(number, CaptureMethod::Camera, added.id));
            // The picture of the face: the first frame.
            place.image = place.pages.first().and_then(|page| page.media);
            let frames = place.pages.iter().filter(|page| page.media.is_some()).count();
            session.media.push(added);
            if liveness == LivenessType::Static || frames >= MIN_ZOOM_FRAMES {
                session.apply_requirement_event(resource, RequirementEvent::Accepted)?;
            }
            session.record_resource_change(resource, "FRAME_UPLOADED", device, effects, world);
            Ok(())
        })
        .await
    }

    /// Keeps a facemap that a client made.
    pub async fn put_facemap(
        &self,
        held: &UnsealedDocumentSession,
        resource: ResourceId,
        bytes: Vec<u8>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let ours = |session: &DocumentSession| match session
            .require_resource(ResourceKind::Liveness, resource)?
            .liveness_type
        {
            Some(LivenessType::Zoom) => Ok(()),
            _ => Err(DocumentSessionError::ItemNotFound("resource")),
        };
        ours(&held.session)?;
        if bytes.is_empty() {
            return Err(DocumentSessionError::Unprocessable("binary-content has no bytes".to_owned()));
        }
        let media = self
            .store_media(held, MediaType::Binary, "application/octet-stream", Some(resource), &bytes)
            .await?;
        let added = media.clone();
        self.update_with_media(held, media, move |session, effects, world| {
            ours(session)?;
            let place =
                session.resource_mut(resource).ok_or(DocumentSessionError::ItemNotFound("resource"))?;
            effects.discarded_media.extend(place.facemap.replace(added.id));
            session.media.push(added);
            session.mark_updated(resource, world);
            effects.notify(NotificationTopic::ResourceUpdate, NotificationSubject::Resource(resource));
            Ok(())
        })
        .await
    }

    /// Begins a picture of a face to compare with.
    pub async fn add_face(
        &self,
        id: DocumentSessionId,
        by: ResourceCaller,
        requirement: Option<&str>,
        once: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, DocumentSessionError> {
        let (id, _) = self
            .update_session(id, |session, effects, world| {
                if by == ResourceSource::EndUser {
                    session.ensure_open_for_end_user(world)?;
                }
                if let Some(made) = once.earlier_result(session)? {
                    return Ok(made);
                }
                ensure_open_for_relying_party(session, world)?;
                let asked = requirement.map(str::parse::<ResourceId>);
                let mine = |known: &Requirement| known.kind == ResourceKind::FaceCapture;
                let found = session.requirements.iter_mut().find(|known| match &asked {
                    Some(Ok(id)) => known.id == *id && mine(known),
                    Some(Err(_)) => false,
                    None => mine(known) && known.source == by,
                });
                let found = found.ok_or(DocumentSessionError::ItemNotFound("requirement"))?;
                ensure_supplied_by(found.source, by)?;
                let resource = SuppliedResource::begin(world, found);
                session.attach_resource(resource, once, device, effects, world)
            })
            .await?;
        Ok(id)
    }

    /// Puts the picture of a face in its place.
    pub async fn put_face(
        &self,
        held: &UnsealedDocumentSession,
        by: ResourceCaller,
        resource: ResourceId,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let kind = ResourceKind::FaceCapture;
        let session = &held.session;
        let source = session.require_resource(kind, resource)?.source;
        ensure_supplied_by(source, by)?;
        ensure_open_for_relying_party(session, &*self.0.world)?;
        let (media_kind, content_type) = upload.inspect(false, !session.sandbox)?;
        if !session.sandbox {
            self.require_single_face(upload.bytes.clone()).await?;
        }
        let media = self.store_media(held, media_kind, content_type, Some(resource), &upload.bytes).await?;
        let added = media.clone();
        self.update_with_media(held, media, move |session, effects, world| {
            ensure_open_for_relying_party(session, world)?;
            session.require_resource(kind, resource)?;
            session.apply_requirement_event(resource, RequirementEvent::Supplied)?;
            let place =
                session.resource_mut(resource).ok_or(DocumentSessionError::ItemNotFound("resource"))?;
            effects.discarded_media.extend(place.image.replace(added.id));
            session.media.push(added);
            session.apply_requirement_event(resource, RequirementEvent::Accepted)?;
            session.record_resource_change(resource, "FACE_CAPTURE_IMAGE_UPLOADED", device, effects, world);
            Ok(())
        })
        .await
    }
}

/// Whether a picture of a face is its caller's to supply.
fn ensure_supplied_by(source: ResourceSource, by: ResourceCaller) -> Result<(), DocumentSessionError> {
    if source == by {
        return Ok(());
    }
    Err(DocumentSessionError::Forbidden(format!("this is supplied by {source}")))
}

/// Refuses changes by a business to a session that is over, or whose checks have begun.
fn ensure_open_for_relying_party(
    session: &DocumentSession,
    world: &dyn Environment,
) -> Result<(), DocumentSessionError> {
    if session.triggered_at.is_some() {
        return Err(DocumentSessionError::ResourceLocked(
            "the checks have begun; nothing can be supplied any more".to_owned(),
        ));
    }
    session.ensure_open_for_end_user(world)
}
