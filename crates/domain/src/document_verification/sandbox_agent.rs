//! Acts for the end user in a sandbox: supplies what a session asks for, and finishes.

use super::{
    capture::{
        CapturedMedia, DocumentCaptureService, FaceCaptureService, IdempotentCall, LivenessCaptureService,
        NewDocument,
    },
    error::DocumentSessionError,
    finish::EndUserActions,
    restrictions::document_type_name,
    session::{Requirement, SuppliedResource},
    store::{DocumentSessionStore, UnsealedDocumentSession},
    types::{
        CaptureMethod, IdDocumentType, LivenessType, RequirementState, ResourceKind, TaskState, TaskType,
    },
};
use crate::image_analysis::sample_faces;
use base::{DocumentSessionId, Picture};
use documents::catalogue::DocumentType;

/// What the agent does.
#[derive(Clone, Debug, Default)]
pub struct SandboxPlayOptions {
    /// The type of the identity documents; the first that is accepted, if none is named.
    pub document_type: Option<IdDocumentType>,
    /// The country of the documents, ISO 3166-1 alpha-3; the first that is accepted, if none is named.
    pub issuing_country: Option<String>,
    /// Whether the agent supplies everything and then does not finish.
    pub abandons_session: bool,
}

/// How far the agent got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxPlayOutcome {
    /// It has finished, and the checks begin.
    Finished,
    /// It has supplied everything, and not finished.
    Abandoned,
    /// It would have to try something again, or wait.
    Stuck,
}

/// Acts for end users, in sandboxes only; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct SandboxAgent {
    store: DocumentSessionStore,
    end_user: EndUserActions,
    documents: DocumentCaptureService,
    liveness: LivenessCaptureService,
    faces: FaceCaptureService,
}

impl SandboxAgent {
    pub(super) fn new(
        store: DocumentSessionStore,
        end_user: EndUserActions,
        documents: DocumentCaptureService,
        liveness: LivenessCaptureService,
        faces: FaceCaptureService,
    ) -> Self {
        Self { store, end_user, documents, liveness, faces }
    }

    /// Goes through a session. A session of production does not exist for it.
    pub(super) async fn run(
        &self,
        id: DocumentSessionId,
        options: &SandboxPlayOptions,
    ) -> Result<SandboxPlayOutcome, DocumentSessionError> {
        let stored = self.find_sandbox_session(id).await?;
        if !stored.session.requested.block_biometric_consent {
            self.end_user.record_biometric_consent(id, None).await?;
        }
        let open: Vec<Requirement> = stored
            .session
            .requirements
            .iter()
            .filter(|requirement| requirement.standing != RequirementState::Fulfilled)
            .cloned()
            .collect();
        let mut all_supplied = true;
        for requirement in open {
            all_supplied &= match requirement.kind {
                ResourceKind::IdDocument | ResourceKind::SupplementaryDocument => {
                    self.simulate_document(id, &requirement, options).await?
                }
                ResourceKind::Liveness => self.simulate_liveness(id, &requirement).await?,
                ResourceKind::FaceCapture => self.simulate_face(id, &requirement).await?,
            };
        }
        match (all_supplied, options.abandons_session) {
            (false, _) => Ok(SandboxPlayOutcome::Stuck),
            (true, true) => Ok(SandboxPlayOutcome::Abandoned),
            (true, false) => self.end_user.finish(id, None).await.map(|()| SandboxPlayOutcome::Finished),
        }
    }

    async fn find_sandbox_session(
        &self,
        id: DocumentSessionId,
    ) -> Result<UnsealedDocumentSession, DocumentSessionError> {
        let stored = self.store.load(id).await?;
        stored.filter(|stored| stored.session.sandbox).ok_or(DocumentSessionError::SessionNotFound)
    }

