//! The checks, made when the person is through: one job for a session, which looks at each face and each document once.

mod document;
mod face;

use super::{
    DocumentVerificationService,
    extraction::DocumentReadError,
    findings::DocumentFindings,
    report::VerificationReport,
    session::{DocumentSession, SessionMedia, VerificationCheck},
    state_machine::CheckEvent,
    store::UnsealedDocumentSession,
    types::{CheckState, ManualCheck, MediaType, NotificationTopic, ResourceKind, VerificationCheckType},
    unit_of_work::{DocumentSessionError, JobCommitError, NotificationSubject, SideEffects},
};
use base::{DocumentSessionId, Environment, ModerationCheckId, ResourceId};
use face::FaceAnalysis;
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Makes the checks of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunVerificationChecks {
    /// Which.
    pub session: DocumentSessionId,
}

impl Job for RunVerificationChecks {
    const KIND: &'static str = "check-session";
    /// Videos of other interfaces, which take their time, must not hold it up.
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy { waits: &[2, 10, 60, 300], jitter: 0.2 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { session: Some(self.session), ..JobIds::default() }
    }
}

/// The checks of a session whose person is through: those that were asked for, and those that tasks asked for.
pub(super) fn create_checks(
    session: &mut DocumentSession,
    world: &dyn Environment,
) -> Result<(), DocumentSessionError> {
    let documents: Vec<_> = session
        .fulfilling_resources(ResourceKind::IdDocument)
        .map(|resource| (resource.id, resource.document_type, resource.issuing_country.clone()))
        .collect();
    let letters: Vec<ResourceId> = session
        .fulfilling_resources(ResourceKind::SupplementaryDocument)
        .map(|resource| resource.id)
        .collect();
    let faces: Vec<ResourceId> =
        session.fulfilling_resources(ResourceKind::FaceCapture).map(|resource| resource.id).collect();
    let live: Vec<_> = session
        .fulfilling_resources(ResourceKind::Liveness)
        .map(|resource| (resource.id, resource.liveness_type))
        .collect();

    // What was tried and replaced is not checked.
    let counts = |id: &ResourceId| letters.contains(id) || documents.iter().any(|(known, ..)| known == id);
    session.checks.retain(|check| check.resources_used.iter().all(counts));
    let known: Vec<ModerationCheckId> = session.checks.iter().map(|check| check.id).collect();
    for task in session.resources.iter_mut().flat_map(|resource| &mut resource.tasks) {
        task.generated_checks.retain(|id| known.contains(id));
    }
    let now = world.now();
    for check in &mut session.checks {
        check.state = check.state.after(CheckEvent::Triggered)?;
        check.last_updated = now;
    }

    let mut new = Vec::new();
    for wanted in &session.wanted.checks {
        let begin = |used| VerificationCheck {
            issuing_authority: wanted.issuing_authority,
            ..VerificationCheck::begin(world, wanted.kind, CheckState::Ready, used, wanted.manual_check)
        };
        let mine = documents.iter().filter(|(_, kind, country)| match (&wanted.filter, kind, country) {
            (Some(filter), Some(kind), Some(country)) => filter.allows_type(country, *kind),
            _ => true,
        });
        let last_live = live.last().map(|(id, _)| *id);
        match wanted.kind {
            VerificationCheckType::Authenticity => new.extend(mine.map(|(id, ..)| begin(vec![*id]))),
            VerificationCheckType::FaceMatch => {
                new.extend(mine.map(|(id, ..)| begin(std::iter::once(*id).chain(last_live).collect())));
            }
            VerificationCheckType::Liveness => {
                let of_type = live.iter().filter(|(_, kind)| *kind == wanted.liveness_type);
                new.extend(of_type.map(|(id, _)| begin(vec![*id])));
            }
            VerificationCheckType::FaceComparison => {
                new.extend(faces.iter().map(|id| begin(std::iter::once(*id).chain(last_live).collect())));
            }
            VerificationCheckType::Comparison => {
                let ids = documents.iter().map(|(id, ..)| *id).chain(letters.iter().copied());
                new.push(begin(ids.take(2).collect()));
            }
            VerificationCheckType::TextData | VerificationCheckType::SupplementaryTextData => {}
        }
    }
    session.checks.extend(new);
    Ok(())
}

