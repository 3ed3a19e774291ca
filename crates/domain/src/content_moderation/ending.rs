//! How moderations end, and what is told of those that wait: the row says so, and so does a notification.

use super::{
    ModerationParameters, ModerationState, NotificationReason,
    contents::{ContentType, uploads::ContentLocation},
    kept_findings, notification_lists,
    notifications::{self, NotificationContext, NotificationDraft, Notifier},
    sealed_columns::SealedColumns,
};
use crate::accounts;
use base::{AccountId, AppId, ContentId, Environment, ModerationId, SignedDuration, Uuid};
use db::{Db, DbError, FromRow, Json, ReadTx, WriteTx, sql};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How long a live video may wait for a slot before its caller is notified.
const LIVE_WAIT: SignedDuration = SignedDuration::from_secs(30);

/// How many moderations [`ModerationEnder::sweep`] looks at in one round.
const MODERATIONS_PER_ROUND: i64 = 200;

/// The end of a moderation.
#[derive(Clone, Debug)]
pub(super) enum ModerationOutcome {
    /// The content was looked at to its end.
    Done,
    /// Somebody stopped it.
    Stopped,
    /// It could not be looked at to its end.
    Failed(ModerationFailure),
}

/// Why a moderation failed.
#[derive(Clone, Debug)]
pub(super) struct ModerationFailure {
    /// A word of capital letters (docs/API-DESIGN.md).
    pub(super) code: String,
    /// A sentence.
    pub(super) message: String,
}

impl ModerationOutcome {
    /// It failed, and this is why.
    pub(super) fn failed(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Failed(ModerationFailure { code: code.into(), message: message.into() })
    }

    fn state(&self) -> ModerationState {
        match self {
            Self::Done => ModerationState::Done,
            Self::Stopped => ModerationState::Stopped,
            Self::Failed(_) => ModerationState::Failed,
        }
    }

    fn reason(&self) -> NotificationReason {
        match self {
            Self::Done => NotificationReason::Done,
            Self::Stopped => NotificationReason::Stopped,
            Self::Failed(_) => NotificationReason::Failed,
        }
    }
}

/// What is told of a moderation, from its row.
#[derive(FromRow)]
pub(super) struct NotificationContextRow {
    pub(super) account_id: AccountId,
    pub(super) app_id: AppId,
    pub(super) content_id: ContentId,
    #[sqlx(try_from = "String")]
    pub(super) content_type: ContentType,
    #[sqlx(rename = "url", try_from = "String")]
    pub(super) location: ContentLocation,
    #[sqlx(rename = "wanted")]
    pub(super) parameters: Json<ModerationParameters>,
    pub(super) destinations: Vec<u8>,
}

impl NotificationContextRow {
    /// Opens what is sealed.
    pub(super) fn open(self, id: ModerationId, columns: &SealedColumns) -> NotificationContext {
        NotificationContext {
            app: self.app_id,
            account: self.account_id,
            moderation: id,
            content: self.content_id,
            content_type: self.content_type,
            location: self.location,
            destinations: columns.open_destinations(id, &self.destinations),
            parameters: self.parameters.0,
        }
    }
}

#[derive(FromRow)]
struct UnfinishedModerationRow {
    id: ModerationId,
    account_id: AccountId,
}

#[derive(FromRow)]
struct DeadModerationRow {
    id: ModerationId,
    account_id: AccountId,
    #[sqlx(try_from = "String")]
    state: ModerationState,
}

/// A moderation of a content that is to stop.
#[derive(FromRow)]
struct StoppedModerationRow {
    id: ModerationId,
    job_id: Uuid,
}

#[derive(FromRow)]
struct ModerationJobRow {
    #[sqlx(try_from = "String")]
    state: ModerationState,
    job_id: Uuid,
}

/// Stops and ends moderations; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct ModerationEnder {
    pub(super) environment: Arc<dyn Environment>,
    pub(super) sealed_columns: SealedColumns,
    pub(super) notifier: Arc<Notifier>,
}

impl ModerationEnder {
    /// A notification that is not about a face.
    pub(super) fn draft_action(&self, reason: NotificationReason) -> NotificationDraft {
        NotificationDraft {
            deduplication_key: reason.to_string(),
            reason,
            observed_at: self.environment.now(),
            face: None,
            failure: None,
            retroactive: false,
        }
    }

