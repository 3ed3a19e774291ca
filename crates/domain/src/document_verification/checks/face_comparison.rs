//! `FACE_COMPARISON`: a picture that the relying party supplied against the live face.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources, face_analysis::FaceAnalysis,
    face_match::compare_faces, used_resource,
};
use crate::document_verification::{
    report::VerificationReport,
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::ResourceKind,
};
use base::ResourceId;

#[derive(Debug)]
pub(super) struct FaceComparisonCheck;

impl SessionCheck for FaceComparisonCheck {
    fn subjects(&self, _: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        supplied.faces.iter().map(|face| supplied.with_live_face(*face)).collect()
    }

    fn evidence(&self, session: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        let given = used_resource(session, check, ResourceKind::FaceCapture);
        let live = used_resource(session, check, ResourceKind::Liveness);
        EvidenceRequest::faces(given.zip(live).into_iter().flat_map(|(given, live)| [given, live]))
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let (Some(given), Some(live)) =
            (input.used(ResourceKind::FaceCapture), input.used(ResourceKind::Liveness))
        else {
            return VerificationReport::not_available("FACE_NOT_FOUND");
        };
        let known = input.face(given.id).and_then(FaceAnalysis::comparable_face);
        compare_faces(known, input.face(live.id))
    }
}
