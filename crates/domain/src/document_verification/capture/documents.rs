//! Documents: their creation, their pages, and the tasks that read them.

use super::{CapturedMedia, IdempotentCall};
use crate::{
    DeviceMetadata,
    document_verification::{
        background_jobs::ReadDocument,
        error::DocumentSessionError,
        extraction::{DocumentExtractor, ReadingQueue},
        notifications::NotificationSubject,
        restrictions::{
            MAX_DOCUMENT_TYPE_BYTES, document_type_name, is_document_type_word, parse_document_type,
        },
        session::{
            DocumentSession, ExtractionTask, Requirement, SessionMedia, SuppliedResource,
            state_machine::TaskEvent,
        },
        store::{DocumentSessionStore, SessionMediaStore, UnsealedDocumentSession},
        types::{MediaType, NotificationTopic, RequirementState, ResourceKind, TaskState},
        unit_of_work::DocumentUnitOfWork,
    },
};
use base::{DocumentSessionId, MediaId, ResourceId, TaskId};
use documents::{catalogue, countries};
use std::time::Duration;

/// The highest number of a page; pages count from 0.
const MAX_PAGE_NUMBER: u32 = 9;
/// How often a call that waits for a task looks at it.
const TASK_POLL_INTERVAL: Duration = Duration::from_millis(60);

/// What the end user says of a document before they supply it.
#[derive(Clone, Debug, Default)]
pub struct NewDocument {
    pub document_type: Option<String>,
    /// ISO 3166-1 alpha-3.
    pub issuing_country: Option<String>,
    /// The requirement that it is for; the first that it fits, if none is named.
    pub requirement_id: Option<String>,
}

/// A task that was asked for.
#[derive(Clone, Debug)]
pub struct RequestedExtraction {
    pub task: ExtractionTask,
    /// How long it will probably take until the document is read; `None` once it was, or where nothing is known of it.
    pub expected_wait: Option<Duration>,
}

/// How a file is put in its place.
struct ReadableMediaOptions {
    /// Whether PDF files are accepted.
    pdf: bool,
    /// The name of the device event.
    event: &'static str,
    device: Option<DeviceMetadata>,
}

/// Takes in documents and has them read; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct DocumentCaptureService {
    unit_of_work: DocumentUnitOfWork,
    store: DocumentSessionStore,
    media: SessionMediaStore,
    extractor: DocumentExtractor,
    queue: ReadingQueue,
    /// How long a call that asks for a reading waits for its end.
    task_wait_timeout: Duration,
}

impl DocumentCaptureService {
    pub(in crate::document_verification) fn new(
        unit_of_work: DocumentUnitOfWork,
        store: DocumentSessionStore,
        media: SessionMediaStore,
        extractor: DocumentExtractor,
        queue: ReadingQueue,
        task_wait_timeout: Duration,
    ) -> Self {
        Self { unit_of_work, store, media, extractor, queue, task_wait_timeout }
    }

