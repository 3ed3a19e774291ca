//! Documents: begun, their pages, and the reading of them.

use super::{IdempotentCall, MAX_PAGE_NUMBER, NewDocument, TASK_POLL_INTERVAL};
use crate::{
    DeviceMetadata,
    document_verification::{
        DocumentVerificationService, ReadDocument,
        restrictions::{document_type_name, parse_document_type},
        session::{DocumentSession, ExtractionTask, Requirement, SessionMedia, SuppliedResource},
        state_machine::TaskEvent,
        store::UnsealedDocumentSession,
        types::{MediaType, NotificationTopic, RequirementState, ResourceKind, TaskState},
        unit_of_work::{CapturedMedia, DocumentSessionError, NotificationSubject},
    },
};
use base::{DocumentSessionId, MediaId, ResourceId, TaskId};
use documents::{catalogue, countries};

/// What goes with something that is put in its place.
struct ReadableMediaOptions {
    /// Whether it may be a PDF file.
    pdf: bool,
    /// What is noted of the device.
    event: &'static str,
    device: Option<DeviceMetadata>,
}

impl DocumentVerificationService {
    /// Begins a document.
    pub async fn add_document(
        &self,
        id: DocumentSessionId,
        kind: ResourceKind,
        new: NewDocument,
        once: &IdempotentCall,
        device: Option<DeviceMetadata>,
    ) -> Result<SuppliedResource, DocumentSessionError> {
        let (id, session) = self
            .update_session(id, |session, effects, world| {
                session.ensure_open_for_end_user(world)?;
                if let Some(made) = once.earlier_result(session)? {
                    return Ok(made);
                }
                let (document_type, country) = validate_description(kind, &new)?;
                let requirement = choose_requirement(session, kind, &new, document_type, country.as_deref())?;
                ensure_attempts_left(session, requirement)?;
                let requirement = session
                    .requirement_mut(requirement)
                    .ok_or(DocumentSessionError::ItemNotFound("requirement"))?;
                let mut resource = SuppliedResource::begin(world, requirement);
                resource.document_type = document_type;
                resource.issuing_country = country;
                if kind == ResourceKind::SupplementaryDocument {
                    resource.other_type = new.document_type.map(|word| word.trim().to_ascii_uppercase());
                }
                session.attach_resource(resource, once, device, effects, world)
            })
            .await?;
        session
            .resources
            .into_iter()
            .find(|resource| resource.id == id)
            .ok_or(DocumentSessionError::ItemNotFound("resource"))
    }

    /// Puts a page of a document in its place. Gives its media.
    pub async fn put_page(
        &self,
        held: &UnsealedDocumentSession,
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
        let put = ReadableMediaOptions { pdf: false, event: "PAGE_UPLOADED", device };
        let place = move |resource: &mut SuppliedResource, media| resource.put_page(number, method, media);
        self.put_readable_media(held, (kind, resource), upload, put, place).await
    }

    /// Puts the file of a supplementary document in its place.
    pub async fn put_file(
        &self,
        held: &UnsealedDocumentSession,
        resource: ResourceId,
        upload: CapturedMedia,
        device: Option<DeviceMetadata>,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let put = ReadableMediaOptions { pdf: true, event: "FILE_UPLOADED", device };
        let of = (ResourceKind::SupplementaryDocument, resource);
        self.put_readable_media(held, of, upload, put, |resource, media| resource.file.replace(media)).await
    }

    /// Puts something that can be read in its place in a resource, which gives what it replaces, and begins to read it.
    async fn put_readable_media(
        &self,
        held: &UnsealedDocumentSession,
        (kind, resource): (ResourceKind, ResourceId),
        upload: CapturedMedia,
        put: ReadableMediaOptions,
        place: impl FnOnce(&mut SuppliedResource, MediaId) -> Option<MediaId> + Send,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let session = &held.session;
        session.ensure_capture_method_allowed(upload.capture_method)?;
        ensure_not_being_read(session.require_resource(kind, resource)?)?;
        let (media_kind, content_type) = upload.inspect(put.pdf, !session.sandbox)?;
        let media = self.store_media(held, media_kind, content_type, Some(resource), &upload.bytes).await?;
        let added = media.clone();
        let put = self
            .update_with_media(held, media, move |session, effects, world| {
                ensure_not_being_read(session.require_resource(kind, resource)?)?;
                let changed =
                    session.resource_mut(resource).ok_or(DocumentSessionError::ItemNotFound("resource"))?;
                effects.discarded_media.extend(place(changed, added.id));
                if added.kind == MediaType::Pdf {
                    effects
                        .notify(NotificationTopic::NewPdfSupplied, NotificationSubject::Resource(resource));
                }
                session.media.push(added);
                session.accept_readable_media(resource, world)?;
                session.record_resource_change(resource, put.event, put.device, effects, world);
                Ok(())
            })
            .await?;
        if session.requested_task_type(kind).is_some() && !session.sandbox {
            self.prefetch_page(session.id, put.id, upload.bytes);
        }
        Ok(put)
    }

