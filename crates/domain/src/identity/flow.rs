//! What a business and a person do with a session, up to the moment when the checks begin: `papers` and `faces` have
//! what is supplied, `uploads` how it comes where a network breaks.

mod faces;
mod papers;
mod uploads;

use super::{
    Identities,
    change::{Effects, NotDone, Subject},
    checks,
    moves::{BadMove, ResourceEvent, SessionEvent},
    request::SessionRequest,
    session::{Made, Media, Requirement, Resource, Session, Task},
    store::{Held, hash},
    words::{
        CaptureMethod, CaptureMethods, MediaType, NotificationTopic, RequirementState, ResourceKind,
        SessionState, SourceType, TaskAdvice, TaskState, TaskType,
    },
};
use crate::DeviceMetadata;
use aws_lc_rs::digest;
use base::{AppId, Id as _, MediaId, ResourceId, SessionId, SignedDuration, TaskId, Uuid, World};
use db::{DbError, Tx};
use std::{ops::Range, time::Duration};

/// Resources of a session: what was tried counts, too.
const MOST_RESOURCES: usize = 60;
/// The highest number of a page, and of a frame.
const LAST_PAGE: u32 = 9;
/// Frames of a zoom that must be there.
const ZOOM_FRAMES: usize = 3;
/// The highest number of a zoom's frame; the frame of a still picture may be called 0 or 1.
const LAST_FRAME: u32 = 7;
/// How often a waiting call looks.
const LOOK_EVERY: Duration = Duration::from_millis(60);

/// Who a call is from, as far as resources are concerned.
pub type By = SourceType;

/// Makes a session.
#[derive(Clone, Debug)]
pub struct CreateSession {
    /// Whose.
    pub app: AppId,
    /// Whether results come from a response configuration.
    pub sandbox: bool,
    /// What is asked for; it breaks no rule ([`Identities::violations`]).
    pub request: SessionRequest,
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
pub struct Once {
    /// Its `Idempotency-Key`.
    pub key: Option<String>,
    /// What it asks: operation and body.
    pub request: Vec<u8>,
}

impl Once {
    /// The hashes of the key and of what is asked.
    fn hashes(&self) -> Option<(String, String)> {
        let hash = |bytes: &[u8]| hex::encode(digest::digest(&digest::SHA256, bytes));
        Some((hash(self.key.as_ref()?.as_bytes()), hash(&self.request)))
    }

    /// What was made by the same call before.
    fn before(&self, session: &Session) -> Result<Option<ResourceId>, NotDone> {
        let Some((key, request)) = self.hashes() else { return Ok(None) };
        match session.made.iter().find(|made| made.key == key) {
            None => Ok(None),
            Some(made) if made.request == request => Ok(Some(made.resource)),
            Some(_) => Err(NotDone::KeyReused),
        }
    }

    /// Remembers what was made.
    fn note(&self, session: &mut Session, resource: ResourceId) {
        let made = self.hashes().map(|(key, request)| Made { key, request, resource });
        session.made.extend(made);
    }
}

/// A media's contents, or why there are none.
#[derive(Debug)]
pub enum Contents {
    /// These bytes of a media.
    Bytes(Media, Vec<u8>),
    /// They are withheld.
    Withheld,
}

impl From<BadMove> for NotDone {
    fn from(bad: BadMove) -> Self {
        Self::ResourceLocked(bad.to_string())
    }
}

impl Session {
    /// Refuses a person whose time is over, or who is through.
    fn person(&self, world: &dyn World) -> Result<(), NotDone> {
        if self.is_open(world.now()) { Ok(()) } else { Err(NotDone::Expired) }
    }

    fn mine(&self, kind: ResourceKind, id: ResourceId) -> Result<&Resource, NotDone> {
        self.resource(kind, id).ok_or(NotDone::Missing("resource"))
    }

    /// Adds a resource in the place of what was supplied for its requirement before, as what this call made.
    fn supply(
        &mut self,
        resource: Resource,
        once: &Once,
        device: Option<DeviceMetadata>,
        effects: &mut Effects,
        world: &dyn World,
    ) -> Result<ResourceId, NotDone> {
        if self.resources.len() >= MOST_RESOURCES {
            let words = format!("a session takes at most {MOST_RESOURCES} resources");
            return Err(NotDone::ResourceLocked(words));
        }
        let id = resource.id;
        let requirement = self.requirement(resource.requirement).ok_or(NotDone::Missing("requirement"))?;
        requirement.standing = requirement.standing.after(ResourceEvent::Supplied)?;
        requirement.resource = Some(id);
        self.resources.push(resource);
        once.note(self, id);
        self.changed(id, "RESOURCE_CREATED", device, effects, world);
        Ok(id)
    }

