//! What a business and a person do with a session, up to the moment when the checks begin: `papers` and `faces` have
//! what is supplied, `uploads` how it comes where a network breaks.

mod document_capture;
mod face_capture;
mod resumable_uploads;

use super::{
    DocumentVerificationService, checks,
    request::DocumentSessionRequest,
    session::{
        DocumentSession, ExtractionTask, IdempotentCreation, Requirement, SessionMedia, SuppliedResource,
    },
    state_machine::{DocumentSessionEvent, InvalidTransitionError, RequirementEvent},
    store::{UnsealedDocumentSession, hash_token},
    types::{
        CaptureMethod, CaptureMethods, MediaType, NotificationTopic, RequirementState, ResourceKind,
        ResourceSource, SessionState, TaskAdvice, TaskState, TaskType,
    },
    unit_of_work::{DocumentSessionError, NotificationSubject, SideEffects},
};
use crate::DeviceMetadata;
use aws_lc_rs::digest;
use base::{
    AppId, DocumentSessionId, Environment, Id as _, MediaId, ResourceId, SignedDuration, TaskId, Uuid,
};
use db::{DbError, WriteTx};
use std::{ops::Range, time::Duration};

/// Resources of a session: what was tried counts, too.
const MAX_RESOURCES: usize = 60;
/// The highest number of a page, and of a frame.
const MAX_PAGE_NUMBER: u32 = 9;
/// Frames of a zoom that must be there.
const MIN_ZOOM_FRAMES: usize = 3;
/// The highest number of a zoom's frame; the frame of a still picture may be called 0 or 1.
const MAX_ZOOM_FRAME_NUMBER: u32 = 7;
/// How often a waiting call looks.
const TASK_POLL_INTERVAL: Duration = Duration::from_millis(60);

/// Who a call is from, as far as resources are concerned.
pub type ResourceCaller = ResourceSource;

/// Makes a session.
#[derive(Clone, Debug)]
pub struct CreateDocumentSession {
    /// Whose.
    pub app: AppId,
    /// Whether results come from a response configuration.
    pub sandbox: bool,
    /// What is asked for; it breaks no rule ([`DocumentVerificationService::from_violations`]).
    pub request: DocumentSessionRequest,
    /// What the client library said of a device.
    pub device: Option<DeviceMetadata>,
}

/// What was said of a document that is to come.
#[derive(Clone, Debug, Default)]
pub struct NewDocument {
    /// What it is.
    pub document_type: Option<String>,
    /// Who issued it, ISO 3166-1 alpha-3.
    pub issuing_country: Option<String>,
    /// For which requirement; the first that it fits, where none is named.
    pub requirement_id: Option<String>,
}

/// A call that may be the repeat of one whose answer was lost.
#[derive(Clone, Debug, Default)]
pub struct IdempotentCall {
    /// Its `Idempotency-Key`.
    pub key: Option<String>,
    /// What it asks: operation and body.
    pub request: Vec<u8>,
}

impl IdempotentCall {
    /// The hashes of the key and of what is asked.
    fn hashes(&self) -> Option<(String, String)> {
        let hash = |bytes: &[u8]| hex::encode(digest::digest(&digest::SHA256, bytes));
        Some((hash(self.key.as_ref()?.as_bytes()), hash(&self.request)))
    }

    /// What was made by the same call before.
    fn earlier_result(&self, session: &DocumentSession) -> Result<Option<ResourceId>, DocumentSessionError> {
        let Some((key, request)) = self.hashes() else { return Ok(None) };
        match session.made.iter().find(|made| made.key == key) {
            None => Ok(None),
            Some(made) if made.request == request => Ok(Some(made.resource)),
            Some(_) => Err(DocumentSessionError::IdempotencyKeyReused),
        }
    }

    /// Remembers what was made.
    fn record_result(&self, session: &mut DocumentSession, resource: ResourceId) {
        let made = self.hashes().map(|(key, request)| IdempotentCreation { key, request, resource });
        session.made.extend(made);
    }
}

/// A media's contents, or why there are none.
#[derive(Debug)]
pub enum MediaDownload {
    /// These bytes of a media.
    Bytes(SessionMedia, Vec<u8>),
    /// They are withheld.
    Withheld,
}

