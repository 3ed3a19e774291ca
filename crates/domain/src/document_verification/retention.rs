//! What ends by itself: a person's time, the time that resources are kept, and the time that a session is.

use super::{
    DocumentVerificationService,
    state_machine::{CheckEvent, DocumentSessionEvent},
    types::{NotificationTopic, SessionState},
    unit_of_work::{DocumentSessionError, NotificationSubject, SideEffects},
};
use base::{DocumentSessionId, SignedDuration};
use db::{FromRow, sql};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};

/// Ends what has had its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepDocumentSessions {}

impl Job for SweepDocumentSessions {
    const KIND: &'static str = "sweep-sessions";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy =
        RetryPolicy { waits: &[10, 60, 600, 3600, 3600, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
}

const SWEEP_INTERVAL: SignedDuration = SignedDuration::from_secs(30);

#[derive(FromRow)]
struct DueSession {
    id: DocumentSessionId,
}

impl DocumentVerificationService {
    /// Runs a [`SweepDocumentSessions`].
    pub async fn sweep(&self) -> Result<JobOutcome, JobError> {
        let now = self.0.world.now();
        loop {
            let due: Vec<DueSession> = {
                let mut view = self.0.db.read().await?;
                view.fetch_all(sql!(
                    "SELECT id FROM identity_sessions WHERE state = 'ONGOING' AND triggered = $2 AND until_at <= $1
                      ORDER BY until_at LIMIT 100",
                    now,
                    false,
                ))
                .await?
            };
            if due.is_empty() {
                break;
            }
            for DueSession { id } in due {
                // Somebody may have been through in the last moment, or deleted it.
                let expired = self.update_session(id, |session, effects, world| {
                    if session.triggered_at.is_none() && session.state == SessionState::Ongoing {
                        session.state = session.state.after(DocumentSessionEvent::TimedOut)?;
                        session.discard_all_uploads(world.now(), effects);
                    }
                    Ok(())
                });
                match expired.await {
                    Ok(_) | Err(DocumentSessionError::SessionNotFound) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        loop {
            let due: Vec<DueSession> = {
                let mut view = self.0.db.read().await?;
                view.fetch_all(sql!(
                    "SELECT id FROM identity_sessions WHERE destroy_at <= $1 ORDER BY destroy_at LIMIT 100",
                    now,
                ))
                .await?
            };
            if due.is_empty() {
                break;
            }
            for DueSession { id } in due {
                self.expire_resources(id).await?;
            }
        }
        loop {
            let due: Vec<DueSession> = {
                let mut view = self.0.db.read().await?;
                view.fetch_all(sql!(
                    "SELECT id FROM identity_sessions WHERE forget_at <= $1 ORDER BY forget_at LIMIT 100",
                    now,
                ))
                .await?
            };
            if due.is_empty() {
                break;
            }
            for DueSession { id } in due {
                let mut tx = self.0.db.write().await?;
                self.erase_session(&mut tx, id).await?;
                tx.commit().await?;
                self.delete_blobs(id, &[]).await;
            }
        }
        while self.sweep_tombstones(now).await? > 0 {}
        Ok(JobOutcome::Again(now + SWEEP_INTERVAL))
    }

    /// Destroys what was supplied: its key first, then its blobs. What is still being checked can be checked no more.
    async fn expire_resources(&self, id: DocumentSessionId) -> Result<(), JobError> {
        let mut tx = self.0.db.write().await?;
        let Some(mut held) = self.lock_session(&mut tx, id).await? else {
            // It does not open: nothing of it can be read, and its row goes in its time.
            tx.execute(sql!("UPDATE identity_sessions SET destroy_at = NULL WHERE id = $1", id)).await?;
            tx.commit().await?;
            return Ok(());
        };
        let (mut effects, session) = (SideEffects::default(), &mut held.session);
        if session.state == SessionState::Ongoing {
            for check in session.checks.iter_mut().filter(|check| !check.state.is_final()) {
                if let Ok(state) = check.state.after(CheckEvent::Failed) {
                    check.state = state;
                    check.draft = None;
                    effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(check.id));
                }
            }
            session.complete_if_done(&mut effects)?;
        }
        self.save_with_effects(&mut tx, &mut held, effects).await?;
        self.crypto_shred_resources(&mut tx, &mut held).await?;
        tx.commit().await?;
        self.delete_blobs(id, &[]).await;
        Ok(())
    }
}
