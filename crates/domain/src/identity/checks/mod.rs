//! The checks, made when the person is through: one job for a session, which looks at each face and each document once.

mod document;
mod face;

use super::{
    Identities,
    change::{Effects, NotDone, Subject, Undone},
    findings::Findings,
    moves::CheckEvent,
    read::Unread,
    report::Report,
    session::{Check, Media, Session},
    store::Held,
    words::{CheckState, CheckType, ManualCheck, MediaType, NotificationTopic, ResourceKind},
};
use base::{CheckId, ResourceId, SessionId, World};
use face::Live;
use jobs::{Failure, Job, Lane, Lease, Outcome, Retry};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Makes the checks of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckSession {
    /// Which.
    pub session: SessionId,
}

impl Job for CheckSession {
    const KIND: &'static str = "check-session";
    /// Videos of other interfaces, which take their time, must not hold it up.
    const LANE: Lane = Lane::Quick;
    const RETRY: Retry = Retry { waits: &[2, 10, 60, 300], jitter: 0.2 };
}

/// The checks of a session whose person is through: those that were asked for, and those that tasks asked for.
pub(super) fn begin(session: &mut Session, world: &dyn World) -> Result<(), NotDone> {
    let documents: Vec<_> = session
        .counting(ResourceKind::IdDocument)
        .map(|resource| (resource.id, resource.document_type, resource.issuing_country.clone()))
        .collect();
    let letters: Vec<ResourceId> =
        session.counting(ResourceKind::SupplementaryDocument).map(|resource| resource.id).collect();
    let faces: Vec<ResourceId> =
        session.counting(ResourceKind::FaceCapture).map(|resource| resource.id).collect();
    let live: Vec<_> = session
        .counting(ResourceKind::Liveness)
        .map(|resource| (resource.id, resource.liveness_type))
        .collect();

    // What was tried and replaced is not checked.
    let counts = |id: &ResourceId| letters.contains(id) || documents.iter().any(|(known, ..)| known == id);
    session.checks.retain(|check| check.resources_used.iter().all(counts));
    let known: Vec<CheckId> = session.checks.iter().map(|check| check.id).collect();
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
        let begin = |used| Check {
            issuing_authority: wanted.issuing_authority,
            ..Check::begin(world, wanted.kind, CheckState::Ready, used, wanted.manual_check)
        };
        let mine = documents.iter().filter(|(_, kind, country)| match (&wanted.filter, kind, country) {
            (Some(filter), Some(kind), Some(country)) => filter.admits(country, *kind),
            _ => true,
        });
        let last_live = live.last().map(|(id, _)| *id);
        match wanted.kind {
            CheckType::Authenticity => new.extend(mine.map(|(id, ..)| begin(vec![*id]))),
            CheckType::FaceMatch => {
                new.extend(mine.map(|(id, ..)| begin(std::iter::once(*id).chain(last_live).collect())));
            }
            CheckType::Liveness => {
                let of_type = live.iter().filter(|(_, kind)| *kind == wanted.liveness_type);
                new.extend(of_type.map(|(id, _)| begin(vec![*id])));
            }
            CheckType::FaceComparison => {
                new.extend(faces.iter().map(|id| begin(std::iter::once(*id).chain(last_live).collect())));
            }
            CheckType::Comparison => {
                let ids = documents.iter().map(|(id, ..)| *id).chain(letters.iter().copied());
                new.push(begin(ids.take(2).collect()));
            }
            CheckType::TextData | CheckType::SupplementaryTextData => {}
        }
    }
    session.checks.extend(new);
    Ok(())
}

/// What was looked at, so that it is looked at once.
#[derive(Default)]
struct Seen {
    documents: HashMap<ResourceId, Option<Findings>>,
    faces: HashMap<ResourceId, Live>,
}

/// What checks came to.
#[derive(Default)]
struct Outcomes {
    reports: Vec<(CheckId, Report)>,
    broken: Vec<CheckId>,
    facemaps: Vec<(ResourceId, Media)>,
}

