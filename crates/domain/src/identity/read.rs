//! Reading a document while its person waits: a job, so that it survives, and short, so that it is worth waiting for.

use super::{
    Identities,
    change::{Effects, NotDone, Subject, Undone},
    findings::Findings,
    flow::judged,
    moves::TaskEvent,
    responses,
    session::{Check, Media, Next, Resource, Session},
    store::Held,
    words::{
        CheckState, CheckType, ManualCheck, MediaType, NotificationTopic, ResourceKind, TaskAdvice,
        TaskAdviceReason, TaskState, TaskType,
    },
};
use crate::estimate::{Refusal, sample};
use base::{CheckId, MediaId, Picture, ResourceId, SessionId, TaskId, World};
use documents::{
    reading::{self, Claim, Origin, Reader, Side},
    text,
};
use jobs::{Failure, Job, Lane, Lease, Outcome, Retry};
use media::scan::{Scan, ScanError};
use serde::{Deserialize, Serialize};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use vision::{Face, Vision};

/// How long work waits for a place at the models before it is tried again by its job.
const BUSY: Duration = Duration::from_secs(20);

/// Reads a document for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDocument {
    /// In which session.
    pub session: SessionId,
    /// Which document.
    pub resource: ResourceId,
    /// For which task.
    pub task: TaskId,
}

impl Job for ReadDocument {
    const KIND: &'static str = "read-document";
    const LANE: Lane = Lane::Quick;
    /// Somebody waits.
    const RETRY: Retry = Retry { waits: &[1, 5, 20], jitter: 0.2 };
}

/// Readers that are not at work, each with its own nets.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    folder: PathBuf,
    idle: Arc<Mutex<Vec<Reader>>>,
}

impl Readers {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, idle: Arc::default() }
    }

    /// Does something with a reader, on a worker's own thread.
    fn with<T>(&self, work: impl FnOnce(&mut Reader) -> T) -> Result<T, String> {
        let free = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match free {
            Some(reader) => reader,
            None => Reader::load(&self.folder).map_err(|error| error.to_string())?,
        };
        let done = work(&mut reader);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        Ok(done)
    }
}

/// A side on its way to the reader.
struct Opened {
    picture: Picture,
    /// What a file says itself.
    lines: Option<Vec<text::Line>>,
}

/// What a reading came to, with the portrait as JPEG.
pub(super) struct Read {
    pub(super) findings: Findings,
    pub(super) portrait: Option<Vec<u8>>,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    /// The file cannot be opened, whoever tries.
    #[error("the file cannot be opened: {0}")]
    File(ScanError),
    /// This server cannot do it now.
    #[error("{0}")]
    Server(String),
}

impl From<Refusal> for Unread {
    fn from(refusal: Refusal) -> Self {
        Self::Server(refusal.to_string())
    }
}

impl From<media::blobs::Error> for Unread {
    fn from(error: media::blobs::Error) -> Self {
        Self::Server(error.to_string())
    }
}

impl Identities {
    /// Reads everything that there is of a document.
    pub(super) async fn read(&self, held: &Held, resource: &Resource) -> Result<Read, Unread> {
        let _place = self.place().await;
        let media = resource.readable();
        let mut sides = Vec::new();
        for id in &media {
            sides.extend(match self.0.ahead.take(*id).await {
                Some(read) => read,
                None => self.sides(self.get(held, *id).await?).await?,
            });
        }
        let (kind, country) = (resource.document_type, resource.issuing_country.clone());
        let today = self.today();
        self.with_models(move |vision| {
            let claim = Claim { country: country.as_deref(), kind };
            let reading = reading::join(vision, sides, claim, today)?;
            let portrait = reading.portrait.as_ref().and_then(|portrait| {
                let page = &reading.sides.get(portrait.side)?.page;
                Some(sample::jpeg(&cut(page, &portrait.face)?, 92))
            });
            let findings = Findings::of(&reading, media, vision.space().digest());
            Ok::<_, vision::VisionError>(Read { findings, portrait })
        })
        .await?
        .map_err(|error| Unread::Server(error.to_string()))
    }

    /// Reads the sides of a file, each by itself.
    pub(super) async fn sides(&self, bytes: Vec<u8>) -> Result<Vec<Side>, Unread> {
        let opened = self.open(bytes).await?;
        let readers = self.0.readers.clone();
        self.with_models(move |vision| {
            let mut read = |reader: &mut Reader, side: &Opened| {
                let origin = match &side.lines {
                    Some(lines) => Origin::File(&side.picture, lines),
                    None => Origin::Photo(&side.picture),
                };
                reader.read_side(vision, origin)
            };
            readers.with(|reader| opened.iter().map(|side| read(reader, side)).collect::<Result<Vec<_>, _>>())
        })
        .await?
        .map_err(Unread::Server)?
        .map_err(|error| Unread::Server(error.to_string()))
    }

