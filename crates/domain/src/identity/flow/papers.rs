//! Documents: begun, their pages, and the reading of them.

use super::{LAST_PAGE, LOOK_EVERY, NewDocument, Once};
use crate::{
    DeviceMetadata,
    identity::{
        Identities, ReadDocument,
        change::{NotDone, Subject, Upload},
        filter::{type_of, type_word},
        moves::TaskEvent,
        session::{Media, Requirement, Resource, Session, Task},
        store::Held,
        words::{MediaType, NotificationTopic, RequirementState, ResourceKind, TaskState},
    },
};
use base::{MediaId, ResourceId, SessionId, TaskId};
use documents::{catalogue, countries};

/// What goes with something that is put in its place.
struct Put {
    /// Whether it may be a PDF file.
    pdf: bool,
    /// What is noted of the device.
    event: &'static str,
    device: Option<DeviceMetadata>,
}

impl Identities {
    /// Begins a document.
    pub async fn add_document(
        &self,
        id: SessionId,
        kind: ResourceKind,
        new: NewDocument,
        once: &Once,
        device: Option<DeviceMetadata>,
    ) -> Result<Resource, NotDone> {
        let (id, session) = self
            .change(id, |session, effects, world| {
                session.person(world)?;
                if let Some(made) = once.before(session)? {
                    return Ok(made);
                }
                let (document_type, country) = described(kind, &new)?;
                let requirement = choose(session, kind, &new, document_type, country.as_deref())?;
                requirement_open(session, requirement)?;
                let requirement = session.requirement(requirement).ok_or(NotDone::Missing("requirement"))?;
                let mut resource = Resource::begin(world, requirement);
                resource.document_type = document_type;
                resource.issuing_country = country;
                if kind == ResourceKind::SupplementaryDocument {
                    resource.other_type = new.document_type.map(|word| word.trim().to_ascii_uppercase());
                }
                session.supply(resource, once, device, effects, world)
            })
            .await?;
        session.resources.into_iter().find(|resource| resource.id == id).ok_or(NotDone::Missing("resource"))
    }

    /// Puts a page of a document in its place. Gives its media.
    pub async fn put_page(
        &self,
        held: &Held,
        kind: ResourceKind,
        resource: ResourceId,
        number: u32,
        upload: Upload,
        device: Option<DeviceMetadata>,
    ) -> Result<Media, NotDone> {
        if number > LAST_PAGE {
            return Err(NotDone::wrong("page", format!("pages are numbered from 0 to {LAST_PAGE}")));
        }
        let method = upload.capture_method;
        let put = Put { pdf: false, event: "PAGE_UPLOADED", device };
        let place = move |resource: &mut Resource, media| resource.put_page(number, method, media);
        self.put_readable(held, (kind, resource), upload, put, place).await
    }

    /// Puts the file of a supplementary document in its place.
    pub async fn put_file(
        &self,
        held: &Held,
        resource: ResourceId,
        upload: Upload,
        device: Option<DeviceMetadata>,
    ) -> Result<Media, NotDone> {
        let put = Put { pdf: true, event: "FILE_UPLOADED", device };
        let of = (ResourceKind::SupplementaryDocument, resource);
        self.put_readable(held, of, upload, put, |resource, media| resource.file.replace(media)).await
    }

    /// Puts something that can be read in its place in a resource, which gives what it replaces, and begins to read it.
    async fn put_readable(
        &self,
        held: &Held,
        (kind, resource): (ResourceKind, ResourceId),
        upload: Upload,
        put: Put,
        place: impl FnOnce(&mut Resource, MediaId) -> Option<MediaId> + Send,
    ) -> Result<Media, NotDone> {
        let session = &held.session;
        session.takes_from(upload.capture_method)?;
        not_being_read(session.mine(kind, resource)?)?;
        let (media_kind, content_type) = upload.kind(put.pdf, !session.sandbox)?;
        let media = self.put(held, media_kind, content_type, Some(resource), &upload.bytes).await?;
        let added = media.clone();
        let put = self
            .changed(held, media, move |session, effects, world| {
                not_being_read(session.mine(kind, resource)?)?;
                let changed = session.any(resource).ok_or(NotDone::Missing("resource"))?;
                effects.gone.extend(place(changed, added.id));
                if added.kind == MediaType::Pdf {
                    effects.tell(NotificationTopic::NewPdfSupplied, Subject::Resource(resource));
                }
                session.media.push(added);
                session.readable_came(resource, world)?;
                session.changed(resource, put.event, put.device, effects, world);
                Ok(())
            })
            .await?;
        if session.task_kind(kind).is_some() && !session.sandbox {
            self.read_ahead(session.id, put.id, upload.bytes);
        }
        Ok(put)
    }

