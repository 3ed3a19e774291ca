//! How sessions end and are erased: the end user's time, the time that resources are kept, the time that the session is
//! kept, and deletion by the relying party.
//!
//! What is erased loses its key first, in a transaction; its blobs are deleted right afterwards.

use super::{
    error::DocumentSessionError,
    fraud_list,
    notifications::NotificationSubject,
    reviews,
    session::state_machine::{CheckEvent, DocumentSessionEvent},
    store::{DocumentSessionStore, SessionMediaStore, UnsealedDocumentSession},
    traces,
    types::{NotificationTopic, SessionState},
    unit_of_work::{DocumentUnitOfWork, SideEffects},
};
use base::{AppId, DocumentSessionId, Environment, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, FromRow, WriteTx, sql};
use jobs::{JobError, JobOutcome};
use std::sync::Arc;

const SWEEP_INTERVAL: SignedDuration = SignedDuration::from_secs(30);

/// Ends and erases sessions; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct DocumentSessionRetention {
    db: Db,
    env: Arc<dyn Environment>,
    unit_of_work: DocumentUnitOfWork,
    store: DocumentSessionStore,
    media: SessionMediaStore,
}

#[derive(FromRow)]
struct DueSession {
    id: DocumentSessionId,
}

impl DocumentSessionRetention {
    pub(super) fn new(
        db: Db,
        env: Arc<dyn Environment>,
        unit_of_work: DocumentUnitOfWork,
        store: DocumentSessionStore,
        media: SessionMediaStore,
    ) -> Self {
        Self { db, env, unit_of_work, store, media }
    }

    /// Runs [`SweepDocumentSessions`](super::background_jobs::SweepDocumentSessions): expires, destroys and erases
    /// everything that is due, 100 sessions at a time.
    pub(super) async fn sweep(&self) -> Result<JobOutcome, JobError> {
        let now = self.env.now();
        loop {
            let due = self.out_of_time(now).await?;
            let (found, mut failed) = (due.len(), 0);
            for DueSession { id } in due {
                if !self.expire(id).await? {
                    failed += 1;
                }
            }
            // What does not open is found again until its resources are destroyed: nothing else must wait for it.
            if found < 100 || failed == found {
                break;
            }
        }
        loop {
            let due = self.due_for_destruction(now).await?;
            if due.is_empty() {
                break;
            }
            for DueSession { id } in due {
                self.destroy_resources(id).await?;
            }
        }
        loop {
            let due = self.due_for_erasure(now).await?;
            if due.is_empty() {
                break;
            }
            for DueSession { id } in due {
                let mut tx = self.db.write().await?;
                reviews::withdraw_cases(&mut tx, &*self.env, id).await?;
                self.store.erase(&mut tx, id).await?;
                tx.commit().await?;
                self.media.delete_all(id).await;
            }
        }
        self.discard_old_uploads(now).await?;
        while self.media.sweep_tombstones(&self.db, now).await? > 0 {}
        while traces::purge_expired(&self.db, now).await? > 0 {}
        while fraud_list::purge_expired(&self.db, now).await? > 0 {}
        Ok(JobOutcome::Again(now + SWEEP_INTERVAL))
    }

    /// Sessions whose end users did not finish in time.
    async fn out_of_time(&self, now: Timestamp) -> Result<Vec<DueSession>, DbError> {
        let mut db = self.db.read_once().await?;
        db.fetch_all(sql!(
            "SELECT id FROM identity_sessions WHERE state = 'ONGOING' AND triggered = $2 AND until_at <= $1
              ORDER BY until_at LIMIT 100",
            now,
            false,
        ))
        .await
    }

    /// Sessions whose resources have been kept for long enough.
    async fn due_for_destruction(&self, now: Timestamp) -> Result<Vec<DueSession>, DbError> {
        let mut db = self.db.read_once().await?;
        db.fetch_all(sql!(
            "SELECT id FROM identity_sessions WHERE destroy_at <= $1 ORDER BY destroy_at LIMIT 100",
            now,
        ))
        .await
    }