    /// A photo is one side; each page of a PDF file is one.
    async fn open(&self, bytes: Vec<u8>) -> Result<Vec<Opened>, Unread> {
        let told = |error: ScanError| match error {
            ScanError::Missing(_) | ScanError::Failed(_) => Unread::Server(error.to_string()),
            other => Unread::File(other),
        };
        match self.0.scanner.open(bytes).await.map_err(told)? {
            Scan::Picture(picture) => Ok(vec![Opened { picture, lines: None }]),
            Scan::Pdf(pdf) => {
                let mut sides = Vec::new();
                for (at, page) in pdf.pages().iter().enumerate() {
                    let picture = self.0.scanner.draw(&pdf, at).await.map_err(told)?;
                    let scale = picture.width() as f32 / page.size[0].max(1.0);
                    let words = page.words.iter().map(|word| {
                        let [left, top, right, bottom] = word.bounds.map(|millimetres| millimetres * scale);
                        text::layout::Word { text: word.text.clone(), left, top, right, bottom }
                    });
                    let lines = text::layout::lines(&words.collect::<Vec<_>>());
                    sides.push(Opened { picture, lines: Some(lines) });
                }
                Ok(sides)
            }
        }
    }

    /// A picture, decoded.
    pub(super) async fn picture(&self, bytes: Vec<u8>) -> Result<Picture, Unread> {
        match self.open(bytes).await?.pop() {
            Some(opened) => Ok(opened.picture),
            None => Err(Unread::File(ScanError::Damaged)),
        }
    }

    /// Does work with the models, which somebody waits for: a full queue is waited for a little.
    pub(super) async fn with_models<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Vision) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let until = tokio::time::Instant::now() + BUSY;
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
                Ok(None) => return Err(Refusal::Busy(BUSY)),
                Err(Refusal::Busy(_)) if tokio::time::Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Refuses a picture that does not show one face.
    pub(super) async fn one_face(&self, bytes: Vec<u8>) -> Result<(), NotDone> {
        let picture = match self.picture(bytes).await {
            Ok(picture) => picture,
            Err(Unread::File(error)) => return Err(NotDone::Unprocessable(error.to_string())),
            Err(Unread::Server(error)) => {
                return Err(NotDone::Models(crate::estimate::NotReady(error).into()));
            }
        };
        let found = self
            .with_models(move |vision| {
                let faces = vision.detect(&picture)?;
                Ok::<_, vision::VisionError>(faces.iter().filter(|face| vision.counts(face)).count())
            })
            .await
            .and_then(|found| found.map_err(Refusal::from))
            .map_err(NotDone::Models)?;
        match found {
            1 => Ok(()),
            0 => Err(NotDone::Unprocessable("no face was found in the picture".to_owned())),
            many => Err(NotDone::Unprocessable(format!("{many} faces were found in the picture; show one"))),
        }
    }

    /// The job.
    pub(super) async fn read_document(&self, job: &ReadDocument, lease: &Lease) -> Result<Outcome, Failure> {
        let held = {
            let mut view = self.0.db.read().await?;
            self.find_any(&mut view, job.session).await?
        };
        let Some(held) = held else { return Ok(Outcome::Done) };
        let session = &held.session;
        let Some(resource) = session.resources.iter().find(|resource| resource.id == job.resource) else {
            return Ok(Outcome::Done);
        };
        let pending =
            resource.tasks.iter().any(|task| task.id == job.task && task.state == TaskState::Pending);
        if !pending {
            return Ok(Outcome::Done);
        }
        let done = if session.sandbox {
            self.played(&held, resource).await
        } else {
            self.extracted(&held, resource).await
        };
        let done = match done {
            Ok(done) => Some(done),
            Err(Unread::File(error)) => {
                tracing::info!(session.id = %session.id, "a document cannot be opened: {error}");
                Some(Done {
                    next: Next::again(TaskAdvice::Must, TaskAdviceReason::Quality, "NO_DOCUMENT"),
                    findings: None,
                    fields: None,
                    portrait: None,
                })
            }
            Err(Unread::Server(error)) if lease.attempts >= ReadDocument::RETRY.attempts() => {
                tracing::error!(session.id = %session.id, "a document is not read: {error}");
                None
            }
            Err(Unread::Server(error)) => {
                return Err(Failure { error, not_before: None, hopeless: false });
            }
        };
        let blobs: Vec<MediaId> = done
            .iter()
            .flat_map(|done| [&done.fields, &done.portrait])
            .flatten()
            .map(|media| media.id)
            .collect();
        match self.keep_reading(job, lease, done).await {
            Ok(()) => Ok(Outcome::Done),
            // Another run has the task, or the session is gone: nothing of this one counts.
            Err(Undone::Lost(_) | Undone::Not(NotDone::NoSession | NotDone::Missing(_))) => {
                self.clear_media(job.session, &blobs).await;
                Ok(Outcome::Done)
            }
            Err(error) => {
                self.clear_media(job.session, &blobs).await;
                Err(error.into())
            }
        }
    }

    async fn clear_media(&self, session: SessionId, media: &[MediaId]) {
        if !media.is_empty() {
            self.clear(session, media).await;
        }
    }

    async fn extracted(&self, held: &Held, resource: &Resource) -> Result<Done, Unread> {
        let Read { findings, portrait } = self.read(held, resource).await?;
        let filter = held
            .session
            .requirements
            .iter()
            .find(|requirement| requirement.id == resource.requirement)
            .map(|requirement| requirement.filter.clone())
            .unwrap_or_default();
        let (next, fields) = if resource.kind == ResourceKind::SupplementaryDocument {
            (findings.next_of_letter(), findings.letter.clone())
        } else {
            let fields = (!findings.fields.is_empty()).then(|| findings.document_fields());
            (findings.next(resource, &filter), fields)
        };
        let fields = match fields {
            Some(fields) => Some(self.put_json(held, resource.id, &fields).await?),
            None => None,
        };
        let portrait = match portrait.filter(|_| resource.kind == ResourceKind::IdDocument) {
            Some(jpeg) => {
                Some(self.put(held, MediaType::Image, "image/jpeg", Some(resource.id), &jpeg).await?)
            }
            None => None,
        };
        Ok(Done { next, findings: Some(findings), fields, portrait })
    }

    /// What the response configuration says of a document.
    async fn played(&self, held: &Held, resource: &Resource) -> Result<Done, Unread> {
        let configuration =
            self.responses_of(&held.session).await.map_err(|error| Unread::Server(error.to_string()))?;
        let responses::Extraction { next, fields } = configuration.extraction(resource);
        let fields = self.put_json(held, resource.id, &fields).await?;
        Ok(Done { next, findings: None, fields: Some(fields), portrait: None })
    }

    pub(super) async fn put_json(
        &self,
        held: &Held,
        resource: ResourceId,
        fields: &impl Serialize,
    ) -> Result<Media, media::blobs::Error> {
        let bytes =
            serde_json::to_vec(fields).map_err(|error| media::blobs::Error::BrokeOff(error.into()))?;
        self.put(held, MediaType::Json, "application/json", Some(resource), &bytes).await
    }

    async fn keep_reading(
        &self,
        job: &ReadDocument,
        lease: &Lease,
        done: Option<Done>,
    ) -> Result<(), Undone> {
        let mut tx = self.0.db.write().await?;
        lease.hold(&mut tx).await?;
        let mut held = self.hold(&mut tx, job.session).await?.ok_or(NotDone::NoSession)?;
        let mut effects = Effects::default();
        ended(&mut held.session, &mut effects, &*self.0.world, job, done)?;
        let gone = self.settle(&mut tx, &mut held, effects).await?;
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        self.clear_media(job.session, &gone).await;
        Ok(())
    }
}