    /// Asks for a document to be read, and waits a while for it.
    pub async fn request_extraction(
        &self,
        id: DocumentSessionId,
        kind: ResourceKind,
        resource: ResourceId,
        device: Option<DeviceMetadata>,
    ) -> Result<ExtractionTask, DocumentSessionError> {
        let (task, session) = self
            .update_session(id, |session, effects, world| {
                session.ensure_open_for_end_user(world)?;
                let known = session.require_resource(kind, resource)?;
                if session.requested_task_type(kind).is_none() {
                    return Err(DocumentSessionError::ItemNotFound("task"));
                }
                if known.readable_media().is_empty() {
                    return Err(DocumentSessionError::NotReady(
                        "no page of the document has come yet".to_owned(),
                    ));
                }
                let asked = known.tasks.iter().find(|task| task.state == TaskState::Created);
                let Some(asked) = asked.map(|task| task.id) else {
                    // It was asked for before: that is the answer.
                    let last = known.tasks.last().ok_or(DocumentSessionError::ItemNotFound("task"))?;
                    return Ok(last.id);
                };
                let requirement = known.requirement;
                session
                    .requirement_mut(requirement)
                    .ok_or(DocumentSessionError::ItemNotFound("requirement"))?
                    .use_attempt()?;
                let now = world.now();
                let tasks = session.resource_mut(resource).map(|resource| &mut resource.tasks);
                for task in tasks.into_iter().flatten().filter(|task| task.id == asked) {
                    task.state = task.state.after(TaskEvent::Requested)?;
                    task.last_updated = now;
                }
                session.record_device_event("TEXT_EXTRACTION_REQUESTED", Some(resource), now, device);
                effects.read_jobs.push(ReadDocument { session: session.id, resource, task: asked });
                Ok(asked)
            })
            .await?;
        let found = find_task(&session, resource, task);
        let found = found.ok_or(DocumentSessionError::ItemNotFound("task"))?;
        if found.state == TaskState::Pending {
            self.wait_for_task(id, resource, task).await
        } else {
            Ok(found)
        }
    }

    /// Waits until a task has ended, for as long as the settings say; gives it as it stands.
    async fn wait_for_task(
        &self,
        id: DocumentSessionId,
        resource: ResourceId,
        task: TaskId,
    ) -> Result<ExtractionTask, DocumentSessionError> {
        let until = tokio::time::Instant::now() + self.0.settings.task_wait_timeout;
        loop {
            let held = {
                let mut view = self.0.db.read().await?;
                self.find_unscoped(&mut view, id).await?.ok_or(DocumentSessionError::SessionNotFound)?
            };
            let found =
                find_task(&held.session, resource, task).ok_or(DocumentSessionError::ItemNotFound("task"))?;
            if found.state != TaskState::Pending || tokio::time::Instant::now() >= until {
                return Ok(found);
            }
            tokio::time::sleep(TASK_POLL_INTERVAL).await;
        }
    }
}

fn find_task(session: &DocumentSession, resource: ResourceId, task: TaskId) -> Option<ExtractionTask> {
    let resource = session.resources.iter().find(|known| known.id == resource)?;
    resource.tasks.iter().find(|known| known.id == task).cloned()
}

/// What was said of a document, as far as it must be said.
fn validate_description(
    kind: ResourceKind,
    new: &NewDocument,
) -> Result<(Option<catalogue::DocumentType>, Option<String>), DocumentSessionError> {
    let country = new.issuing_country.as_deref().map(|code| code.trim().to_ascii_uppercase());
    if country.as_deref().is_some_and(|code| countries::find_iso(code).is_none()) {
        return Err(DocumentSessionError::invalid_member(
            "issuing_country",
            "it is no ISO 3166-1 alpha-3 code",
        ));
    }
    if kind == ResourceKind::SupplementaryDocument {
        let odd =
            |word: &String| word.len() > 64 || !word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if new.document_type.as_ref().is_some_and(odd) {
            return Err(DocumentSessionError::invalid_member(
                "document_type",
                "it has at most 64 letters, digits and underscores",
            ));
        }
        return Ok((None, country));
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
    Ok((Some(document_type), Some(country)))
}

/// The requirement that a document is for.
fn choose_requirement(
    session: &DocumentSession,
    kind: ResourceKind,
    new: &NewDocument,
    document_type: Option<catalogue::DocumentType>,
    country: Option<&str>,
) -> Result<ResourceId, DocumentSessionError> {
    let mut fitting: Vec<&Requirement> =
        session.requirements.iter().filter(|requirement| requirement.kind == kind).collect();
    if fitting.is_empty() {
        return Err(DocumentSessionError::ResourceLocked(format!("the session asks for no {kind}")));
    }
    if let Some(text) = &new.requirement_id {
        let id = text.parse::<ResourceId>().ok();
        fitting.retain(|requirement| Some(requirement.id) == id);
        if fitting.is_empty() {
            return Err(DocumentSessionError::ItemNotFound("requirement"));
        }
    }
    if let (Some(document_type), Some(country)) = (document_type, country) {
        fitting.retain(|requirement| requirement.filter.allows_type(country, document_type));
        if fitting.is_empty() {
            let words =
                format!("the session does not take {} of {country}", document_type_name(document_type));
            return Err(DocumentSessionError::invalid_member("document_type", words));
        }
    }
    // What is still to be supplied comes first; else the last is replaced.
    let open = fitting.iter().find(|requirement| requirement.standing != RequirementState::Fulfilled);
    let chosen = open.or_else(|| fitting.last()).ok_or(DocumentSessionError::ItemNotFound("requirement"))?;
    Ok(chosen.id)
}

fn ensure_attempts_left(session: &DocumentSession, id: ResourceId) -> Result<(), DocumentSessionError> {
    let left = session.requirements.iter().find(|known| known.id == id).map(Requirement::attempts_remaining);
    if left == Some(0) {
        return Err(DocumentSessionError::ResourceLocked("no attempts are left".to_owned()));
    }
    Ok(())
}

/// Refuses to change a resource while it is being read.
fn ensure_not_being_read(resource: &SuppliedResource) -> Result<(), DocumentSessionError> {
    if resource.tasks.iter().any(|task| task.state == TaskState::Pending) {
        return Err(DocumentSessionError::ResourceLocked(
            "the resource is being read; wait for its task".to_owned(),
        ));
    }
    Ok(())
}
