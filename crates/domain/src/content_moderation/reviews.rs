//! Reviews: what members, and API keys, say to notifications.

use super::{
    FaceMeasurements, ModerationNotification, StatementDecision, notifications,
    sealed_columns::{EmbeddingOwner, SealedColumns},
    statement_of_reasons::StatementWriter,
};
use crate::{
    cases, erasure_keys,
    faces::{DismissalSelection, DismissedFace, FaceIndexService},
    sealed_texts::{SealedTexts, TextColumn},
    violation::{Violation, check_max_chars},
};
use base::{
    AccountId, Environment, Id as _, ModerationFindingId, ModerationId, NotificationId, ProfileId, ReviewId,
    Timestamp, Uuid,
};
use db::{AuditEvent, DbError, FromRow, Json, ReadTx, WriteTx, sql};
use std::sync::Arc;

/// The longest comment, in characters.
pub const MAX_COMMENT_CHARS: usize = 500;

/// What a review says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// The notification is right.
    Accept,
    /// The notification is wrong: its face, and those that are nearer to it than to the profile's own, are not matched to
    /// its profile again.
    Dismiss,
}

impl ReviewDecision {
    /// The score, 0 to 100 (docs/adr/0007-content-moderation.md).
    pub const fn score(self) -> i64 {
        match self {
            Self::Accept => 100,
            Self::Dismiss => 0,
        }
    }
}

/// A review.
#[derive(Clone, Debug)]
pub struct NotificationReview {
    pub id: ReviewId,
    pub notification_id: NotificationId,
    /// The member or API key whose review it is.
    pub user_id: Uuid,
    /// Their comment.
    pub description: String,
    /// 0 to 100.
    pub score: i64,
    pub created_at: Timestamp,
}

#[derive(FromRow)]
struct ReviewRow {
    id: ReviewId,
    notification_id: NotificationId,
    user_id: Uuid,
    description: String,
    sealed_description: Option<Vec<u8>>,
    score: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
}

#[derive(FromRow)]
struct ReviewIdRow {
    id: ReviewId,
}

