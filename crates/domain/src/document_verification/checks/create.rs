//! Which checks a session gets.

use super::implementation;
use crate::document_verification::{
    error::DocumentSessionError,
    findings::ClaimedDocument,
    request::RequestedCheck,
    restrictions::{DocumentRestrictions, applies_to_document},
    session::{DocumentSession, VerificationCheck, state_machine::CheckEvent},
    types::{CheckState, LivenessType, ResourceKind},
};
use base::{Environment, ResourceId, VerificationCheckId};
use documents::catalogue::DocumentType;

/// The resources of a session that count for its requirements, as far as a check chooses among them.
pub(super) struct SuppliedResources {
    /// Identity documents.
    pub(super) documents: Vec<SuppliedIdDocument>,
    /// Supplementary documents.
    pub(super) supplementary: Vec<ResourceId>,
    /// Pictures of faces to compare with.
    pub(super) faces: Vec<ResourceId>,
    pub(super) liveness: Vec<SuppliedLiveness>,
}

pub(super) struct SuppliedIdDocument {
    pub(super) id: ResourceId,
    document_type: Option<DocumentType>,
    /// ISO 3166-1 alpha-3.
    issuing_country: Option<String>,
}

impl SuppliedIdDocument {
    fn claim(&self) -> Option<ClaimedDocument<'_>> {
        ClaimedDocument::of(self.issuing_country.as_deref(), self.document_type)
    }
}

pub(super) struct SuppliedLiveness {
    pub(super) id: ResourceId,
    pub(super) liveness_type: Option<LivenessType>,
}

impl SuppliedResources {
    fn of(session: &DocumentSession) -> Self {
        let ids = |kind| session.fulfilling_resources(kind).map(|resource| resource.id).collect();
        let documents = session.fulfilling_resources(ResourceKind::IdDocument);
        let liveness = session.fulfilling_resources(ResourceKind::Liveness);
        Self {
            documents: documents
                .map(|resource| SuppliedIdDocument {
                    id: resource.id,
                    document_type: resource.document_type,
                    issuing_country: resource.issuing_country.clone(),
                })
                .collect(),
            supplementary: ids(ResourceKind::SupplementaryDocument),
            faces: ids(ResourceKind::FaceCapture),
            liveness: liveness
                .map(|resource| SuppliedLiveness { id: resource.id, liveness_type: resource.liveness_type })
                .collect(),
        }
    }

    /// The identity documents that a check is about: all of them, unless it has restrictions of its own.
    pub(super) fn documents_within(
        &self,
        restrictions: Option<&DocumentRestrictions>,
    ) -> impl Iterator<Item = &SuppliedIdDocument> {
        self.documents.iter().filter(move |document| applies_to_document(restrictions, document.claim()))
    }

    /// A resource, and the live face that it is compared with (the last), if there is one.
    pub(super) fn with_live_face(&self, id: ResourceId) -> Vec<ResourceId> {
        std::iter::once(id).chain(self.liveness.last().map(|live| live.id)).collect()
    }

    /// Whether it is one of the documents.
    fn has_document(&self, id: ResourceId) -> bool {
        self.supplementary.contains(&id) || self.documents.iter().any(|document| document.id == id)
    }
}

/// Creates the checks of a session whose end user has finished: those that were requested, besides those that tasks
/// created already, which become ready.
pub(in crate::document_verification) fn create_checks(
    session: &mut DocumentSession,
    env: &dyn Environment,
) -> Result<(), DocumentSessionError> {
    let supplied = SuppliedResources::of(session);
    discard_checks_of_replaced_documents(session, &supplied);
    let now = env.now();
    for check in &mut session.checks {
        check.state = check.state.after(CheckEvent::Triggered)?;
        check.last_updated = now;
    }
    let mut created = Vec::new();
    for requested in &session.requested.checks {
        for resources in subjects(&session.requested.checks, requested, &supplied) {
            let filter = requested.issuing_authority_filter.as_ref();
            let falls_under_filter = resources
                .first()
                .is_some_and(|id| supplied.documents_within(filter).any(|document| document.id == *id));
            let check = VerificationCheck::begin(
                env,
                requested.kind,
                CheckState::Ready,
                resources,
                requested.manual_check,
            );
            let issuing_authority = requested.issuing_authority && falls_under_filter;
            let allow_expired = requested.filter.as_ref().is_some_and(|filter| filter.allow_expired);
            created.push(VerificationCheck {
                issuing_authority,
                issuing_authority_takes_expired: filter.is_none_or(|filter| filter.allow_expired),
                allow_expired,
                filtered: requested.filter.is_some(),
                watchlist_categories: requested.watchlist_categories.clone(),
                ..check
            });
        }
    }
    session.checks.extend(created);
    Ok(())
}

/// For each check that a request leads to, the resources that it uses. If nothing that was supplied falls under the filter
/// of any check of a kind, there is one check without resources, whose report says so: a kind that was asked for always
/// has an outcome.
fn subjects(
    all: &[RequestedCheck],
    requested: &RequestedCheck,
    supplied: &SuppliedResources,
) -> Vec<Vec<ResourceId>> {
    let of = |requested: &RequestedCheck| implementation(requested.kind).subjects(requested, supplied);
    let mut same_kind = all.iter().filter(|other| other.kind == requested.kind);
    let is_first = same_kind.clone().next().is_some_and(|first| std::ptr::eq(first, requested));
    if is_first && same_kind.all(|other| of(other).is_empty()) {
        return vec![Vec::new()];
    }
    of(requested)
}

/// Drops the checks that tasks created for documents that were replaced since.
fn discard_checks_of_replaced_documents(session: &mut DocumentSession, supplied: &SuppliedResources) {
    session.checks.retain(|check| check.resources_used.iter().all(|id| supplied.has_document(*id)));
    let known: Vec<VerificationCheckId> = session.checks.iter().map(|check| check.id).collect();
    for task in session.resources.iter_mut().flat_map(|resource| &mut resource.tasks) {
        task.generated_checks.retain(|id| known.contains(id));
    }
}