    /// Sessions that have been kept for long enough.
    async fn due_for_erasure(&self, now: Timestamp) -> Result<Vec<DueSession>, DbError> {
        let mut db = self.db.read_once().await?;
        db.fetch_all(sql!(
            "SELECT id FROM identity_sessions WHERE forget_at <= $1 ORDER BY forget_at LIMIT 100",
            now,
        ))
        .await
    }

    /// Discards the uploads of ongoing sessions that can be continued no more, whose parts are due to be deleted.
    async fn discard_old_uploads(&self, now: Timestamp) -> Result<(), DocumentSessionError> {
        let mut after = DocumentSessionId::from(Uuid::nil());
        loop {
            let due = self.with_due_media(now, after).await?;
            let Some(last) = due.last() else { return Ok(()) };
            after = last.id;
            for DueSession { id } in due {
                let Some(stored) = self.store.load(id).await? else { continue };
                // What is due may be a page that was replaced.
                if !stored.session.has_old_upload(now) {
                    continue;
                }
                let discarded = self.unit_of_work.update(id, |session, effects, _| {
                    session.discard_overdue_uploads(now, effects);
                    Ok(())
                });
                match discarded.await {
                    // It was deleted meanwhile.
                    Ok(_) | Err(DocumentSessionError::SessionNotFound) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Sessions whose end users have not finished, and of which media are due to be deleted; those after a session, by their
    /// ids.
    async fn with_due_media(
        &self,
        now: Timestamp,
        after: DocumentSessionId,
    ) -> Result<Vec<DueSession>, DbError> {
        let mut db = self.db.read_once().await?;
        db.fetch_all(sql!(
            "SELECT DISTINCT s.id FROM identity_leavings l JOIN identity_sessions s ON s.id = l.session_id
              WHERE l.due_at <= $1 AND s.state = 'ONGOING' AND s.triggered = $2 AND s.id > $3
              ORDER BY s.id LIMIT 100",
            now,
            false,
            after,
        ))
        .await
    }

    /// Expires a session, unless its end user finished in the last moment. Returns false if it was deleted, or does not open.
    async fn expire(&self, id: DocumentSessionId) -> Result<bool, DocumentSessionError> {
        let expired = self.unit_of_work.update(id, |session, effects, env| {
            if session.triggered_at.is_none() && session.state == SessionState::Ongoing {
                session.state = session.state.after(DocumentSessionEvent::TimedOut)?;
                session.discard_all_uploads(env.now(), effects);
            }
            Ok(())
        });
        match expired.await {
            Ok(_) => Ok(true),
            Err(DocumentSessionError::SessionNotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Destroys everything that was supplied for a session. One whose end user has not finished ends, so that nothing is
    /// supplied afterwards. Checks that have not ended fail, as they have nothing left to look at, and nobody has to review
    /// them any more.
    async fn destroy_resources(&self, id: DocumentSessionId) -> Result<(), JobError> {
        let mut tx = self.db.write().await?;
        reviews::withdraw_cases(&mut tx, &*self.env, id).await?;
        let Some(mut locked) = self.store.lock(&mut tx, id).await? else {
            // The row does not open. Its key may be in order all the same, so it goes, as with every other session.
            reviews::end_undecided(&mut tx, &*self.env, id).await?;
            self.store.crypto_shred_unopened(&mut tx, id).await?;
            tx.commit().await?;
            self.media.delete_all(id).await;
            return Ok(());
        };
        let (mut effects, session) = (SideEffects::default(), &mut locked.session);
        if session.state == SessionState::Ongoing && session.triggered_at.is_none() {
            session.state = session.state.after(DocumentSessionEvent::TimedOut)?;
        } else if session.state == SessionState::Ongoing {
            for check in session.checks.iter_mut().filter(|check| !check.state.is_final()) {
                if let Ok(state) = check.state.after(CheckEvent::Failed) {
                    check.state = state;
                    check.draft = None;
                    effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(check.id));
                }
            }
            session.complete_if_done(&mut effects)?;
        }
        reviews::end_undecided(&mut tx, &*self.env, id).await?;
        self.unit_of_work.save(&mut tx, &mut locked, effects).await?;
        self.store.crypto_shred_resources(&mut tx, &mut locked).await?;
        tx.commit().await?;
        self.media.delete_all(id).await;
        Ok(())
    }

    /// Deletes a session of a relying party. Refuses while its checks run.
    pub(super) async fn delete(
        &self,
        app: AppId,
        id: DocumentSessionId,
        sandbox: bool,
    ) -> Result<(), DocumentSessionError> {
        let mut tx = self.db.write().await?;
        tx.set_actor(format!("application:{app}"));
        self.erase_checked(&mut tx, app, id, Some(sandbox)).await?;
        tx.commit().await?;
        self.delete_files(id).await;
        Ok(())
    }

    /// [`Self::delete`] in a transaction of the console's. The caller deletes the files after the commit.
    pub(super) async fn erase_in(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: DocumentSessionId,
    ) -> Result<(), DocumentSessionError> {
        self.erase_checked(tx, app, id, None).await
    }

    async fn erase_checked(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: DocumentSessionId,
        sandbox: Option<bool>,
    ) -> Result<(), DocumentSessionError> {
        let locked = self.store.lock(tx, id).await?;
        let is_own = |locked: &UnsealedDocumentSession| {
            locked.session.app == app && sandbox.is_none_or(|sandbox| locked.session.sandbox == sandbox)
        };
        let locked = locked.filter(is_own).ok_or(DocumentSessionError::SessionNotFound)?;
        let session = &locked.session;
        let is_ongoing = session.state == SessionState::Ongoing && !session.has_run_out(self.env.now());
        if is_ongoing && session.checks.iter().any(|check| !check.state.is_final()) {
            return Err(DocumentSessionError::ChecksNotFinished);
        }
        if !session.unrecorded {
            tx.audit(AuditEvent::new("document-session.delete").app(app).target(id));
        }
        Ok(self.store.erase(tx, id).await?)
    }

    /// Deletes the files of a session that was erased.
    pub(super) async fn delete_files(&self, id: DocumentSessionId) {
        self.media.delete_all(id).await;
    }

    /// Ends the end user's time at once, as if it were over.
    pub(super) async fn cancel(
        &self,
        actor: String,
        app: AppId,
        id: DocumentSessionId,
    ) -> Result<(), DocumentSessionError> {
        let mut tx = self.db.write().await?;
        tx.set_actor(actor);
        let locked = self.store.lock(&mut tx, id).await?.filter(|locked| locked.session.app == app);
        let mut locked = locked.ok_or(DocumentSessionError::SessionNotFound)?;
        let (mut effects, session) = (SideEffects::default(), &mut locked.session);
        if session.triggered_at.is_some() {
            return Err(DocumentSessionError::NotReady("the person has finished already".to_owned()));
        }
        session.state = session.state.after(DocumentSessionEvent::TimedOut)?;
        session.discard_all_uploads(self.env.now(), &mut effects);
        tx.audit(AuditEvent::new("document-session.cancel").app(app).target(id));
        let discarded = effects.discarded_media.clone();
        self.unit_of_work.save(&mut tx, &mut locked, effects).await?;
        tx.commit().await?;
        self.media.delete(id, &discarded).await;
        Ok(())
    }

    /// Erases a session in whatever state, for the operator; returns whether there was one.
    pub(super) async fn erase(&self, id: DocumentSessionId) -> Result<bool, DocumentSessionError> {
        let mut tx = self.db.write().await?;
        if tx.count(sql!("SELECT count(*) FROM identity_sessions WHERE id = $1", id)).await? == 0 {
            return Ok(false);
        }
        // Its open cases go with it, and are locked before it.
        reviews::withdraw_cases(&mut tx, &*self.env, id).await?;
        let locked = self.store.lock(&mut tx, id).await?;
        if locked.is_none_or(|locked| !locked.session.unrecorded) {
            tx.audit(AuditEvent::new("document-session.delete").target(id));
        }
        self.store.erase(&mut tx, id).await?;
        tx.commit().await?;
        self.media.delete_all(id).await;
        Ok(true)
    }

    /// Forgets which devices were used.
    pub(super) async fn clear_device_events(
        &self,
        id: DocumentSessionId,
    ) -> Result<(), DocumentSessionError> {
        self.unit_of_work
            .update(id, |session, effects, _| {
                session.devices.clear();
                effects.erases = true;
                Ok(())
            })
            .await
            .map(drop)
    }
}