    /// Creates a document without pages.
    pub(in crate::document_verification) async fn add_document(
        &self,
        id: DocumentSessionId,
        kind: ResourceKind,
        new: NewDocument,
        call: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<SuppliedResource, DocumentSessionError> {
        let (id, session) = self
            .unit_of_work
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                if let Some(created) = call.earlier_result(session)? {
                    return Ok(created);
                }
                let described = validate_description(kind, &new)?;
                let requirement =
                    choose_requirement(session, kind, new.requirement_id.as_deref(), &described)?;
                requirement.ensure_attempts_left()?;
                let mut resource = SuppliedResource::begin(env, requirement);
                resource.document_type = described.document_type;
                resource.issuing_country = described.country;
                resource.other_type = described.other_type;
                session.attach_resource(resource, call, device, effects, env)
            })
            .await?;
        session
            .resources
            .into_iter()
            .find(|resource| resource.id == id)
            .ok_or(DocumentSessionError::ItemNotFound("resource"))
    }

    /// Puts a page of a document in its place; a page with the same number is replaced.
    pub(in crate::document_verification) async fn put_page(
        &self,
        stored: &UnsealedDocumentSession,
        kind: ResourceKind,
        resource: ResourceId,
        number: u32,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        if number > MAX_PAGE_NUMBER {
            return Err(DocumentSessionError::invalid_member(
                "page",
                format!("pages are numbered from 0 to {MAX_PAGE_NUMBER}"),
            ));
        }
        let method = upload.capture_method;
        let options = ReadableMediaOptions { pdf: false, event: "PAGE_UPLOADED", device };
        let put = move |resource: &mut SuppliedResource, media| resource.put_page(number, method, media);
        self.put_readable_media(stored, (kind, resource), upload, options, put).await
    }

    /// Puts the file of a supplementary document in its place; a file that was there is replaced.
    pub(in crate::document_verification) async fn put_file(
        &self,
        stored: &UnsealedDocumentSession,
        resource: ResourceId,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let options = ReadableMediaOptions { pdf: true, event: "FILE_UPLOADED", device };
        let target = (ResourceKind::SupplementaryDocument, resource);
        let put = |resource: &mut SuppliedResource, media| resource.file.replace(media);
        self.put_readable_media(stored, target, upload, options, put).await
    }

    /// Stores a page or file, has `put` place it in the resource (and return what it replaces), and begins to read it.
    async fn put_readable_media(
        &self,
        stored: &UnsealedDocumentSession,
        (kind, resource): (ResourceKind, ResourceId),
        upload: CapturedMedia,
        options: ReadableMediaOptions,
        put: impl FnOnce(&mut SuppliedResource, MediaId) -> Option<MediaId> + Send,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let session = &stored.session;
        session.ensure_capture_method_allowed(upload.capture_method)?;
        ensure_not_being_read(session.require_resource(kind, resource)?)?;
        let (media_kind, content_type) = upload.inspect(options.pdf, !session.sandbox)?;
        let media = self.media.put(stored, media_kind, content_type, resource, &upload.bytes).await?;
        let added = media.clone();
        let media = self
            .unit_of_work
            .update_with_media(stored, media, move |session, effects, env| {
                ensure_not_being_read(session.require_resource(kind, resource)?)?;
                let changed = session.require_resource_mut(resource)?;
                effects.discarded_media.extend(put(changed, added.id));
                effects.discarded_media.extend(changed.forget_reading());
                if added.kind == MediaType::Pdf {
                    effects
                        .notify(NotificationTopic::NewPdfSupplied, NotificationSubject::Resource(resource));
                }
                session.media.push(added);
                session.accept_readable_media(resource, env)?;
                session.record_resource_change(resource, options.event, options.device, effects, env);
                Ok(())
            })
            .await?;
        if session.requested_task_type(kind).is_some() && !session.sandbox {
            self.extractor.prefetch_page(session, &media, upload.bytes);
        }
        Ok(media)
    }

    /// Asks for a document to be read, and waits for the task to end, up to the configured time; the first call that
    /// would wait in vain returns at once, so that the person is told how long it takes. A call about a task that was
    /// asked for before returns that task.
    pub(in crate::document_verification) async fn request_extraction(
        &self,
        id: DocumentSessionId,
        kind: ResourceKind,
        resource: ResourceId,
        device: Option<DeviceMetadata>,
    ) -> Result<RequestedExtraction, DocumentSessionError> {
        let ((task, is_first), session) = self
            .unit_of_work
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                let document = session.require_resource(kind, resource)?;
                if session.requested_task_type(kind).is_none() {
                    return Err(DocumentSessionError::ItemNotFound("task"));
                }
                if document.readable_media().is_empty() {
                    return Err(DocumentSessionError::NotReady(
                        "no page of the document has been uploaded yet".to_owned(),
                    ));
                }
                let created = document.tasks.iter().find(|task| task.state == TaskState::Created);
                let Some(task_id) = created.map(|task| task.id) else {
                    let last = document.tasks.last().ok_or(DocumentSessionError::ItemNotFound("task"))?;
                    return Ok((last.id, false));
                };
                let requirement = document.requirement;
                session.require_requirement_mut(requirement)?.use_attempt()?;
                let now = env.now();
                let tasks = session.resource_mut(resource).map(|resource| &mut resource.tasks);
                for task in tasks.into_iter().flatten().filter(|task| task.id == task_id) {
                    task.state = task.state.after(TaskEvent::Requested)?;
                    task.last_updated = now;
                }
                session.record_device_event("TEXT_EXTRACTION_REQUESTED", Some(resource), now, device);
                effects.read_jobs.push(ReadDocument { session: session.id, resource, task: task_id });
                Ok((task_id, true))
            })
            .await?;
        let found = find_task(&session, resource, task)?;
        if found.state != TaskState::Pending {
            return Ok(RequestedExtraction { task: found, expected_wait: None });
        }
        let waits_in_vain = match self.queue.expected_wait(task).await? {
            Some(wait) => is_first && !session.sandbox && wait > self.task_wait_timeout,
            None => false,
        };
        let timeout = if waits_in_vain { Duration::ZERO } else { self.task_wait_timeout };
        let task = self.wait_for_task(id, resource, task, timeout).await?;
        let expected_wait = match task.state {
            TaskState::Pending => self.queue.expected_wait(task.id).await?,
            _ => None,
        };
        Ok(RequestedExtraction { task, expected_wait })
    }

    /// Waits for a task to end, up to this time; returns it as it is then.
    async fn wait_for_task(
        &self,
        id: DocumentSessionId,
        resource: ResourceId,
        task: TaskId,
        timeout: Duration,
    ) -> Result<ExtractionTask, DocumentSessionError> {
        let deadline = tokio::time::Instant::now() + timeout;
        loop {
            let stored = self.store.load(id).await?.ok_or(DocumentSessionError::SessionNotFound)?;
            let found = find_task(&stored.session, resource, task)?;
            if found.state != TaskState::Pending || tokio::time::Instant::now() >= deadline {
                return Ok(found);
            }
            tokio::time::sleep(TASK_POLL_INTERVAL).await;
        }
    }
}

