//! `ID_DOCUMENT_FACE_MATCH`: the portrait on an identity document against the live face.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    face_analysis::{ComparableFace, FaceAnalysis},
    used_resource,
};
use crate::document_verification::{
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::{CheckAdvice, ResourceKind},
};
use base::ResourceId;
use vision::embedding_distance;

#[derive(Debug)]
pub(super) struct FaceMatchCheck;

impl SessionCheck for FaceMatchCheck {
    fn subjects(&self, requested: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        let documents = supplied.documents_within(requested.filter.as_ref());
        documents.map(|document| supplied.with_live_face(document.id)).collect()
    }

    fn evidence(&self, session: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        let document = used_resource(session, check, ResourceKind::IdDocument);
        let live = used_resource(session, check, ResourceKind::Liveness);
        if document.is_none() || live.is_none() {
            return EvidenceRequest::default();
        }
        EvidenceRequest { documents: document.into_iter().collect(), faces: live.into_iter().collect() }
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let (Some(document), Some(live)) =
            (input.used(ResourceKind::IdDocument), input.used(ResourceKind::Liveness))
        else {
            return VerificationReport::not_available("FACE_NOT_FOUND");
        };
        let portrait = input.document(document.id).and_then(|findings| findings.portrait.as_ref());
        let portrait = portrait
            .map(|portrait| ComparableFace { embedding: &portrait.embedding, space: &portrait.space });
        compare_faces(portrait, input.face(live.id))
    }
}

/// Compares a known face with a live one.
pub(super) fn compare_faces(
    known: Option<ComparableFace<'_>>,
    live: Option<&FaceAnalysis>,
) -> VerificationReport {
    let (Some(known), Some(live)) = (known, live) else {
        return VerificationReport::not_available("FACE_NOT_FOUND");
    };
    let Some(face) = live.comparable_face() else {
        return VerificationReport::not_available("FACE_NOT_FOUND");
    };
    let Some(limits) = live.distance_limits.filter(|_| face.space == known.space) else {
        return VerificationReport::not_available("FACE_NOT_COMPARABLE");
    };
    let distance = embedding_distance(known.embedding, face.embedding);
    // A score of one half is the distance at which one stranger in a thousand would be taken for the holder.
    let score = (1.0 - distance / (2.0 * limits.same)).clamp(0.0, 1.0);
    let details = vec![
        ReportDetail::new("confidence_score", format_args!("{score:.2}")),
        ReportDetail::new("distance", format_args!("{distance:.3} (at most {:.3})", limits.same)),
    ];
    let breakdown = vec![SubCheck::new("ai_face_match", distance <= limits.same, details)];
    let recommendation = if distance <= limits.same {
        Recommendation::approve()
    } else if distance <= limits.possibly_same {
        Recommendation::with_reason(CheckAdvice::Consider, "DIFFERENT_PERSON")
    } else {
        Recommendation::with_reason(CheckAdvice::Reject, "DIFFERENT_PERSON")
    };
    VerificationReport { recommendation, breakdown }
}
