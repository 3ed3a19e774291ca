//! A session and everything in it. It is stored as one sealed JSON document, so that no column says anything of a
//! person. Rows written by older versions must still be read: new members need `#[serde(default)]`.
//!
//! [`requirement`] is what must be supplied, [`resource`] what was supplied, [`check`] what is checked, [`media`] what
//! is stored outside of the row. [`state_machine`] has every change of a state; [`rules`] has what the session as a
//! whole refuses and when it moves on.

mod check;
mod media;
mod requirement;
mod resource;
mod rules;
pub mod state_machine;

pub use check::VerificationCheck;
pub use media::{ResumableUpload, SessionMedia, UploadPart};
pub use requirement::Requirement;
pub(super) use requirement::requirement_event_after;
pub use resource::{
    CapturedPage, ExtractionTask, LivenessVerdict, SuppliedResource, TaskNextStep, TaskNextStepReason,
};

use super::{
    request::DocumentSessionRequest,
    types::{RequirementState, ResourceKind, ResourceSource, SessionState},
};
use crate::{DeviceMetadata, time_left::whole_seconds_until};
use base::{AppId, DocumentSessionId, Environment, Id as _, MediaId, ResourceId, Timestamp, Uuid};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Device events that are kept of a session: the latest so many.
const MAX_DEVICE_EVENTS: usize = 100;

/// One verification of one end user for one relying party.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own")]
pub struct DocumentSession {
    pub id: DocumentSessionId,
    pub app: AppId,
    /// Whether results come from a response configuration instead of checks.
    pub sandbox: bool,
    pub created_at: Timestamp,
    /// What the relying party asked for.
    #[serde(rename = "wanted")]
    pub requested: DocumentSessionRequest,
    /// The secret that the end user's calls carry; it is void once the session was triggered.
    pub token: Uuid,
    /// When the end user finished (or nothing was left for them to do) and the checks were triggered.
    pub triggered_at: Option<Timestamp>,
    pub state: SessionState,
    /// When the end user consented to the use of biometric data.
    pub biometric_consent: Option<Timestamp>,
    /// What has to be supplied, in the order in which the page asks for it.
    pub requirements: Vec<Requirement>,
    /// What was supplied, including what was replaced since.
    pub resources: Vec<SuppliedResource>,
    pub checks: Vec<VerificationCheck>,
    /// What is stored in blobs, outside of this document.
    pub media: Vec<SessionMedia>,
    /// The end user's and the relying party's devices, oldest first; at most 100.
    pub devices: Vec<DeviceEvent>,
    /// The session's own sandbox response configuration, as it was sent.
    pub config: Option<Value>,
    /// Whether everything supplied was destroyed after `resources_ttl`.
    #[serde(default)]
    pub destroyed: bool,
    /// Resources that were created under an `Idempotency-Key`, so that a repeat of the call creates nothing more.
    #[serde(default)]
    pub made: Vec<IdempotentCreation>,
    /// Resumable uploads, the latest last.
    #[serde(default)]
    pub uploads: Vec<ResumableUpload>,
    /// Whether neither its steps nor its deletion are recorded: an issuer of blind tokens must not keep when somebody proved
    /// their age, or by what.
    #[serde(default)]
    pub unrecorded: bool,
    /// Whether it is an attempt of an age session: the relying party learns the age, and must not see what shows it.
    #[serde(default)]
    pub serves_age_session: bool,
}

/// A resource that was created under an `Idempotency-Key`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdempotentCreation {
    /// SHA-256 of the key, in hexadecimal.
    pub key: String,
    /// SHA-256 of operation and body, in hexadecimal.
    pub request: String,
    /// The resource that was created.
    pub resource: ResourceId,
}

/// What a device was used for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceEvent {
    /// The event in capital letters, `RESOURCE_CREATED` for example.
    pub event: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<ResourceId>,
    pub created: Timestamp,
    /// The device, as the client library described it.
    pub device: DeviceMetadata,
}

impl DocumentSession {
    /// A new session that nothing was supplied for yet.
    pub fn begin(env: &dyn Environment, app: AppId, sandbox: bool, request: DocumentSessionRequest) -> Self {
        let requirements = request.requirement_specs().into_iter().map(|spec| Requirement {
            id: ResourceId::new(env),
            kind: spec.kind,
            source: spec.source,
            filter: spec.filter,
            supplementary: spec.supplementary,
            liveness_type: spec.liveness_type,
            attempts: spec.attempts,
            used: 0,
            reclassifications_left: spec.reclassifications,
            standing: RequirementState::Required,
            resource: None,
        });
        Self {
            id: DocumentSessionId::new(env),
            app,
            sandbox,
            created_at: env.now(),
            requirements: requirements.collect(),
            requested: request,
            token: env.uuid_v4(),
            triggered_at: None,
            state: SessionState::Ongoing,
            biometric_consent: None,
            resources: Vec::new(),
            checks: Vec::new(),
            media: Vec::new(),
            devices: Vec::new(),
            config: None,
            destroyed: false,
            made: Vec::new(),
            uploads: Vec::new(),
            unrecorded: false,
            serves_age_session: false,
        }
    }

