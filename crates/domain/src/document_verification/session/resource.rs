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
        ClaimedDocument::of(self.issuing_country.as_deref(), self.document_type)
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

    /// Removes every reference to a media, and forgets what is known from it alone.
    pub fn detach_media(&mut self, media: MediaId) {
        self.forget_findings_of(media);
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
        if self.readable_media().is_empty() {
            self.liveness = None;
            // The portrait is withheld by the issuer that was read.
            if self.id_photo.is_none() {
                self.findings = None;
            }
        }
    }

    /// Forgets what was found in a picture, or stands in a media that was made of what was found. Pages are read together, so what
    /// one of them said is not known.
    fn forget_findings_of(&mut self, media: MediaId) {
        let is_page = self.readable_media().contains(&media);
        let Some(findings) = &mut self.findings else { return };
        if is_page {
            findings.forget_all_but_issuer();
        }
        if self.document_fields == Some(media) {
            findings.forget_values();
        }
        if self.id_photo == Some(media) {
            findings.forget_portrait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_verification::{
        document_fields::DocumentFields,
        findings::{ApparentAge, StoredField, StoredMeasure, StoredPortrait},
        request::{DocumentSessionRequest, RequiredDocument},
        session::DocumentSession,
    };
    use base::{TestEnvironment, Uuid};
    use documents::{
        authenticity::{AuthenticityCheck, AuthenticityVerdict},
        field::{FieldName, FieldSource},
    };

    const FIRST_PAGE: u128 = 1;
    const SECOND_PAGE: u128 = 2;
    const FIELDS: u128 = 3;
    const PORTRAIT: u128 = 4;
    const EARLIER_FIELDS: u128 = 5;

    fn media(number: u128) -> MediaId {
        Uuid::from_u128(number).into()
    }

    /// A document of two pages that was read, and what is left of it after these media were deleted.
    fn after_deletion_of(deleted: &[u128]) -> SuppliedResource {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let documents = vec![RequiredDocument::new(ResourceKind::IdDocument)];
        let request = DocumentSessionRequest { documents, ..DocumentSessionRequest::new(env.now()) };
        let session = DocumentSession::begin(&env, Uuid::from_u128(1).into(), false, request);
        let mut resource = SuppliedResource::begin(&env, &session.requirements[0]);
        resource.put_page(0, CaptureMethod::Camera, media(FIRST_PAGE));
        resource.put_page(1, CaptureMethod::Camera, media(SECOND_PAGE));
        resource.document_fields = Some(media(FIELDS));
        resource.id_photo = Some(media(PORTRAIT));
        resource.tasks.push(ExtractionTask {
            id: TaskId::new(&env),
            kind: TaskType::IdDocument,
            state: TaskState::Done,
            created: env.now(),
            last_updated: env.now(),
            generated_media: vec![media(EARLIER_FIELDS), media(FIELDS)],
            generated_checks: Vec::new(),
            recommendation: None,
        });
        resource.findings = Some(DocumentFindings {
            of: resource.readable_media(),
            document: true,
            kind: Some(DocumentType::Passport),
            issuer: Some("SWE".to_owned()),
            fields: vec![StoredField {
                name: FieldName::FullName,
                value: "ANNA EXEMPEL".to_owned(),
                source: FieldSource::Mrz,
                confidence: 1.0,
            }],
            zone: Some(("TD3".to_owned(), vec!["P<SWEEXEMPEL<<ANNA".to_owned()])),
            measures: vec![StoredMeasure {
                check: AuthenticityCheck::MrzCheckDigits,
                value: 0.0,
                limit: String::new(),
                verdict: AuthenticityVerdict::Pass,
                reason: String::new(),
            }],
            portrait: Some(StoredPortrait {
                embedding: vec![1.0],
                space: "space".to_owned(),
                age: Some(ApparentAge { years: 30.0, st_dev: 4.0 }),
            }),
            letter: Some(DocumentFields::default()),
            ..DocumentFindings::default()
        });
        for deleted in deleted {
            resource.detach_media(media(*deleted));
        }
        resource
    }

    #[test]
    fn what_is_known_from_a_media_alone_is_forgotten_with_it() {
        let whole = after_deletion_of(&[]).findings.unwrap();
        let findings = after_deletion_of(&[EARLIER_FIELDS]).findings.unwrap();
        assert_eq!(findings, whole, "they were not read of these pages");

        let findings = after_deletion_of(&[FIELDS]).findings.unwrap();
        assert!(findings.fields.is_empty() && findings.zone.is_none() && findings.letter.is_none());
        assert!(findings.of.is_empty(), "a check would read it again");
        assert_eq!((&findings.portrait, &findings.measures), (&whole.portrait, &whole.measures));

        let findings = after_deletion_of(&[PORTRAIT]).findings.unwrap();
        assert_eq!(findings.portrait, Some(StoredPortrait::default()), "there was one");
        assert_eq!(DocumentFindings { portrait: whole.portrait.clone(), ..findings }, whole);
    }

    #[test]
    fn of_a_deleted_page_only_type_and_issuer_are_known_by_which_the_rest_is_withheld() {
        let issuer_only = DocumentFindings {
            kind: Some(DocumentType::Passport),
            issuer: Some("SWE".to_owned()),
            ..DocumentFindings::default()
        };
        let left = |deleted: &[u128]| after_deletion_of(deleted).findings;
        assert_eq!(left(&[SECOND_PAGE]).as_ref(), Some(&issuer_only));
        assert_eq!(left(&[FIELDS, FIRST_PAGE]).as_ref(), Some(&issuer_only));
        assert_eq!(left(&[FIRST_PAGE, SECOND_PAGE]).as_ref(), Some(&issuer_only), "the portrait is left");
        assert_eq!(left(&[FIRST_PAGE, SECOND_PAGE, PORTRAIT]), None);
        assert_eq!(left(&[PORTRAIT, FIRST_PAGE, SECOND_PAGE]), None);
    }
}