    /// Notes and tells that a person changed a resource.
    fn changed(
        &mut self,
        id: ResourceId,
        event: &str,
        device: Option<DeviceMetadata>,
        effects: &mut Effects,
        world: &dyn World,
    ) {
        self.touch(id, world);
        self.track(event, Some(id), world.now(), device);
        effects.tell(NotificationTopic::ResourceUpdate, Subject::Resource(id));
    }

    /// Notes that a resource changed.
    pub(super) fn touch(&mut self, id: ResourceId, world: &dyn World) {
        if let Some(resource) = self.any(id) {
            resource.last_updated = world.now();
        }
    }

    /// Moves the requirement that a resource counts for; one that it no longer counts for stays as it is.
    pub(super) fn move_requirement(&mut self, id: ResourceId, event: ResourceEvent) -> Result<(), BadMove> {
        let requirement = self.requirements.iter_mut().find(|requirement| requirement.resource == Some(id));
        if let Some(requirement) = requirement {
            requirement.standing = requirement.standing.after(event)?;
        }
        Ok(())
    }

    /// The task that a kind of resource has, where the session asks for it.
    fn task_kind(&self, kind: ResourceKind) -> Option<TaskType> {
        let kind = match kind {
            ResourceKind::IdDocument => TaskType::IdDocument,
            ResourceKind::SupplementaryDocument => TaskType::SupplementaryDocument,
            ResourceKind::Liveness | ResourceKind::FaceCapture => return None,
        };
        self.wanted.task(kind).map(|task| task.kind)
    }