    /// Asks for a document to be read, and waits a while for it.
    pub async fn extract(
        &self,
        id: SessionId,
        kind: ResourceKind,
        resource: ResourceId,
        device: Option<DeviceMetadata>,
    ) -> Result<Task, NotDone> {
        let (task, session) = self
            .change(id, |session, effects, world| {
                session.person(world)?;
                let known = session.mine(kind, resource)?;
                if session.task_kind(kind).is_none() {
                    return Err(NotDone::Missing("task"));
                }
                if known.readable().is_empty() {
                    return Err(NotDone::NotReady("no page of the document has come yet".to_owned()));
                }
                let asked = known.tasks.iter().find(|task| task.state == TaskState::Created);
                let Some(asked) = asked.map(|task| task.id) else {
                    // It was asked for before: that is the answer.
                    let last = known.tasks.last().ok_or(NotDone::Missing("task"))?;
                    return Ok(last.id);
                };
                let requirement = known.requirement;
                session.requirement(requirement).ok_or(NotDone::Missing("requirement"))?.attempt()?;
                let now = world.now();
                let tasks = session.any(resource).map(|resource| &mut resource.tasks);
                for task in tasks.into_iter().flatten().filter(|task| task.id == asked) {
                    task.state = task.state.after(TaskEvent::Asked)?;
                    task.last_updated = now;
                }
                session.track("TEXT_EXTRACTION_REQUESTED", Some(resource), now, device);
                effects.read.push(ReadDocument { session: session.id, resource, task: asked });
                Ok(asked)
            })
            .await?;
        let found = find_task(&session, resource, task);
        let found = found.ok_or(NotDone::Missing("task"))?;
        if found.state == TaskState::Pending { self.wait_for(id, resource, task).await } else { Ok(found) }
    }

    /// Waits until a task has ended, for as long as the settings say; gives it as it stands.
    async fn wait_for(&self, id: SessionId, resource: ResourceId, task: TaskId) -> Result<Task, NotDone> {
        let until = tokio::time::Instant::now() + self.0.settings.patience;
        loop {
            let held = {
                let mut view = self.0.db.read().await?;
                self.find_any(&mut view, id).await?.ok_or(NotDone::NoSession)?
            };
            let found = find_task(&held.session, resource, task).ok_or(NotDone::Missing("task"))?;
            if found.state != TaskState::Pending || tokio::time::Instant::now() >= until {
                return Ok(found);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

fn find_task(session: &Session, resource: ResourceId, task: TaskId) -> Option<Task> {
    let resource = session.resources.iter().find(|known| known.id == resource)?;
    resource.tasks.iter().find(|known| known.id == task).cloned()
}

/// What was said of a document, as far as it must be said.
fn described(
    kind: ResourceKind,
    new: &NewDocument,
) -> Result<(Option<catalogue::DocumentType>, Option<String>), NotDone> {
    let country = new.issuing_country.as_deref().map(|code| code.trim().to_ascii_uppercase());
    if country.as_deref().is_some_and(|code| countries::find_iso(code).is_none()) {
        return Err(NotDone::wrong("issuing_country", "it is no ISO 3166-1 alpha-3 code"));
    }
    if kind == ResourceKind::SupplementaryDocument {
        let odd =
            |word: &String| word.len() > 64 || !word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if new.document_type.as_ref().is_some_and(odd) {
            return Err(NotDone::wrong("document_type", "it has at most 64 letters, digits and underscores"));
        }
        return Ok((None, country));
    }
    let word =
        new.document_type.as_deref().ok_or_else(|| NotDone::wrong("document_type", "it is required"))?;
    let document_type = type_of(word).ok_or_else(|| {
        NotDone::wrong(
            "document_type",
            "it is one of PASSPORT, NATIONAL_ID, RESIDENCE_PERMIT, DRIVING_LICENCE",
        )
    })?;
    let country = country.ok_or_else(|| NotDone::wrong("issuing_country", "it is required"))?;
    Ok((Some(document_type), Some(country)))
}

/// The requirement that a document is for.
fn choose(
    session: &Session,
    kind: ResourceKind,
    new: &NewDocument,
    document_type: Option<catalogue::DocumentType>,
    country: Option<&str>,
) -> Result<ResourceId, NotDone> {
    let mut fitting: Vec<&Requirement> =
        session.requirements.iter().filter(|requirement| requirement.kind == kind).collect();
    if fitting.is_empty() {
        return Err(NotDone::ResourceLocked(format!("the session asks for no {kind}")));
    }
    if let Some(text) = &new.requirement_id {
        let id = text.parse::<ResourceId>().ok();
        fitting.retain(|requirement| Some(requirement.id) == id);
        if fitting.is_empty() {
            return Err(NotDone::Missing("requirement"));
        }
    }
    if let (Some(document_type), Some(country)) = (document_type, country) {
        fitting.retain(|requirement| requirement.filter.admits(country, document_type));
        if fitting.is_empty() {
            let words = format!("the session does not take {} of {country}", type_word(document_type));
            return Err(NotDone::wrong("document_type", words));
        }
    }
    // What is still to be supplied comes first; else the last is replaced.
    let open = fitting.iter().find(|requirement| requirement.standing != RequirementState::Fulfilled);
    let chosen = open.or_else(|| fitting.last()).ok_or(NotDone::Missing("requirement"))?;
    Ok(chosen.id)
}

fn requirement_open(session: &Session, id: ResourceId) -> Result<(), NotDone> {
    let left = session.requirements.iter().find(|known| known.id == id).map(Requirement::attempts_remaining);
    if left == Some(0) {
        return Err(NotDone::ResourceLocked("no attempts are left".to_owned()));
    }
    Ok(())
}

/// Refuses to change a resource while it is being read.
fn not_being_read(resource: &Resource) -> Result<(), NotDone> {
    if resource.tasks.iter().any(|task| task.state == TaskState::Pending) {
        return Err(NotDone::ResourceLocked("the resource is being read; wait for its task".to_owned()));
    }
    Ok(())
}
