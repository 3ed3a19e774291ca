//! Pictures of a face to compare the live face with, supplied by the relying party or the end user.

use super::{CapturedMedia, IdempotentCall, ResourceCaller};
use crate::{
    DeviceMetadata,
    document_verification::{
        error::DocumentSessionError,
        session::{
            DocumentSession, Requirement, SessionMedia, SuppliedResource, state_machine::RequirementEvent,
        },
        store::{SessionMediaStore, UnsealedDocumentSession},
        types::{ResourceKind, ResourceSource},
        unit_of_work::DocumentUnitOfWork,
        vision_runner::{DocumentReadError, VisionRunner},
    },
    image_analysis::{AnalysisError, ModelsNotReadyError},
};
use base::{AppId, DocumentSessionId, Environment, ResourceId};
use std::sync::Arc;
use vision::VisionError;

/// Takes in pictures of faces; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct FaceCaptureService {
    env: Arc<dyn Environment>,
    unit_of_work: DocumentUnitOfWork,
    media: SessionMediaStore,
    vision: VisionRunner,
}

impl FaceCaptureService {
    pub(in crate::document_verification) fn new(
        env: Arc<dyn Environment>,
        unit_of_work: DocumentUnitOfWork,
        media: SessionMediaStore,
        vision: VisionRunner,
    ) -> Self {
        Self { env, unit_of_work, media, vision }
    }

    /// Creates a face resource without its picture.
    pub(in crate::document_verification) async fn add_face(
        &self,
        id: DocumentSessionId,
        caller: ResourceCaller,
        requirement: Option<&str>,
        call: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<ResourceId, DocumentSessionError> {
        let (id, _) = self
            .unit_of_work
            .update(id, |session, effects, env| {
                if caller == ResourceSource::EndUser {
                    session.ensure_open_for_end_user(env)?;
                }
                if let Some(created) = call.earlier_result(session)? {
                    return Ok(created);
                }
                ensure_not_triggered(session, env)?;
                let named = requirement.map(str::parse::<ResourceId>);
                let is_face = |known: &Requirement| known.kind == ResourceKind::FaceCapture;
                let found = session.requirements.iter().find(|known| match &named {
                    Some(Ok(id)) => known.id == *id && is_face(known),
                    Some(Err(_)) => false,
                    None => is_face(known) && known.source == caller,
                });
                let found = found.ok_or(DocumentSessionError::ItemNotFound("requirement"))?;
                ensure_supplied_by(found.source, caller)?;
                if caller == ResourceSource::EndUser {
                    session.ensure_biometric_consent()?;
                }
                let resource = SuppliedResource::begin(env, found);
                session.attach_resource(resource, call, device, effects, env)
            })
            .await?;
        Ok(id)
    }

    /// Puts the picture of a face in its place; a picture that was there is replaced. It must show exactly one face.
    pub(in crate::document_verification) async fn put_face(
        &self,
        stored: &UnsealedDocumentSession,
        caller: ResourceCaller,
        resource: ResourceId,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let kind = ResourceKind::FaceCapture;
        let session = &stored.session;
        ensure_supplied_by(session.require_resource(kind, resource)?.source, caller)?;
        ensure_not_triggered(session, &*self.env)?;
        if caller == ResourceSource::EndUser {
            session.ensure_biometric_consent()?;
        }
        let (media_kind, content_type) = upload.inspect(false, !session.sandbox)?;
        if !session.sandbox {
            ensure_single_face(&self.vision, session.app, upload.bytes.clone()).await?;
        }
        let media = self.media.put(stored, media_kind, content_type, resource, &upload.bytes).await?;
        let added = media.clone();
        self.unit_of_work
            .update_with_media(stored, media, move |session, effects, env| {
                ensure_not_triggered(session, env)?;
                session.require_resource(kind, resource)?;
                session.apply_requirement_event(resource, RequirementEvent::Supplied)?;
                let face = session.require_resource_mut(resource)?;
                effects.discarded_media.extend(face.image.replace(added.id));
                session.media.push(added);
                session.apply_requirement_event(resource, RequirementEvent::Accepted)?;
                session.record_resource_change(resource, "FACE_CAPTURE_IMAGE_UPLOADED", device, effects, env);
                Ok(())
            })
            .await
    }
}

/// Refuses a picture that does not show exactly one face.
async fn ensure_single_face(
    vision: &VisionRunner,
    app: AppId,
    bytes: Vec<u8>,
) -> Result<(), DocumentSessionError> {
    // Held until the faces are counted: a decoded picture is large, so only so many are open at once.
    let _slot = vision.acquire_large_media_slot(app).await;
    let picture = match vision.decode_picture(bytes).await {
        Ok(picture) => picture,
        Err(DocumentReadError::File(error)) => {
            return Err(DocumentSessionError::Unprocessable(error.to_string()));
        }
        Err(DocumentReadError::Server(error)) => {
            return Err(DocumentSessionError::Models(ModelsNotReadyError(error).into()));
        }
    };
    let faces = vision
        .run(app, move |vision| {
            let faces = vision.detect(&picture)?;
            Ok::<_, VisionError>(faces.iter().filter(|face| vision.is_confident(face)).count())
        })
        .await
        .and_then(|counted| counted.map_err(AnalysisError::from))
        .map_err(DocumentSessionError::Models)?;
    match faces {
        1 => Ok(()),
        0 => Err(DocumentSessionError::Unprocessable("no face was found in the picture".to_owned())),
        many => Err(DocumentSessionError::Unprocessable(format!(
            "{many} faces were found in the picture; show one"
        ))),
    }
}

/// Refuses a caller who is not the one to supply the picture.
fn ensure_supplied_by(source: ResourceSource, caller: ResourceCaller) -> Result<(), DocumentSessionError> {
    if source == caller {
        return Ok(());
    }
    Err(DocumentSessionError::Forbidden(format!("this is supplied by {source}")))
}

/// Refuses to change a session that is over, or whose checks have been triggered.
fn ensure_not_triggered(
    session: &DocumentSession,
    env: &dyn Environment,
) -> Result<(), DocumentSessionError> {
    if session.triggered_at.is_some() {
        return Err(DocumentSessionError::ResourceLocked(
            "the checks have begun; nothing can be supplied any more".to_owned(),
        ));
    }
    session.ensure_open_for_end_user(env)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image_analysis::{AnalysisRules, ImageAnalyser};
    use base::Uuid;
    use futures_util::poll;
    use std::pin::pin;

    #[tokio::test]
    async fn a_picture_of_a_face_waits_until_it_may_be_opened() {
        let vision = VisionRunner::new(ImageAnalyser::new(AnalysisRules::default()));
        let app: AppId = Uuid::from_u128(1).into();
        let mut held = Vec::new();
        while let Some(slot) = vision.try_acquire_large_media_slot(app) {
            held.push(slot);
        }
        let mut checked = pin!(ensure_single_face(&vision, app, Vec::new()));
        assert!(poll!(&mut checked).is_pending(), "as many are open as may be");
        drop(held);
        assert!(matches!(checked.await, Err(DocumentSessionError::Unprocessable(_))), "an empty file");
    }
}
