//! A session and everything in it, as it is kept: one sealed document, so that nothing of a person stands in a column.

use super::{
    findings::DocumentFindings,
    report::VerificationReport,
    request::DocumentSessionRequest,
    restrictions::DocumentRestrictions,
    types::{
        CaptureMethod, CheckAdvice, CheckState, LivenessType, ManualCheck, MediaType, RequirementState,
        ResourceKind, ResourceSource, SessionState, TaskAdvice, TaskAdviceReason, TaskState, TaskType,
        VerificationCheckType,
    },
};
use crate::DeviceMetadata;
use base::{
    AppId, DocumentSessionId, Environment, Id as _, MediaId, ModerationCheckId, ResourceId, TaskId,
    Timestamp, UploadId, Uuid,
};
use documents::catalogue::DocumentType;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session. Old rows must still be read after an update: add members with defaults.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DocumentSession {
    /// Which.
    pub id: DocumentSessionId,
    /// Whose.
    pub app: AppId,
    /// Whether results come from a response configuration.
    pub sandbox: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// What was asked for.
    pub wanted: DocumentSessionRequest,
    /// What the person's calls carry.
    pub token: Uuid,
    /// When the person was through.
    pub triggered_at: Option<Timestamp>,
    /// How far it is.
    pub state: SessionState,
    /// When the person consented to the use of biometric data.
    pub biometric_consent: Option<Timestamp>,
    /// What has to be supplied.
    pub requirements: Vec<Requirement>,
    /// What was supplied.
    pub resources: Vec<SuppliedResource>,
    /// What is checked.
    pub checks: Vec<VerificationCheck>,
    /// What is kept outside of this row.
    pub media: Vec<SessionMedia>,
    /// Whose devices were used.
    pub devices: Vec<DeviceEvent>,
    /// Its own response configuration.
    pub config: Option<Value>,
    /// Whether resources were destroyed at the end of their time.
    #[serde(default)]
    pub destroyed: bool,
    /// What was made under an `Idempotency-Key`, so that a repeat makes nothing more.
    #[serde(default)]
    pub made: Vec<IdempotentCreation>,
    /// Uploads that come in pieces, the latest last.
    #[serde(default)]
    pub uploads: Vec<ResumableUpload>,
}

/// An upload that comes in pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumableUpload {
    /// Which.
    pub id: UploadId,
    /// How many bytes it has.
    pub length: u64,
    /// When it was begun.
    pub begun: Timestamp,
    /// What is there, in order.
    pub pieces: Vec<UploadPart>,
}

/// A piece of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadPart {
    /// Where its bytes are kept.
    pub media: MediaId,
    /// How many.
    pub bytes: u64,
}

/// A resource that was made under an `Idempotency-Key`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdempotentCreation {
    /// SHA-256 of the key.
    pub key: String,
    /// SHA-256 of what was asked.
    pub request: String,
    /// What was made.
    pub resource: ResourceId,
}

/// Something that has to be supplied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Requirement {
    /// Which.
    pub id: ResourceId,
    /// What.
    pub kind: ResourceKind,
    /// Who supplies it.
    pub source: ResourceSource,
    /// Which documents are taken.
    pub filter: DocumentRestrictions,
    /// How the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// How often it may be tried, and how often it was.
    pub attempts: i64,
    /// How often it was.
    pub used: i64,
    /// How far it is.
    pub standing: RequirementState,
    /// What counts of what was supplied for it.
    pub resource: Option<ResourceId>,
}

/// Something that was supplied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuppliedResource {
    /// Which.
    pub id: ResourceId,
    /// What.
    pub kind: ResourceKind,
    /// For which requirement.
    pub requirement: ResourceId,
    /// By whom.
    pub source: ResourceSource,
    /// What the person says the document is.
    pub document_type: Option<DocumentType>,
    /// The same as it was said, where it is no identity document.
    #[serde(default)]
    pub other_type: Option<String>,
    /// Who the person says issued it.
    pub issuing_country: Option<String>,
    /// How the face is shown.
    pub liveness_type: Option<LivenessType>,
    /// Pages of a document, or frames of a face, by number.
    pub pages: Vec<CapturedPage>,
    /// A document as one file.
    pub file: Option<MediaId>,
    /// The picture of a face.
    pub image: Option<MediaId>,
    /// What a zoom says of a face's shape.
    pub facemap: Option<MediaId>,
    /// What was read.
    pub document_fields: Option<MediaId>,
    /// The portrait on it.
    pub id_photo: Option<MediaId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub last_updated: Timestamp,
    /// What was done with it.
    pub tasks: Vec<ExtractionTask>,
    /// Everything that was read and measured.
    pub findings: Option<DocumentFindings>,
}

