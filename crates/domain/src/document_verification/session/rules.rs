//! What a session refuses, and when its requirements and the session itself move on.

use super::{
    DocumentSession, Requirement, SuppliedResource,
    state_machine::{DocumentSessionEvent, InvalidTransitionError, RequirementEvent},
};
use crate::document_verification::{
    error::DocumentSessionError,
    notifications::NotificationSubject,
    restrictions::{DocumentRestrictions, applies_to_document},
    types::{
        NotificationTopic, ResourceKind, ResourceSource, SessionState, SupplementaryObjective, TaskType,
        VerificationCheckType,
    },
    unit_of_work::SideEffects,
};
use base::{Environment, ResourceId};

impl DocumentSession {
    /// Refuses an end user whose time is over or who has finished.
    pub(in crate::document_verification) fn ensure_open_for_end_user(
        &self,
        env: &dyn Environment,
    ) -> Result<(), DocumentSessionError> {
        if self.is_open(env.now()) { Ok(()) } else { Err(DocumentSessionError::Expired) }
    }

    /// Refuses as long as the end user has not consented to the use of biometric data, if their face is captured and
    /// the session collects consent.
    pub(in crate::document_verification) fn ensure_biometric_consent(
        &self,
    ) -> Result<(), DocumentSessionError> {
        let captures_face = self.requirements.iter().any(|requirement| {
            requirement.source == ResourceSource::EndUser
                && matches!(requirement.kind, ResourceKind::Liveness | ResourceKind::FaceCapture)
        });
        if captures_face && !self.requested.block_biometric_consent && self.biometric_consent.is_none() {
            return Err(DocumentSessionError::BiometricConsentRequired);
        }
        Ok(())
    }

    /// Whether faces may be made into numbers that tell people apart: the end user has consented, or the relying party
    /// has said that it collects their consent itself.
    pub(in crate::document_verification) fn allows_biometrics(&self) -> bool {
        self.requested.block_biometric_consent || self.biometric_consent.is_some()
    }

    /// Whether the relying party may read and change it. In the sandbox nobody shows anything of theirs, and integrators act
    /// for the person.
    pub(in crate::document_verification) fn is_open_to_relying_party(&self) -> bool {
        self.sandbox || !self.serves_age_session
    }

    /// The resource with this id, which must be of this kind.
    pub(in crate::document_verification) fn require_resource(
        &self,
        kind: ResourceKind,
        id: ResourceId,
    ) -> Result<&SuppliedResource, DocumentSessionError> {
        self.resource(kind, id).ok_or(DocumentSessionError::ItemNotFound("resource"))
    }

    /// The resource with this id, to change it.
    pub(in crate::document_verification) fn require_resource_mut(
        &mut self,
        id: ResourceId,
    ) -> Result<&mut SuppliedResource, DocumentSessionError> {
        self.resource_mut(id).ok_or(DocumentSessionError::ItemNotFound("resource"))
    }

    /// The requirement with this id, to change it.
    pub(in crate::document_verification) fn require_requirement_mut(
        &mut self,
        id: ResourceId,
    ) -> Result<&mut Requirement, DocumentSessionError> {
        self.requirement_mut(id).ok_or(DocumentSessionError::ItemNotFound("requirement"))
    }

    /// The requirement that a resource counts for; `None` if the resource was replaced.
    pub(in crate::document_verification) fn requirement_of(&self, id: ResourceId) -> Option<&Requirement> {
        self.requirements.iter().find(|requirement| requirement.resource == Some(id))
    }

    /// Which documents are accepted for the requirement that a resource was supplied for.
    pub(in crate::document_verification) fn restrictions_of(
        &self,
        resource: &SuppliedResource,
    ) -> DocumentRestrictions {
        let requirement = self.requirements.iter().find(|known| known.id == resource.requirement);
        requirement.map(|requirement| requirement.filter.clone()).unwrap_or_default()
    }

    /// Whether a document that has expired is refused where it is read: the session takes none, and has no check of
    /// authenticity of that document, which would say so.
    pub(in crate::document_verification) fn refuses_expired(&self, resource: &SuppliedResource) -> bool {
        let is_checked = self.requested.checks.iter().any(|check| {
            check.kind == VerificationCheckType::Authenticity
                && applies_to_document(check.filter.as_ref(), resource.claim())
        });
        !is_checked && !self.restrictions_of(resource).allow_expired
    }

    /// What the supplementary document of a requirement is to prove.
    pub(in crate::document_verification) fn objective_of(
        &self,
        resource: &SuppliedResource,
    ) -> Option<SupplementaryObjective> {
        let requirement = self.requirements.iter().find(|known| known.id == resource.requirement);
        requirement.and_then(|requirement| requirement.supplementary.objective)
    }

    /// Records that a resource has changed.
    pub(in crate::document_verification) fn mark_updated(&mut self, id: ResourceId, env: &dyn Environment) {
        if let Some(resource) = self.resource_mut(id) {
            resource.last_updated = env.now();
        }
    }

    /// Moves the requirement that a resource counts for; does nothing if the resource was replaced.
    pub(in crate::document_verification) fn apply_requirement_event(
        &mut self,
        id: ResourceId,
        event: RequirementEvent,
    ) -> Result<(), InvalidTransitionError> {
        let requirement = self.requirements.iter_mut().find(|requirement| requirement.resource == Some(id));
        if let Some(requirement) = requirement {
            requirement.standing = requirement.standing.after(event)?;
        }
        Ok(())
    }

    /// The task to be done with resources of a kind; `None` if the session asks for none.
    pub(in crate::document_verification) fn requested_task_type(
        &self,
        kind: ResourceKind,
    ) -> Option<TaskType> {
        self.requested.task(TaskType::of(kind)?).map(|task| task.kind)
    }

    /// Completes a session that was triggered and whose checks have all ended.
    pub(in crate::document_verification) fn complete_if_done(
        &mut self,
        effects: &mut SideEffects,
    ) -> Result<(), InvalidTransitionError> {
        if self.state == SessionState::Ongoing
            && self.triggered_at.is_some()
            && self.checks.iter().all(|check| check.state.is_final())
        {
            self.state = self.state.after(DocumentSessionEvent::ChecksFinished)?;
            effects.notify(NotificationTopic::SessionCompletion, NotificationSubject::Session);
        }
        Ok(())
    }
}
