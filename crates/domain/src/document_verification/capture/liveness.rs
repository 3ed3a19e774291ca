//! Captures of a live face: a single frame (`STATIC`), or frames of a face that comes nearer (`ZOOM`). A capture is judged as
//! soon as its last frame is there, while the end user can still make another.

use super::{CapturedMedia, IdempotentCall};
use crate::{
    DeviceMetadata,
    document_verification::{
        checks::{FaceAnalyser, judge_liveness},
        error::DocumentSessionError,
        notifications::NotificationSubject,
        session::{
            DocumentSession, LivenessVerdict, Requirement, SessionMedia, SuppliedResource, TaskNextStep,
            requirement_event_after, state_machine::RequirementEvent,
        },
        store::{SessionMediaStore, UnsealedDocumentSession},
        types::{CaptureMethod, LivenessType, MediaType, NotificationTopic, ResourceKind, TaskAdvice},
        unit_of_work::DocumentUnitOfWork,
        vision_runner::DocumentReadError,
    },
    image_analysis::ModelsNotReadyError,
};
use base::{DocumentSessionId, MediaId, ResourceId};

/// Frames that a zoom needs to be complete.
const MIN_ZOOM_FRAMES: usize = 3;
/// The highest number of a zoom's frame.
const MAX_ZOOM_FRAME_NUMBER: u32 = 7;
/// The highest number of a static frame: clients call the only one 0 or 1.
const MAX_STATIC_FRAME_NUMBER: u32 = 1;
/// Captures of a requirement in which nothing could be judged and which do not count as attempts: the first so many.
const MAX_UNUSABLE_CAPTURES: usize = 10;

/// What came of a frame.
#[derive(Clone, Debug)]
pub struct FrameReceipt {
    pub media: SessionMedia,
    /// What the capture was judged to be, if the frame is its last.
    pub judged: Option<JudgedCapture>,
}

/// What a complete capture was judged to be.
#[derive(Clone, Debug)]
pub struct JudgedCapture {
    pub next: TaskNextStep,
    pub attempts_remaining: i64,
}

/// Takes in live faces; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct LivenessCaptureService {
    unit_of_work: DocumentUnitOfWork,
    media: SessionMediaStore,
    face_analyser: FaceAnalyser,
}

impl LivenessCaptureService {
    pub(in crate::document_verification) fn new(
        unit_of_work: DocumentUnitOfWork,
        media: SessionMediaStore,
        face_analyser: FaceAnalyser,
    ) -> Self {
        Self { unit_of_work, media, face_analyser }
    }

    /// Creates a liveness resource without frames. An attempt is used when the complete capture is judged.
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
                let fits = |requirement: &&Requirement| {
                    named.is_none_or(|named| named == Some(requirement.id))
                        && requirement.kind == ResourceKind::Liveness
                        && requirement.liveness_type == Some(liveness)
                };
                let requirement = session.requirements.iter().find(fits).ok_or_else(|| {
                    DocumentSessionError::ResourceLocked(format!(
                        "the session asks for no liveness of the type {liveness}"
                    ))
                })?;
                requirement.ensure_attempts_left()?;
                let resource = SuppliedResource::begin(env, requirement);
                session.attach_resource(resource, call, device, effects, env)
            })
            .await?;
        Ok(id)
    }

    /// Puts a frame in its place; a frame with the same number is replaced. The last frame of a capture, the only one of
    /// `STATIC` and the seventh of `ZOOM`, has it judged.
    pub(in crate::document_verification) async fn put_frame(
        &self,
        stored: &UnsealedDocumentSession,
        liveness: LivenessType,
        resource: ResourceId,
        number: u32,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<FrameReceipt, DocumentSessionError> {
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
        let capture = require_liveness(session, resource, liveness)?;
        session.ensure_biometric_consent()?;
        if let Some(verdict) = &capture.liveness {
            return self.repeated_frame(stored, capture, verdict, number, &upload).await;
        }
        let (media_kind, content_type) = upload.inspect(false, !session.sandbox)?;
        let media = self.media.put(stored, media_kind, content_type, resource, &upload.bytes).await?;
        let (added, frames_needed) = (media.clone(), max_number as usize);
        // The frames of the capture, once it is complete.
        let mut to_judge = None;
        let media = self
            .unit_of_work
            .update_with_media(stored, media, |session, effects, env| {
                ensure_not_judged(require_liveness(session, resource, liveness)?)?;
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
                let captured = capture.readable_media();
                session.media.push(added);
                // A complete capture is accepted once it is judged. In the sandbox the check alone has an outcome.
                let will_be_judged = captured.len() >= frames_needed && !session.sandbox;
                if !will_be_judged && (liveness == LivenessType::Static || captured.len() >= MIN_ZOOM_FRAMES)
                {
                    session.apply_requirement_event(resource, RequirementEvent::Accepted)?;
                }
                session.record_resource_change(resource, "FRAME_UPLOADED", device, effects, env);
                to_judge = will_be_judged.then_some(captured);
                Ok(())
            })
            .await?;
        let judged = match to_judge {
            Some(frames) => Some(self.judge(stored, liveness, resource, frames).await?),
            None => None,
        };
        Ok(FrameReceipt { media, judged })
    }

    /// Answers the repeat of a frame of a capture that is judged already, the answer of which was lost. Anything else is
    /// refused.
    async fn repeated_frame(
        &self,
        stored: &UnsealedDocumentSession,
        capture: &SuppliedResource,
        verdict: &LivenessVerdict,
        number: u32,
        upload: &CapturedMedia,
    ) -> Result<FrameReceipt, DocumentSessionError> {
        let session = &stored.session;
        let page = capture.pages.iter().find(|page| page.number == number);
        let known = page.and_then(|page| session.media(page.media?));
        let (Some(media), Some(requirement)) = (known, session.requirement_of(capture.id)) else {
            return Err(already_judged());
        };
        if media.bytes != upload.bytes.len() as u64
            || self.media.read(stored, media.id).await? != upload.bytes
        {
            return Err(already_judged());
        }
        let judged =
            JudgedCapture { next: verdict.next_step(), attempts_remaining: requirement.attempts_remaining() };
        Ok(FrameReceipt { media: media.clone(), judged: Some(judged) })
    }

    /// Judges a complete capture. One that is not live uses an attempt, and must be made again while attempts are left.
    async fn judge(
        &self,
        stored: &UnsealedDocumentSession,
        liveness: LivenessType,
        resource: ResourceId,
        frames: Vec<MediaId>,
    ) -> Result<JudgedCapture, DocumentSessionError> {
        let id = stored.session.id;
        let analysis =
            self.face_analyser.analyse(stored, frames.clone()).await.map_err(|error| match error {
                DocumentReadError::File(error) => DocumentSessionError::Unprocessable(error.to_string()),
                DocumentReadError::Server(error) => {
                    DocumentSessionError::Models(ModelsNotReadyError(error).into())
                }
            })?;
        let verdict = judge_liveness(&analysis, liveness == LivenessType::Zoom);
        let map = match analysis.face_map().map(|map| serde_json::to_vec(&map)) {
            Some(Ok(bytes)) => {
                let content_type = "application/octet-stream";
                Some(self.media.put(stored, MediaType::Binary, content_type, resource, &bytes).await?)
            }
            _ => None,
        };
        let map_id = map.as_ref().map(|map| map.id);
        let updated = self
            .unit_of_work
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                let attempt = record_verdict(session, resource, liveness, &frames, verdict)?;
                if let Some(map) = map {
                    let capture = session.require_resource_mut(resource)?;
                    effects.discarded_media.extend(capture.facemap.replace(map.id));
                    session.media.push(map);
                }
                session.mark_updated(resource, env);
                effects.notify(NotificationTopic::ResourceUpdate, NotificationSubject::Resource(resource));
                Ok(attempt)
            })
            .await;
        match updated {
            Ok((judged, _)) => Ok(judged),
            Err(error) => {
                if !error.may_be_committed() {
                    self.media.delete(id, map_id.as_slice()).await;
                }
                Err(error)
            }
        }
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