fn find_task(
    session: &DocumentSession,
    resource: ResourceId,
    task: TaskId,
) -> Result<ExtractionTask, DocumentSessionError> {
    let resource = session.resources.iter().find(|known| known.id == resource);
    let task = resource.and_then(|resource| resource.tasks.iter().find(|known| known.id == task));
    task.cloned().ok_or(DocumentSessionError::ItemNotFound("task"))
}

/// The type and country that were given, normalised.
struct DocumentDescription {
    /// The type of an identity document.
    document_type: Option<catalogue::DocumentType>,
    /// The type of a supplementary document, which is free text in capital letters.
    other_type: Option<String>,
    country: Option<String>,
}

/// Type and country are both required for an identity document.
fn validate_description(
    kind: ResourceKind,
    new: &NewDocument,
) -> Result<DocumentDescription, DocumentSessionError> {
    let country = new.issuing_country.as_deref().map(|code| code.trim().to_ascii_uppercase());
    if country.as_deref().is_some_and(|code| countries::find_iso(code).is_none()) {
        return Err(DocumentSessionError::invalid_member(
            "issuing_country",
            "it is not an ISO 3166-1 alpha-3 code",
        ));
    }
    if kind == ResourceKind::SupplementaryDocument {
        if new.document_type.as_deref().is_some_and(|word| !is_document_type_word(word)) {
            return Err(DocumentSessionError::invalid_member(
                "document_type",
                format!("it has at most {MAX_DOCUMENT_TYPE_BYTES} letters, digits and underscores"),
            ));
        }
        let word = new.document_type.as_deref().map(|word| word.trim().to_ascii_uppercase());
        let other_type = word.filter(|word| !word.is_empty());
        return Ok(DocumentDescription { document_type: None, other_type, country });
    }
    let word = new
        .document_type
        .as_deref()
        .ok_or_else(|| DocumentSessionError::invalid_member("document_type", "it is required"))?;
    let document_type = parse_document_type(word).ok_or_else(|| {
        DocumentSessionError::invalid_member(
            "document_type",
            "it is one of PASSPORT, NATIONAL_ID, RESIDENCE_PERMIT, DRIVING_LICENCE",
        )
    })?;
    let country =
        country.ok_or_else(|| DocumentSessionError::invalid_member("issuing_country", "it is required"))?;
    Ok(DocumentDescription { document_type: Some(document_type), other_type: None, country: Some(country) })
}

