//! How a session is changed: a rule that knows the session alone decides, and what it causes (messages, jobs) is written
//! in the same transaction.

use super::{
    DocumentVerificationService, ReadDocument, RunVerificationChecks, UnsealedDocumentSession,
    session::{DocumentSession, SessionMedia},
    types::{CaptureMethod, MediaType, NotificationAuthType, NotificationTopic},
};
use crate::{
    delivery::{OutboxError, SuccessCriterion, WebhookMessage, WebhookMethod},
    image_analysis,
    violation::Violation,
};
use base::{DocumentSessionId, Environment, MediaId, ModerationCheckId, ResourceId, TaskId, Timestamp};
use db::{DbError, WriteTx, sql};
use jobs::LeaseError;
use media::image_validation;

/// Why something was not done. The interface says how each looks.
#[derive(Debug, thiserror::Error)]
pub enum DocumentSessionError {
    /// There is no such session.
    #[error("there is no such session")]
    SessionNotFound,
    /// There is no such resource, task or requirement in it.
    #[error("there is no such {0} in the session")]
    ItemNotFound(&'static str),
    /// There is no such media in it.
    #[error("there is no such media in the session")]
    MediaNotFound,
    /// The person's time is over.
    #[error("the session has expired")]
    Expired,
    /// Something must come first.
    #[error("{0}")]
    NotReady(String),
    /// The person is still at it.
    #[error("the session is in progress: its media can be deleted when it has ended")]
    SessionLocked,
    /// The resource cannot be changed, or not any more.
    #[error("{0}")]
    ResourceLocked(String),
    /// Checks are still being made.
    #[error("checks of the session have not finished")]
    ChecksNotFinished,
    /// The `Idempotency-Key` came with another request.
    #[error("the Idempotency-Key was used with another body; use a new one for each request")]
    IdempotencyKeyReused,
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// What was sent cannot be used.
    #[error("the request has {} members that cannot be used", .0.len())]
    Invalid(Vec<Violation>),
    /// The bytes are of no kind that is taken.
    #[error("{0}")]
    Unsupported(String),
    /// The bytes are of a kind that is taken, and cannot be used.
    #[error("{0}")]
    Unprocessable(String),
    /// The blobs could not be reached.
    #[error(transparent)]
    Blobs(#[from] media::blobs::BlobError),
    /// The models did not answer.
    #[error(transparent)]
    Models(image_analysis::AnalysisError),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<Violation> for DocumentSessionError {
    fn from(invalid: Violation) -> Self {
        Self::Invalid(vec![invalid])
    }
}

impl DocumentSessionError {
    pub(super) fn invalid_member(path: impl Into<String>, words: impl Into<String>) -> Self {
        crate::violation::violation(path.into(), words).into()
    }
}

/// Why a job's change does not count.
#[derive(Debug, thiserror::Error)]
pub(super) enum JobCommitError {
    /// It is somebody else's job by now.
    #[error(transparent)]
    LeaseLost(#[from] LeaseError),
    /// The rule said no.
    #[error(transparent)]
    Session(#[from] DocumentSessionError),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What a message is about.
#[derive(Clone, Copy, Debug)]
pub enum NotificationSubject {
    /// The session as a whole.
    Session,
    /// A resource of it.
    Resource(ResourceId),
    /// A task of a resource.
    Task(TaskId),
    /// A check.
    Check(ModerationCheckId),
}

/// What a relying party is told.
#[derive(Clone, Copy, Debug)]
pub struct DocumentSessionNotification {
    /// Of which session.
    pub session: DocumentSessionId,
    /// What happened.
    pub topic: NotificationTopic,
    /// To what.
    pub subject: NotificationSubject,
}

/// What a change causes.
#[derive(Debug, Default)]
pub(super) struct SideEffects {
    pub(super) notifications: Vec<(NotificationTopic, NotificationSubject)>,
    pub(super) read_jobs: Vec<ReadDocument>,
    /// When checks are to be made.
    pub(super) check_at: Option<Timestamp>,
    /// Media that nothing refers to any more.
    pub(super) discarded_media: Vec<MediaId>,
    /// Checks that wait for a reviewer.
    pub(super) referred_checks: Vec<ModerationCheckId>,
}

impl SideEffects {
    pub(super) fn notify(&mut self, topic: NotificationTopic, subject: NotificationSubject) {
        self.notifications.push((topic, subject));
    }
}

/// Bytes that were sent, and where they come from.
#[derive(Clone, Debug)]
pub struct CapturedMedia {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// A camera or a file.
    pub capture_method: CaptureMethod,
}

/// Sides of a picture and pixels of it that are taken.
const CAPTURED_IMAGE_RULES: image_validation::ImageLimits = image_validation::ImageLimits {
    min_bytes: None,
    max_bytes: None,
    min_jpeg_quality: None,
    min_height: 200,
    max_height: 12_000,
    min_width: 200,
    max_width: 12_000,
    min_pixels: 60_000,
    max_pixels: 50_000_000,
    min_coloured: 0.0,
};

impl CapturedMedia {
    /// What it is: content type and kind. `pdf` where PDF files are taken; `strict` where pictures are held to their
    /// structure and size.
    pub(super) fn inspect(
        &self,
        pdf: bool,
        strict: bool,
    ) -> Result<(MediaType, &'static str), DocumentSessionError> {
        let content_type = match self.bytes.as_slice() {
            [] => return Err(DocumentSessionError::Unprocessable("binary-content has no bytes".to_owned())),
            [0xff, 0xd8, ..] => "image/jpeg",
            bytes if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => "image/png",
            bytes if pdf && bytes.starts_with(b"%PDF-") => return Ok((MediaType::Pdf, "application/pdf")),
            _ => {
                let taken = if pdf { "JPEG, PNG and PDF are" } else { "JPEG and PNG are" };
                return Err(DocumentSessionError::Unsupported(format!(
                    "the bytes are of a kind that is not taken; {taken}"
                )));
            }
        };
        if strict && let Err(refusal) = image_validation::inspect(&self.bytes, &CAPTURED_IMAGE_RULES) {
            match refusal.code {
                // Colours matter to the checks, which say so.
                image_validation::ImageErrorCode::ImageGrayscaleNotSupported => {}
                image_validation::ImageErrorCode::UnsupportedImageFormat => {
                    return Err(DocumentSessionError::Unsupported(refusal.message.to_owned()));
                }
                _ => {
                    let limit = refusal
                        .measured
                        .map(|measured| format!(" ({}; {} were found)", measured.limit, measured.measured));
                    return Err(DocumentSessionError::Unprocessable(format!(
                        "{}{}",
                        refusal.message,
                        limit.unwrap_or_default()
                    )));
                }
            }
        }
        Ok((MediaType::Image, content_type))
    }
}

impl DocumentVerificationService {
    /// Changes a session by a rule, with everything that the rule causes.
    pub(super) async fn update_session<T>(
        &self,
        id: DocumentSessionId,
        rule: impl FnOnce(
            &mut DocumentSession,
            &mut SideEffects,
            &dyn Environment,
        ) -> Result<T, DocumentSessionError>
        + Send,
    ) -> Result<(T, DocumentSession), DocumentSessionError> {
        let mut tx = self.0.db.write().await?;
        let mut held = self.lock_session(&mut tx, id).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let mut effects = SideEffects::default();
        let done = rule(&mut held.session, &mut effects, &*self.0.world)?;
        let gone = self.save_with_effects(&mut tx, &mut held, effects).await?;
        tx.commit().await?;
        if !gone.is_empty() {
            self.delete_blobs(id, &gone).await;
        }
        Ok((done, held.session))
    }

    /// Writes a changed session and what the change causes; gives media to clear after the commit.
    pub(super) async fn save_with_effects(
        &self,
        tx: &mut WriteTx,
        held: &mut UnsealedDocumentSession,
        effects: SideEffects,
    ) -> Result<Vec<MediaId>, DbError> {
        let world = &*self.0.world;
        let id = held.session.id;
        held.session.drop_media(&effects.discarded_media);
        self.save_session(tx, held).await?;
        for (topic, subject) in effects.notifications {
            self.notify(tx, &held.session, topic, subject).await?;
        }
        for job in &effects.read_jobs {
            jobs::enqueue(tx, world, job).await?;
        }
        if let Some(at) = effects.check_at {
            jobs::enqueue_at(tx, world, &RunVerificationChecks { session: id }, at).await?;
        }
        for media in &effects.discarded_media {
            self.add_tombstone(tx, id, Some(*media)).await?;
        }
        for check in effects.referred_checks {
            let Some(check) = held.session.checks.iter().find(|known| known.id == check) else { continue };
            let proposed = check.draft.as_ref().map(|draft| draft.recommendation.value.as_str());
            tx.execute(sql!(
                "INSERT INTO identity_reviews (check_id, session_id, app_id, kind, proposed, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (check_id) DO NOTHING",
                check.id,
                id,
                held.session.app,
                check.kind,
                proposed.unwrap_or_default(),
                world.now(),
            ))
            .await?;
        }
        Ok(effects.discarded_media)
    }

    /// Tells the business, where it wants to be told.
    async fn notify(
        &self,
        tx: &mut WriteTx,
        session: &DocumentSession,
        topic: NotificationTopic,
        subject: NotificationSubject,
    ) -> Result<(), DbError> {
        let Some(whom) = &session.wanted.notifications else { return Ok(()) };
        if !whom.topics.contains(&topic) {
            return Ok(());
        }
        let authorization = whom.auth_token.as_ref().map(|token| match whom.auth_type {
            NotificationAuthType::Basic => format!("Basic {}", base64_simd::STANDARD.encode_to_string(token)),
            NotificationAuthType::Bearer => format!("Bearer {token}"),
        });
        let message = WebhookMessage {
            url: whom.endpoint.clone(),
            verb: WebhookMethod::Post,
            headers: authorization.map(|value| ("Authorization".to_owned(), value)).into_iter().collect(),
            body: self.0.wire_format.notification(&DocumentSessionNotification {
                session: session.id,
                topic,
                subject,
            }),
            verify_tls: true,
            success: SuccessCriterion::Any2xx,
        };
        let topic = format!("identity.{}", topic.as_str().to_ascii_lowercase());
        match self.0.outbox.enqueue(tx, &*self.0.world, session.app, &topic, &message).await {
            Ok(_) => Ok(()),
            Err(OutboxError::Db(error)) => Err(error),
            Err(OutboxError::Refused(refused)) => {
                // It was allowed when the session was made; the operator has changed their mind since.
                tracing::warn!(
                    error = &refused as &dyn std::error::Error,
                    session.id = %session.id,
                    "a notification is not sent"
                );
                Ok(())
            }
        }
    }

    /// Writes bytes of a session, before the change that refers to them.
    pub(super) async fn store_media(
        &self,
        held: &UnsealedDocumentSession,
        kind: MediaType,
        content_type: &str,
        resource: Option<ResourceId>,
        bytes: &[u8],
    ) -> Result<SessionMedia, media::blobs::BlobError> {
        let id = self.new_media_id();
        held.sealed_blobs(&self.0.blobs).put(&held.blob_key(id), bytes).await?;
        Ok(SessionMedia {
            id,
            kind,
            content_type: content_type.to_owned(),
            bytes: bytes.len() as u64,
            resource,
            redacted: false,
        })
    }

    /// The bytes of a media.
    pub(super) async fn read_media(
        &self,
        held: &UnsealedDocumentSession,
        media: MediaId,
    ) -> Result<Vec<u8>, media::blobs::BlobError> {
        held.sealed_blobs(&self.0.blobs).get(&held.blob_key(media)).await
    }
}