/// Writes down what a capture was judged to be, and what becomes of its requirement. Refuses if another frame or another capture
/// has taken the place of what was judged.
fn record_verdict(
    session: &mut DocumentSession,
    resource: ResourceId,
    liveness: LivenessType,
    frames: &[MediaId],
    verdict: LivenessVerdict,
) -> Result<JudgedCapture, DocumentSessionError> {
    let capture = require_liveness(session, resource, liveness)?;
    ensure_not_judged(capture)?;
    if capture.readable_media() != frames {
        return Err(DocumentSessionError::ResourceLocked("a frame was replaced meanwhile".to_owned()));
    }
    let unusable = |known: &&SuppliedResource| {
        known.requirement == capture.requirement
            && known.liveness.as_ref().is_some_and(LivenessVerdict::is_unusable)
    };
    let unusable_captures = session.resources.iter().filter(unusable).count();
    let next = verdict.next_step();
    let counts = match next.value {
        TaskAdvice::Progress => false,
        TaskAdvice::ShouldTryAgain => true,
        TaskAdvice::MustTryAgain => !verdict.is_unusable() || unusable_captures >= MAX_UNUSABLE_CAPTURES,
    };
    let mut requirements = session.requirements.iter_mut();
    let requirement = requirements.find(|known| known.resource == Some(resource));
    let requirement = requirement.ok_or_else(|| {
        DocumentSessionError::ResourceLocked("another capture was begun meanwhile".to_owned())
    })?;
    if counts {
        requirement.use_attempt()?;
    }
    let attempts_remaining = requirement.attempts_remaining();
    let event = requirement_event_after(next.value, attempts_remaining);
    requirement.standing = requirement.standing.after(event)?;
    session.require_resource_mut(resource)?.liveness = Some(verdict);
    Ok(JudgedCapture { next, attempts_remaining })
}

/// The live face of this type with this id.
fn require_liveness(
    session: &DocumentSession,
    resource: ResourceId,
    liveness: LivenessType,
) -> Result<&SuppliedResource, DocumentSessionError> {
    let capture = session.require_resource(ResourceKind::Liveness, resource)?;
    match capture.liveness_type {
        Some(own) if own == liveness => Ok(capture),
        _ => Err(DocumentSessionError::ItemNotFound("resource")),
    }
}

/// Refuses a capture that was judged.
fn ensure_not_judged(capture: &SuppliedResource) -> Result<(), DocumentSessionError> {
    if capture.liveness.is_some() { Err(already_judged()) } else { Ok(()) }
}

fn already_judged() -> DocumentSessionError {
    let message = "this capture was judged; begin another";
    DocumentSessionError::ResourceLocked(message.to_owned())
}