/// A page, or a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedPage {
    /// Its number.
    pub number: u32,
    /// Where its picture comes from.
    pub capture_method: CaptureMethod,
    /// Its picture.
    pub media: Option<MediaId>,
}

/// A task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExtractionTask {
    /// Which.
    pub id: TaskId,
    /// What is done.
    pub kind: TaskType,
    /// How far.
    pub state: TaskState,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub last_updated: Timestamp,
    /// What came of it.
    pub generated_media: Vec<MediaId>,
    /// Checks that it asked for.
    pub generated_checks: Vec<ModerationCheckId>,
    /// What the person should do.
    pub recommendation: Option<TaskNextStep>,
}

/// What the person should do after a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskNextStep {
    /// Go on or try again.
    pub value: TaskAdvice,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<TaskNextStepReason>,
}

/// Why to try again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskNextStepReason {
    /// Whose doing it is.
    pub value: TaskAdviceReason,
    /// In one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl TaskNextStep {
    /// Go on.
    pub fn progress() -> Self {
        Self { value: TaskAdvice::Progress, reason: None }
    }

    /// Try again.
    pub fn try_again(value: TaskAdvice, reason: TaskAdviceReason, detail: &str) -> Self {
        Self { value, reason: Some(TaskNextStepReason { value: reason, detail: Some(detail.to_owned()) }) }
    }
}

/// A check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerificationCheck {
    /// Which.
    pub id: ModerationCheckId,
    /// What is checked.
    pub kind: VerificationCheckType,
    /// How far.
    pub state: CheckState,
    /// What is looked at.
    pub resources_used: Vec<ResourceId>,
    /// What came of it.
    pub generated_media: Vec<MediaId>,
    /// What it says.
    pub report: Option<VerificationReport>,
    /// What this server says, while a reviewer has not decided.
    pub draft: Option<VerificationReport>,
    /// When a reviewer decides.
    pub manual_check: ManualCheck,
    /// Whether the issuing authority is looked at.
    pub issuing_authority: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub last_updated: Timestamp,
}

/// Something that is kept as a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMedia {
    /// Which.
    pub id: MediaId,
    /// What.
    pub kind: MediaType,
    /// Its content type.
    pub content_type: String,
    /// How many bytes.
    pub bytes: u64,
    /// Of which resource.
    pub resource: Option<ResourceId>,
    /// Whether its contents were deleted.
    #[serde(default)]
    pub redacted: bool,
}

/// A device that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceEvent {
    /// For what.
    pub event: String,
    /// With which resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<ResourceId>,
    /// When.
    pub created: Timestamp,
    /// What the client said of it.
    pub device: DeviceMetadata,
}

/// Devices that are kept of a session: the latest.
const MAX_DEVICE_EVENTS: usize = 100;

impl DocumentSession {
    /// A session that begins.
    pub fn begin(world: &dyn Environment, app: AppId, sandbox: bool, wanted: DocumentSessionRequest) -> Self {
        let requirements = wanted.requirement_specs().into_iter().map(|needed| Requirement {
            id: ResourceId::new(world),
            kind: needed.kind,
            source: needed.source,
            filter: needed.filter,
            liveness_type: needed.liveness_type,
            attempts: needed.attempts,
            used: 0,
            standing: RequirementState::Required,
            resource: None,
        });
        Self {
            id: DocumentSessionId::new(world),
            app,
            sandbox,
            created_at: world.now(),
            requirements: requirements.collect(),
            wanted,
            token: world.uuid_v4(),
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
        }
    }

    /// Seconds that the person still has; none once they are through.
    pub fn seconds_left(&self, now: Timestamp) -> i64 {
        if self.state != SessionState::Ongoing || self.triggered_at.is_some() {
            return 0;
        }
        self.wanted.until.duration_since(now).as_secs().max(0)
    }