impl From<InvalidTransitionError> for DocumentSessionError {
    fn from(bad: InvalidTransitionError) -> Self {
        Self::ResourceLocked(bad.to_string())
    }
}

impl DocumentSession {
    /// Refuses a person whose time is over, or who is through.
    fn ensure_open_for_end_user(&self, world: &dyn Environment) -> Result<(), DocumentSessionError> {
        if self.is_open(world.now()) { Ok(()) } else { Err(DocumentSessionError::Expired) }
    }

    fn require_resource(
        &self,
        kind: ResourceKind,
        id: ResourceId,
    ) -> Result<&SuppliedResource, DocumentSessionError> {
        self.resource(kind, id).ok_or(DocumentSessionError::ItemNotFound("resource"))
    }

    /// Adds a resource in the place of what was supplied for its requirement before, as what this call made.
    fn attach_resource(
        &mut self,
        resource: SuppliedResource,
        once: &IdempotentCall,
        device: Option<DeviceMetadata>,
        effects: &mut SideEffects,
        world: &dyn Environment,
    ) -> Result<ResourceId, DocumentSessionError> {
        if self.resources.len() >= MAX_RESOURCES {
            let words = format!("a session takes at most {MAX_RESOURCES} resources");
            return Err(DocumentSessionError::ResourceLocked(words));
        }
        let id = resource.id;
        let requirement = self
            .requirement_mut(resource.requirement)
            .ok_or(DocumentSessionError::ItemNotFound("requirement"))?;
        requirement.standing = requirement.standing.after(RequirementEvent::Supplied)?;
        requirement.resource = Some(id);
        self.resources.push(resource);
        once.record_result(self, id);
        self.record_resource_change(id, "RESOURCE_CREATED", device, effects, world);
        Ok(id)
    }

    /// Notes and tells that a person changed a resource.
    fn record_resource_change(
        &mut self,
        id: ResourceId,
        event: &str,
        device: Option<DeviceMetadata>,
        effects: &mut SideEffects,
        world: &dyn Environment,
    ) {
        self.mark_updated(id, world);
        self.record_device_event(event, Some(id), world.now(), device);
        effects.notify(NotificationTopic::ResourceUpdate, NotificationSubject::Resource(id));
    }

    /// Notes that a resource changed.
    pub(super) fn mark_updated(&mut self, id: ResourceId, world: &dyn Environment) {
        if let Some(resource) = self.resource_mut(id) {
            resource.last_updated = world.now();
        }
    }

    /// Moves the requirement that a resource counts for; one that it no longer counts for stays as it is.
    pub(super) fn apply_requirement_event(
        &mut self,
        id: ResourceId,
        event: RequirementEvent,
    ) -> Result<(), InvalidTransitionError> {
        let requirement = self.requirements.iter_mut().find(|requirement| requirement.resource == Some(id));
        if let Some(requirement) = requirement {
            requirement.standing = requirement.standing.after(event)?;
        }
        Ok(())
    }

    /// The task that a kind of resource has, where the session asks for it.
    fn requested_task_type(&self, kind: ResourceKind) -> Option<TaskType> {
        let kind = match kind {
            ResourceKind::IdDocument => TaskType::IdDocument,
            ResourceKind::SupplementaryDocument => TaskType::SupplementaryDocument,
            ResourceKind::Liveness | ResourceKind::FaceCapture => return None,
        };
        self.wanted.task(kind).map(|task| task.kind)
    }