    /// Ends a moderation that has not ended, and tells how.
    pub(super) async fn end(
        &self,
        tx: &mut WriteTx,
        context: &NotificationContext,
        outcome: &ModerationOutcome,
    ) -> Result<(), DbError> {
        let failure = match outcome {
            ModerationOutcome::Failed(failure) => Some(failure.clone()),
            ModerationOutcome::Done | ModerationOutcome::Stopped => None,
        };
        let (code, message) = failure.clone().map(|failure| (failure.code, failure.message)).unzip();
        let rows = tx
            .execute(sql!(
                "UPDATE moderations SET state = $2, error_code = $3, error = $4, ended_at = $5, checkpoint = NULL
                  WHERE id = $1 AND state IN ('QUEUED', 'RUNNING', 'STOPPING')",
                context.moderation,
                outcome.state(),
                code,
                message,
                self.environment.now(),
            ))
            .await?;
        if rows == 0 {
            return Ok(());
        }
        let draft = NotificationDraft { failure, ..self.draft_action(outcome.reason()) };
        self.notifier.notify(tx, context, &draft).await?;
        let (content_type, state) = (context.content_type.as_str(), outcome.state().as_str());
        metrics::counter!("assay_moderations_total", "type" => content_type, "state" => state).increment(1);
        Ok(())
    }

    /// [`Self::end`], of one that no run ends. A live video that was told to be watched is told to be watched no more, as a run
    /// does.
    async fn end_by_id(
        &self,
        tx: &mut WriteTx,
        id: ModerationId,
        outcome: &ModerationOutcome,
    ) -> Result<(), DbError> {
        let Some(context) = self.load_context(tx, id, None).await? else { return Ok(()) };
        if context.content_type == ContentType::LiveVideo
            && notifications::has_told(tx, id, NotificationReason::Started).await?
        {
            self.notifier.notify(tx, &context, &self.draft_action(NotificationReason::Stopped)).await?;
        }
        self.end(tx, &context, outcome).await
    }

    /// What is told of a moderation; `None` if there is none, or none in this state.
    pub(super) async fn load_context(
        &self,
        view: &mut ReadTx,
        id: ModerationId,
        state: Option<ModerationState>,
    ) -> Result<Option<NotificationContext>, DbError> {
        let row: Option<NotificationContextRow> = view
            .fetch_optional(sql!(
                "SELECT m.account_id, a.app_id, m.content_id, m.content_type, m.url, m.wanted, m.destinations
                   FROM moderations m JOIN accounts a ON a.id = m.account_id
                  WHERE m.id = $1 AND (m.state = $2 OR $2 IS NULL)",
                id,
                state.map(|state| state.to_string()),
            ))
            .await?;
        Ok(row.map(|row| row.open(id, &self.sealed_columns)))
    }

