//! Sessions, as their relying parties read them. Members are in alphabetical order.

use super::{configuration::SourceView, identity_profile::IdentityProfileView};
use base::{DocumentSessionId, MediaId, ResourceId, TaskId, Timestamp, Uuid, VerificationCheckId};
use domain::document_verification::{
    report,
    session::{
        CapturedPage, DocumentSession, ExtractionTask, SessionMedia, SuppliedResource, TaskNextStep,
        TaskNextStepReason, VerificationCheck,
    },
    types::{
        CaptureMethod, CheckAdvice, CheckState, IdDocumentType, LivenessType, MediaType, ResourceKind,
        SessionState, SubCheckProcess, SubCheckResult, TaskAdvice, TaskAdviceReason, TaskState, TaskType,
        VerificationCheckType,
    },
};
use utoipa::ToSchema;

/// A session.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SessionView {
    /// When the end user consented to the use of biometric data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = DateTime, required = false)]
    biometric_consent: Option<Timestamp>,
    checks: Vec<CheckView>,
    /// The token of the end user's calls; absent once they have finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    client_session_token: Option<Uuid>,
    /// Seconds that the end user has left.
    #[schema(minimum = 0)]
    client_session_token_ttl: i64,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// What came of `identity_profile_requirements`, once the session has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    identity_profile: Option<IdentityProfileView>,
    resources: SessionResources,
    /// The session.
    #[serde(rename = "sessionId")]
    #[schema(value_type = Uuid)]
    session_id: DocumentSessionId,
    /// The same, under the name that older clients read.
    #[serde(rename = "session_id")]
    #[schema(value_type = Uuid)]
    same: DocumentSessionId,
    state: SessionState,
    /// The `user_tracking_id` of the request, until resources are destroyed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user_tracking_id: Option<String>,
}

/// What was supplied.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SessionResources {
    face_capture: Vec<FaceCaptureView>,
    id_documents: Vec<IdDocumentView>,
    liveness_capture: Vec<LivenessView>,
    supplementary_documents: Vec<SupplementaryDocumentView>,
}

/// An identity document.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct IdDocumentView {
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// The data that was read from it, once there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_fields: Option<MediaHolder>,
    /// The portrait on it, once it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_id_photo: Option<MediaHolder>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_type: Option<IdDocumentType>,
    #[schema(value_type = Uuid)]
    id: ResourceId,
    /// ISO 3166-1 alpha-3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    issuing_country: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    last_updated: Timestamp,
    pages: Vec<PageView>,
    source: SourceView,
    tasks: Vec<TaskView>,
}

/// A document that proves something else about a person, an address for example.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SupplementaryDocumentView {
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// The data that was read from it, once there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_fields: Option<MediaHolder>,
    /// The type that was given when the resource was created, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_type: Option<String>,
    /// The document as one file, if it was sent as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    file: Option<MediaHolder>,
    #[schema(value_type = Uuid)]
    id: ResourceId,
    /// ISO 3166-1 alpha-3, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    issuing_country: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    last_updated: Timestamp,
    pages: Vec<PageView>,
    source: SourceView,
    tasks: Vec<TaskView>,
}

/// A live face.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct LivenessView {
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// The shape of the face.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    facemap: Option<MediaHolder>,
    frames: Vec<MediaHolder>,
    #[schema(value_type = Uuid)]
    id: ResourceId,
    /// The frame that stands for the capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    image: Option<MediaHolder>,
    #[schema(value_type = String, format = DateTime)]
    last_updated: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    liveness_type: Option<LivenessType>,
    source: SourceView,
    tasks: Vec<TaskView>,
}

/// A face to compare with.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct FaceCaptureView {
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = Uuid)]
    id: ResourceId,
    /// The picture, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    image: Option<MediaHolder>,
    #[schema(value_type = String, format = DateTime)]
    last_updated: Timestamp,
    source: SourceView,
    tasks: Vec<TaskView>,
}

/// A page of a document.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct PageView {
    capture_method: CaptureMethod,
    /// Intermediate pictures; this server keeps none.
    frames: Vec<MediaHolder>,
    /// Absent where it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    media: Option<MediaView>,
}

/// A place for a media.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct MediaHolder {
    /// Absent where it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    media: Option<MediaView>,
}

/// Something whose contents can be read by its id.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct MediaView {
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    #[schema(value_type = Uuid)]
    id: MediaId,
    #[schema(value_type = String, format = DateTime)]
    last_updated: Timestamp,
    #[serde(rename = "type")]
    kind: MediaType,
}

/// The text extraction of a document, while the end user waits.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct TaskView {
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// Checks that it asked for.
    generated_checks: Vec<GeneratedCheck>,
    /// The media that it produced.
    generated_media: Vec<MediaView>,
    #[schema(value_type = Uuid)]
    id: TaskId,
    #[schema(value_type = String, format = DateTime)]
    last_updated: Timestamp,
    /// What the end user should do, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recommendation: Option<TaskRecommendation>,
    state: TaskState,
    #[serde(rename = "type")]
    kind: TaskType,
}