    /// Something to read came: a task is there for it, or it is enough as it is.
    fn accept_readable_media(
        &mut self,
        id: ResourceId,
        world: &dyn Environment,
    ) -> Result<(), DocumentSessionError> {
        self.apply_requirement_event(id, RequirementEvent::Supplied)?;
        let Some(kind) = self.resource_mut(id).map(|resource| resource.kind) else { return Ok(()) };
        let Some(task) = self.requested_task_type(kind) else {
            return Ok(self.apply_requirement_event(id, RequirementEvent::Accepted)?);
        };
        if self
            .requirements
            .iter()
            .any(|requirement| requirement.resource == Some(id) && requirement.attempts_remaining() == 0)
        {
            return Err(DocumentSessionError::ResourceLocked("no attempts are left".to_owned()));
        }
        let now = world.now();
        if let Some(resource) = self.resource_mut(id)
            && !resource.tasks.iter().any(|task| task.state == TaskState::Created)
        {
            resource.tasks.push(ExtractionTask {
                id: TaskId::new(world),
                kind: task,
                state: TaskState::Created,
                created: now,
                last_updated: now,
                generated_media: Vec::new(),
                generated_checks: Vec::new(),
                recommendation: None,
            });
        }
        Ok(())
    }

    /// Refuses pictures from files where the session takes those of a camera alone.
    fn ensure_capture_method_allowed(&self, method: CaptureMethod) -> Result<(), DocumentSessionError> {
        let camera = self.wanted.sdk_config.allowed_capture_methods == Some(CaptureMethods::Camera);
        if camera && method == CaptureMethod::Upload {
            return Err(DocumentSessionError::invalid_member(
                "descriptor.capture_method",
                "the session takes CAMERA alone",
            ));
        }
        Ok(())
    }

    /// Completes a session whose checks have all ended.
    pub(super) fn complete_if_done(
        &mut self,
        effects: &mut SideEffects,
    ) -> Result<(), InvalidTransitionError> {
        if self.state == SessionState::Ongoing
            && self.triggered_at.is_some()
            && self.checks.iter().all(|check| check.state.is_final())
        {
            self.state = self.state.after(DocumentSessionEvent::ChecksFinished)?;
            effects.notify(NotificationTopic::SessionCompletion, NotificationSubject::Session);
        }
        Ok(())
    }
}

impl Requirement {
    /// Attempts that are left.
    pub fn attempts_remaining(&self) -> i64 {
        (self.attempts - self.used).max(0)
    }

    /// Takes one attempt.
    fn use_attempt(&mut self) -> Result<(), DocumentSessionError> {
        if self.attempts_remaining() == 0 {
            return Err(DocumentSessionError::ResourceLocked("no attempts are left".to_owned()));
        }
        self.used += 1;
        Ok(())
    }
}

impl DocumentVerificationService {
    /// Makes a session.
    pub async fn create(
        &self,
        tx: &mut WriteTx,
        command: CreateDocumentSession,
    ) -> Result<DocumentSession, DbError> {
        let CreateDocumentSession { app, sandbox, request, device } = command;
        let world = &*self.0.world;
        let mut session = DocumentSession::begin(world, app, sandbox, request);
        session.record_device_event("CREATE_SESSION", None, world.now(), device);
        self.insert_session(tx, &session).await?;
        Ok(session)
    }

    /// The address of the page on which the end user goes through a session.
    pub fn page_url(&self, sandbox: bool, session: DocumentSessionId, token: Uuid) -> String {
        let sandbox = if sandbox { "/sandbox" } else { "" };
        let base = &self.0.settings.public_url;
        format!("{base}{sandbox}/idverify/v1/web/index.html?sessionID={session}&sessionToken={token}")
    }

    /// The session of a path for a person's token: one of another session opens nothing.
    pub async fn authenticate_end_user(
        &self,
        session: DocumentSessionId,
        token: &Uuid,
    ) -> Result<Option<UnsealedDocumentSession>, DocumentSessionError> {
        let mut view = self.0.db.read().await?;
        let held = self.find_by_token(&mut view, token).await?;
        // Once the person is through the token is no more.
        let Some(held) = held.filter(|held| held.session.triggered_at.is_none()) else { return Ok(None) };
        if session != held.session.id {
            return Err(DocumentSessionError::SessionNotFound);
        }
        debug_assert_eq!(hash_token(token), hash_token(&held.session.token));
        if held.session.is_open(self.0.world.now()) {
            Ok(Some(held))
        } else {
            Err(DocumentSessionError::Expired)
        }
    }

