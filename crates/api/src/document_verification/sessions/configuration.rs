//! `GET /idverify/v1/sessions/{sessionId}/configuration`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::Participant,
        error,
        sessions::{
            emails::EmailKind,
            view::{TaskRecommendation, is_false},
        },
    },
};
use axum::{Json, extract::State};
use base::{DocumentSessionId, ResourceId, TaskId, Timestamp};
use domain::document_verification::{
    DocumentSessionError,
    request::SdkConfig,
    session::{DocumentSession, Requirement, SuppliedResource},
    types::{
        BiometricConsentFlow, CaptureMethods, DarkMode, IdDocumentType, LivenessType, RequirementState,
        ResourceKind, ResourceSource, SupplementaryObjective, TaskState, TaskType, VerificationCheckType,
    },
};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What has to be supplied, and how the page looks.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SessionConfigurationView {
    capture: CaptureRequirementsView,
    /// Seconds that the end user has left.
    #[schema(minimum = 0)]
    client_session_token_ttl: i64,
    /// The emails that the end user can request from the relying party.
    emails: Vec<EmailKind>,
    /// What is checked afterwards.
    requested_checks: Vec<VerificationCheckType>,
    sdk_config: SdkConfigView,
    #[schema(value_type = Uuid)]
    session_id: DocumentSessionId,
}

/// What has to be supplied.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CaptureRequirementsView {
    biometric_consent: ConsentState,
    /// In the order in which the page asks for them.
    required_resources: Vec<RequiredResource>,
}

/// Whether the end user has consented to the use of biometric data.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ConsentState {
    /// Consent may not be collected.
    NotAllowed,
    /// It was given.
    Given,
    /// It is required.
    Required,
}

/// Something that has to be supplied.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct RequiredResource {
    /// How pictures of a document may be captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    allowed_capture_methods: Option<CaptureMethods>,
    /// Who supplies it.
    allowed_sources: Vec<SourceView>,
    /// Attempts that are left.
    attempts_remaining: AttemptsRemaining,
    /// The countries of supplementary documents that are accepted, ISO 3166-1 alpha-3; empty for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    country_codes: Option<Vec<String>>,
    /// The types of supplementary documents that are accepted; empty for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document_types: Option<Vec<String>>,
    /// The id of the requirement.
    #[schema(value_type = Uuid)]
    id: ResourceId,
    /// How a live face is captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    liveness_type: Option<LivenessType>,
    /// What a supplementary document is to prove.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    objective: Option<ObjectiveView>,
    /// What the end user should do after the latest capture of a live face, once it was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recommendation: Option<TaskRecommendation>,
    /// The text extraction of a document, at most one task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    requested_tasks: Option<Vec<RequestedTaskView>>,
    /// The supplied resource that counts for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    resource_id: Option<ResourceId>,
    /// True if an attempt failed and another is needed.
    #[serde(skip_serializing_if = "is_false")]
    #[schema(required = false)]
    retry: bool,
    state: RequirementState,
    /// The identity documents that are accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    supported_countries: Option<Vec<AcceptedCountry>>,
    #[serde(rename = "type")]
    kind: ResourceKind,
}

/// Attempts that are left.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AttemptsRemaining {
    #[serde(rename = "GENERIC")]
    #[schema(minimum = 0)]
    generic: i64,
    /// Further attempts after a document turned out to be another one than was said, or one that is not accepted.
    #[serde(rename = "RECLASSIFICATION", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    reclassification: Option<i64>,
}

impl AttemptsRemaining {
    /// Those of a face, which is never taken for another document.
    pub(in crate::document_verification) fn of_faces(generic: i64) -> Self {
        Self { generic, reclassification: None }
    }
}

/// What a supplementary document is to prove.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ObjectiveView {
    #[serde(rename = "type")]
    kind: SupplementaryObjective,
}

/// Who supplies something.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SourceView {
    #[serde(rename = "type")]
    pub(in crate::document_verification) kind: ResourceSource,
}

/// The state of the text extraction of a document.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct RequestedTaskView {
    /// The latest task; absent while there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    id: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recommendation: Option<TaskRecommendation>,
    /// `REQUIRED` as long as there is no task, and when the document has to be tried again.
    state: RequirementState,
    #[serde(rename = "type")]
    kind: TaskType,
}

/// A country, and its documents that are accepted.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AcceptedCountry {
    /// ISO 3166-1 alpha-3.
    #[schema(example = "SWE")]
    code: &'static str,
    supported_documents: Vec<AcceptedDocument>,
}

/// A document that is accepted.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AcceptedDocument {
    /// Whether its text is in Latin letters only.
    is_strictly_latin: bool,
    #[serde(rename = "type")]
    kind: IdDocumentType,
}

/// How the page looks and behaves, as configured for the session.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SdkConfigView {
    /// Whether the end user may continue on another device.
    allow_handoff: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    allowed_capture_methods: Option<CaptureMethods>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    attempts_configuration: BTreeMap<String, BTreeMap<String, i64>>,
    /// When the page asks for consent to the use of biometric data. Default: `EARLY`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    biometric_consent_flow: Option<BiometricConsentFlow>,
    /// Whether the page is dark. Default: `AUTO`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dark_mode: Option<DarkMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    font_colour: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    locale: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    preset_issuing_country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    primary_colour: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    primary_colour_dark_mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    privacy_policy_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    secondary_colour: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    success_url: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    suppressed_screens: Vec<String>,
}

