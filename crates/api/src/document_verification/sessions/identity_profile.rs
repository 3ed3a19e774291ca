//! What came of the scheme that a session was created for. Members are in alphabetical order.

use super::view::{MediaView, current_state};
use base::Timestamp;
use domain::document_verification::{
    identity_profile::{
        IdentityProfileFailure, IdentityProfileFailureCode, IdentityProfileResult, UnmetRequirement,
    },
    request::IdentityProfile,
    session::DocumentSession,
    types::VerificationCheckType,
};
use utoipa::ToSchema;

/// What came of `identity_profile_requirements`.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct IdentityProfileView {
    /// Why the requirements are not met; always there with `ABORTED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    failure_reason: Option<IdentityProfileFailureView>,
    /// The report; there with `DONE`, until resources are destroyed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    identity_profile_report: Option<IdentityProfileReport>,
    result: IdentityProfileResult,
    /// The `subject.subject_id` of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject_id: Option<String>,
}

/// Why the requirements are not met.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct IdentityProfileFailureView {
    reason_code: IdentityProfileFailureCode,
    /// The checks that do not approve.
    requirements_not_met_details: Vec<RequirementNotMet>,
}

/// A check that does not approve.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct RequirementNotMet {
    /// The id of the check.
    #[schema(format = Uuid)]
    audit_id: String,
    /// The reason of its report.
    #[schema(example = "EXPIRED_DOCUMENT")]
    details: String,
    /// The country of the document, ISO 3166-1 alpha-3; empty if none was checked.
    document_country_iso_code: String,
    /// The type of the document; empty if none was checked.
    document_type: String,
    failure_type: VerificationCheckType,
}

/// The report of a scheme.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct IdentityProfileReport {
    /// What was read of the identity document.
    media: MediaView,
    schemes_compliance: Vec<SchemeCompliance>,
    trust_framework: String,
}

/// Whether the requirements of a scheme are met.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SchemeCompliance {
    requirements_met: bool,
    scheme: SchemeView,
}

/// A scheme.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SchemeView {
    #[serde(rename = "type")]
    #[schema(example = "RTW")]
    kind: String,
}

impl IdentityProfileView {
    pub(super) fn of(session: &DocumentSession, now: Timestamp) -> Option<Self> {
        let wanted = session.requested.identity_profile.as_ref()?;
        let outcome = session.identity_profile_outcome(current_state(session, now))?;
        let result = match outcome.failure {
            None => IdentityProfileResult::Done,
            Some(_) => IdentityProfileResult::Aborted,
        };
        let media = outcome.media.filter(|_| outcome.failure.is_none());
        let media = media.and_then(|id| MediaView::find(session, id));
        Some(Self {
            failure_reason: outcome.failure.map(Into::into),
            identity_profile_report: media.map(|media| IdentityProfileReport::of(wanted, media)),
            result,
            subject_id: wanted.subject_id.clone(),
        })
    }
}

impl IdentityProfileReport {
    /// That of a scheme whose requirements are met.
    fn of(wanted: &IdentityProfile, media: MediaView) -> Self {
        let scheme = SchemeView { kind: wanted.scheme.kind.clone() };
        Self {
            media,
            schemes_compliance: vec![SchemeCompliance { requirements_met: true, scheme }],
            trust_framework: wanted.trust_framework.clone(),
        }
    }
}

impl From<IdentityProfileFailure> for IdentityProfileFailureView {
    fn from(failure: IdentityProfileFailure) -> Self {
        let unmet = failure.unmet.into_iter().map(Into::into);
        Self { reason_code: failure.code, requirements_not_met_details: unmet.collect() }
    }
}

impl From<UnmetRequirement> for RequirementNotMet {
    fn from(unmet: UnmetRequirement) -> Self {
        Self {
            audit_id: unmet.check.to_string(),
            details: unmet.reason,
            document_country_iso_code: unmet.issuing_country.unwrap_or_default(),
            document_type: unmet.document_type.map(|kind| kind.to_string()).unwrap_or_default(),
            failure_type: unmet.kind,
        }
    }
}
