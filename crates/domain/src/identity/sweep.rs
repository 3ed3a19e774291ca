//! What ends by itself: a person's time, the time that resources are kept, and the time that a session is.

use super::{
    Identities,
    change::{Effects, NotDone, Subject},
    moves::{CheckEvent, SessionEvent},
    words::{NotificationTopic, SessionState},
};
use base::{SessionId, SignedDuration};
use db::{FromRow, sql};
use jobs::{Failure, Job, Lane, Outcome, Retry};
use serde::{Deserialize, Serialize};

/// Ends what has had its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepSessions {}

impl Job for SweepSessions {
    const KIND: &'static str = "sweep-sessions";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: Retry =
        Retry { waits: &[10, 60, 600, 3600, 3600, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
}

const EVERY: SignedDuration = SignedDuration::from_secs(30);

#[derive(FromRow)]
struct Due {
    id: SessionId,
}

impl Identities {
    /// Runs a [`SweepSessions`].
    pub async fn sweep(&self) -> Result<Outcome, Failure> {
        let now = self.0.world.now();
        loop {
            let due: Vec<Due> = {
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
            for Due { id } in due {
                // Somebody may have been through in the last moment, or deleted it.
                let expired = self.change(id, |session, effects, world| {
                    if session.triggered_at.is_none() && session.state == SessionState::Ongoing {
                        session.state = session.state.after(SessionEvent::TimeOver)?;
                        session.end_uploads(world.now(), effects);
                    }
                    Ok(())
                });
                match expired.await {
                    Ok(_) | Err(NotDone::NoSession) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        loop {
            let due: Vec<Due> = {
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
            for Due { id } in due {
                self.destroy_resources(id).await?;
            }
        }
        loop {
            let due: Vec<Due> = {
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
            for Due { id } in due {
                let mut tx = self.0.db.write().await?;
                self.remove(&mut tx, id).await?;
                tx.commit().await?;
                self.clear(id, &[]).await;
            }
        }
        while self.sweep_leavings(now).await? > 0 {}
        Ok(Outcome::Again(now + EVERY))
    }

    /// Destroys what was supplied: its key first, then its blobs. What is still being checked can be checked no more.
    async fn destroy_resources(&self, id: SessionId) -> Result<(), Failure> {
        let mut tx = self.0.db.write().await?;
        let Some(mut held) = self.hold(&mut tx, id).await? else {
            // It does not open: nothing of it can be read, and its row goes in its time.
            tx.execute(sql!("UPDATE identity_sessions SET destroy_at = NULL WHERE id = $1", id)).await?;
            tx.commit().await?;
            return Ok(());
        };
        let (mut effects, session) = (Effects::default(), &mut held.session);
        if session.state == SessionState::Ongoing {
            for check in session.checks.iter_mut().filter(|check| !check.state.is_final()) {
                if let Ok(state) = check.state.after(CheckEvent::Broke) {
                    check.state = state;
                    check.draft = None;
                    effects.tell(NotificationTopic::CheckCompletion, Subject::Check(check.id));
                }
            }
            session.complete_if_done(&mut effects)?;
        }
        self.settle(&mut tx, &mut held, effects).await?;
        self.destroy(&mut tx, &mut held).await?;
        tx.commit().await?;
        self.clear(id, &[]).await;
        Ok(())
    }
}
