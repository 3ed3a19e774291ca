//! Reading a document while its person waits: a job, so that it survives, and short, so that it is worth waiting for.

use super::{
    DocumentVerificationService,
    findings::DocumentFindings,
    lifecycle::requirement_event_after,
    sandbox_responses,
    session::{DocumentSession, SessionMedia, SuppliedResource, TaskNextStep, VerificationCheck},
    state_machine::TaskEvent,
    store::UnsealedDocumentSession,
    types::{
        CheckState, ManualCheck, MediaType, NotificationTopic, ResourceKind, TaskAdvice, TaskAdviceReason,
        TaskState, TaskType, VerificationCheckType,
    },
    unit_of_work::{DocumentSessionError, JobCommitError, NotificationSubject, SideEffects},
};
use crate::image_analysis::{AnalysisError, sample_faces};
use base::{DocumentSessionId, Environment, MediaId, ModerationCheckId, Picture, ResourceId, TaskId};
use documents::{
    reading::{self, DocumentClaim, DocumentReader, DocumentSide, SideSource},
    text,
};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, RetryPolicy};
use media::document_file::{DocumentFile, DocumentFileError};
use serde::{Deserialize, Serialize};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use vision::{Face, VisionModels};

/// How long work waits for a place at the models before it is tried again by its job.
const MODEL_QUEUE_TIMEOUT: Duration = Duration::from_secs(20);

/// Reads a document for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDocument {
    /// In which session.
    pub session: DocumentSessionId,
    /// Which document.
    pub resource: ResourceId,
    /// For which task.
    pub task: TaskId,
}

impl Job for ReadDocument {
    const KIND: &'static str = "read-document";
    const LANE: Lane = Lane::Quick;
    /// Somebody waits.
    const RETRY: RetryPolicy = RetryPolicy { waits: &[1, 5, 20], jitter: 0.2 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { session: Some(self.session), resource: Some(self.resource), ..JobIds::default() }
    }
}

/// Readers that are not at work, each with its own nets.
#[derive(Clone, Debug)]
pub(super) struct ReaderPool {
    folder: PathBuf,
    idle: Arc<Mutex<Vec<DocumentReader>>>,
}

impl ReaderPool {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, idle: Arc::default() }
    }

    /// Does something with a reader, on a worker's own thread.
    fn with_reader<T>(&self, work: impl FnOnce(&mut DocumentReader) -> T) -> Result<T, String> {
        let free = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match free {
            Some(reader) => reader,
            None => DocumentReader::load(&self.folder).map_err(|error| error.to_string())?,
        };
        let done = work(&mut reader);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        Ok(done)
    }
}

/// A side on its way to the reader.
struct DecodedSide {
    picture: Picture,
    /// What a file says itself.
    lines: Option<Vec<text::TextLine>>,
}

/// What a reading came to, with the portrait as JPEG.
pub(super) struct ExtractedDocument {
    pub(super) findings: DocumentFindings,
    pub(super) portrait: Option<Vec<u8>>,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub(super) enum DocumentReadError {
    /// The file cannot be opened, whoever tries.
    #[error("the file cannot be opened: {0}")]
    File(DocumentFileError),
    /// This server cannot do it now.
    #[error("{0}")]
    Server(String),
}

impl From<AnalysisError> for DocumentReadError {
    fn from(refusal: AnalysisError) -> Self {
        Self::Server(refusal.to_string())
    }
}

impl From<media::blobs::BlobError> for DocumentReadError {
    fn from(error: media::blobs::BlobError) -> Self {
        Self::Server(error.to_string())
    }
}

impl DocumentVerificationService {
    /// Reads everything that there is of a document.
    pub(super) async fn extract_document(
        &self,
        held: &UnsealedDocumentSession,
        resource: &SuppliedResource,
    ) -> Result<ExtractedDocument, DocumentReadError> {
        let _place = self.acquire_large_media_slot().await;
        let media = resource.readable_media();
        let mut sides = Vec::new();
        for id in &media {
            sides.extend(match self.0.prefetched.take(*id).await {
                Some(read) => read,
                None => self.read_sides(self.read_media(held, *id).await?).await?,
            });
        }
        let (kind, country) = (resource.document_type, resource.issuing_country.clone());
        let today = self.today();
        self.with_models(move |vision| {
            let claim = DocumentClaim { country: country.as_deref(), kind };
            let reading = reading::join_sides(vision, sides, claim, today)?;
            let portrait = reading.portrait.as_ref().and_then(|portrait| {
                let page = &reading.sides.get(portrait.side)?.page;
                Some(sample_faces::encode_jpeg(&crop_portrait(page, &portrait.face)?, 92))
            });
            let findings = DocumentFindings::of(&reading, media, vision.embedding_space().digest());
            Ok::<_, vision::VisionError>(ExtractedDocument { findings, portrait })
        })
        .await?
        .map_err(|error| DocumentReadError::Server(error.to_string()))
    }