/// What was looked at, so that it is looked at once.
#[derive(Default)]
struct EvidenceCache {
    documents: HashMap<ResourceId, Option<DocumentFindings>>,
    faces: HashMap<ResourceId, FaceAnalysis>,
}

/// What checks came to.
#[derive(Default)]
struct CompletedChecks {
    reports: Vec<(ModerationCheckId, VerificationReport)>,
    failed: Vec<ModerationCheckId>,
    facemaps: Vec<(ResourceId, SessionMedia)>,
}

impl DocumentVerificationService {
    /// The job.
    pub(super) async fn run_verification_checks(
        &self,
        job: &RunVerificationChecks,
        lease: &Lease,
    ) -> Result<JobOutcome, JobError> {
        let held = match self.start_ready_checks(job, lease).await {
            Ok(Some(held)) => held,
            Ok(None) => return Ok(JobOutcome::Done),
            Err(
                JobCommitError::LeaseLost(jobs::LeaseError::Lost)
                | JobCommitError::Session(DocumentSessionError::SessionNotFound),
            ) => {
                return Ok(JobOutcome::Done);
            }
            Err(error) => return Err(error.into()),
        };
        let last = lease.attempts >= RunVerificationChecks::RETRY.attempts();
        let (mut outcomes, mut seen, mut failed) =
            (CompletedChecks::default(), EvidenceCache::default(), None);
        let open = |check: &&VerificationCheck| check.state == CheckState::Pending && check.draft.is_none();
        for check in held.session.checks.iter().filter(open) {
            match self.build_report(&held, check, &mut seen).await {
                Ok(report) => outcomes.reports.push((check.id, report)),
                Err(error) if last => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        check = check.kind.as_str(),
                        "a check is given up"
                    );
                    outcomes.failed.push(check.id);
                }
                Err(error) => failed = Some(error.to_string()),
            }
        }
        for (id, live) in &seen.faces {
            let resource = held.session.resources.iter().find(|resource| resource.id == *id);
            if let (Some(map), Some(resource)) = (live.face_map(), resource)
                && resource.facemap.is_none()
                && let Ok(bytes) = serde_json::to_vec(&map)
            {
                let put = self
                    .store_media(&held, MediaType::Binary, "application/octet-stream", Some(*id), &bytes)
                    .await?;
                outcomes.facemaps.push((*id, put));
            }
        }
        match self.save_completed_checks(job, lease, outcomes, failed.is_none()).await {
            Ok(()) => {}
            Err(
                JobCommitError::LeaseLost(jobs::LeaseError::Lost)
                | JobCommitError::Session(DocumentSessionError::SessionNotFound),
            ) => {
                // The session was deleted meanwhile: what was written last goes with it.
                self.delete_blobs_if_deleted(job.session).await?;
                return Ok(JobOutcome::Done);
            }
            Err(error) => return Err(error.into()),
        }
        match failed {
            None => Ok(JobOutcome::Done),
            Some(error) => Err(JobError { error, not_before: None, permanent: false }),
        }
    }

    async fn delete_blobs_if_deleted(&self, session: DocumentSessionId) -> Result<(), db::DbError> {
        let mut view = self.0.db.read().await?;
        if self.find_unscoped(&mut view, session).await?.is_none() {
            self.delete_blobs(session, &[]).await;
        }
        Ok(())
    }

    /// Checks that are ready are pending from now on; nothing where there is none.
    async fn start_ready_checks(
        &self,
        job: &RunVerificationChecks,
        lease: &Lease,
    ) -> Result<Option<UnsealedDocumentSession>, JobCommitError> {
        let mut tx = self.0.db.write().await?;
        lease.lock(&mut tx).await?;
        let mut held =
            self.lock_session(&mut tx, job.session).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let now = self.0.world.now();
        let ready = |check: &&mut VerificationCheck| check.state == CheckState::Ready;
        for check in held.session.checks.iter_mut().filter(ready) {
            check.state = check.state.after(CheckEvent::Started).map_err(DocumentSessionError::from)?;
            check.last_updated = now;
        }
        let open = held.session.checks.iter().any(|check| check.state == CheckState::Pending);
        self.save_session(&mut tx, &held).await?;
        tx.commit().await?;
        Ok(open.then_some(held))
    }

    async fn save_completed_checks(
        &self,
        job: &RunVerificationChecks,
        lease: &Lease,
        outcomes: CompletedChecks,
        through: bool,
    ) -> Result<(), JobCommitError> {
        let mut tx = self.0.db.write().await?;
        lease.lock(&mut tx).await?;
        let mut held =
            self.lock_session(&mut tx, job.session).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let (mut effects, session, world) = (SideEffects::default(), &mut held.session, &*self.0.world);
        for (id, report) in outcomes.reports {
            record_report(session, &mut effects, world, id, report)?;
        }
        for id in outcomes.failed {
            for check in session.checks.iter_mut().filter(|check| check.id == id) {
                check.state = check.state.after(CheckEvent::Failed).map_err(DocumentSessionError::from)?;
                check.last_updated = world.now();
                effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(id));
            }
        }
        for (id, media) in outcomes.facemaps {
            if let Some(resource) = session.resource_mut(id) {
                resource.facemap = Some(media.id);
                session.media.push(media);
            }
        }
        session.complete_if_done(&mut effects).map_err(DocumentSessionError::from)?;
        self.save_with_effects(&mut tx, &mut held, effects).await?;
        if through {
            lease.finish(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn build_report(
        &self,
        held: &UnsealedDocumentSession,
        check: &VerificationCheck,
        seen: &mut EvidenceCache,
    ) -> Result<VerificationReport, DocumentReadError> {
        let session = &held.session;
        if session.sandbox {
            let responses = self.response_config(session).await;
            let responses = responses.map_err(|error| DocumentReadError::Server(error.to_string()))?;
            return Ok(responses.report(session, check));
        }
        let used = |kind: ResourceKind| {
            let mut used = check.resources_used.iter();
            used.find_map(|id| session.resource(kind, *id))
        };
        let id_document = used(ResourceKind::IdDocument);
        let live = used(ResourceKind::Liveness);
        match check.kind {
            VerificationCheckType::Authenticity => {
                let Some(resource) = id_document else {
                    return Ok(VerificationReport::not_available("NO_DOCUMENT"));
                };
                self.load_findings(held, resource.id, seen).await?;
                // The live face's age speaks about the document, too, where there is one.
                let face =
                    session.fulfilling_resources(ResourceKind::Liveness).next().map(|resource| resource.id);
                if let Some(face) = face {
                    self.load_face_analysis(held, face, seen).await?;
                }
                let live = face.and_then(|id| seen.faces.get(&id));
                let filter = session.requirements.iter().find(|known| known.id == resource.requirement);
                let filter = filter.map(|known| known.filter.clone()).unwrap_or_default();
                let findings = seen.documents.get(&resource.id).and_then(Option::as_ref);
                Ok(document::authenticity(findings, resource, &filter, check, live, self.today()))
            }
            VerificationCheckType::TextData | VerificationCheckType::SupplementaryTextData => {
                let Some(resource) = check.resources_used.first() else {
                    return Ok(VerificationReport::not_available("NO_DOCUMENT"));
                };
                self.load_findings(held, *resource, seen).await?;
                let findings = seen.documents.get(resource).and_then(Option::as_ref);
                let letter = check.kind == VerificationCheckType::SupplementaryTextData;
                Ok(document::text_data(findings, letter))
            }
            VerificationCheckType::Comparison => {
                for id in &check.resources_used {
                    self.load_findings(held, *id, seen).await?;
                }
                let both: Vec<&DocumentFindings> = check
                    .resources_used
                    .iter()
                    .filter_map(|id| seen.documents.get(id).and_then(Option::as_ref))
                    .collect();
                Ok(document::comparison(&both))
            }
            VerificationCheckType::Liveness => {
                let Some(resource) = live else {
                    return Ok(VerificationReport::not_available("FACE_NOT_FOUND"));
                };
                self.load_face_analysis(held, resource.id, seen).await?;
                let zoom = resource.liveness_type == Some(super::types::LivenessType::Zoom);
                Ok(seen.faces.get(&resource.id).map_or_else(
                    || VerificationReport::not_available("FACE_NOT_FOUND"),
                    |live| live.liveness_report(zoom),
                ))
            }
            VerificationCheckType::FaceMatch => {
                let (Some(resource), Some(live)) = (id_document, live) else {
                    return Ok(VerificationReport::not_available("FACE_NOT_FOUND"));
                };
                self.load_findings(held, resource.id, seen).await?;
                self.load_face_analysis(held, live.id, seen).await?;
                let portrait = seen.documents.get(&resource.id).and_then(Option::as_ref);
                let portrait = portrait.and_then(|findings| findings.portrait.as_ref());
                Ok(face::compare_faces(
                    portrait.map(|portrait| (portrait.embedding.as_slice(), portrait.space.as_str())),
                    seen.faces.get(&live.id),
                ))
            }
            VerificationCheckType::FaceComparison => {
                let (Some(given), Some(live)) = (used(ResourceKind::FaceCapture), live) else {
                    return Ok(VerificationReport::not_available("FACE_NOT_FOUND"));
                };
                self.load_face_analysis(held, given.id, seen).await?;
                self.load_face_analysis(held, live.id, seen).await?;
                let known = seen.faces.get(&given.id).and_then(FaceAnalysis::best_embedding);
                Ok(face::compare_faces(known, seen.faces.get(&live.id)))
            }
        }
    }

    /// Reads a document, unless it was.
    async fn load_findings(
        &self,
        held: &UnsealedDocumentSession,
        id: ResourceId,
        seen: &mut EvidenceCache,
    ) -> Result<(), DocumentReadError> {
        if seen.documents.contains_key(&id) {
            return Ok(());
        }
        let resource = held.session.resources.iter().find(|resource| resource.id == id);
        let Some(resource) = resource else { return Ok(()) };
        let known = resource.findings.clone().filter(|findings| findings.of == resource.readable_media());
        let findings = match known {
            Some(findings) => Some(findings),
            None => match self.extract_document(held, resource).await {
                Ok(read) => Some(read.findings),
                Err(DocumentReadError::File(_)) => None,
                Err(error) => return Err(error),
            },
        };
        seen.documents.insert(id, findings);
        Ok(())
    }

    /// Looks at a face, unless it was.
    async fn load_face_analysis(
        &self,
        held: &UnsealedDocumentSession,
        id: ResourceId,
        seen: &mut EvidenceCache,
    ) -> Result<(), DocumentReadError> {
        if seen.faces.contains_key(&id) {
            return Ok(());
        }
        let resource = held.session.resources.iter().find(|resource| resource.id == id);
        let Some(resource) = resource else { return Ok(()) };
        let mut media = resource.readable_media();
        if media.is_empty() {
            media.extend(resource.image);
        }
        let live = self.analyse_faces(held, media).await?;
        seen.faces.insert(id, live);
        Ok(())
    }
}

/// A check has its report, or waits for a reviewer with it.
fn record_report(
    session: &mut DocumentSession,
    effects: &mut SideEffects,
    world: &dyn Environment,
    id: ModerationCheckId,
    report: VerificationReport,
) -> Result<(), DocumentSessionError> {
    let open = |check: &&mut VerificationCheck| {
        check.id == id && check.state == CheckState::Pending && check.draft.is_none()
    };
    let Some(check) = session.checks.iter_mut().find(open) else { return Ok(()) };
    check.last_updated = world.now();
    // A sandbox has nobody to ask.
    if check.manual_check != ManualCheck::Never && !session.sandbox && check.needs_review(&report) {
        check.state = check.state.after(CheckEvent::ReferredToReviewer)?;
        check.draft = Some(report);
        effects.referred_checks.push(id);
        return Ok(());
    }
    check.state = check.state.after(CheckEvent::Reported)?;
    check.report = Some(report);
    effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(id));
    Ok(())
}

/// A reviewer's decision ends a check.
pub(super) fn record_decision(
    session: &mut DocumentSession,
    effects: &mut SideEffects,
    world: &dyn Environment,
    id: ModerationCheckId,
    report: VerificationReport,
) -> Result<(), DocumentSessionError> {
    let waiting = |check: &&mut VerificationCheck| check.id == id && check.draft.is_some();
    let check = session.checks.iter_mut().find(waiting).ok_or(DocumentSessionError::ItemNotFound("check"))?;
    check.state = check.state.after(CheckEvent::Reported)?;
    check.draft = None;
    check.report = Some(report);
    check.last_updated = world.now();
    effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(id));
    Ok(session.complete_if_done(effects)?)
}
