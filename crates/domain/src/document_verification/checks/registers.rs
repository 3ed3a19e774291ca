//! What this server itself knows of a document and its holder: the operator's list of fraud, and earlier sessions.

use super::{CheckInput, face_analysis::FaceAnalysis};
use crate::document_verification::{
    face_templates::FaceTemplate,
    findings::{DocumentFindings, StoredPortrait},
    fraud_list::{FraudList, FraudListLookup},
    names::HolderName,
    traces::{Duplicates, NewTrace, TraceStore, TracedIdentity},
    vision_runner::{DocumentReadError, VisionRunner},
};
use documents::field::FieldName;

/// What was found of one check's document.
#[derive(Debug)]
pub(super) struct RegisterLookup {
    pub(super) listed: FraudListLookup,
    /// Earlier sessions; `None` where sessions are not compared, or nothing could be.
    pub(super) duplicates: Option<Duplicates>,
    /// What later sessions are compared with.
    pub(super) trace: Option<NewTrace>,
}

/// Looks documents and faces up; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct Registers {
    fraud_list: FraudList,
    traces: TraceStore,
    vision: VisionRunner,
}

impl Registers {
    pub(in crate::document_verification) fn new(
        fraud_list: FraudList,
        traces: TraceStore,
        vision: VisionRunner,
    ) -> Self {
        Self { fraud_list, traces, vision }
    }

    /// Looks up the document of a check of authenticity; `None` if there is none that can be.
    pub(super) async fn look_up(
        &self,
        input: &CheckInput<'_>,
        live: Option<&FaceAnalysis>,
    ) -> Result<Option<RegisterLookup>, DocumentReadError> {
        let Ok((resource, findings)) = input.recognised_document() else { return Ok(None) };
        let document = findings.identifier(resource.claim());
        let faces = faces(findings, live);
        let most_distance = if faces.is_empty() { None } else { self.vision.listed_distance().await? };
        let failed = |error: db::DbError| DocumentReadError::Server(error.to_string());
        let app = input.session.app;
        let listed =
            self.fraud_list.look_up(app, document.as_ref(), &faces, most_distance).await.map_err(failed)?;
        let kept = if self.traces.compares_faces() { faces } else { Vec::new() };
        let identity = HolderName::of(findings).map(|name| TracedIdentity {
            name,
            date_of_birth: findings.field(FieldName::DateOfBirth).map(str::to_owned),
            faces: kept,
        });
        let trace = identity.filter(|_| self.traces.is_on()).map(|identity| NewTrace { document, identity });
        let duplicates = match &trace {
            Some(trace) => {
                let found = self.traces.find(app, input.session.id, trace, most_distance).await;
                Some(found.map_err(failed)?)
            }
            None => None,
        };
        Ok(Some(RegisterLookup { listed, duplicates, trace }))
    }
}

/// The portrait and the live face, as far as they may be compared.
fn faces(findings: &DocumentFindings, live: Option<&FaceAnalysis>) -> Vec<FaceTemplate> {
    let portrait = findings.portrait.as_ref().filter(|portrait| StoredPortrait::is_embedded(portrait));
    let portrait = portrait.map(|portrait| FaceTemplate {
        embedding: portrait.embedding.clone(),
        space: portrait.space.clone(),
    });
    let live = live
        .and_then(FaceAnalysis::comparable_face)
        .map(|face| FaceTemplate { embedding: face.embedding.to_vec(), space: face.space.to_owned() });
    portrait.into_iter().chain(live).collect()
}
