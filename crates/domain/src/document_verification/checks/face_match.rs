//! `ID_DOCUMENT_FACE_MATCH`: the portrait on an identity document against the live face.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    face_analysis::{ComparableFace, FaceAnalysis},
    used_resource,
};
use crate::document_verification::{
    findings::{ApparentAge, DocumentFindings},
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::{CheckAdvice, ResourceKind},
};
use base::ResourceId;
use documents::{
    authenticity::{AuthenticityCheck, AuthenticityVerdict},
    field::FieldName,
};
use jiff::civil::Date;
use vision::{AgeEstimate, embedding_distance};

const AI_FACE_MATCH: &str = "ai_face_match";
/// The most standard deviations by which the ages of the two faces may be off.
const MAX_AGE_GAP_DEVIATIONS: f32 = 3.0;
/// How long most documents are valid.
const USUAL_VALIDITY_YEARS: i16 = 10;

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
        EvidenceRequest {
            documents: document.into_iter().collect(),
            portraits: true,
            faces: live.into_iter().collect(),
        }
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let (Some(document), Some(live)) =
            (input.used(ResourceKind::IdDocument), input.used(ResourceKind::Liveness))
        else {
            return VerificationReport::not_available("FACE_NOT_FOUND");
        };
        // A face on something else is nobody's portrait.
        let findings = match input.shown_document(document.id) {
            Ok(findings) => findings,
            Err(report) => return report,
        };
        let takes_expired =
            input.check.allow_expired || input.session.restrictions_of(document).allow_expired;
        if input.check.filtered && !takes_expired && findings.has_expired() {
            return VerificationReport::not_available("EXPIRED_DOCUMENT");
        }
        let (portrait, live) = (findings.portrait.as_ref(), input.face(live.id));
        let comparable = portrait
            .filter(|portrait| portrait.is_embedded())
            .map(|portrait| ComparableFace { embedding: &portrait.embedding, space: &portrait.space });
        let mut report = compare_faces(comparable, live);
        add_doubts(&mut report, findings, live.and_then(FaceAnalysis::age), input.today);
        report
    }
}

/// What makes a match doubtful: a face that cannot have aged from the one to the other, and a document that was itself a
/// picture. Neither rejects alone, and neither helps a face that does not match.
fn add_doubts(
    report: &mut VerificationReport,
    findings: &DocumentFindings,
    live: Option<AgeEstimate>,
    today: Date,
) {
    let Some(compared) = report.breakdown.iter_mut().find(|sub_check| sub_check.sub_check == AI_FACE_MATCH)
    else {
        return;
    };
    let mut doubts = Vec::new();
    let portrait = findings.portrait.as_ref().and_then(|portrait| portrait.age);
    if let Some((portrait, live)) = portrait.zip(live) {
        let live = ApparentAge { years: live.years, st_dev: live.st_dev };
        let off = age_gap_deviations(portrait, live, portrait_years(findings, today));
        compared.details.push(ReportDetail::new(
            "age_gap",
            format_args!(
                "{:.0} years ({off:.1} standard deviations off, at most {MAX_AGE_GAP_DEVIATIONS})",
                live.years - portrait.years
            ),
        ));
        doubts.extend((off > MAX_AGE_GAP_DEVIATIONS).then_some("LARGE_AGE_GAP"));
    }
    let is_recaptured =
        [AuthenticityCheck::NoScreenGrid, AuthenticityCheck::NoScreenBezel, AuthenticityCheck::NoPhotocopy]
            .into_iter()
            .any(|check| {
                findings.measure(check).is_some_and(|measure| measure.verdict != AuthenticityVerdict::Pass)
            });
    doubts.extend(is_recaptured.then_some("PHOTO_OF_PHOTO"));
    if let (CheckAdvice::Approve, Some(doubt)) = (report.recommendation.value, doubts.first()) {
        report.recommendation = Recommendation::with_reason(CheckAdvice::Consider, doubt);
    }
}

/// The years that a portrait may be old: since the issue of its document if that is known, else since ten years before it
/// expires, else ten.
fn portrait_years(findings: &DocumentFindings, today: Date) -> f32 {
    let date = |name| findings.field(name).and_then(|text| text.parse::<Date>().ok());
    let ten_years_before = |day: Date| day.saturating_sub(jiff::Span::new().years(USUAL_VALIDITY_YEARS));
    let since = date(FieldName::DateOfIssue)
        .or_else(|| date(FieldName::ExpirationDate).map(ten_years_before))
        .unwrap_or_else(|| ten_years_before(today));
    since.until(today).map_or(0.0, |span| span.get_days() as f32 / 365.25).max(0.0)
}

