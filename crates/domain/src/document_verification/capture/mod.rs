//! What is supplied for a session, up to the moment when the checks begin: [`documents`], [`liveness`] and [`faces`]
//! have a service each, [`uploads`] is how large files arrive over a network that breaks, [`captured_media`] inspects
//! what arrived. The rules that they share are here.

mod captured_media;
mod documents;
mod faces;
mod liveness;
mod uploads;

pub use captured_media::CapturedMedia;
pub(super) use documents::DocumentCaptureService;
pub use documents::{NewDocument, RequestedExtraction};
pub(super) use faces::FaceCaptureService;
pub(super) use liveness::LivenessCaptureService;
pub use liveness::{FrameReceipt, JudgedCapture};
pub(super) use uploads::ResumableUploadService;

use super::{
    error::DocumentSessionError,
    notifications::NotificationSubject,
    session::{
        DocumentSession, ExtractionTask, IdempotentCreation, SuppliedResource,
        state_machine::RequirementEvent,
    },
    types::{CaptureMethod, CaptureMethods, NotificationTopic, ResourceSource, TaskState},
    unit_of_work::SideEffects,
};
use crate::DeviceMetadata;
use aws_lc_rs::digest;
use base::{Environment, Id as _, ResourceId, TaskId};

/// Resources of a session, at most; those that were replaced count, too.
const MAX_RESOURCES: usize = 60;

/// Who supplies a resource: the end user, or the relying party itself.
pub type ResourceCaller = ResourceSource;

/// A call that may be the repeat of one whose answer was lost.
#[derive(Clone, Debug, Default)]
pub struct IdempotentCall {
    /// Its `Idempotency-Key`; without one the call is no repeat.
    pub key: Option<String>,
    /// What a repeat has in common with the first call: operation and body.
    pub request: Vec<u8>,
}

impl IdempotentCall {
    /// The hashes of the key and of the request; `None` without a key.
    fn hashes(&self) -> Option<(String, String)> {
        let hash = |bytes: &[u8]| hex::encode(digest::digest(&digest::SHA256, bytes));
        Some((hash(self.key.as_ref()?.as_bytes()), hash(&self.request)))
    }

    /// The resource that the same call created before.
    fn earlier_result(&self, session: &DocumentSession) -> Result<Option<ResourceId>, DocumentSessionError> {
        let Some((key, request)) = self.hashes() else { return Ok(None) };
        match session.made.iter().find(|created| created.key == key) {
            None => Ok(None),
            Some(created) if created.request == request => Ok(Some(created.resource)),
            Some(_) => Err(DocumentSessionError::IdempotencyKeyReused),
        }
    }

    /// Remembers the resource that this call created.
    fn record_result(&self, session: &mut DocumentSession, resource: ResourceId) {
        let created = self.hashes().map(|(key, request)| IdempotentCreation { key, request, resource });
        session.made.extend(created);
    }
}

impl DocumentSession {
    /// Adds a resource created by this call; it replaces what was supplied for its requirement before.
    fn attach_resource(
        &mut self,
        resource: SuppliedResource,
        call: &IdempotentCall,
        device: Option<DeviceMetadata>,
        effects: &mut SideEffects,
        env: &dyn Environment,
    ) -> Result<ResourceId, DocumentSessionError> {
        if self.resources.len() >= MAX_RESOURCES {
            let message = format!("a session takes at most {MAX_RESOURCES} resources");
            return Err(DocumentSessionError::ResourceLocked(message));
        }
        let id = resource.id;
        let requirement = self.require_requirement_mut(resource.requirement)?;
        requirement.standing = requirement.standing.after(RequirementEvent::Supplied)?;
        requirement.resource = Some(id);
        self.resources.push(resource);
        call.record_result(self, id);
        self.record_resource_change(id, "RESOURCE_CREATED", device, effects, env);
        Ok(id)
    }

    /// Records that a resource was changed, with the device, and notifies the relying party.
    fn record_resource_change(
        &mut self,
        id: ResourceId,
        event: &str,
        device: Option<DeviceMetadata>,
        effects: &mut SideEffects,
        env: &dyn Environment,
    ) {
        self.mark_updated(id, env);
        self.record_device_event(event, Some(id), env.now(), device);
        effects.notify(NotificationTopic::ResourceUpdate, NotificationSubject::Resource(id));
    }

    /// A page or file arrived: creates a task to read it, or, if the session asks for none, accepts it as it is.
    fn accept_readable_media(
        &mut self,
        id: ResourceId,
        env: &dyn Environment,
    ) -> Result<(), DocumentSessionError> {
        self.apply_requirement_event(id, RequirementEvent::Supplied)?;
        let Some(kind) = self.resource_mut(id).map(|resource| resource.kind) else { return Ok(()) };
        let Some(task) = self.requested_task_type(kind) else {
            return Ok(self.apply_requirement_event(id, RequirementEvent::Accepted)?);
        };
        if let Some(requirement) = self.requirement_of(id) {
            requirement.ensure_attempts_left()?;
        }
        let now = env.now();
        if let Some(resource) = self.resource_mut(id)
            && !resource.tasks.iter().any(|task| task.state == TaskState::Created)
        {
            resource.tasks.push(ExtractionTask {
                id: TaskId::new(env),
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

    /// Refuses pictures from files if the session accepts only those of a camera.
    fn ensure_capture_method_allowed(&self, method: CaptureMethod) -> Result<(), DocumentSessionError> {
        let camera_only = self.requested.sdk_config.allowed_capture_methods == Some(CaptureMethods::Camera);
        if camera_only && method == CaptureMethod::Upload {
            return Err(DocumentSessionError::invalid_member(
                "descriptor.capture_method",
                "the session accepts CAMERA only",
            ));
        }
        Ok(())
    }
}