    /// Whether the person's token still opens it.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.state == SessionState::Ongoing && self.triggered_at.is_none() && now < self.wanted.until
    }

    /// A resource of a kind.
    pub fn resource(&self, kind: ResourceKind, id: ResourceId) -> Option<&SuppliedResource> {
        self.resources.iter().find(|resource| resource.kind == kind && resource.id == id)
    }

    /// Any resource.
    pub fn resource_mut(&mut self, id: ResourceId) -> Option<&mut SuppliedResource> {
        self.resources.iter_mut().find(|resource| resource.id == id)
    }

    /// A requirement.
    pub fn requirement_mut(&mut self, id: ResourceId) -> Option<&mut Requirement> {
        self.requirements.iter_mut().find(|requirement| requirement.id == id)
    }

    /// The resources that count for their requirements, of a kind.
    pub fn fulfilling_resources(&self, kind: ResourceKind) -> impl Iterator<Item = &SuppliedResource> {
        self.requirements
            .iter()
            .filter(move |requirement| requirement.kind == kind)
            .filter_map(move |requirement| self.resource(kind, requirement.resource?))
    }

    /// A media that is there.
    pub fn media(&self, id: MediaId) -> Option<&SessionMedia> {
        self.media.iter().find(|media| media.id == id)
    }

    /// Whether the business's own picture is missing, without which nobody can begin.
    pub fn awaits_relying_party(&self) -> bool {
        self.requirements.iter().any(|requirement| {
            requirement.source == ResourceSource::RelyingParty
                && requirement.standing != RequirementState::Fulfilled
        })
    }

    /// Notes a device.
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

    /// Forgets media that nothing refers to any more.
    pub fn drop_media(&mut self, gone: &[MediaId]) {
        self.media.retain(|media| !gone.contains(&media.id));
    }

    /// Everything that was supplied is gone; what was decided stays.
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
        self.wanted.user_tracking_id = None;
        self.destroyed = true;
    }
}

impl SuppliedResource {
    /// One that begins.
    pub fn begin(world: &dyn Environment, requirement: &Requirement) -> Self {
        let now = world.now();
        Self {
            id: ResourceId::new(world),
            kind: requirement.kind,
            requirement: requirement.id,
            source: requirement.source,
            document_type: None,
            other_type: None,
            issuing_country: None,
            liveness_type: requirement.liveness_type,
            pages: Vec::new(),
            file: None,
            image: None,
            facemap: None,
            document_fields: None,
            id_photo: None,
            created_at: now,
            last_updated: now,
            tasks: Vec::new(),
            findings: None,
        }
    }

    /// What there is to read, in order: its file, or its pages.
    pub fn readable_media(&self) -> Vec<MediaId> {
        let pages = self.pages.iter().filter_map(|page| page.media);
        self.file.into_iter().chain(pages).collect()
    }

    /// Puts a page in; gives the media that it replaces.
    pub fn put_page(
        &mut self,
        number: u32,
        capture_method: CaptureMethod,
        media: MediaId,
    ) -> Option<MediaId> {
        let page = CapturedPage { number, capture_method, media: Some(media) };
        if let Some(old) = self.pages.iter_mut().find(|page| page.number == number) {
            return std::mem::replace(old, page).media;
        }
        self.pages.push(page);
        self.pages.sort_by_key(|page| page.number);
        None
    }

    /// Everything that is kept of it outside of the row.
    pub fn media_ids(&self) -> Vec<MediaId> {
        let single = [self.file, self.image, self.facemap, self.document_fields, self.id_photo];
        let pages = self.pages.iter().filter_map(|page| page.media);
        let tasks = self.tasks.iter().flat_map(|task| task.generated_media.iter().copied());
        let mut all: Vec<_> = single.into_iter().flatten().chain(pages).chain(tasks).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Takes a media out wherever it stands.
    pub fn detach_media(&mut self, media: MediaId) {
        for place in [
            &mut self.file,
            &mut self.image,
            &mut self.facemap,
            &mut self.document_fields,
            &mut self.id_photo,
        ] {
            place.take_if(|id| *id == media);
        }
        for page in &mut self.pages {
            page.media.take_if(|id| *id == media);
        }
        for task in &mut self.tasks {
            task.generated_media.retain(|id| *id != media);
        }
        // What was read goes with what it was read of.
        if self.readable_media().is_empty() {
            self.findings = None;
        }
    }
}

impl VerificationCheck {
    /// One that begins.
    pub fn begin(
        world: &dyn Environment,
        kind: VerificationCheckType,
        state: CheckState,
        resources_used: Vec<ResourceId>,
        manual_check: ManualCheck,
    ) -> Self {
        let now = world.now();
        Self {
            id: ModerationCheckId::new(world),
            kind,
            state,
            resources_used,
            generated_media: Vec::new(),
            report: None,
            draft: None,
            manual_check,
            issuing_authority: false,
            created: now,
            last_updated: now,
        }
    }

    /// Whether a person must decide about a report.
    pub fn needs_review(&self, report: &VerificationReport) -> bool {
        let sure = matches!(report.recommendation.value, CheckAdvice::Approve | CheckAdvice::Reject);
        match self.manual_check {
            ManualCheck::Never => false,
            ManualCheck::Fallback => !sure,
            ManualCheck::Always => true,
        }
    }
}