/// A check that a task asked for.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct GeneratedCheck {
    #[schema(value_type = Uuid)]
    id: VerificationCheckId,
    #[serde(rename = "type")]
    kind: VerificationCheckType,
}

/// What the end user should do after a task.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct TaskRecommendation {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<TaskRecommendationReason>,
    value: TaskAdvice,
}

/// Why to try again.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct TaskRecommendationReason {
    /// The details, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "GLARE")]
    detail: Option<String>,
    value: TaskAdviceReason,
}

/// A check.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CheckView {
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// The media that it produced.
    generated_media: Vec<MediaView>,
    #[schema(value_type = Uuid)]
    id: VerificationCheckId,
    #[schema(value_type = String, format = DateTime)]
    last_updated: Timestamp,
    /// Its report, once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    report: Option<CheckReport>,
    /// The resources that were checked.
    #[schema(value_type = Vec<Uuid>)]
    resources_used: Vec<ResourceId>,
    state: CheckState,
    #[serde(rename = "type")]
    kind: VerificationCheckType,
}

/// The report of a check.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CheckReport {
    /// The sub-checks.
    breakdown: Vec<SubCheckView>,
    recommendation: CheckRecommendation,
}

/// The recommendation of a check.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CheckRecommendation {
    /// The reason; always there with `REJECT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "EXPIRED_DOCUMENT")]
    reason: Option<String>,
    /// What would help; always there with `REJECT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "USE_DOCUMENT_IN_DATE")]
    recovery_suggestion: Option<String>,
    value: CheckAdvice,
}

/// A sub-check.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SubCheckView {
    /// Numbers and reasons; never what is written on a document.
    details: Vec<SubCheckDetail>,
    process: SubCheckProcess,
    result: SubCheckResult,
    /// Its name.
    #[schema(example = "document_in_date")]
    sub_check: String,
}

/// A number or a reason.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SubCheckDetail {
    name: String,
    value: String,
}

/// For members that are left out unless they are true.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands members over so")]
pub(in crate::document_verification) fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The state at a moment. A session whose time is over is expired, even if the stored state does not say so yet.
pub(super) fn current_state(session: &DocumentSession, now: Timestamp) -> SessionState {
    if session.has_run_out(now) { SessionState::Expired } else { session.state }
}

impl SessionView {
    pub(in crate::document_verification) fn of(session: &DocumentSession, now: Timestamp) -> Self {
        Self {
            biometric_consent: session.biometric_consent,
            checks: session.checks.iter().map(|check| CheckView::of(session, check)).collect(),
            client_session_token: session.triggered_at.is_none().then_some(session.token),
            client_session_token_ttl: session.seconds_left(now),
            created_at: session.created_at,
            identity_profile: IdentityProfileView::of(session, now),
            resources: SessionResources::of(session),
            session_id: session.id,
            same: session.id,
            state: current_state(session, now),
            user_tracking_id: session.requested.user_tracking_id.clone(),
        }
    }
}

impl SessionResources {
    fn of(session: &DocumentSession) -> Self {
        fn of<T>(
            session: &DocumentSession,
            kind: ResourceKind,
            view: fn(&DocumentSession, &SuppliedResource) -> T,
        ) -> Vec<T> {
            let resources = session.resources.iter().filter(|resource| resource.kind == kind);
            resources.map(|resource| view(session, resource)).collect()
        }
        Self {
            face_capture: of(session, ResourceKind::FaceCapture, FaceCaptureView::of),
            id_documents: of(session, ResourceKind::IdDocument, IdDocumentView::of),
            liveness_capture: of(session, ResourceKind::Liveness, LivenessView::of),
            supplementary_documents: of(
                session,
                ResourceKind::SupplementaryDocument,
                SupplementaryDocumentView::of,
            ),
        }
    }
}

impl IdDocumentView {
    pub(in crate::document_verification) fn of(session: &DocumentSession, one: &SuppliedResource) -> Self {
        Self {
            created_at: one.created_at,
            document_fields: MediaHolder::when_present(session, one.document_fields),
            document_id_photo: MediaHolder::when_present(session, one.id_photo),
            document_type: one.document_type.map(Into::into),
            id: one.id,
            issuing_country: one.issuing_country.clone(),
            last_updated: one.last_updated,
            pages: PageView::of(session, &one.pages),
            source: SourceView { kind: one.source },
            tasks: TaskView::all(session, one),
        }
    }
}

impl SupplementaryDocumentView {
    pub(in crate::document_verification) fn of(session: &DocumentSession, one: &SuppliedResource) -> Self {
        let known = one.document_type.map(|kind| IdDocumentType::from(kind).to_string());
        Self {
            created_at: one.created_at,
            document_fields: MediaHolder::when_present(session, one.document_fields),
            document_type: known.or_else(|| one.other_type.clone()),
            file: MediaHolder::when_present(session, one.file),
            id: one.id,
            issuing_country: one.issuing_country.clone(),
            last_updated: one.last_updated,
            pages: PageView::of(session, &one.pages),
            source: SourceView { kind: one.source },
            tasks: TaskView::all(session, one),
        }
    }
}

