//! The checks: one job for a session, once the end user has finished, which looks at each document and each face once.
//!
//! Each kind of check is an implementation of [`SessionCheck`] in a file of its own: [`authenticity`], [`text_data`],
//! [`comparison`], [`liveness`], [`face_match`], [`face_comparison`], [`watchlist`], [`third_party_identity`]; what the last
//! two and authenticity ask of others is in [`sources`], and what this server knows itself in [`registers`]. [`create`] creates a session's checks, [`runner`]
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
mod registers;
mod report_builder;
mod runner;
mod sources;
mod text_data;
mod third_party_identity;
pub(super) mod watchlist;

pub(super) use create::create_checks;
pub(super) use decisions::record_decision;
pub(super) use evidence::EvidenceLoader;
pub(super) use face_analysis::FaceAnalyser;
pub(super) use liveness::judge_liveness;
pub(super) use registers::Registers;
pub(super) use runner::CheckRunner;

use super::{
    findings::{DOCUMENT_NOT_RECOGNISED, DocumentFindings},
    identity_sources::IdentitySources,
    report::VerificationReport,
    request::RequestedCheck,
    session::{DocumentSession, SuppliedResource, VerificationCheck},
    types::{ResourceKind, VerificationCheckType},
};
use age_methods::identity_source::{IdentityQuestion, IdentitySourceKind};
use base::ResourceId;
use create::SuppliedResources;
use evidence::Evidence;
use face_analysis::FaceAnalysis;
use jiff::civil::Date;
use registers::RegisterLookup;
use sources::SourceOutcome;

/// A kind of check: what it is made of, what it needs to know, and how it judges that.
trait SessionCheck: std::fmt::Debug + Sync {
    /// The checks that a request leads to: for each the resources that it uses, in order.
    fn subjects(&self, requested: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>>;

    /// The documents to read and the faces to analyse before [`Self::report`].
    fn evidence(&self, session: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest;

    /// What sources are to be asked before [`Self::report`], once the evidence is there.
    fn questions(&self, _: &CheckInput<'_>, _: &IdentitySources) -> Vec<IdentityQuestion> {
        Vec::new()
    }

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
        VerificationCheckType::Watchlist => &watchlist::WatchlistCheck,
        VerificationCheckType::ThirdPartyIdentity => &third_party_identity::ThirdPartyIdentityCheck,
    }
}

/// The resources that a check needs evidence of.
#[derive(Debug, Default)]
struct EvidenceRequest {
    /// Documents to read.
    documents: Vec<ResourceId>,
    /// Whether the portraits on them are to be compared.
    portraits: bool,
    /// Live faces and pictures of faces to analyse.
    faces: Vec<ResourceId>,
}

impl EvidenceRequest {
    fn documents(ids: impl IntoIterator<Item = ResourceId>) -> Self {
        Self { documents: ids.into_iter().collect(), ..Self::default() }
    }

    fn faces(ids: impl IntoIterator<Item = ResourceId>) -> Self {
        Self { faces: ids.into_iter().collect(), ..Self::default() }
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

    /// What was read of a resource that shows a document; otherwise the report that says that it shows none.
    fn shown_document(&self, id: ResourceId) -> Result<&'a DocumentFindings, VerificationReport> {
        match self.document(id) {
            Some(findings) if findings.document => Ok(findings),
            findings => Err(VerificationReport::not_available(
                findings.map_or("NO_DOCUMENT", |findings| findings.first_fault_or("NO_DOCUMENT")),
            )),
        }
    }

    /// What was read of the identity document that the check uses, if that is the document that the end user said it is;
    /// otherwise the report that says so.
    fn recognised_document(
        &self,
    ) -> Result<(&'a SuppliedResource, &'a DocumentFindings), VerificationReport> {
        let Some(resource) = self.used(ResourceKind::IdDocument) else {
            return Err(VerificationReport::not_available("NO_DOCUMENT"));
        };
        let findings = self.shown_document(resource.id)?;
        if resource.claim().is_some_and(|claim| findings.is_unrecognised(claim)) {
            let reason = findings.first_fault_or(DOCUMENT_NOT_RECOGNISED);
            return Err(VerificationReport::not_available(reason));
        }
        Ok((resource, findings))
    }

    /// The same, if the document is also of the type and country that the end user said, and one that the session accepts.
    /// Sources are asked about no other.
    fn accepted_document(&self) -> Result<(&'a SuppliedResource, &'a DocumentFindings), VerificationReport> {
        let (resource, findings) = self.recognised_document()?;
        match self.rejection_reason(resource, findings) {
            Some(reason) => Err(VerificationReport::not_available(reason)),
            None => Ok((resource, findings)),
        }
    }

    /// Why the session takes a document for none that it accepts, as a code of the interface; `None` if it accepts it.
    fn rejection_reason(
        &self,
        resource: &SuppliedResource,
        findings: &DocumentFindings,
    ) -> Option<&'static str> {
        let restrictions = self.session.restrictions_of(resource);
        findings.rejection_reason(resource.claim()?, &restrictions)
    }

    /// What a source said for this check; `None` if it was not asked.
    fn answer(&self, kind: IdentitySourceKind) -> Option<&'a SourceOutcome> {
        self.evidence.answers.get(&(self.check.id, kind))
    }

    /// What this server itself knows of the check's document; `None` if nothing was looked up.
    fn registers(&self) -> Option<&'a RegisterLookup> {
        self.evidence.registers.get(&self.check.id)
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
