//! What becomes of a scheme that a session was created for: it is met if every check approves.

use super::{
    session::{DocumentSession, SuppliedResource, VerificationCheck},
    types::{CheckAdvice, CheckState, IdDocumentType, ResourceKind, SessionState, VerificationCheckType},
};
use crate::wire_enum::wire_enum;
use base::{MediaId, VerificationCheckId};

wire_enum! {
    /// Whether an identity profile came of a session.
    pub enum IdentityProfileResult {
        /// The requirements of the scheme are met.
        Done => "DONE",
        /// They are not.
        Aborted => "ABORTED",
    }
}

wire_enum! {
    /// Why the requirements of a scheme are not met. Of several reasons, the first of these.
    pub enum IdentityProfileFailureCode {
        /// Something speaks against a document.
        UnableToValidateDocument => "UNABLE_TO_VALIDATE_DOCUMENT",
        /// The live face is not known to be that on the document.
        FaceMatchVerificationFailed => "FACE_MATCH_VERIFICATION_FAILED",
        /// The face is not known to be live.
        MissingLiveness => "MISSING_LIVENESS",
        /// A check failed through a fault of this server.
        UnableToCompleteChecks => "UNABLE_TO_COMPLETE_CHECKS",
        /// The end user did not finish in time.
        Abandoned => "ABANDONED",
    }
}

/// What came of a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityProfileOutcome {
    /// Why its requirements are not met; `None` if they are.
    pub failure: Option<IdentityProfileFailure>,
    /// What was read of the identity document, as JSON, as long as it is kept.
    pub media: Option<MediaId>,
}

/// Why the requirements of a scheme are not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityProfileFailure {
    pub code: IdentityProfileFailureCode,
    /// One for each check that does not approve.
    pub unmet: Vec<UnmetRequirement>,
}

/// A check that does not approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetRequirement {
    pub check: VerificationCheckId,
    pub kind: VerificationCheckType,
    /// The document that was checked, if one was.
    pub document_type: Option<IdDocumentType>,
    /// ISO 3166-1 alpha-3.
    pub issuing_country: Option<String>,
    /// The reason of its report as a code; `INTERNAL_ERROR` if it failed.
    pub reason: String,
}

impl DocumentSession {
    /// What came of the scheme that the session was created for; `None` without one, and until the session has ended.
    pub fn identity_profile_outcome(&self, state: SessionState) -> Option<IdentityProfileOutcome> {
        self.requested.identity_profile.as_ref()?;
        let failure = match state {
            SessionState::Ongoing => return None,
            SessionState::Expired => Some(IdentityProfileFailure {
                code: IdentityProfileFailureCode::Abandoned,
                unmet: Vec::new(),
            }),
            SessionState::Completed => self.unmet_requirements(),
        };
        let mut documents = self.fulfilling_resources(ResourceKind::IdDocument);
        let media = documents.find_map(|document| document.document_fields);
        Some(IdentityProfileOutcome { failure, media })
    }

    fn unmet_requirements(&self) -> Option<IdentityProfileFailure> {
        let unmet: Vec<(IdentityProfileFailureCode, UnmetRequirement)> =
            self.checks.iter().filter_map(|check| self.unmet_requirement(check)).collect();
        let code = unmet.iter().map(|(code, _)| *code).min_by_key(|code| *code as u8)?;
        Some(IdentityProfileFailure { code, unmet: unmet.into_iter().map(|(_, unmet)| unmet).collect() })
    }

    fn unmet_requirement(
        &self,
        check: &VerificationCheck,
    ) -> Option<(IdentityProfileFailureCode, UnmetRequirement)> {
        let recommendation = check.report.as_ref().map(|report| &report.recommendation);
        let recommendation = recommendation.filter(|_| check.state == CheckState::Done);
        if recommendation.is_some_and(|recommendation| recommendation.value == CheckAdvice::Approve) {
            return None;
        }
        let code = match check.kind {
            _ if recommendation.is_none() => IdentityProfileFailureCode::UnableToCompleteChecks,
            VerificationCheckType::Liveness => IdentityProfileFailureCode::MissingLiveness,
            VerificationCheckType::FaceMatch | VerificationCheckType::FaceComparison => {
                IdentityProfileFailureCode::FaceMatchVerificationFailed
            }
            VerificationCheckType::Authenticity
            | VerificationCheckType::TextData
            | VerificationCheckType::SupplementaryTextData
            | VerificationCheckType::Comparison
            | VerificationCheckType::Watchlist
            | VerificationCheckType::ThirdPartyIdentity => {
                IdentityProfileFailureCode::UnableToValidateDocument
            }
        };
        let document: Option<&SuppliedResource> =
            check.resources_used.iter().find_map(|id| self.resource(ResourceKind::IdDocument, *id));
        let reason = match recommendation {
            Some(recommendation) => recommendation.reason.clone().unwrap_or_default(),
            None => "INTERNAL_ERROR".to_owned(),
        };
        let unmet = UnmetRequirement {
            check: check.id,
            kind: check.kind,
            document_type: document.and_then(|document| document.document_type).map(Into::into),
            issuing_country: document.and_then(|document| document.issuing_country.clone()),
            reason,
        };
        Some((code, unmet))
    }
}