/// What a task came to.
struct Done {
    next: Next,
    findings: Option<Findings>,
    fields: Option<Media>,
    portrait: Option<Media>,
}

/// A task ends: well, or (`None`) because it could not be done.
fn ended(
    session: &mut Session,
    effects: &mut Effects,
    world: &dyn World,
    job: &ReadDocument,
    done: Option<Done>,
) -> Result<(), NotDone> {
    let manual_check = |kind: TaskType| session.wanted.task(kind).map(|task| task.manual_check);
    let manual = [TaskType::IdDocument, TaskType::SupplementaryDocument].map(manual_check);
    let left = session
        .requirements
        .iter()
        .find(|requirement| requirement.resource == Some(job.resource))
        .map_or(0, super::session::Requirement::attempts_remaining);
    let resource = session.any(job.resource).ok_or(NotDone::Missing("resource"))?;
    let kind = resource.kind;
    let task = resource.tasks.iter_mut().find(|task| task.id == job.task);
    let task = task.ok_or(NotDone::Missing("task"))?;
    task.state = task.state.after(if done.is_some() { TaskEvent::Read } else { TaskEvent::Broke })?;
    task.last_updated = world.now();
    let next = match &done {
        Some(done) => done.next.clone(),
        None => Next::again(TaskAdvice::Should, TaskAdviceReason::Error, "SERVER_ERROR"),
    };
    task.recommendation = Some(next.clone());
    let (of_id, of_other) = (manual[0], manual[1]);
    let (check_kind, manual_check) = match kind {
        ResourceKind::SupplementaryDocument => (CheckType::SupplementaryTextData, of_other),
        _ => (CheckType::TextData, of_id),
    };
    let mut check = Check::begin(
        world,
        check_kind,
        CheckState::Created,
        vec![job.resource],
        manual_check.unwrap_or(ManualCheck::Never),
    );
    let mut added = Vec::new();
    if let Some(Done { findings, fields, portrait, .. }) = done {
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
            effects.gone.extend(resource.id_photo.replace(portrait.id));
            added.push(portrait);
        }
    }
    let check_id: CheckId = check.id;
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
    session.move_requirement(job.resource, judged(next.value, left))?;
    session.touch(job.resource, world);
    effects.tell(NotificationTopic::TaskCompletion, Subject::Task(job.task));
    effects.tell(NotificationTopic::ResourceUpdate, Subject::Resource(job.resource));
    Ok(())
}

/// A face with some room around it.
fn cut(page: &Picture, face: &Face) -> Option<Picture> {
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
