//! What was supplied for a session, and the tasks that were done with it.

use super::Requirement;
use crate::document_verification::{
    findings::{ClaimedDocument, DocumentFindings},
    report::VerificationReport,
    types::{
        CaptureMethod, CheckAdvice, LivenessType, ResourceKind, ResourceSource, TaskAdvice, TaskAdviceReason,
        TaskState, TaskType,
    },
};
use base::{Environment, Id as _, MediaId, ResourceId, TaskId, Timestamp, VerificationCheckId};
use documents::catalogue::DocumentType;
use serde::{Deserialize, Serialize};

/// Something that was supplied: a document, a live face or a picture of a face.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuppliedResource {
    pub id: ResourceId,
    pub kind: ResourceKind,
    /// The requirement that it was supplied for.
    pub requirement: ResourceId,
    /// Who supplied it.
    pub source: ResourceSource,
    /// What the end user says an identity document is.
    pub document_type: Option<DocumentType>,
    /// What the end user says a supplementary document is, in capital letters.
    #[serde(default)]
    pub other_type: Option<String>,
    /// Who the end user says issued it, ISO 3166-1 alpha-3.
    pub issuing_country: Option<String>,
    /// How the face is shown; `None` for anything but liveness.
    pub liveness_type: Option<LivenessType>,
    /// Pages of a document or frames of a face, by number.
    pub pages: Vec<CapturedPage>,
    /// A supplementary document as one file.
    pub file: Option<MediaId>,
    /// The picture of a face; of a live face, its first frame.
    pub image: Option<MediaId>,
    /// The shape of a face, as measured over the frames of a zoom.
    pub facemap: Option<MediaId>,
    /// What was read of a document, as JSON.
    pub document_fields: Option<MediaId>,
    /// The portrait on a document, as JPEG.
    pub id_photo: Option<MediaId>,
    pub created_at: Timestamp,
    pub last_updated: Timestamp,
    pub tasks: Vec<ExtractionTask>,
    /// Everything that was read and measured, so that the checks need not read again.
    pub findings: Option<DocumentFindings>,
    /// What a complete capture of a live face was judged to be, while the end user was there.
    #[serde(default)]
    pub liveness: Option<LivenessVerdict>,
}

/// What a complete capture of a live face was judged to be. It is the report of its check, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LivenessVerdict {
    pub report: VerificationReport,
    /// What the end user can do better, in one word: `HEAD_TURNED` for example. `None` if the report approves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A page of a document, or a frame of a live face.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedPage {
    /// From 0.
    pub number: u32,
    pub capture_method: CaptureMethod,
    /// The picture; `None` if it was deleted.
    pub media: Option<MediaId>,
}

/// The reading of a document while the end user waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExtractionTask {
    pub id: TaskId,
    pub kind: TaskType,
    pub state: TaskState,
    pub created: Timestamp,
    pub last_updated: Timestamp,
    /// What was read, as JSON.
    pub generated_media: Vec<MediaId>,
    /// The text-data check that it caused.
    pub generated_checks: Vec<VerificationCheckId>,
    /// What the end user should do; `None` until it has ended.
    pub recommendation: Option<TaskNextStep>,
}

/// What the end user should do after a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskNextStep {
    pub value: TaskAdvice,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<TaskNextStepReason>,
}

/// Why the end user should try again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskNextStepReason {
    pub value: TaskAdviceReason,
    /// The details in one word, `GLARE_OBSTRUCTION` for example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Details that say that the document is another one than was said, or one that is not accepted.
const RECLASSIFICATION_DETAILS: [&str; 3] =
    ["INCORRECT_DOCUMENT_TYPE", "DOCUMENT_NOT_SUPPORTED", "COUNTRY_NOT_SUPPORTED"];

impl TaskNextStep {
    /// Whether another attempt is needed because of what the document turned out to be.
    pub(in crate::document_verification) fn is_reclassification(&self) -> bool {
        let detail = self.reason.as_ref().and_then(|reason| reason.detail.as_deref());
        self.value == TaskAdvice::MustTryAgain
            && detail.is_some_and(|detail| RECLASSIFICATION_DETAILS.contains(&detail))
    }

