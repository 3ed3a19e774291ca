//! Plays the person in a sandbox: supplies what a session asks for, and deletes the token.

use super::{
    DocumentVerificationService,
    lifecycle::{IdempotentCall, NewDocument},
    restrictions::document_type_name,
    session::{Requirement, SuppliedResource},
    types::{
        CaptureMethod, IdDocumentType, LivenessType, RequirementState, ResourceKind, ResourceSource,
        TaskState, TaskType,
    },
    unit_of_work::{CapturedMedia, DocumentSessionError},
};
use crate::image_analysis::sample_faces;
use base::{DocumentSessionId, Picture};
use documents::catalogue::DocumentType;

/// How the person is played.
#[derive(Clone, Debug, Default)]
pub struct SandboxPlayOptions {
    /// The type of identity documents; the first that is taken, where none is named.
    pub document_type: Option<IdDocumentType>,
    /// Their country.
    pub issuing_country: Option<String>,
    /// Whether the person stops before they are through.
    pub abandons_session: bool,
}

/// How the play ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxPlayOutcome {
    /// The person is through; the checks begin.
    Finished,
    /// They have supplied everything, and have not ended it.
    Abandoned,
    /// They would have to try something again, or wait.
    Stuck,
}

impl DocumentVerificationService {
    /// Plays a person. Only in a sandbox is anybody played.
    pub async fn run_sandbox_agent(
        &self,
        id: DocumentSessionId,
        play: &SandboxPlayOptions,
    ) -> Result<SandboxPlayOutcome, DocumentSessionError> {
        let held = self.find_sandbox_session(id).await?;
        if !held.session.wanted.block_biometric_consent {
            self.record_biometric_consent(id, None).await?;
        }
        let open: Vec<Requirement> = held
            .session
            .requirements
            .iter()
            .filter(|requirement| requirement.standing != RequirementState::Fulfilled)
            .cloned()
            .collect();
        let mut through = true;
        for requirement in open {
            through &= match requirement.kind {
                ResourceKind::IdDocument | ResourceKind::SupplementaryDocument => {
                    self.simulate_document(id, &requirement, play).await?
                }
                ResourceKind::Liveness => self.simulate_liveness(id, &requirement).await?,
                ResourceKind::FaceCapture => self.simulate_face(id, &requirement).await?,
            };
        }
        match (through, play.abandons_session) {
            (false, _) => Ok(SandboxPlayOutcome::Stuck),
            (true, true) => Ok(SandboxPlayOutcome::Abandoned),
            (true, false) => self.finish(id, None).await.map(|()| SandboxPlayOutcome::Finished),
        }
    }

    async fn find_sandbox_session(
        &self,
        id: DocumentSessionId,
    ) -> Result<super::UnsealedDocumentSession, DocumentSessionError> {
        let mut view = self.0.db.read().await?;
        let held = self.find_unscoped(&mut view, id).await?;
        held.filter(|held| held.session.sandbox).ok_or(DocumentSessionError::SessionNotFound)
    }

    async fn simulate_document(
        &self,
        id: DocumentSessionId,
        what: &Requirement,
        play: &SandboxPlayOptions,
    ) -> Result<bool, DocumentSessionError> {
        let mut new = NewDocument { requirement_id: Some(what.id.to_string()), ..NewDocument::default() };
        if what.kind == ResourceKind::IdDocument {
            let asked = play.document_type.map(DocumentType::from);
            let fits = |country: &str, kind| {
                asked.is_none_or(|asked| asked == kind)
                    && play.issuing_country.as_ref().is_none_or(|asked| asked.eq_ignore_ascii_case(country))
            };
            let mut allowed = what.filter.allowed_documents();
            let chosen = allowed.find_map(|(country, documents)| {
                let document = documents.into_iter().find(|document| fits(country, document.kind))?;
                Some((country, document.kind))
            });
            let Some((country, kind)) = chosen else {
                let words = "the session takes no such document of that country";
                return Err(DocumentSessionError::invalid_member("document_type", words));
            };
            new.document_type = Some(document_type_name(kind).to_owned());
            new.issuing_country = Some(country.to_owned());
        } else {
            new.document_type = Some("UTILITY_BILL".to_owned());
            new.issuing_country.clone_from(&play.issuing_country);
        }
        let resource: SuppliedResource =
            self.add_document(id, what.kind, new, &IdempotentCall::default(), None).await?;
        let held = self.find_sandbox_session(id).await?;
        self.put_page(&held, what.kind, resource.id, 0, placeholder_image(), None).await?;
        let kind = match what.kind {
            ResourceKind::SupplementaryDocument => TaskType::SupplementaryDocument,
            _ => TaskType::IdDocument,
        };
        if held.session.wanted.task(kind).is_none() {
            return Ok(true);
        }
        let task = self.request_extraction(id, what.kind, resource.id, None).await?;
        let held = self.find_sandbox_session(id).await?;
        let fulfilled = held.session.requirements.iter().any(|requirement| {
            requirement.id == what.id && requirement.standing == RequirementState::Fulfilled
        });
        Ok(task.state != TaskState::Pending && fulfilled)
    }

    async fn simulate_liveness(
        &self,
        id: DocumentSessionId,
        what: &Requirement,
    ) -> Result<bool, DocumentSessionError> {
        let kind = what.liveness_type.unwrap_or(LivenessType::Static);
        let resource =
            self.add_liveness(id, kind, Some(&what.id.to_string()), &IdempotentCall::default(), None).await?;
        let frames = if kind == LivenessType::Zoom { 3 } else { 1 };
        for number in 0..frames {
            let held = self.find_sandbox_session(id).await?;
            self.put_frame(&held, kind, resource, number, placeholder_image(), None).await?;
        }
        Ok(true)
    }

    async fn simulate_face(
        &self,
        id: DocumentSessionId,
        what: &Requirement,
    ) -> Result<bool, DocumentSessionError> {
        let by: ResourceSource = what.source;
        let resource =
            self.add_face(id, by, Some(&what.id.to_string()), &IdempotentCall::default(), None).await?;
        let held = self.find_sandbox_session(id).await?;
        self.put_face(&held, by, resource, placeholder_image(), None).await?;
        Ok(true)
    }
}

/// A grey card: nobody's document, and nobody's face.
fn placeholder_image() -> CapturedMedia {
    let (width, height) = (320, 240);
    let rgb = vec![180; width as usize * height as usize * 3];
    let picture = Picture::new(width, height, rgb).expect("as many bytes as pixels");
    CapturedMedia { bytes: sample_faces::encode_jpeg(&picture, 80), capture_method: CaptureMethod::Camera }
}
