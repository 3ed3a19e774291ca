//! The checks: one job for a session, once the end user has finished, which looks at each document and each face once.
//!
//! Each kind of check is an implementation of [`SessionCheck`] in a file of its own: [`authenticity`], [`text_data`],
//! [`comparison`], [`liveness`], [`face_match`], [`face_comparison`]. [`create`] creates a session's checks, [`runner`]
//! runs them, [`evidence`] gathers what they need, with faces from [`face_analysis`]; [`decisions`] records what came
//! of them.

pub(super) mod authenticity;
mod comparison;
mod create;
mod decisions;
mod evidence;
mod face_analysis;
mod face_comparison;
mod face_match;
mod liveness;
mod report_builder;
mod runner;
mod text_data;

pub(super) use create::create_checks;
pub(super) use decisions::record_decision;
pub(super) use evidence::EvidenceLoader;
pub(super) use face_analysis::FaceAnalyser;
pub(super) use liveness::judge_liveness;
pub(super) use runner::CheckRunner;

use super::{
    findings::DocumentFindings,
    report::VerificationReport,
    request::RequestedCheck,
    session::{DocumentSession, SuppliedResource, VerificationCheck},
    types::{ResourceKind, VerificationCheckType},
};
use base::ResourceId;
use create::SuppliedResources;
use evidence::Evidence;
use face_analysis::FaceAnalysis;
use jiff::civil::Date;

/// A kind of check: what it is made of, what it needs to know, and how it judges that.
trait SessionCheck: std::fmt::Debug + Sync {
    /// The checks that a request leads to: for each the resources that it uses, in order.
    fn subjects(&self, requested: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>>;

    /// The documents to read and the faces to analyse before [`Self::report`].
    fn evidence(&self, session: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest;

    /// Judges the evidence.
    fn report(&self, input: &CheckInput<'_>) -> VerificationReport;
}

/// The implementation of a kind of check.
fn implementation(kind: VerificationCheckType) -> &'static dyn SessionCheck {
    match kind {
        VerificationCheckType::Authenticity => &authenticity::AuthenticityCheck,
        VerificationCheckType::TextData => &text_data::TextDataCheck::IdDocument,
        VerificationCheckType::SupplementaryTextData => &text_data::TextDataCheck::SupplementaryDocument,
        VerificationCheckType::Liveness => &liveness::LivenessCheck,
        VerificationCheckType::FaceMatch => &face_match::FaceMatchCheck,
        VerificationCheckType::FaceComparison => &face_comparison::FaceComparisonCheck,
        VerificationCheckType::Comparison => &comparison::ComparisonCheck,
    }
}

/// The resources that a check needs evidence of.
#[derive(Debug, Default)]
struct EvidenceRequest {
    /// Documents to read.
    documents: Vec<ResourceId>,
    /// Live faces and pictures of faces to analyse.
    faces: Vec<ResourceId>,
}

impl EvidenceRequest {
    fn documents(ids: impl IntoIterator<Item = ResourceId>) -> Self {
        Self { documents: ids.into_iter().collect(), faces: Vec::new() }
    }

    fn faces(ids: impl IntoIterator<Item = ResourceId>) -> Self {
        Self { documents: Vec::new(), faces: ids.into_iter().collect() }
    }
}

/// What a check judges.
struct CheckInput<'a> {
    session: &'a DocumentSession,
    check: &'a VerificationCheck,
    evidence: &'a Evidence,
    /// In UTC.
    today: Date,
}

impl<'a> CheckInput<'a> {
    /// The first resource of a kind that the check uses.
    fn used(&self, kind: ResourceKind) -> Option<&'a SuppliedResource> {
        self.check.resources_used.iter().find_map(|id| self.session.resource(kind, *id))
    }

    /// What was read of a document; `None` if it could not be opened.
    fn document(&self, id: ResourceId) -> Option<&'a DocumentFindings> {
        self.evidence.documents.get(&id)?.as_ref()
    }

    fn face(&self, id: ResourceId) -> Option<&'a FaceAnalysis> {
        self.evidence.faces.get(&id)
    }
}

/// The id of the first resource of a kind that a check uses.
fn used_resource(
    session: &DocumentSession,
    check: &VerificationCheck,
    kind: ResourceKind,
) -> Option<ResourceId> {
    check.resources_used.iter().copied().find(|id| session.resource(kind, *id).is_some())
}