    /// Seconds that the end user has left, rounded up; 0 once they have finished or the session has ended.
    pub fn seconds_left(&self, now: Timestamp) -> i64 {
        if self.is_open(now) { whole_seconds_until(self.requested.until, now) } else { 0 }
    }

    /// Whether the end user may still act, with their token. Nothing is supplied after the resources were destroyed, as it
    /// would not be destroyed any more.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.state == SessionState::Ongoing
            && self.triggered_at.is_none()
            && !self.destroyed
            && now < self.requested.until
    }

    /// Whether the end user's time passed before they finished. The session has expired then, although the stored state
    /// does not say so until the next sweep.
    pub fn has_run_out(&self, now: Timestamp) -> bool {
        self.state == SessionState::Ongoing && self.triggered_at.is_none() && now >= self.requested.until
    }

    /// The resource with this id, if it is of this kind.
    pub fn resource(&self, kind: ResourceKind, id: ResourceId) -> Option<&SuppliedResource> {
        self.resources.iter().find(|resource| resource.kind == kind && resource.id == id)
    }

    /// The resource with this id, of whatever kind.
    pub fn resource_mut(&mut self, id: ResourceId) -> Option<&mut SuppliedResource> {
        self.resources.iter_mut().find(|resource| resource.id == id)
    }

    pub fn requirement_mut(&mut self, id: ResourceId) -> Option<&mut Requirement> {
        self.requirements.iter_mut().find(|requirement| requirement.id == id)
    }

    /// The resources of a kind that count for their requirements; those that were replaced do not.
    pub fn fulfilling_resources(&self, kind: ResourceKind) -> impl Iterator<Item = &SuppliedResource> {
        self.requirements
            .iter()
            .filter(move |requirement| requirement.kind == kind)
            .filter_map(move |requirement| self.resource(kind, requirement.resource?))
    }

    pub fn media(&self, id: MediaId) -> Option<&SessionMedia> {
        self.media.iter().find(|media| media.id == id)
    }

    /// Whether the relying party has not supplied its own picture yet, without which the end user cannot begin.
    pub fn awaits_relying_party(&self) -> bool {
        self.requirements.iter().any(|requirement| {
            requirement.source == ResourceSource::RelyingParty
                && requirement.standing != RequirementState::Fulfilled
        })
    }

    /// Whether a device was used for this.
    pub fn has_device_event(&self, event: &str) -> bool {
        self.devices.iter().any(|known| known.event == event)
    }

    /// Records what a device was used for, if the client described it. Of too many events the oldest goes.
    pub fn record_device_event(
        &mut self,
        event: &str,
        resource: Option<ResourceId>,
        now: Timestamp,
        device: Option<DeviceMetadata>,
    ) {
        let Some(device) = device else { return };
        if self.devices.len() >= MAX_DEVICE_EVENTS {
            self.devices.remove(0);
        }
        self.devices.push(DeviceEvent {
            event: event.to_owned(),
            resource_id: resource,
            created: now,
            device,
        });
    }

    /// The bytes of its media, and of uploads, that are stored.
    pub fn media_bytes(&self) -> u64 {
        let media = self.media.iter().filter(|media| !media.redacted).map(|media| media.bytes);
        let parts = self.uploads.iter().flat_map(|upload| &upload.pieces).map(|part| part.bytes);
        media.chain(parts).sum()
    }

    /// Removes media from the list; nothing may refer to them any more.
    pub fn drop_media(&mut self, discarded: &[MediaId]) {
        self.media.retain(|media| !discarded.contains(&media.id));
    }

    /// Forgets everything that was supplied; states, decisions and reports stay.
    pub fn clear_supplied_data(&mut self) {
        self.resources.clear();
        self.media.clear();
        self.devices.clear();
        self.made.clear();
        self.uploads.clear();
        for check in &mut self.checks {
            check.resources_used.clear();
            check.generated_media.clear();
        }
        for requirement in &mut self.requirements {
            requirement.resource = None;
        }
        self.requested.user_tracking_id = None;
        self.destroyed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;

    /// Sessions that other builds have sealed must be readable, and theirs must read those of this one.
    #[test]
    fn what_was_asked_for_is_stored_under_the_name_that_it_always_had() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let request = DocumentSessionRequest::new(env.now());
        let session = DocumentSession::begin(&env, Uuid::from_u128(1).into(), false, request);
        let stored = serde_json::to_value(&session).unwrap();
        assert!(stored["wanted"].is_object(), "{stored}");
        let again: DocumentSession = serde_json::from_value(stored).unwrap();
        assert_eq!(again.requested.until, session.requested.until);
    }
}
