//! How a session is changed: a rule that sees the session alone decides, and what it causes (notifications, jobs,
//! reviews, traces, tombstones) is written in the same transaction.

use super::{
    background_jobs::{ReadDocument, RunVerificationChecks},
    error::{DocumentSessionError, JobCommitError},
    notifications::{DocumentNotifier, NotificationSubject},
    session::{DocumentSession, SessionMedia},
    store::{DocumentSessionStore, SessionMediaStore, UnsealedDocumentSession},
    traces::{NewTrace, TraceStore},
    types::NotificationTopic,
};
use crate::{
    cases::{self, CaseKind, CaseSubject, NewCase},
    erasure_keys,
    tenancy::limits::{self, LimitSettings},
};
use base::{DocumentSessionId, Environment, MediaId, Timestamp, VerificationCheckId};
use db::{Db, DbError, WriteTx, sql};
use jobs::{Lease, NewJob};
use std::sync::Arc;

/// What a change of a session causes.
#[derive(Debug, Default)]
pub(super) struct SideEffects {
    notifications: Vec<(NotificationTopic, NotificationSubject)>,
    /// Documents to read.
    pub(super) read_jobs: Vec<ReadDocument>,
    /// When to run the session's checks.
    pub(super) check_at: Option<Timestamp>,
    /// Media that the session refers to no more; they are deleted after the commit.
    pub(super) discarded_media: Vec<MediaId>,
    /// Media that are deleted at a time, unless they are discarded before.
    pub(super) expiring_media: Vec<(MediaId, Timestamp)>,
    /// Checks that wait for a reviewer from now on.
    pub(super) referred_checks: Vec<VerificationCheckId>,
    /// What later sessions are compared with.
    pub(super) traces: Vec<NewTrace>,
    /// Whether something is deleted that the session held, on request.
    pub(super) erases: bool,
}

impl SideEffects {
    /// Notifies the relying party, if it subscribed to the topic.
    pub(super) fn notify(&mut self, topic: NotificationTopic, subject: NotificationSubject) {
        self.notifications.push((topic, subject));
    }
}

/// A session that was written, in a transaction that is not committed yet.
#[derive(Debug)]
pub(super) struct SavedSession {
    /// Media to delete after the commit.
    discarded: Vec<MediaId>,
    /// What its application has stored in all, bytes, if the session has more media than before.
    stored: Option<u64>,
}

/// Whether a change that a job makes also ends the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobEnd {
    /// The job ends in the transaction of the change.
    Finish,
    /// The job goes on.
    Continue,
}

/// Changes sessions together with what each change causes; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct DocumentUnitOfWork {
    db: Db,
    env: Arc<dyn Environment>,
    store: DocumentSessionStore,
    media: SessionMediaStore,
    notifier: DocumentNotifier,
    traces: TraceStore,
    limits: LimitSettings,
}

impl DocumentUnitOfWork {
    pub(super) fn new(
        db: Db,
        env: Arc<dyn Environment>,
        store: DocumentSessionStore,
        media: SessionMediaStore,
        notifier: DocumentNotifier,
        traces: TraceStore,
        limits: LimitSettings,
    ) -> Self {
        Self { db, env, store, media, notifier, traces, limits }
    }

    /// Changes a session by a rule; returns what the rule returned, and the session as it is now.
    pub(super) async fn update<T>(
        &self,
        id: DocumentSessionId,
        rule: impl FnOnce(
            &mut DocumentSession,
            &mut SideEffects,
            &dyn Environment,
        ) -> Result<T, DocumentSessionError>
        + Send,
    ) -> Result<(T, DocumentSession), DocumentSessionError> {
        let mut tx = self.db.write().await?;
        let mut locked = self.store.lock(&mut tx, id).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let mut effects = SideEffects::default();
        let returned = rule(&mut locked.session, &mut effects, &*self.env)?;
        let SavedSession { discarded, stored } = self.save(&mut tx, &mut locked, effects).await?;
        if let Some(stored) = stored {
            let app = locked.session.app;
            limits::ensure_stored_bytes_allowed(&mut tx, &self.limits, app, stored).await?;
        }
        tx.commit().await?;
        self.media.delete(id, &discarded).await;
        Ok((returned, locked.session))
    }