    /// Supplies a document and has it read, if the session asks for that; returns whether the requirement is fulfilled.
    async fn simulate_document(
        &self,
        id: DocumentSessionId,
        requirement: &Requirement,
        options: &SandboxPlayOptions,
    ) -> Result<bool, DocumentSessionError> {
        let mut new =
            NewDocument { requirement_id: Some(requirement.id.to_string()), ..NewDocument::default() };
        if requirement.kind == ResourceKind::IdDocument {
            let named_kind = options.document_type.map(DocumentType::from);
            let named_country = options.issuing_country.as_ref();
            let fits = |country: &str, kind| {
                named_kind.is_none_or(|named| named == kind)
                    && named_country.is_none_or(|named| named.eq_ignore_ascii_case(country))
            };
            let mut allowed = requirement.filter.allowed_documents();
            let chosen = allowed.find_map(|(country, documents)| {
                let document = documents.into_iter().find(|document| fits(country, document.kind))?;
                Some((country, document.kind))
            });
            let Some((country, kind)) = chosen else {
                let message = "the session takes no such document of that country";
                return Err(DocumentSessionError::invalid_member("document_type", message));
            };
            new.document_type = Some(document_type_name(kind).to_owned());
            new.issuing_country = Some(country.to_owned());
        } else {
            let accepted = &requirement.supplementary;
            let usual = || "UTILITY_BILL".to_owned();
            new.document_type = Some(accepted.types.first().cloned().unwrap_or_else(usual));
            let named = options
                .issuing_country
                .clone()
                .filter(|code| accepted.allows_country(Some(&code.to_ascii_uppercase())));
            new.issuing_country = named.or_else(|| accepted.countries.first().cloned());
        }
        let (kind, call) = (requirement.kind, IdempotentCall::default());
        let resource: SuppliedResource = self.documents.add_document(id, kind, new, &call, None).await?;
        let stored = self.find_sandbox_session(id).await?;
        self.documents.put_page(&stored, kind, resource.id, 0, placeholder_image(), None).await?;
        let task = match kind {
            ResourceKind::SupplementaryDocument => TaskType::SupplementaryDocument,
            _ => TaskType::IdDocument,
        };
        if stored.session.requested.task(task).is_none() {
            return Ok(true);
        }
        let task = self.documents.request_extraction(id, kind, resource.id, None).await?.task;
        let stored = self.find_sandbox_session(id).await?;
        let fulfilled = stored
            .session
            .requirements
            .iter()
            .any(|known| known.id == requirement.id && known.standing == RequirementState::Fulfilled);
        Ok(task.state != TaskState::Pending && fulfilled)
    }

    async fn simulate_liveness(
        &self,
        id: DocumentSessionId,
        requirement: &Requirement,
    ) -> Result<bool, DocumentSessionError> {
        let kind = requirement.liveness_type.unwrap_or(LivenessType::Static);
        let (named, call) = (requirement.id.to_string(), IdempotentCall::default());
        let resource = self.liveness.add_liveness(id, kind, Some(&named), &call, None).await?;
        let frames = if kind == LivenessType::Zoom { 3 } else { 1 };
        for number in 0..frames {
            let stored = self.find_sandbox_session(id).await?;
            self.liveness.put_frame(&stored, kind, resource, number, placeholder_image(), None).await?;
        }
        Ok(true)
    }

    /// Supplies the picture of a face, also in place of the relying party.
    async fn simulate_face(
        &self,
        id: DocumentSessionId,
        requirement: &Requirement,
    ) -> Result<bool, DocumentSessionError> {
        let (caller, named) = (requirement.source, requirement.id.to_string());
        let resource =
            self.faces.add_face(id, caller, Some(&named), &IdempotentCall::default(), None).await?;
        let stored = self.find_sandbox_session(id).await?;
        self.faces.put_face(&stored, caller, resource, placeholder_image(), None).await?;
        Ok(true)
    }
}

/// A grey picture, which shows nobody's document and nobody's face.
fn placeholder_image() -> CapturedMedia {
    let (width, height) = (320, 240);
    let rgb = vec![180; width as usize * height as usize * 3];
    let picture = Picture::new(width, height, rgb).expect("as many bytes as pixels");
    CapturedMedia { bytes: sample_faces::encode_jpeg(&picture, 80), capture_method: CaptureMethod::Camera }
}