impl LivenessView {
    fn of(session: &DocumentSession, one: &SuppliedResource) -> Self {
        Self {
            created_at: one.created_at,
            facemap: MediaHolder::when_present(session, one.facemap),
            frames: one.pages.iter().map(|frame| MediaHolder::of(session, frame.media)).collect(),
            id: one.id,
            image: MediaHolder::when_present(session, one.image),
            last_updated: one.last_updated,
            liveness_type: one.liveness_type,
            source: SourceView { kind: one.source },
            tasks: TaskView::all(session, one),
        }
    }
}

impl FaceCaptureView {
    fn of(session: &DocumentSession, one: &SuppliedResource) -> Self {
        Self {
            created_at: one.created_at,
            id: one.id,
            image: MediaHolder::when_present(session, one.image),
            last_updated: one.last_updated,
            source: SourceView { kind: one.source },
            tasks: TaskView::all(session, one),
        }
    }
}

impl PageView {
    fn of(session: &DocumentSession, pages: &[CapturedPage]) -> Vec<Self> {
        let pages = pages.iter().map(|page| Self {
            capture_method: page.capture_method,
            frames: Vec::new(),
            media: page.media.and_then(|id| MediaView::find(session, id)),
        });
        pages.collect()
    }
}

impl MediaHolder {
    fn of(session: &DocumentSession, id: Option<MediaId>) -> Self {
        Self { media: id.and_then(|id| MediaView::find(session, id)) }
    }

    fn when_present(session: &DocumentSession, id: Option<MediaId>) -> Option<Self> {
        id.map(|id| Self::of(session, Some(id)))
    }
}

impl MediaView {
    /// A media; `None` if it was deleted.
    pub(super) fn find(session: &DocumentSession, id: MediaId) -> Option<Self> {
        session.media(id).map(|media| Self::new(media, session.created_at))
    }

    /// A media; those of older versions do not say when they were created, and count as created at `otherwise`.
    pub(in crate::document_verification) fn new(media: &SessionMedia, otherwise: Timestamp) -> Self {
        let created = media.created.unwrap_or(otherwise);
        Self { created, id: media.id, last_updated: media.last_updated.unwrap_or(created), kind: media.kind }
    }

    fn all(session: &DocumentSession, ids: &[MediaId]) -> Vec<Self> {
        ids.iter().filter_map(|id| Self::find(session, *id)).collect()
    }
}

impl TaskView {
    pub(in crate::document_verification) fn of(session: &DocumentSession, task: &ExtractionTask) -> Self {
        let checks = task.generated_checks.iter().filter_map(|id| {
            let check = session.checks.iter().find(|check| check.id == *id)?;
            Some(GeneratedCheck { id: check.id, kind: check.kind })
        });
        Self {
            created: task.created,
            generated_checks: checks.collect(),
            generated_media: MediaView::all(session, &task.generated_media),
            id: task.id,
            last_updated: task.last_updated,
            recommendation: task.recommendation.as_ref().map(Into::into),
            state: task.state,
            kind: task.kind,
        }
    }

    fn all(session: &DocumentSession, resource: &SuppliedResource) -> Vec<Self> {
        resource.tasks.iter().map(|task| Self::of(session, task)).collect()
    }
}

impl From<&TaskNextStep> for TaskRecommendation {
    fn from(next: &TaskNextStep) -> Self {
        let reason = next
            .reason
            .clone()
            .map(|TaskNextStepReason { value, detail }| TaskRecommendationReason { detail, value });
        Self { reason, value: next.value }
    }
}

impl CheckView {
    fn of(session: &DocumentSession, check: &VerificationCheck) -> Self {
        Self {
            created: check.created,
            generated_media: MediaView::all(session, &check.generated_media),
            id: check.id,
            last_updated: check.last_updated,
            report: check.report.clone().map(Into::into),
            resources_used: check.resources_used.clone(),
            state: check.state,
            kind: check.kind,
        }
    }
}

impl From<report::VerificationReport> for CheckReport {
    fn from(report: report::VerificationReport) -> Self {
        let report::Recommendation { value, reason, recovery_suggestion } = report.recommendation;
        let breakdown = report.breakdown.into_iter().map(|sub| {
            let details = sub
                .details
                .into_iter()
                .map(|report::ReportDetail { name, value }| SubCheckDetail { name, value });
            SubCheckView {
                details: details.collect(),
                process: sub.process,
                result: sub.result,
                sub_check: sub.sub_check,
            }
        });
        Self {
            breakdown: breakdown.collect(),
            recommendation: CheckRecommendation { reason, recovery_suggestion, value },
        }
    }
}