    /// The session of a path for a business.
    pub async fn find_for_relying_party(
        &self,
        app: AppId,
        id: DocumentSessionId,
        sandbox: bool,
    ) -> Result<UnsealedDocumentSession, DocumentSessionError> {
        let mut view = self.0.db.read().await?;
        let held = self.find(&mut view, app, id).await?;
        held.filter(|held| held.session.sandbox == sandbox).ok_or(DocumentSessionError::SessionNotFound)
    }

    /// A change by a person that refers to a media; the media goes when the change does not count.
    async fn update_with_media(
        &self,
        held: &UnsealedDocumentSession,
        media: SessionMedia,
        rule: impl FnOnce(
            &mut DocumentSession,
            &mut SideEffects,
            &dyn Environment,
        ) -> Result<(), DocumentSessionError>
        + Send,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let id = held.session.id;
        let done = self
            .update_session(id, |session, effects, world| {
                session.ensure_open_for_end_user(world)?;
                rule(session, effects, world)
            })
            .await;
        match done {
            Ok(_) => Ok(media),
            Err(error) => {
                self.delete_blobs(id, &[media.id]).await;
                Err(error)
            }
        }
    }

    /// Notes that a person consents to the use of biometric data.
    pub async fn record_biometric_consent(
        &self,
        id: DocumentSessionId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        self.update_session(id, |session, _, world| {
            session.ensure_open_for_end_user(world)?;
            if session.wanted.block_biometric_consent {
                let words = "the session collects no biometric consent (block_biometric_consent)";
                return Err(DocumentSessionError::Forbidden(words.to_owned()));
            }
            let now = world.now();
            session.biometric_consent.get_or_insert(now);
            session.record_device_event("BIOMETRIC_CONSENT", None, now, device);
            Ok(())
        })
        .await
        .map(drop)
    }

    /// Tells the business that a person wants a mail.
    pub async fn request_email(
        &self,
        id: DocumentSessionId,
        topic: NotificationTopic,
    ) -> Result<(), DocumentSessionError> {
        self.update_session(id, |session, effects, world| {
            session.ensure_open_for_end_user(world)?;
            effects.notify(topic, NotificationSubject::Session);
            Ok(())
        })
        .await
        .map(drop)
    }

    /// The person is through: the token is no more, and the checks begin.
    pub async fn finish(
        &self,
        id: DocumentSessionId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        // A sandbox may be asked to take its time.
        let delay = self.sandbox_delay(id).await?;
        self.update_session(id, |session, effects, world| {
            session.ensure_open_for_end_user(world)?;
            let pending = |resource: &SuppliedResource| {
                resource.tasks.iter().any(|task| task.state == TaskState::Pending)
            };
            if session.resources.iter().any(pending) {
                return Err(DocumentSessionError::NotReady("a document is still being read".to_owned()));
            }
            let open: Vec<String> = session
                .requirements
                .iter()
                .filter(|requirement| requirement.standing != RequirementState::Fulfilled)
                .map(|requirement| format!("{} {}", requirement.kind, requirement.id))
                .collect();
            if !open.is_empty() {
                let words = format!("the session is not complete; what is missing: {}", open.join(", "));
                return Err(DocumentSessionError::NotReady(words));
            }
            let now = world.now();
            session.state = session.state.after(DocumentSessionEvent::TokenDeleted)?;
            session.triggered_at = Some(now);
            session.discard_all_uploads(now, effects);
            session.record_device_event("CLIENT_SESSION_TOKEN_DELETED", None, now, device);
            effects.notify(NotificationTopic::ClientSessionTokenDeleted, NotificationSubject::Session);
            checks::create_checks(session, world)?;
            session.complete_if_done(effects)?;
            if session.state == SessionState::Ongoing {
                effects.check_at = Some(now + SignedDuration::from_secs(delay));
            }
            Ok(())
        })
        .await
        .map(drop)
    }

