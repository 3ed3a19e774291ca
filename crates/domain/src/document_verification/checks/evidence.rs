//! Gathers what checks need to know, each document and each face once for all checks of a run.

use super::{
    EvidenceRequest,
    face_analysis::{FaceAnalyser, FaceAnalysis},
    registers::RegisterLookup,
    sources::SourceOutcome,
};
use crate::document_verification::{
    extraction::DocumentExtractor,
    findings::{DocumentFindings, StoredPortrait},
    store::UnsealedDocumentSession,
    vision_runner::DocumentReadError,
};
use age_methods::identity_source::IdentitySourceKind;
use base::{ResourceId, Timestamp, VerificationCheckId};
use documents::today::Today;
use std::collections::HashMap;

/// What is known of a session's resources so far.
#[derive(Default)]
pub(super) struct Evidence {
    /// What was read of documents; `None` if a document could not be opened.
    pub(super) documents: HashMap<ResourceId, Option<DocumentFindings>>,
    pub(super) faces: HashMap<ResourceId, FaceAnalysis>,
    /// What sources said for checks.
    pub(super) answers: HashMap<(VerificationCheckId, IdentitySourceKind), SourceOutcome>,
    /// What this server knows of the documents of checks.
    pub(super) registers: HashMap<VerificationCheckId, RegisterLookup>,
}

/// Reads documents and analyses faces for the checks; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct EvidenceLoader {
    extractor: DocumentExtractor,
    face_analyser: FaceAnalyser,
}

impl EvidenceLoader {
    pub(in crate::document_verification) fn new(
        extractor: DocumentExtractor,
        face_analyser: FaceAnalyser,
    ) -> Self {
        Self { extractor, face_analyser }
    }

    /// [`DocumentExtractor::models_retry_at`]
    pub(super) fn models_retry_at(&self) -> Option<Timestamp> {
        self.extractor.models_retry_at()
    }

    /// Adds what is requested and not known yet: documents first, in order. Whether these have expired is as of `today`.
    pub(super) async fn load(
        &self,
        stored: &UnsealedDocumentSession,
        request: &EvidenceRequest,
        today: Today,
        evidence: &mut Evidence,
    ) -> Result<(), DocumentReadError> {
        for id in &request.documents {
            self.load_document(stored, *id, request.portraits, today, evidence).await?;
        }
        for id in &request.faces {
            self.load_face(stored, *id, evidence).await?;
        }
        Ok(())
    }

    /// What a task read of a document counts if the document has not changed since; otherwise it is read now. Its portrait is
    /// made comparable if it is to be compared and was not yet, because the end user had not consented when it was read.
    async fn load_document(
        &self,
        stored: &UnsealedDocumentSession,
        id: ResourceId,
        with_portrait: bool,
        today: Today,
        evidence: &mut Evidence,
    ) -> Result<(), DocumentReadError> {
        let with_portrait = with_portrait && stored.session.allows_biometrics();
        let suffices = |findings: &DocumentFindings| {
            !with_portrait || findings.portrait.as_ref().is_none_or(StoredPortrait::is_embedded)
        };
        if evidence.documents.get(&id).is_some_and(|known| known.as_ref().is_none_or(suffices)) {
            return Ok(());
        }
        let resource = stored.session.resources.iter().find(|resource| resource.id == id);
        let Some(resource) = resource else { return Ok(()) };
        let known = evidence.documents.remove(&id).flatten().or_else(|| resource.findings.clone());
        let mut known = known.filter(|findings| findings.of == resource.readable_media());
        if let Some(findings) = known.as_mut().filter(|findings| !suffices(findings))
            && !self.extractor.embed_portrait(stored, resource, findings).await?
        {
            known = None;
        }
        let findings = match known {
            Some(mut findings) => {
                // It may have been read weeks ago.
                findings.update_expiry(today);
                Some(findings)
            }
            None => match self.extractor.extract(stored, resource).await {
                Ok(read) => Some(read.findings),
                Err(DocumentReadError::File(_)) => None,
                Err(error) => return Err(error),
            },
        };
        evidence.documents.insert(id, findings);
        Ok(())
    }

    async fn load_face(
        &self,
        stored: &UnsealedDocumentSession,
        id: ResourceId,
        evidence: &mut Evidence,
    ) -> Result<(), DocumentReadError> {
        if evidence.faces.contains_key(&id) {
            return Ok(());
        }
        let resource = stored.session.resources.iter().find(|resource| resource.id == id);
        let Some(resource) = resource else { return Ok(()) };
        let mut media = resource.readable_media();
        if media.is_empty() {
            media.extend(resource.image);
        }
        let analysis = self.face_analyser.analyse(stored, media).await?;
        evidence.faces.insert(id, analysis);
        Ok(())
    }
}