    /// Something to read came: a task is there for it, or it is enough as it is.
    fn readable_came(&mut self, id: ResourceId, world: &dyn World) -> Result<(), NotDone> {
        self.move_requirement(id, ResourceEvent::Supplied)?;
        let Some(kind) = self.any(id).map(|resource| resource.kind) else { return Ok(()) };
        let Some(task) = self.task_kind(kind) else {
            return Ok(self.move_requirement(id, ResourceEvent::Accepted)?);
        };
        if self
            .requirements
            .iter()
            .any(|requirement| requirement.resource == Some(id) && requirement.attempts_remaining() == 0)
        {
            return Err(NotDone::ResourceLocked("no attempts are left".to_owned()));
        }
        let now = world.now();
        if let Some(resource) = self.any(id)
            && !resource.tasks.iter().any(|task| task.state == TaskState::Created)
        {
            resource.tasks.push(Task {
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
    fn takes_from(&self, method: CaptureMethod) -> Result<(), NotDone> {
        let camera = self.wanted.sdk_config.allowed_capture_methods == Some(CaptureMethods::Camera);
        if camera && method == CaptureMethod::Upload {
            return Err(NotDone::wrong("descriptor.capture_method", "the session takes CAMERA alone"));
        }
        Ok(())
    }

    /// Completes a session whose checks have all ended.
    pub(super) fn complete_if_done(&mut self, effects: &mut Effects) -> Result<(), BadMove> {
        if self.state == SessionState::Ongoing
            && self.triggered_at.is_some()
            && self.checks.iter().all(|check| check.state.is_final())
        {
            self.state = self.state.after(SessionEvent::AllChecked)?;
            effects.tell(NotificationTopic::SessionCompletion, Subject::Session);
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
    fn attempt(&mut self) -> Result<(), NotDone> {
        if self.attempts_remaining() == 0 {
            return Err(NotDone::ResourceLocked("no attempts are left".to_owned()));
        }
        self.used += 1;
        Ok(())
    }
}

impl Identities {
    /// Makes a session.
    pub async fn create(&self, tx: &mut Tx, command: CreateSession) -> Result<Session, DbError> {
        let CreateSession { app, sandbox, request, device } = command;
        let world = &*self.0.world;
        let mut session = Session::begin(world, app, sandbox, request);
        session.track("CREATE_SESSION", None, world.now(), device);
        self.insert(tx, &session).await?;
        Ok(session)
    }

    /// The address of the page on which the end user goes through a session.
    pub fn page_url(&self, sandbox: bool, session: SessionId, token: Uuid) -> String {
        let sandbox = if sandbox { "/sandbox" } else { "" };
        let base = &self.0.settings.public_url;
        format!("{base}{sandbox}/idverify/v1/web/index.html?sessionID={session}&sessionToken={token}")
    }

    /// The session of a path for a person's token: one of another session opens nothing.
    pub async fn by_token(&self, session: SessionId, token: &Uuid) -> Result<Option<Held>, NotDone> {
        let mut view = self.0.db.read().await?;
        let held = self.find_by_token(&mut view, token).await?;
        // Once the person is through the token is no more.
        let Some(held) = held.filter(|held| held.session.triggered_at.is_none()) else { return Ok(None) };
        if session != held.session.id {
            return Err(NotDone::NoSession);
        }
        debug_assert_eq!(hash(token), hash(&held.session.token));
        if held.session.is_open(self.0.world.now()) { Ok(Some(held)) } else { Err(NotDone::Expired) }
    }

    /// The session of a path for a business.
    pub async fn of(&self, app: AppId, id: SessionId, sandbox: bool) -> Result<Held, NotDone> {
        let mut view = self.0.db.read().await?;
        let held = self.find(&mut view, app, id).await?;
        held.filter(|held| held.session.sandbox == sandbox).ok_or(NotDone::NoSession)
    }

    /// A change by a person that refers to a media; the media goes when the change does not count.
    async fn changed(
        &self,
        held: &Held,
        media: Media,
        rule: impl FnOnce(&mut Session, &mut Effects, &dyn World) -> Result<(), NotDone> + Send,
    ) -> Result<Media, NotDone> {
        let id = held.session.id;
        let done = self
            .change(id, |session, effects, world| {
                session.person(world)?;
                rule(session, effects, world)
            })
            .await;
        match done {
            Ok(_) => Ok(media),
            Err(error) => {
                self.clear(id, &[media.id]).await;
                Err(error)
            }
        }
    }

    /// Notes that a person consents to the use of biometric data.
    pub async fn consent(&self, id: SessionId, device: Option<DeviceMetadata>) -> Result<(), NotDone> {
        self.change(id, |session, _, world| {
            session.person(world)?;
            if session.wanted.block_biometric_consent {
                let words = "the session collects no biometric consent (block_biometric_consent)";
                return Err(NotDone::Forbidden(words.to_owned()));
            }
            let now = world.now();
            session.biometric_consent.get_or_insert(now);
            session.track("BIOMETRIC_CONSENT", None, now, device);
            Ok(())
        })
        .await
        .map(drop)
    }

    /// Tells the business that a person wants a mail.
    pub async fn ask_for_mail(&self, id: SessionId, topic: NotificationTopic) -> Result<(), NotDone> {
        self.change(id, |session, effects, world| {
            session.person(world)?;
            effects.tell(topic, Subject::Session);
            Ok(())
        })
        .await
        .map(drop)
    }

    /// The person is through: the token is no more, and the checks begin.
    pub async fn finish(&self, id: SessionId, device: Option<DeviceMetadata>) -> Result<(), NotDone> {
        // A sandbox may be asked to take its time.
        let delay = self.sandbox_delay(id).await?;
        self.change(id, |session, effects, world| {
            session.person(world)?;
            let pending =
                |resource: &Resource| resource.tasks.iter().any(|task| task.state == TaskState::Pending);
            if session.resources.iter().any(pending) {
                return Err(NotDone::NotReady("a document is still being read".to_owned()));
            }
            let open: Vec<String> = session
                .requirements
                .iter()
                .filter(|requirement| requirement.standing != RequirementState::Fulfilled)
                .map(|requirement| format!("{} {}", requirement.kind, requirement.id))
                .collect();
            if !open.is_empty() {
                let words = format!("the session is not complete; what is missing: {}", open.join(", "));
                return Err(NotDone::NotReady(words));
            }
            let now = world.now();
            session.state = session.state.after(SessionEvent::TokenDeleted)?;
            session.triggered_at = Some(now);
            session.end_uploads(now, effects);
            session.track("CLIENT_SESSION_TOKEN_DELETED", None, now, device);
            effects.tell(NotificationTopic::ClientSessionTokenDeleted, Subject::Session);
            checks::begin(session, world)?;
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
    pub async fn contents(
        &self,
        held: &Held,
        id: MediaId,
        part: Option<Range<u64>>,
    ) -> Result<Contents, NotDone> {
        let media = held.session.media(id).ok_or(NotDone::NoMedia)?;
        if media.redacted || self.is_withheld(&held.session, media) {
            return Ok(Contents::Withheld);
        }
        let (blobs, key) = (held.blobs(&self.0.blobs), held.blob(id));
        let read = match part {
            Some(part) => blobs.get_range(&key, part).await,
            None => blobs.get(&key).await,
        };
        match read {
            Ok(bytes) => Ok(Contents::Bytes(media.clone(), bytes)),
            Err(media::blobs::Error::Missing) => Err(NotDone::NoMedia),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the operator gives out no pictures of documents of the country that it is of.
    fn is_withheld(&self, session: &Session, media: &Media) -> bool {
        if media.kind == MediaType::Json {
            return false;
        }
        let resource = session.resources.iter().find(|resource| Some(resource.id) == media.resource);
        let Some(resource) = resource else { return false };
        let read = resource.findings.as_ref().and_then(|findings| findings.issuer.as_ref());
        let withheld = |code: &String| self.0.settings.withheld.contains(code);
        read.is_some_and(withheld) || resource.issuing_country.as_ref().is_some_and(withheld)
    }

    /// Deletes a media's bytes for good.
    pub async fn redact(
        &self,
        id: SessionId,
        media: MediaId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), NotDone> {
        let mut tx = self.0.db.write().await?;
        let mut held = self.hold(&mut tx, id).await?.ok_or(NotDone::NoSession)?;
        let session = &mut held.session;
        let known = session.media.iter().position(|known| known.id == media).ok_or(NotDone::NoMedia)?;
        if session.state == SessionState::Ongoing {
            return Err(match session.triggered_at {
                None => NotDone::SessionLocked,
                Some(_) => NotDone::ResourceLocked(
                    "checks use the session's resources; its media can be deleted when they have ended"
                        .to_owned(),
                ),
            });
        }
        if let Some(known) = session.media.get_mut(known) {
            known.redacted = true;
        }
        for resource in &mut session.resources {
            resource.forget(media);
        }
        for check in &mut session.checks {
            check.generated_media.retain(|id| *id != media);
        }
        session.track("MEDIA_DELETED", None, self.0.world.now(), device);
        self.keep(&mut tx, &held).await?;
        self.leave(&mut tx, id, Some(media)).await?;
        tx.commit().await?;
        self.clear(id, &[media]).await;
        Ok(())
    }

    /// Deletes a session: its key first, then its blobs.
    pub async fn delete(&self, app: AppId, id: SessionId, sandbox: bool) -> Result<(), NotDone> {
        let mut tx = self.0.db.write().await?;
        let held = self.hold(&mut tx, id).await?;
        let ours = |held: &Held| held.session.app == app && held.session.sandbox == sandbox;
        let held = held.filter(ours).ok_or(NotDone::NoSession)?;
        let unfinished = held.session.checks.iter().any(|check| !check.state.is_final());
        if held.session.state == SessionState::Ongoing && unfinished {
            return Err(NotDone::ChecksNotFinished);
        }
        self.remove(&mut tx, id).await?;
        tx.commit().await?;
        self.clear(id, &[]).await;
        Ok(())
    }

    /// Forgets which devices were used.
    pub async fn forget_devices(&self, id: SessionId) -> Result<(), NotDone> {
        self.change(id, |session, _, _| {
            session.devices.clear();
            Ok(())
        })
        .await
        .map(drop)
    }
}

/// What becomes of a requirement when a task of its resource ends so.
pub(super) fn judged(advice: TaskAdvice, attempts_left: i64) -> ResourceEvent {
    match advice {
        TaskAdvice::Progress | TaskAdvice::Should => ResourceEvent::Accepted,
        TaskAdvice::Must if attempts_left > 0 => ResourceEvent::Declined,
        TaskAdvice::Must => ResourceEvent::UsedUp,
    }
}