    /// A media's bytes, all of them or a part; nothing where they are withheld.
    pub async fn download_media(
        &self,
        held: &UnsealedDocumentSession,
        id: MediaId,
        part: Option<Range<u64>>,
    ) -> Result<MediaDownload, DocumentSessionError> {
        let media = held.session.media(id).ok_or(DocumentSessionError::MediaNotFound)?;
        if media.redacted || self.is_withheld(&held.session, media) {
            return Ok(MediaDownload::Withheld);
        }
        let (blobs, key) = (held.sealed_blobs(&self.0.blobs), held.blob_key(id));
        let read = match part {
            Some(part) => blobs.get_range(&key, part).await,
            None => blobs.get(&key).await,
        };
        match read {
            Ok(bytes) => Ok(MediaDownload::Bytes(media.clone(), bytes)),
            Err(media::blobs::BlobError::Missing) => Err(DocumentSessionError::MediaNotFound),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the operator gives out no pictures of documents of the country that it is of.
    fn is_withheld(&self, session: &DocumentSession, media: &SessionMedia) -> bool {
        if media.kind == MediaType::Json {
            return false;
        }
        let resource = session.resources.iter().find(|resource| Some(resource.id) == media.resource);
        let Some(resource) = resource else { return false };
        let read = resource.findings.as_ref().and_then(|findings| findings.issuer.as_ref());
        let withheld = |code: &String| self.0.settings.withheld_countries.contains(code);
        read.is_some_and(withheld) || resource.issuing_country.as_ref().is_some_and(withheld)
    }

    /// Deletes a media's bytes for good.
    pub async fn redact_media(
        &self,
        id: DocumentSessionId,
        media: MediaId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        let mut tx = self.0.db.write().await?;
        let mut held = self.lock_session(&mut tx, id).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let session = &mut held.session;
        let known = session
            .media
            .iter()
            .position(|known| known.id == media)
            .ok_or(DocumentSessionError::MediaNotFound)?;
        if session.state == SessionState::Ongoing {
            return Err(match session.triggered_at {
                None => DocumentSessionError::SessionLocked,
                Some(_) => DocumentSessionError::ResourceLocked(
                    "checks use the session's resources; its media can be deleted when they have ended"
                        .to_owned(),
                ),
            });
        }
        if let Some(known) = session.media.get_mut(known) {
            known.redacted = true;
        }
        for resource in &mut session.resources {
            resource.detach_media(media);
        }
        for check in &mut session.checks {
            check.generated_media.retain(|id| *id != media);
        }
        session.record_device_event("MEDIA_DELETED", None, self.0.world.now(), device);
        self.save_session(&mut tx, &held).await?;
        self.add_tombstone(&mut tx, id, Some(media)).await?;
        tx.commit().await?;
        self.delete_blobs(id, &[media]).await;
        Ok(())
    }

    /// Deletes a session: its key first, then its blobs.
    pub async fn delete(
        &self,
        app: AppId,
        id: DocumentSessionId,
        sandbox: bool,
    ) -> Result<(), DocumentSessionError> {
        let mut tx = self.0.db.write().await?;
        let held = self.lock_session(&mut tx, id).await?;
        let ours =
            |held: &UnsealedDocumentSession| held.session.app == app && held.session.sandbox == sandbox;
        let held = held.filter(ours).ok_or(DocumentSessionError::SessionNotFound)?;
        let unfinished = held.session.checks.iter().any(|check| !check.state.is_final());
        if held.session.state == SessionState::Ongoing && unfinished {
            return Err(DocumentSessionError::ChecksNotFinished);
        }
        self.erase_session(&mut tx, id).await?;
        tx.commit().await?;
        self.delete_blobs(id, &[]).await;
        Ok(())
    }

    /// Forgets which devices were used.
    pub async fn clear_device_events(&self, id: DocumentSessionId) -> Result<(), DocumentSessionError> {
        self.update_session(id, |session, _, _| {
            session.devices.clear();
            Ok(())
        })
        .await
        .map(drop)
    }
}

/// What becomes of a requirement when a task of its resource ends so.
pub(super) fn requirement_event_after(advice: TaskAdvice, attempts_left: i64) -> RequirementEvent {
    match advice {
        TaskAdvice::Progress | TaskAdvice::ShouldTryAgain => RequirementEvent::Accepted,
        TaskAdvice::MustTryAgain if attempts_left > 0 => RequirementEvent::Declined,
        TaskAdvice::MustTryAgain => RequirementEvent::AttemptsExhausted,
    }
}