impl Identities {
    /// The job.
    pub(super) async fn check_session(&self, job: &CheckSession, lease: &Lease) -> Result<Outcome, Failure> {
        let held = match self.begin_checks(job, lease).await {
            Ok(Some(held)) => held,
            Ok(None) => return Ok(Outcome::Done),
            Err(Undone::Lost(jobs::LostLease::Lost) | Undone::Not(NotDone::NoSession)) => {
                return Ok(Outcome::Done);
            }
            Err(error) => return Err(error.into()),
        };
        let last = lease.attempts >= CheckSession::RETRY.attempts();
        let (mut outcomes, mut seen, mut failed) = (Outcomes::default(), Seen::default(), None);
        let open = |check: &&Check| check.state == CheckState::Pending && check.draft.is_none();
        for check in held.session.checks.iter().filter(open) {
            match self.report(&held, check, &mut seen).await {
                Ok(report) => outcomes.reports.push((check.id, report)),
                Err(error) if last => {
                    tracing::error!(session.id = %job.session, check = check.kind.as_str(), "a check is given up: {error}");
                    outcomes.broken.push(check.id);
                }
                Err(error) => failed = Some(error.to_string()),
            }
        }
        for (id, live) in &seen.faces {
            let resource = held.session.resources.iter().find(|resource| resource.id == *id);
            if let (Some(map), Some(resource)) = (live.map(), resource)
                && resource.facemap.is_none()
                && let Ok(bytes) = serde_json::to_vec(&map)
            {
                let put =
                    self.put(&held, MediaType::Binary, "application/octet-stream", Some(*id), &bytes).await?;
                outcomes.facemaps.push((*id, put));
            }
        }
        match self.keep_outcomes(job, lease, outcomes, failed.is_none()).await {
            Ok(()) => {}
            Err(Undone::Lost(jobs::LostLease::Lost) | Undone::Not(NotDone::NoSession)) => {
                // The session was deleted meanwhile: what was written last goes with it.
                self.clear_if_gone(job.session).await?;
                return Ok(Outcome::Done);
            }
            Err(error) => return Err(error.into()),
        }
        match failed {
            None => Ok(Outcome::Done),
            Some(error) => Err(Failure { error, not_before: None, hopeless: false }),
        }
    }

    async fn clear_if_gone(&self, session: SessionId) -> Result<(), db::DbError> {
        let mut view = self.0.db.read().await?;
        if self.find_any(&mut view, session).await?.is_none() {
            self.clear(session, &[]).await;
        }
        Ok(())
    }

    /// Checks that are ready are pending from now on; nothing where there is none.
    async fn begin_checks(&self, job: &CheckSession, lease: &Lease) -> Result<Option<Held>, Undone> {
        let mut tx = self.0.db.write().await?;
        lease.hold(&mut tx).await?;
        let mut held = self.hold(&mut tx, job.session).await?.ok_or(NotDone::NoSession)?;
        let now = self.0.world.now();
        let ready = |check: &&mut Check| check.state == CheckState::Ready;
        for check in held.session.checks.iter_mut().filter(ready) {
            check.state = check.state.after(CheckEvent::Begun).map_err(NotDone::from)?;
            check.last_updated = now;
        }
        let open = held.session.checks.iter().any(|check| check.state == CheckState::Pending);
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        Ok(open.then_some(held))
    }

