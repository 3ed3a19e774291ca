//! Faces: live ones, and pictures to compare them with.

use super::{By, LAST_FRAME, Once, ZOOM_FRAMES};
use crate::{
    DeviceMetadata,
    identity::{
        Identities,
        change::{NotDone, Subject, Upload},
        moves::ResourceEvent,
        session::{Media, Requirement, Resource, Session},
        store::Held,
        words::{CaptureMethod, LivenessType, MediaType, NotificationTopic, ResourceKind, SourceType},
    },
};
use base::{ResourceId, SessionId, World};

impl Identities {
    /// Begins a capture of a live face.
    pub async fn add_liveness(
        &self,
        id: SessionId,
        liveness: LivenessType,
        requirement: Option<&str>,
        once: &Once,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, NotDone> {
        let (id, _) = self
            .change(id, |session, effects, world| {
                session.person(world)?;
                if let Some(made) = once.before(session)? {
                    return Ok(made);
                }
                let asked = requirement.map(|text| text.parse::<ResourceId>().ok());
                let wanted = |requirement: &&mut Requirement| {
                    asked.is_none_or(|asked| asked == Some(requirement.id))
                        && requirement.kind == ResourceKind::Liveness
                        && requirement.liveness_type == Some(liveness)
                };
                let requirement = session.requirements.iter_mut().find(wanted).ok_or_else(|| {
                    NotDone::ResourceLocked(format!(
                        "the session asks for no liveness of the type {liveness}"
                    ))
                })?;
                requirement.attempt()?;
                let resource = Resource::begin(world, requirement);
                session.supply(resource, once, device, effects, world)
            })
            .await?;
        Ok(id)
    }

    /// Puts a frame of a live face in its place.
    pub async fn put_frame(
        &self,
        held: &Held,
        liveness: LivenessType,
        resource: ResourceId,
        number: u32,
        upload: Upload,
        device: Option<DeviceMetadata>,
    ) -> Result<Media, NotDone> {
        let session = &held.session;
        let last = if liveness == LivenessType::Zoom { LAST_FRAME } else { 1 };
        if number > last {
            return Err(NotDone::wrong("frame", format!("frames are numbered from 0 to {last}")));
        }
        let kind = ResourceKind::Liveness;
        let ours = |session: &Session| match session.mine(kind, resource)?.liveness_type {
            Some(own) if own == liveness => Ok(()),
            _ => Err(NotDone::Missing("resource")),
        };
        ours(session)?;
        let (media_kind, content_type) = upload.kind(false, !session.sandbox)?;
        let media = self.put(held, media_kind, content_type, Some(resource), &upload.bytes).await?;
        let added = media.clone();
        self.changed(held, media, move |session, effects, world| {
            ours(session)?;
            session.move_requirement(resource, ResourceEvent::Supplied)?;
            let place = session.any(resource).ok_or(NotDone::Missing("resource"))?;
            let new = !place.pages.iter().any(|page| page.number == number);
            if new && place.pages.len() >= last as usize {
                return Err(NotDone::ResourceLocked(format!("it takes at most {last} frames")));
            }
            effects.gone.extend(place.put_page(number, CaptureMethod::Camera, added.id));
            // The picture of the face: the first frame.
            place.image = place.pages.first().and_then(|page| page.media);
            let frames = place.pages.iter().filter(|page| page.media.is_some()).count();
            session.media.push(added);
            if liveness == LivenessType::Static || frames >= ZOOM_FRAMES {
                session.move_requirement(resource, ResourceEvent::Accepted)?;
            }
            session.changed(resource, "FRAME_UPLOADED", device, effects, world);
            Ok(())
        })
        .await
    }

    /// Keeps a facemap that a client made.
    pub async fn put_facemap(
        &self,
        held: &Held,
        resource: ResourceId,
        bytes: Vec<u8>,
    ) -> Result<Media, NotDone> {
        let ours = |session: &Session| match session.mine(ResourceKind::Liveness, resource)?.liveness_type {
            Some(LivenessType::Zoom) => Ok(()),
            _ => Err(NotDone::Missing("resource")),
        };
        ours(&held.session)?;
        if bytes.is_empty() {
            return Err(NotDone::Unprocessable("binary-content has no bytes".to_owned()));
        }
        let media =
            self.put(held, MediaType::Binary, "application/octet-stream", Some(resource), &bytes).await?;
        let added = media.clone();
        self.changed(held, media, move |session, effects, world| {
            ours(session)?;
            let place = session.any(resource).ok_or(NotDone::Missing("resource"))?;
            effects.gone.extend(place.facemap.replace(added.id));
            session.media.push(added);
            session.touch(resource, world);
            effects.tell(NotificationTopic::ResourceUpdate, Subject::Resource(resource));
            Ok(())
        })
        .await
    }

    /// Begins a picture of a face to compare with.
    pub async fn add_face(
        &self,
        id: SessionId,
        by: By,
        requirement: Option<&str>,
        once: &Once,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, NotDone> {
        let (id, _) = self
            .change(id, |session, effects, world| {
                if by == SourceType::EndUser {
                    session.person(world)?;
                }
                if let Some(made) = once.before(session)? {
                    return Ok(made);
                }
                open_to_business(session, world)?;
                let asked = requirement.map(str::parse::<ResourceId>);
                let mine = |known: &Requirement| known.kind == ResourceKind::FaceCapture;
                let found = session.requirements.iter_mut().find(|known| match &asked {
                    Some(Ok(id)) => known.id == *id && mine(known),
                    Some(Err(_)) => false,
                    None => mine(known) && known.source == by,
                });
                let found = found.ok_or(NotDone::Missing("requirement"))?;
                may(found.source, by)?;
                let resource = Resource::begin(world, found);
                session.supply(resource, once, device, effects, world)
            })
            .await?;
        Ok(id)
    }

    /// Puts the picture of a face in its place.
    pub async fn put_face(
        &self,
        held: &Held,
        by: By,
        resource: ResourceId,
        upload: Upload,
        device: Option<DeviceMetadata>,
    ) -> Result<Media, NotDone> {
        let kind = ResourceKind::FaceCapture;
        let session = &held.session;
        let source = session.mine(kind, resource)?.source;
        may(source, by)?;
        open_to_business(session, &*self.0.world)?;
        let (media_kind, content_type) = upload.kind(false, !session.sandbox)?;
        if !session.sandbox {
            self.one_face(upload.bytes.clone()).await?;
        }
        let media = self.put(held, media_kind, content_type, Some(resource), &upload.bytes).await?;
        let added = media.clone();
        self.changed(held, media, move |session, effects, world| {
            open_to_business(session, world)?;
            session.mine(kind, resource)?;
            session.move_requirement(resource, ResourceEvent::Supplied)?;
            let place = session.any(resource).ok_or(NotDone::Missing("resource"))?;
            effects.gone.extend(place.image.replace(added.id));
            session.media.push(added);
            session.move_requirement(resource, ResourceEvent::Accepted)?;
            session.changed(resource, "FACE_CAPTURE_IMAGE_UPLOADED", device, effects, world);
            Ok(())
        })
        .await
    }
}

/// Whether a picture of a face is its caller's to supply.
fn may(source: SourceType, by: By) -> Result<(), NotDone> {
    if source == by {
        return Ok(());
    }
    Err(NotDone::Forbidden(format!("this is supplied by {source}")))
}

/// Refuses changes by a business to a session that is over, or whose checks have begun.
fn open_to_business(session: &Session, world: &dyn World) -> Result<(), NotDone> {
    if session.triggered_at.is_some() {
        return Err(NotDone::ResourceLocked(
            "the checks have begun; nothing can be supplied any more".to_owned(),
        ));
    }
    session.person(world)
}