    /// Reads the sides of a file, each by itself.
    pub(super) async fn read_sides(&self, bytes: Vec<u8>) -> Result<Vec<DocumentSide>, DocumentReadError> {
        let opened = self.decode_sides(bytes).await?;
        let readers = self.0.reader_pool.clone();
        self.with_models(move |vision| {
            let mut read = |reader: &mut DocumentReader, side: &DecodedSide| {
                let origin = match &side.lines {
                    Some(lines) => SideSource::File(&side.picture, lines),
                    None => SideSource::Photo(&side.picture),
                };
                reader.read_side(vision, origin)
            };
            readers.with_reader(|reader| {
                opened.iter().map(|side| read(reader, side)).collect::<Result<Vec<_>, _>>()
            })
        })
        .await?
        .map_err(DocumentReadError::Server)?
        .map_err(|error| DocumentReadError::Server(error.to_string()))
    }

    /// A photo is one side; each page of a PDF file is one.
    async fn decode_sides(&self, bytes: Vec<u8>) -> Result<Vec<DecodedSide>, DocumentReadError> {
        let told = |error: DocumentFileError| match error {
            DocumentFileError::Missing(_) | DocumentFileError::Failed(_) => {
                DocumentReadError::Server(error.to_string())
            }
            other => DocumentReadError::File(other),
        };
        match self.0.scanner.open(bytes).await.map_err(told)? {
            DocumentFile::Picture(picture) => Ok(vec![DecodedSide { picture, lines: None }]),
            DocumentFile::Pdf(pdf) => {
                let mut sides = Vec::new();
                for (at, page) in pdf.pages().iter().enumerate() {
                    let picture = self.0.scanner.render_page(&pdf, at).await.map_err(told)?;
                    let scale = picture.width() as f32 / page.size[0].max(1.0);
                    let words = page.words.iter().map(|word| {
                        let [left, top, right, bottom] = word.bounds.map(|millimetres| millimetres * scale);
                        text::layout::LayoutWord { text: word.text.clone(), left, top, right, bottom }
                    });
                    let lines = text::layout::lines_of_words(&words.collect::<Vec<_>>());
                    sides.push(DecodedSide { picture, lines: Some(lines) });
                }
                Ok(sides)
            }
        }
    }

    /// A picture, decoded.
    pub(super) async fn decode_picture(&self, bytes: Vec<u8>) -> Result<Picture, DocumentReadError> {
        match self.decode_sides(bytes).await?.pop() {
            Some(opened) => Ok(opened.picture),
            None => Err(DocumentReadError::File(DocumentFileError::Damaged)),
        }
    }