    /// Go on.
    pub fn progress() -> Self {
        Self { value: TaskAdvice::Progress, reason: None }
    }

    /// Try again, for a reason.
    pub fn try_again(value: TaskAdvice, reason: TaskAdviceReason, detail: &str) -> Self {
        Self { value, reason: Some(TaskNextStepReason { value: reason, detail: Some(detail.to_owned()) }) }
    }
}

impl LivenessVerdict {
    /// What the end user should do: a capture that is not judged to be live must be made again, one that is in doubt should.
    pub fn next_step(&self) -> TaskNextStep {
        let advice = match self.report.recommendation.value {
            CheckAdvice::Approve => return TaskNextStep::progress(),
            CheckAdvice::Consider => TaskAdvice::ShouldTryAgain,
            CheckAdvice::Reject | CheckAdvice::NotAvailable => TaskAdvice::MustTryAgain,
        };
        let detail = self.detail.as_deref().or(self.report.recommendation.reason.as_deref());
        let detail = detail.unwrap_or("LIVENESS_NOT_PROVEN");
        let is_light = matches!(detail, "PHOTO_TOO_DARK" | "PHOTO_OVEREXPOSED");
        let reason = if is_light { TaskAdviceReason::Quality } else { TaskAdviceReason::UserError };
        TaskNextStep::try_again(advice, reason, detail)
    }

    /// Whether nothing could be judged: no face was there, or it could not be seen.
    pub fn is_unusable(&self) -> bool {
        self.report.recommendation.value == CheckAdvice::NotAvailable
    }
}

impl SuppliedResource {
    /// What the end user says the document is, if they said both.
    pub fn claim(&self) -> Option<ClaimedDocument<'_>> {
        Some(ClaimedDocument { country: self.issuing_country.as_deref()?, kind: self.document_type? })
    }

    /// A new resource for a requirement, without any media.
    pub fn begin(env: &dyn Environment, requirement: &Requirement) -> Self {
        let now = env.now();
        Self {
            id: ResourceId::new(env),
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
            liveness: None,
        }
    }

    /// The media to read, in order: the file, or the pages.
    pub fn readable_media(&self) -> Vec<MediaId> {
        let pages = self.pages.iter().filter_map(|page| page.media);
        self.file.into_iter().chain(pages).collect()
    }

    /// Whether a task is reading it at the moment.
    pub fn is_being_read(&self) -> bool {
        self.tasks.iter().any(|task| task.state == TaskState::Pending)
    }

    /// Puts a page in its place; returns the media that it replaces.
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

    /// Forgets what was read, as there is something else to read now: if that fails, nobody may take what earlier pages said
    /// for what is on these. Returns the portrait, to which nothing refers any more; the fields stay with the task that read
    /// them.
    pub(in crate::document_verification) fn forget_reading(&mut self) -> Option<MediaId> {
        self.findings = None;
        self.document_fields = None;
        self.id_photo.take()
    }

    /// All media that it refers to, sorted and each once.
    pub fn media_ids(&self) -> Vec<MediaId> {
        let single = [self.file, self.image, self.facemap, self.document_fields, self.id_photo];
        let pages = self.pages.iter().filter_map(|page| page.media);
        let tasks = self.tasks.iter().flat_map(|task| task.generated_media.iter().copied());
        let mut all: Vec<_> = single.into_iter().flatten().chain(pages).chain(tasks).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Removes every reference to a media.
    pub fn detach_media(&mut self, media: MediaId) {
        for reference in [
            &mut self.file,
            &mut self.image,
            &mut self.facemap,
            &mut self.document_fields,
            &mut self.id_photo,
        ] {
            reference.take_if(|id| *id == media);
        }
        for page in &mut self.pages {
            page.media.take_if(|id| *id == media);
        }
        for task in &mut self.tasks {
            task.generated_media.retain(|id| *id != media);
        }
        // What was read is deleted together with the last picture that it was read of.
        if self.readable_media().is_empty() {
            self.findings = None;
            self.liveness = None;
        }
    }
}