/// The requirement that a document is for.
fn choose_requirement<'a>(
    session: &'a DocumentSession,
    kind: ResourceKind,
    named: Option<&str>,
    described: &DocumentDescription,
) -> Result<&'a Requirement, DocumentSessionError> {
    let mut fitting: Vec<&Requirement> =
        session.requirements.iter().filter(|requirement| requirement.kind == kind).collect();
    if fitting.is_empty() {
        return Err(DocumentSessionError::ResourceLocked(format!("the session asks for no {kind}")));
    }
    if let Some(text) = named {
        let id = text.parse::<ResourceId>().ok();
        fitting.retain(|requirement| Some(requirement.id) == id);
        if fitting.is_empty() {
            return Err(DocumentSessionError::ItemNotFound("requirement"));
        }
    }
    let country = described.country.as_deref();
    if kind == ResourceKind::SupplementaryDocument {
        retain_allowed_supplementary(&mut fitting, described.other_type.as_deref(), country)?;
    }
    if let (Some(document_type), Some(country)) = (described.document_type, country) {
        fitting.retain(|requirement| requirement.filter.allows_type(country, document_type));
        if fitting.is_empty() {
            let message =
                format!("the session does not take {} of {country}", document_type_name(document_type));
            return Err(DocumentSessionError::invalid_member("document_type", message));
        }
    }
    // The first that is still to be fulfilled; if all are, the last is supplied anew.
    let open = fitting.iter().find(|requirement| requirement.standing != RequirementState::Fulfilled);
    open.or_else(|| fitting.last()).copied().ok_or(DocumentSessionError::ItemNotFound("requirement"))
}

/// Leaves the requirements that take a supplementary document of this type and country; at least one, or an error.
fn retain_allowed_supplementary(
    fitting: &mut Vec<&Requirement>,
    word: Option<&str>,
    country: Option<&str>,
) -> Result<(), DocumentSessionError> {
    let listed = |lists: Vec<&Vec<String>>| {
        let mut all: Vec<&str> = lists.into_iter().flatten().map(String::as_str).collect();
        all.sort_unstable();
        all.dedup();
        format!("it is one of {}", all.join(", "))
    };
    let types = fitting.iter().map(|requirement| &requirement.supplementary.types).collect();
    fitting.retain(|requirement| requirement.supplementary.allows_type(word));
    if fitting.is_empty() {
        return Err(DocumentSessionError::invalid_member("document_type", listed(types)));
    }
    let countries = fitting.iter().map(|requirement| &requirement.supplementary.countries).collect();
    fitting.retain(|requirement| requirement.supplementary.allows_country(country));
    if fitting.is_empty() {
        return Err(DocumentSessionError::invalid_member("issuing_country", listed(countries)));
    }
    Ok(())
}

/// Refuses to change a resource while it is being read.
fn ensure_not_being_read(resource: &SuppliedResource) -> Result<(), DocumentSessionError> {
    if resource.is_being_read() {
        return Err(DocumentSessionError::ResourceLocked(
            "the resource is being read; wait for its task".to_owned(),
        ));
    }
    Ok(())
}