    /// A change by an end user that refers to a media just written. If the change is refused the media is deleted.
    pub(super) async fn update_with_media(
        &self,
        stored: &UnsealedDocumentSession,
        media: SessionMedia,
        rule: impl FnOnce(
            &mut DocumentSession,
            &mut SideEffects,
            &dyn Environment,
        ) -> Result<(), DocumentSessionError>
        + Send,
    ) -> Result<SessionMedia, DocumentSessionError> {
        let id = stored.session.id;
        let updated = self
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                rule(session, effects, env)
            })
            .await;
        match updated {
            Ok(_) => Ok(media),
            Err(error) => {
                if !error.may_be_committed() {
                    self.media.delete(id, &[media.id]).await;
                }
                Err(error)
            }
        }
    }

    /// A change by a job, which counts only while the job holds its lease.
    pub(super) async fn update_in_job<T>(
        &self,
        id: DocumentSessionId,
        lease: &Lease,
        end: JobEnd,
        rule: impl FnOnce(
            &mut DocumentSession,
            &mut SideEffects,
            &dyn Environment,
        ) -> Result<T, DocumentSessionError>
        + Send,
    ) -> Result<(T, UnsealedDocumentSession), JobCommitError> {
        let mut tx = self.db.write().await?;
        lease.lock(&mut tx).await?;
        let mut locked = self.store.lock(&mut tx, id).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let mut effects = SideEffects::default();
        let returned = rule(&mut locked.session, &mut effects, &*self.env)?;
        // What the server itself makes of media is counted, and not refused.
        let SavedSession { discarded, .. } = self.save(&mut tx, &mut locked, effects).await?;
        if end == JobEnd::Finish {
            lease.finish(&mut tx).await?;
        }
        tx.commit().await?;
        self.media.delete(id, &discarded).await;
        Ok((returned, locked))
    }

    /// Writes a changed session and what the change causes.
    pub(super) async fn save(
        &self,
        tx: &mut WriteTx,
        locked: &mut UnsealedDocumentSession,
        effects: SideEffects,
    ) -> Result<SavedSession, DbError> {
        let env = &*self.env;
        let (id, app) = (locked.session.id, locked.session.app);
        locked.session.drop_media(&effects.discarded_media);
        let stored = self.store.save(tx, locked).await?;
        for (topic, subject) in effects.notifications {
            self.notifier.notify(tx, &locked.session, topic, subject).await?;
        }
        for job in &effects.read_jobs {
            let key = job.task.to_string();
            jobs::enqueue(tx, NewJob::new(env, job).of_application(app).unique(&key)).await?;
        }
        if let Some(at) = effects.check_at {
            let job = RunVerificationChecks { session: id };
            jobs::enqueue(tx, NewJob::new(env, &job).of_application(app).due_at(at)).await?;
        }
        for media in &effects.discarded_media {
            self.media.add_tombstone(tx, id, *media).await?;
        }
        for (media, due) in effects.expiring_media {
            self.media.add_tombstone_due(tx, id, media, due).await?;
        }
        self.traces.add(tx, app, id, &effects.traces).await?;
        for check in effects.referred_checks {
            let Some(check) = locked.session.checks.iter().find(|known| known.id == check) else { continue };
            let proposed = check.draft.as_ref().map(|draft| draft.recommendation.value.as_str());
            let (check, kind) = (check.id, check.kind);
            let rows = tx
                .execute(sql!(
                    "INSERT INTO identity_reviews (check_id, session_id, app_id, kind, proposed, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (check_id) DO NOTHING",
                    check,
                    id,
                    locked.session.app,
                    kind,
                    proposed.unwrap_or_default(),
                    env.now(),
                ))
                .await?;
            if rows == 1 {
                let case = NewCase {
                    app: locked.session.app,
                    account: None,
                    kind: CaseKind::DocumentCheck,
                    subject: CaseSubject::Check(check),
                    reason: kind.to_string(),
                    language: {
                        let locale = locked.session.requested.sdk_config.locale.as_deref();
                        locale.and_then(cases::primary_language)
                    },
                    priority: 200,
                    appeal_of: None,
                };
                cases::create(tx, env, &case).await?;
            }
        }
        if effects.erases {
            erasure_keys::record_erasure(tx).await?;
        }
        Ok(SavedSession { discarded: effects.discarded_media, stored })
    }
}