    /// Does work with the models, which somebody waits for: a full queue is waited for a little.
    pub(super) async fn with_models<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        let until = tokio::time::Instant::now() + MODEL_QUEUE_TIMEOUT;
        let work = Arc::new(Mutex::new(Some(work)));
        loop {
            let mine = work.clone();
            // A queue that is full gives the work back undone.
            let run = self.0.estimator.run(move |vision| {
                let work = mine.lock().unwrap_or_else(PoisonError::into_inner).take();
                work.map(|work| work(vision))
            });
            match run.await {
                Ok(Some(done)) => return Ok(done),
                Ok(None) => return Err(AnalysisError::Busy(MODEL_QUEUE_TIMEOUT)),
                Err(AnalysisError::Busy(_)) if tokio::time::Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Refuses a picture that does not show one face.
    pub(super) async fn require_single_face(&self, bytes: Vec<u8>) -> Result<(), DocumentSessionError> {
        let picture = match self.decode_picture(bytes).await {
            Ok(picture) => picture,
            Err(DocumentReadError::File(error)) => {
                return Err(DocumentSessionError::Unprocessable(error.to_string()));
            }
            Err(DocumentReadError::Server(error)) => {
                return Err(DocumentSessionError::Models(
                    crate::image_analysis::ModelsNotReadyError(error).into(),
                ));
            }
        };
        let found = self
            .with_models(move |vision| {
                let faces = vision.detect(&picture)?;
                Ok::<_, vision::VisionError>(faces.iter().filter(|face| vision.is_confident(face)).count())
            })
            .await
            .and_then(|found| found.map_err(AnalysisError::from))
            .map_err(DocumentSessionError::Models)?;
        match found {
            1 => Ok(()),
            0 => Err(DocumentSessionError::Unprocessable("no face was found in the picture".to_owned())),
            many => Err(DocumentSessionError::Unprocessable(format!(
                "{many} faces were found in the picture; show one"
            ))),
        }
    }

    /// The job.
    pub(super) async fn read_document(
        &self,
        job: &ReadDocument,
        lease: &Lease,
    ) -> Result<JobOutcome, JobError> {
        let held = {
            let mut view = self.0.db.read().await?;
            self.find_unscoped(&mut view, job.session).await?
        };
        let Some(held) = held else { return Ok(JobOutcome::Done) };
        let session = &held.session;
        let Some(resource) = session.resources.iter().find(|resource| resource.id == job.resource) else {
            return Ok(JobOutcome::Done);
        };
        let pending =
            resource.tasks.iter().any(|task| task.id == job.task && task.state == TaskState::Pending);
        if !pending {
            return Ok(JobOutcome::Done);
        }
        let done = if session.sandbox {
            self.simulate_extraction(&held, resource).await
        } else {
            self.extract_for_task(&held, resource).await
        };
        let done = match done {
            Ok(done) => Some(done),
            Err(DocumentReadError::File(error)) => {
                tracing::info!(error = &error as &dyn std::error::Error, "a document cannot be opened");
                Some(TaskOutcome {
                    next: TaskNextStep::try_again(
                        TaskAdvice::MustTryAgain,
                        TaskAdviceReason::Quality,
                        "NO_DOCUMENT",
                    ),
                    findings: None,
                    fields: None,
                    portrait: None,
                })
            }
            Err(DocumentReadError::Server(error)) if lease.attempts >= ReadDocument::RETRY.attempts() => {
                tracing::error!(error, "a document is not read");
                None
            }
            Err(DocumentReadError::Server(error)) => {
                return Err(JobError { error, not_before: None, permanent: false });
            }
        };
        let blobs: Vec<MediaId> = done
            .iter()
            .flat_map(|done| [&done.fields, &done.portrait])
            .flatten()
            .map(|media| media.id)
            .collect();
        match self.save_extraction(job, lease, done).await {
            Ok(()) => Ok(JobOutcome::Done),
            // Another run has the task, or the session is gone: nothing of this one counts.
            Err(
                JobCommitError::LeaseLost(_)
                | JobCommitError::Session(
                    DocumentSessionError::SessionNotFound | DocumentSessionError::ItemNotFound(_),
                ),
            ) => {
                self.delete_media_blobs(job.session, &blobs).await;
                Ok(JobOutcome::Done)
            }
            Err(error) => {
                self.delete_media_blobs(job.session, &blobs).await;
                Err(error.into())
            }
        }
    }

    async fn delete_media_blobs(&self, session: DocumentSessionId, media: &[MediaId]) {
        if !media.is_empty() {
            self.delete_blobs(session, media).await;
        }
    }

    async fn extract_for_task(
        &self,
        held: &UnsealedDocumentSession,
        resource: &SuppliedResource,
    ) -> Result<TaskOutcome, DocumentReadError> {
        let ExtractedDocument { findings, portrait } = self.extract_document(held, resource).await?;
        let filter = held
            .session
            .requirements
            .iter()
            .find(|requirement| requirement.id == resource.requirement)
            .map(|requirement| requirement.filter.clone())
            .unwrap_or_default();
        let (next, fields) = if resource.kind == ResourceKind::SupplementaryDocument {
            (findings.letter_next_step(), findings.letter.clone())
        } else {
            let fields = (!findings.fields.is_empty()).then(|| findings.document_fields());
            (findings.next_step(resource, &filter), fields)
        };
        let fields = match fields {
            Some(fields) => Some(self.store_json(held, resource.id, &fields).await?),
            None => None,
        };
        let portrait = match portrait.filter(|_| resource.kind == ResourceKind::IdDocument) {
            Some(jpeg) => {
                Some(self.store_media(held, MediaType::Image, "image/jpeg", Some(resource.id), &jpeg).await?)
            }
            None => None,
        };
        Ok(TaskOutcome { next, findings: Some(findings), fields, portrait })
    }

    /// What the response configuration says of a document.
    async fn simulate_extraction(
        &self,
        held: &UnsealedDocumentSession,
        resource: &SuppliedResource,
    ) -> Result<TaskOutcome, DocumentReadError> {
        let configuration = self
            .response_config(&held.session)
            .await
            .map_err(|error| DocumentReadError::Server(error.to_string()))?;
        let sandbox_responses::SimulatedExtraction { next, fields } = configuration.extraction(resource);
        let fields = self.store_json(held, resource.id, &fields).await?;
        Ok(TaskOutcome { next, findings: None, fields: Some(fields), portrait: None })
    }

    pub(super) async fn store_json(
        &self,
        held: &UnsealedDocumentSession,
        resource: ResourceId,
        fields: &impl Serialize,
    ) -> Result<SessionMedia, media::blobs::BlobError> {
        let bytes =
            serde_json::to_vec(fields).map_err(|error| media::blobs::BlobError::BrokeOff(error.into()))?;
        self.store_media(held, MediaType::Json, "application/json", Some(resource), &bytes).await
    }

    async fn save_extraction(
        &self,
        job: &ReadDocument,
        lease: &Lease,
        done: Option<TaskOutcome>,
    ) -> Result<(), JobCommitError> {
        let mut tx = self.0.db.write().await?;
        lease.lock(&mut tx).await?;
        let mut held =
            self.lock_session(&mut tx, job.session).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let mut effects = SideEffects::default();
        complete_task(&mut held.session, &mut effects, &*self.0.world, job, done)?;
        let gone = self.save_with_effects(&mut tx, &mut held, effects).await?;
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        self.delete_media_blobs(job.session, &gone).await;
        Ok(())
    }
}

/// What a task came to.
struct TaskOutcome {
    next: TaskNextStep,
    findings: Option<DocumentFindings>,
    fields: Option<SessionMedia>,
    portrait: Option<SessionMedia>,
}

/// A task ends: well, or (`None`) because it could not be done.
fn complete_task(
    session: &mut DocumentSession,
    effects: &mut SideEffects,
    world: &dyn Environment,
    job: &ReadDocument,
    done: Option<TaskOutcome>,
) -> Result<(), DocumentSessionError> {
    let manual_check = |kind: TaskType| session.wanted.task(kind).map(|task| task.manual_check);
    let manual = [TaskType::IdDocument, TaskType::SupplementaryDocument].map(manual_check);
    let left = session
        .requirements
        .iter()
        .find(|requirement| requirement.resource == Some(job.resource))
        .map_or(0, super::session::Requirement::attempts_remaining);
    let resource =
        session.resource_mut(job.resource).ok_or(DocumentSessionError::ItemNotFound("resource"))?;
    let kind = resource.kind;
    let task = resource.tasks.iter_mut().find(|task| task.id == job.task);
    let task = task.ok_or(DocumentSessionError::ItemNotFound("task"))?;
    task.state = task.state.after(if done.is_some() { TaskEvent::Completed } else { TaskEvent::Failed })?;
    task.last_updated = world.now();
    let next = match &done {
        Some(done) => done.next.clone(),
        None => TaskNextStep::try_again(TaskAdvice::ShouldTryAgain, TaskAdviceReason::Error, "SERVER_ERROR"),
    };
    task.recommendation = Some(next.clone());
    let (of_id, of_other) = (manual[0], manual[1]);
    let (check_kind, manual_check) = match kind {
        ResourceKind::SupplementaryDocument => (VerificationCheckType::SupplementaryTextData, of_other),
        _ => (VerificationCheckType::TextData, of_id),
    };
    let mut check = VerificationCheck::begin(
        world,
        check_kind,
        CheckState::Created,
        vec![job.resource],
        manual_check.unwrap_or(ManualCheck::Never),
    );
    let mut added = Vec::new();
    if let Some(TaskOutcome { findings, fields, portrait, .. }) = done {
        resource.findings = findings;
        if let Some(task) = resource.tasks.iter_mut().find(|task| task.id == job.task) {
            task.generated_media.extend(fields.as_ref().map(|media| media.id));
        }
        // What was read before of the same document stays with the task that read it.
        if let Some(fields) = fields {
            check.generated_media.push(fields.id);
            resource.document_fields = Some(fields.id);
            added.push(fields);
        }
        if let Some(portrait) = portrait {
            effects.discarded_media.extend(resource.id_photo.replace(portrait.id));
            added.push(portrait);
        }
    }
    let check_id: ModerationCheckId = check.id;
    if let Some(task) = resource.tasks.iter_mut().find(|task| task.id == job.task) {
        task.generated_checks.push(check_id);
    }
    session.media.extend(added);
    // One check for each document: of what was read last.
    session
        .checks
        .retain(|known| known.state != CheckState::Created || !known.resources_used.contains(&job.resource));
    for resource in &mut session.resources {
        for task in &mut resource.tasks {
            task.generated_checks
                .retain(|id| *id == check_id || session.checks.iter().any(|known| known.id == *id));
        }
    }
    session.checks.push(check);
    session.apply_requirement_event(job.resource, requirement_event_after(next.value, left))?;
    session.mark_updated(job.resource, world);
    effects.notify(NotificationTopic::TaskCompletion, NotificationSubject::Task(job.task));
    effects.notify(NotificationTopic::ResourceUpdate, NotificationSubject::Resource(job.resource));
    Ok(())
}

/// A face with some room around it.
fn crop_portrait(page: &Picture, face: &Face) -> Option<Picture> {
    let room = face.width().max(face.height()) * 0.35;
    let clamp = |value: f32, most: u32| value.clamp(0.0, most as f32) as u32;
    let (left, top) = (clamp(face.left - room, page.width()), clamp(face.top - room, page.height()));
    let (right, bottom) = (clamp(face.right + room, page.width()), clamp(face.bottom + room, page.height()));
    if right <= left || bottom <= top {
        return None;
    }
    let whole = image::RgbImage::from_raw(page.width(), page.height(), page.rgb().to_vec())?;
    let part = image::imageops::crop_imm(&whole, left, top, right - left, bottom - top).to_image();
    Picture::new(part.width(), part.height(), part.into_raw())
}