/// By how many standard deviations of both estimates the live face is too young, or too old, to be the portrait's after
/// at most so many years.
fn age_gap_deviations(portrait: ApparentAge, live: ApparentAge, most_years: f32) -> f32 {
    let gap = live.years - portrait.years;
    (-gap).max(gap - most_years).max(0.0) / portrait.st_dev.hypot(live.st_dev).max(f32::EPSILON)
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
    let breakdown = vec![SubCheck::new(AI_FACE_MATCH, distance <= limits.same, details)];
    let recommendation = if distance <= limits.same {
        Recommendation::approve()
    } else if distance <= limits.possibly_same {
        Recommendation::with_reason(CheckAdvice::Consider, "DIFFERENT_PERSON")
    } else {
        Recommendation::with_reason(CheckAdvice::Reject, "DIFFERENT_PERSON")
    };
    VerificationReport { recommendation, breakdown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_verification::{
        checks::evidence::Evidence,
        findings::{StoredMeasure, StoredPortrait},
        request::DocumentSessionRequest,
        session::SuppliedResource,
        types::{CheckState, ManualCheck, VerificationCheckType},
    };
    use base::{Environment as _, TestEnvironment, Uuid};
    use jiff::civil::date;

    fn findings(age: f32, measures: Vec<StoredMeasure>) -> DocumentFindings {
        let age = ApparentAge { years: age, st_dev: 4.0 };
        DocumentFindings {
            of: Vec::new(),
            document: true,
            kind: None,
            issuer: None,
            fields: Vec::new(),
            zone: None,
            licence: false,
            numbered_fields: Vec::new(),
            faults: Vec::new(),
            measures,
            portrait: Some(StoredPortrait { embedding: Vec::new(), space: String::new(), age: Some(age) }),
            letter: None,
        }
    }

    fn judged(before: Recommendation, findings: &DocumentFindings, live: f32) -> Recommendation {
        let compared = SubCheck::new(AI_FACE_MATCH, true, Vec::new());
        let mut report = VerificationReport { recommendation: before, breakdown: vec![compared] };
        let live = AgeEstimate { years: live, st_dev: 3.0, low80: 0.0, high80: 0.0, spread: 0.0 };
        add_doubts(&mut report, findings, Some(live), date(2026, 1, 16));
        report.recommendation
    }

    #[test]
    fn a_face_on_no_document_is_nobodys_portrait() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let kinds = [VerificationCheckType::Liveness, VerificationCheckType::FaceMatch];
        let request = DocumentSessionRequest {
            checks: kinds.map(RequestedCheck::new).into(),
            ..DocumentSessionRequest::new(env.now())
        };
        let mut session = DocumentSession::begin(&env, Uuid::from_u128(1).into(), false, request);
        session.resources =
            session.requirements.iter().map(|asked| SuppliedResource::begin(&env, asked)).collect();
        let used: Vec<ResourceId> = session.resources.iter().map(|resource| resource.id).collect();
        let document = used[0];
        let check = VerificationCheck::begin(&env, kinds[1], CheckState::Pending, used, ManualCheck::Never);
        let reason = |findings: Option<DocumentFindings>| {
            let mut evidence = Evidence::default();
            evidence.documents.insert(document, findings);
            let today = date(2026, 1, 16);
            let input = CheckInput { session: &session, check: &check, evidence: &evidence, today };
            FaceMatchCheck.report(&input).recommendation.reason.expect("no live face is known")
        };
        let portrait = findings(30.0, Vec::new());
        assert_eq!(reason(Some(portrait.clone())), "FACE_NOT_FOUND", "the live one");
        let picture = DocumentFindings { document: false, ..portrait };
        assert_eq!(reason(Some(picture.clone())), "NO_DOCUMENT");
        let dark = DocumentFindings { faults: vec!["PHOTO_TOO_DARK".to_owned()], ..picture };
        assert_eq!(reason(Some(dark)), "PHOTO_TOO_DARK");
        assert_eq!(reason(None), "NO_DOCUMENT");
    }

    #[test]
    fn a_face_ages_by_as_many_years_as_its_portrait_is_old() {
        let portrait = findings(30.0, Vec::new());
        let judged = |live| judged(Recommendation::approve(), &portrait, live);
        // Ten years and three deviations of five years.
        assert_eq!(judged(54.0), Recommendation::approve());
        let gap = Recommendation::with_reason(CheckAdvice::Consider, "LARGE_AGE_GAP");
        assert_eq!(judged(56.0), gap);
        assert_eq!(judged(16.0), Recommendation::approve());
        assert_eq!(judged(14.0), gap);
    }

    #[test]
    fn a_picture_of_a_picture_is_worth_a_look_and_helps_nobody() {
        let measure = StoredMeasure {
            check: AuthenticityCheck::NoScreenGrid,
            value: 1.0,
            limit: String::new(),
            verdict: AuthenticityVerdict::Doubt,
            reason: String::new(),
        };
        let screen = findings(30.0, vec![measure]);
        let doubt = Recommendation::with_reason(CheckAdvice::Consider, "PHOTO_OF_PHOTO");
        assert_eq!(judged(Recommendation::approve(), &screen, 30.0), doubt);
        let stranger = Recommendation::with_reason(CheckAdvice::Reject, "DIFFERENT_PERSON");
        assert_eq!(judged(stranger.clone(), &screen, 70.0), stranger);
    }
}