    /// Stops a moderation; returns whether the account has such a moderation. One that has ended stays as it is.
    pub(super) async fn stop(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<bool, DbError> {
        let row: Option<ModerationJobRow> = tx
            .fetch_optional(sql!(
                "SELECT state, job_id FROM moderations WHERE id = $1 AND account_id = $2",
                id,
                account,
            ))
            .await?;
        let Some(row) = row else { return Ok(false) };
        if row.state == ModerationState::Queued {
            // If no worker has begun the job, it is deleted here; a run that has begun sees the state STOPPING.
            let waiting =
                tx.execute(sql!("DELETE FROM jobs WHERE id = $1 AND state = 'WAITING'", row.job_id)).await?;
            if waiting == 1 {
                self.end_by_id(tx, id, &ModerationOutcome::Stopped).await?;
            }
        }
        // A run that waits for its next attempt does so at once, and then stops. The job before the moderation, as in a run.
        tx.execute(sql!(
            "UPDATE jobs SET run_at = $2 WHERE id = $1 AND state = 'WAITING' AND run_at > $2",
            row.job_id,
            self.environment.now(),
        ))
        .await?;
        tx.execute(sql!(
            "UPDATE moderations SET state = 'STOPPING' WHERE id = $1 AND state IN ('QUEUED', 'RUNNING')",
            id,
        ))
        .await?;
        tx.notify_on_commit();
        Ok(true)
    }

    /// Stops all moderations of a content that wait or run.
    pub(super) async fn stop_all_of_content(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        content: ContentId,
    ) -> Result<(), DbError> {
        let unfinished: Vec<StoppedModerationRow> = tx
            .fetch_all(sql!(
                "SELECT id, job_id FROM moderations
                  WHERE content_id = $1 AND account_id = $2 AND state IN ('QUEUED', 'RUNNING') ORDER BY job_id",
                content,
                account,
            ))
            .await?;
        // All jobs before any list of notifications: a run that is writing, and is waited for here, locks its job before the list.
        // By their ids, as whoever extends leases does.
        for StoppedModerationRow { job_id, .. } in &unfinished {
            tx.execute(sql!("UPDATE jobs SET worker = worker WHERE id = $1", *job_id)).await?;
        }
        for StoppedModerationRow { id, .. } in unfinished {
            self.stop(tx, account, id).await?;
        }
        Ok(())
    }

    /// Ends moderations that nothing runs any more: their job was dead-lettered, because the process died with it again and
    /// again, or an operator discarded it. One that was to stop is stopped, the others failed. Tells of live videos that wait for
    /// a slot. Dates findings of older builds.
    pub(super) async fn sweep(&self, db: &Db) -> Result<(), DbError> {
        kept_findings::date_findings(db).await?;
        let given_up = ModerationOutcome::failed(
            "GIVEN_UP",
            "the server gave up processing this content; its operator can tell more",
        );
        // A moderation is written with its job, and ends in the transaction that deletes it.
        let dead: Vec<DeadModerationRow> = db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT id, account_id, state FROM moderations m
                  WHERE state IN ('QUEUED', 'RUNNING', 'STOPPING')
                    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = m.job_id AND j.state <> 'PARKED') LIMIT $1",
                MODERATIONS_PER_ROUND,
            ))
            .await?;
        for DeadModerationRow { id, account_id, state } in dead {
            let outcome =
                if state == ModerationState::Stopping { &ModerationOutcome::Stopped } else { &given_up };
            let mut tx = db.write().await?;
            if accounts::lock_shared(&mut tx, account_id).await? {
                // The account's list before the moderation's row, as whoever deletes the moderation does.
                notification_lists::reserve_timestamp(&mut tx, account_id, self.environment.now()).await?;
                self.end_by_id(&mut tx, id, outcome).await?;
                tx.commit().await?;
            }
        }
        // The states are those of the index of unfinished moderations, so that the others are not read.
        let waiting: Vec<UnfinishedModerationRow> = db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT id, account_id FROM moderations m
                  WHERE state IN ('QUEUED', 'RUNNING', 'STOPPING') AND state = 'QUEUED'
                    AND content_type = 'LIVE_VIDEO' AND created_at <= $1
                    AND NOT EXISTS (SELECT 1 FROM notifications n
                                     WHERE n.moderation_id = m.id AND n.subject = 'WAITING') LIMIT $2",
                self.environment.now() - LIVE_WAIT,
                MODERATIONS_PER_ROUND,
            ))
            .await?;
        for UnfinishedModerationRow { id, account_id } in waiting {
            let mut tx = db.write().await?;
            if accounts::lock_shared(&mut tx, account_id).await? {
                // Whoever tells that it began or ended, or deletes it, has this list until then: if it waits now, it
                // still does when that is told.
                notification_lists::reserve_timestamp(&mut tx, account_id, self.environment.now()).await?;
                if let Some(context) = self.load_context(&mut tx, id, Some(ModerationState::Queued)).await? {
                    let draft = self.draft_action(NotificationReason::Waiting);
                    self.notifier.notify(&mut tx, &context, &draft).await?;
                    tx.commit().await?;
                }
            }
        }
        Ok(())
    }
}

/// Ends moderations that nothing runs any more, and tells of live videos that wait; recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepModerations {}

impl Job for SweepModerations {
    const KIND: &'static str = "sweep-moderations";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl SweepModerations {
    const INTERVAL: SignedDuration = SignedDuration::from_secs(30);

    pub(super) async fn run(self, db: &Db, ender: &ModerationEnder) -> Result<JobOutcome, JobError> {
        ender.sweep(db).await?;
        Ok(JobOutcome::Again(ender.environment.now() + Self::INTERVAL))
    }
}