    async fn keep_outcomes(
        &self,
        job: &CheckSession,
        lease: &Lease,
        outcomes: Outcomes,
        through: bool,
    ) -> Result<(), Undone> {
        let mut tx = self.0.db.write().await?;
        lease.hold(&mut tx).await?;
        let mut held = self.hold(&mut tx, job.session).await?.ok_or(NotDone::NoSession)?;
        let (mut effects, session, world) = (Effects::default(), &mut held.session, &*self.0.world);
        for (id, report) in outcomes.reports {
            reported(session, &mut effects, world, id, report)?;
        }
        for id in outcomes.broken {
            for check in session.checks.iter_mut().filter(|check| check.id == id) {
                check.state = check.state.after(CheckEvent::Broke).map_err(NotDone::from)?;
                check.last_updated = world.now();
                effects.tell(NotificationTopic::CheckCompletion, Subject::Check(id));
            }
        }
        for (id, media) in outcomes.facemaps {
            if let Some(resource) = session.any(id) {
                resource.facemap = Some(media.id);
                session.media.push(media);
            }
        }
        session.complete_if_done(&mut effects).map_err(NotDone::from)?;
        self.settle(&mut tx, &mut held, effects).await?;
        if through {
            lease.finish(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn report(&self, held: &Held, check: &Check, seen: &mut Seen) -> Result<Report, Unread> {
        let session = &held.session;
        if session.sandbox {
            let responses = self.responses_of(session).await;
            let responses = responses.map_err(|error| Unread::Server(error.to_string()))?;
            return Ok(responses.report(session, check));
        }
        let used = |kind: ResourceKind| {
            let mut used = check.resources_used.iter();
            used.find_map(|id| session.resource(kind, *id))
        };
        let id_document = used(ResourceKind::IdDocument);
        let live = used(ResourceKind::Liveness);
        match check.kind {
            CheckType::Authenticity => {
                let Some(resource) = id_document else { return Ok(Report::not_available("NO_DOCUMENT")) };
                self.see_document(held, resource.id, seen).await?;
                // The live face's age speaks about the document, too, where there is one.
                let face = session.counting(ResourceKind::Liveness).next().map(|resource| resource.id);
                if let Some(face) = face {
                    self.see_face(held, face, seen).await?;
                }
                let live = face.and_then(|id| seen.faces.get(&id));
                let filter = session.requirements.iter().find(|known| known.id == resource.requirement);
                let filter = filter.map(|known| known.filter.clone()).unwrap_or_default();
                let findings = seen.documents.get(&resource.id).and_then(Option::as_ref);
                Ok(document::authenticity(findings, resource, &filter, check, live, self.today()))
            }
            CheckType::TextData | CheckType::SupplementaryTextData => {
                let Some(resource) = check.resources_used.first() else {
                    return Ok(Report::not_available("NO_DOCUMENT"));
                };
                self.see_document(held, *resource, seen).await?;
                let findings = seen.documents.get(resource).and_then(Option::as_ref);
                let letter = check.kind == CheckType::SupplementaryTextData;
                Ok(document::text_data(findings, letter))
            }
            CheckType::Comparison => {
                for id in &check.resources_used {
                    self.see_document(held, *id, seen).await?;
                }
                let both: Vec<&Findings> = check
                    .resources_used
                    .iter()
                    .filter_map(|id| seen.documents.get(id).and_then(Option::as_ref))
                    .collect();
                Ok(document::comparison(&both))
            }
            CheckType::Liveness => {
                let Some(resource) = live else { return Ok(Report::not_available("FACE_NOT_FOUND")) };
                self.see_face(held, resource.id, seen).await?;
                let zoom = resource.liveness_type == Some(super::words::LivenessType::Zoom);
                Ok(seen
                    .faces
                    .get(&resource.id)
                    .map_or_else(|| Report::not_available("FACE_NOT_FOUND"), |live| live.report(zoom)))
            }
            CheckType::FaceMatch => {
                let (Some(resource), Some(live)) = (id_document, live) else {
                    return Ok(Report::not_available("FACE_NOT_FOUND"));
                };
                self.see_document(held, resource.id, seen).await?;
                self.see_face(held, live.id, seen).await?;
                let portrait = seen.documents.get(&resource.id).and_then(Option::as_ref);
                let portrait = portrait.and_then(|findings| findings.portrait.as_ref());
                Ok(face::compare(
                    portrait.map(|portrait| (portrait.embedding.as_slice(), portrait.space.as_str())),
                    seen.faces.get(&live.id),
                ))
            }
            CheckType::FaceComparison => {
                let (Some(given), Some(live)) = (used(ResourceKind::FaceCapture), live) else {
                    return Ok(Report::not_available("FACE_NOT_FOUND"));
                };
                self.see_face(held, given.id, seen).await?;
                self.see_face(held, live.id, seen).await?;
                let known = seen.faces.get(&given.id).and_then(Live::best);
                Ok(face::compare(known, seen.faces.get(&live.id)))
            }
        }
    }

    /// Reads a document, unless it was.
    async fn see_document(&self, held: &Held, id: ResourceId, seen: &mut Seen) -> Result<(), Unread> {
        if seen.documents.contains_key(&id) {
            return Ok(());
        }
        let resource = held.session.resources.iter().find(|resource| resource.id == id);
        let Some(resource) = resource else { return Ok(()) };
        let known = resource.findings.clone().filter(|findings| findings.of == resource.readable());
        let findings = match known {
            Some(findings) => Some(findings),
            None => match self.read(held, resource).await {
                Ok(read) => Some(read.findings),
                Err(Unread::File(_)) => None,
                Err(error) => return Err(error),
            },
        };
        seen.documents.insert(id, findings);
        Ok(())
    }

    /// Looks at a face, unless it was.
    async fn see_face(&self, held: &Held, id: ResourceId, seen: &mut Seen) -> Result<(), Unread> {
        if seen.faces.contains_key(&id) {
            return Ok(());
        }
        let resource = held.session.resources.iter().find(|resource| resource.id == id);
        let Some(resource) = resource else { return Ok(()) };
        let mut media = resource.readable();
        if media.is_empty() {
            media.extend(resource.image);
        }
        let live = self.look_at(held, media).await?;
        seen.faces.insert(id, live);
        Ok(())
    }
}

/// A check has its report, or waits for a reviewer with it.
fn reported(
    session: &mut Session,
    effects: &mut Effects,
    world: &dyn World,
    id: CheckId,
    report: Report,
) -> Result<(), NotDone> {
    let open =
        |check: &&mut Check| check.id == id && check.state == CheckState::Pending && check.draft.is_none();
    let Some(check) = session.checks.iter_mut().find(open) else { return Ok(()) };
    check.last_updated = world.now();
    // A sandbox has nobody to ask.
    if check.manual_check != ManualCheck::Never && !session.sandbox && check.needs_review(&report) {
        check.state = check.state.after(CheckEvent::Referred)?;
        check.draft = Some(report);
        effects.referred.push(id);
        return Ok(());
    }
    check.state = check.state.after(CheckEvent::Reported)?;
    check.report = Some(report);
    effects.tell(NotificationTopic::CheckCompletion, Subject::Check(id));
    Ok(())
}

/// A reviewer's decision ends a check.
pub(super) fn decided(
    session: &mut Session,
    effects: &mut Effects,
    world: &dyn World,
    id: CheckId,
    report: Report,
) -> Result<(), NotDone> {
    let waiting = |check: &&mut Check| check.id == id && check.draft.is_some();
    let check = session.checks.iter_mut().find(waiting).ok_or(NotDone::Missing("check"))?;
    check.state = check.state.after(CheckEvent::Reported)?;
    check.draft = None;
    check.report = Some(report);
    check.last_updated = world.now();
    effects.tell(NotificationTopic::CheckCompletion, Subject::Check(id));
    Ok(session.complete_if_done(effects)?)
}