/// Read what has to be supplied, and how the page looks.
///
/// An end user gets `SESSION_NOT_READY` as long as the relying party's own picture is missing.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/configuration", tag = "person",
    security(("session" = []), ("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = SessionConfigurationView), error::SessionConfigurationErrors),
)]
pub(crate) async fn session_configuration(
    State(api): State<ApiState>,
    caller: Participant,
) -> Result<Json<SessionConfigurationView>, DocumentApiError> {
    if let Participant::EndUser(end_user) = &caller {
        let device = caller.device();
        api.document_verification.record_first_load(&end_user.user.stored.session, device).await?;
    }
    let session = &caller.stored().session;
    if matches!(caller, Participant::EndUser(_)) && session.awaits_relying_party() {
        let words = "the business has not supplied its picture yet; try again in a moment";
        return Err(DocumentSessionError::NotReady(words.to_owned()).into());
    }
    Ok(Json(SessionConfigurationView::of(session, api.environment.now())))
}

impl SessionConfigurationView {
    fn of(session: &DocumentSession, now: Timestamp) -> Self {
        let wanted = &session.requested;
        let mut requested_checks: Vec<VerificationCheckType> =
            wanted.checks.iter().map(|check| check.kind).collect();
        requested_checks.dedup();
        let biometric_consent = match (wanted.block_biometric_consent, session.biometric_consent) {
            (true, _) => ConsentState::NotAllowed,
            (false, Some(_)) => ConsentState::Given,
            (false, None) => ConsentState::Required,
        };
        let required = session.requirements.iter().map(|one| RequiredResource::of(session, one));
        Self {
            capture: CaptureRequirementsView { biometric_consent, required_resources: required.collect() },
            client_session_token_ttl: session.seconds_left(now),
            emails: EmailKind::requested_by(session),
            requested_checks,
            sdk_config: SdkConfigView::of(&wanted.sdk_config),
            session_id: session.id,
        }
    }
}

impl RequiredResource {
    fn of(session: &DocumentSession, one: &Requirement) -> Self {
        let resource = one.resource.and_then(|id| session.resources.iter().find(|known| known.id == id));
        let task = TaskType::of(one.kind);
        let methods = session.requested.sdk_config.allowed_capture_methods;
        let is_id_document = one.kind == ResourceKind::IdDocument;
        let supplementary = (one.kind == ResourceKind::SupplementaryDocument).then_some(&one.supplementary);
        Self {
            allowed_capture_methods: task.map(|_| methods.unwrap_or(CaptureMethods::CameraAndUpload)),
            allowed_sources: vec![SourceView { kind: one.source }],
            attempts_remaining: AttemptsRemaining {
                generic: one.attempts_remaining(),
                reclassification: one.reclassifications_remaining(),
            },
            country_codes: supplementary.map(|accepted| accepted.countries.clone()),
            document_types: supplementary.map(|accepted| accepted.types.clone()),
            id: one.id,
            liveness_type: one.liveness_type,
            objective: supplementary
                .and_then(|accepted| accepted.objective)
                .map(|kind| ObjectiveView { kind }),
            recommendation: resource
                .and_then(|resource| resource.liveness.as_ref())
                .map(|verdict| (&verdict.next_step()).into()),
            requested_tasks: task.map(|kind| RequestedTaskView::of(session, kind, one, resource)),
            resource_id: resource.map(|resource| resource.id),
            retry: one.source == ResourceSource::EndUser
                && one.standing == RequirementState::Required
                && one.used > 0,
            state: one.standing,
            supported_countries: is_id_document.then(|| AcceptedCountry::of(one)),
            kind: one.kind,
        }
    }
}

impl RequestedTaskView {
    /// The task of a kind, if the session asks for it.
    fn of(
        session: &DocumentSession,
        kind: TaskType,
        requirement: &Requirement,
        resource: Option<&SuppliedResource>,
    ) -> Vec<Self> {
        let last = resource.and_then(|resource| resource.tasks.last());
        let task = session.requested.task(kind).map(|wanted| Self {
            id: last.map(|task| task.id),
            recommendation: last.and_then(|task| task.recommendation.as_ref()).map(Into::into),
            state: match last.map(|task| task.state) {
                None => RequirementState::Required,
                Some(TaskState::Created | TaskState::Pending) => RequirementState::InProgress,
                Some(TaskState::Done | TaskState::Failed) => requirement.standing,
            },
            kind: wanted.kind,
        });
        task.into_iter().collect()
    }
}

impl AcceptedCountry {
    fn of(requirement: &Requirement) -> Vec<Self> {
        let countries = requirement.filter.allowed_documents().map(|(code, documents)| {
            let documents = documents.iter().map(|document| AcceptedDocument {
                is_strictly_latin: document.is_strictly_latin,
                kind: document.kind.into(),
            });
            Self { code, supported_documents: documents.collect() }
        });
        countries.collect()
    }
}

impl SdkConfigView {
    fn of(config: &SdkConfig) -> Self {
        let config = config.clone();
        Self {
            allow_handoff: config.allow_handoff,
            allowed_capture_methods: config.allowed_capture_methods,
            attempts_configuration: config.attempts_configuration,
            biometric_consent_flow: config.biometric_consent_flow,
            dark_mode: config.dark_mode,
            error_url: config.error_url,
            font_colour: config.font_colour,
            locale: config.locale,
            preset_issuing_country: config.preset_issuing_country,
            primary_colour: config.primary_colour,
            primary_colour_dark_mode: config.primary_colour_dark_mode,
            privacy_policy_url: config.privacy_policy_url,
            secondary_colour: config.secondary_colour,
            success_url: config.success_url,
            suppressed_screens: config.suppressed_screens,
        }
    }
}