/// Why a review was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The comment is too long.
    #[error(transparent)]
    Invalid(#[from] Violation),
    /// The account has no such notification.
    #[error("there is no such notification")]
    Missing,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct DismissedFindingRow {
    id: ModerationFindingId,
    moderation_id: ModerationId,
    profile_id: Option<ProfileId>,
    sealed_embedding: Option<Vec<u8>>,
    measurements: Option<Json<FaceMeasurements>>,
}

/// Records and lists reviews, and teaches the face index what it got wrong.
#[derive(Debug)]
pub(super) struct ReviewRecorder {
    pub(super) environment: Arc<dyn Environment>,
    pub(super) sealed_columns: SealedColumns,
    pub(super) texts: SealedTexts,
    pub(super) faces: FaceIndexService,
    pub(super) statements: StatementWriter,
}

impl ReviewRecorder {
    /// Records a review; a later one of the same member or API key replaces the earlier one, with what was `decided`, which
    /// counts where it accepts.
    pub(super) async fn record(
        &self,
        tx: &mut WriteTx,
        (account, user): (AccountId, Uuid),
        id: NotificationId,
        decision: ReviewDecision,
        comment: &str,
        decided: &StatementDecision,
    ) -> Result<ModerationNotification, ReviewError> {
        let comment = comment.trim();
        check_max_chars("comment", "it has", comment.chars().count(), MAX_COMMENT_CHARS, "shorten it")?;
        // First, as whatever deletes the notification does: until this transaction ends it is there, or it is gone already.
        self.faces.lock_changes(tx, account).await?;
        let notification = notifications::find(tx, account, id).await?.ok_or(ReviewError::Missing)?;
        let environment = &*self.environment;
        // Then the case, as where a decision of the console is settled.
        cases::withdraw_of_notification(tx, environment, id).await?;
        // The text is sealed for the row's id: that of the review that this one replaces, if there is one.
        let row: Option<ReviewIdRow> = tx
            .fetch_optional(sql!(
                "INSERT INTO reviews (id, account_id, notification_id, user_id, description, score, created_at)
                 VALUES ($1, $2, $3, $4, '', $5, $6)
                 ON CONFLICT (notification_id, user_id) DO UPDATE
                    SET description = '', score = excluded.score, created_at = excluded.created_at
                 RETURNING id",
                ReviewId::new(environment),
                account,
                id,
                user,
                decision.score(),
                environment.now(),
            ))
            .await?;
        let review = row.ok_or(ReviewError::Missing)?.id;
        let sealed = self.texts.seal(TextColumn::ReviewDescription, review, comment);
        let decided = match decision {
            ReviewDecision::Accept => {
                let members =
                    sql!("SELECT count(*) FROM members WHERE id = $1 AND account_id = $2", user, account);
                Some(self.statements.seal(review, decided, tx.count(members).await? > 0))
            }
            ReviewDecision::Dismiss => None,
        };
        tx.execute(sql!(
            "UPDATE reviews SET sealed_description = $2, sealed_decision = $3 WHERE id = $1",
            review,
            sealed,
            decided,
        ))
        .await?;
        let event = AuditEvent::new("notification.review").account(account).target(id);
        tx.audit(event.detail("accepted", decision != ReviewDecision::Dismiss));
        match decision {
            ReviewDecision::Dismiss => self.dismiss(tx, account, user, &notification).await?,
            // Whoever dismissed it before, it is this person now.
            ReviewDecision::Accept => {
                let dismissal = DismissalSelection::OfNotification(id);
                if self.faces.undo_dismissals(tx, account, dismissal).await? > 0 {
                    erasure_keys::record_erasure(tx).await?;
                }
            }
        }
        notifications::find(tx, account, id).await?.ok_or(ReviewError::Missing)
    }

    /// Keeps the face of a dismissed notification from being matched to its profile again. One that names no profile, as of an
    /// unknown face, says nothing about any.
    async fn dismiss(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        user: Uuid,
        notification: &ModerationNotification,
    ) -> Result<(), DbError> {
        let Some(profile) = notification.profile_id else { return Ok(()) };
        let found: Option<DismissedFindingRow> = tx
            .fetch_optional(sql!(
                "SELECT f.id, f.moderation_id, f.profile_id, f.sealed_embedding, f.measurements
                   FROM findings f JOIN notifications n ON n.finding_id = f.id WHERE n.id = $1 AND n.account_id = $2",
                notification.id,
                account,
            ))
            .await?;
        // The embedding is sealed for the profile that the appearance matched last, which may be another one by now. Older
        // versions did not note which model computed it: such a face can be compared with none.
        let Some(DismissedFindingRow {
            id,
            moderation_id: moderation,
            profile_id: last_match,
            sealed_embedding: Some(sealed),
            measurements: Some(Json(measurements)),
        }) = found
        else {
            return Ok(());
        };
        let owner = EmbeddingOwner { moderation, profile: last_match };
        // One that was sealed under another master key does not open: there is nothing to compare with.
        let Some(embedding) = self.sealed_columns.open_embedding(tx, id, owner, &sealed).await? else {
            return Ok(());
        };
        let dismissed = DismissedFace {
            profile,
            embedding: &embedding,
            model: &measurements.model,
            notification: notification.id,
            content: notification.content_id,
            user,
        };
        self.faces.dismiss(tx, account, dismissed).await
    }

    /// A page of a notification's reviews, newest first, and how many reviews it has.
    pub(super) async fn list(
        &self,
        view: &mut ReadTx,
        (account, notification): (AccountId, NotificationId),
        offset: i64,
        limit: i64,
    ) -> Result<(Vec<NotificationReview>, i64), DbError> {
        let total = view
            .count(sql!(
                "SELECT count(*) FROM reviews WHERE notification_id = $1 AND account_id = $2",
                notification,
                account,
            ))
            .await?;
        let rows: Vec<ReviewRow> = view
            .fetch_all(sql!(
                "SELECT id, notification_id, user_id, description, sealed_description, score, created_at FROM reviews
                  WHERE notification_id = $1 AND account_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
                notification,
                account,
                limit,
                offset,
            ))
            .await?;
        let open = |row: ReviewRow| {
            let ReviewRow {
                id,
                notification_id,
                user_id,
                description,
                sealed_description,
                score,
                created_at,
            } = row;
            let column = TextColumn::ReviewDescription;
            let description = self.texts.open(column, id, description, sealed_description.as_deref());
            NotificationReview { id, notification_id, user_id, description, score, created_at }
        };
        Ok((rows.into_iter().map(open).collect(), total))
    }
}
