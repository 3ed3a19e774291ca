//! What members say of notifications.

use super::{ContentModerationService, ModerationNotification, notifications};
use crate::violation::{Violation, check_max_chars};
use base::{
    AccountId, Environment, Id as _, ModerationFindingId, NotificationId, ProfileId, ReviewId, Timestamp,
    Uuid,
};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

/// The longest comment, characters.
pub const MAX_COMMENT_CHARS: usize = 500;

/// A word on a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// It is right.
    Accept,
    /// It is wrong: the face is not matched to that profile again.
    Dismiss,
}

impl ReviewDecision {
    /// The score it counts as (docs/adr/0007-content-moderation.md).
    pub const fn score(self) -> i64 {
        match self {
            Self::Accept => 100,
            Self::Dismiss => 0,
        }
    }
}

/// A review.
#[derive(Clone, Debug, FromRow)]
pub struct NotificationReview {
    /// Its id.
    pub id: ReviewId,
    /// What it is of.
    pub notification_id: NotificationId,
    /// Who said it: a member, or an API key.
    pub user_id: Uuid,
    /// Why.
    pub description: String,
    /// 0 to 100.
    pub score: i64,
    /// When.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Why a word did not count.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The comment cannot be kept.
    #[error(transparent)]
    Invalid(#[from] Violation),
    /// There is no such notification in the account.
    #[error("there is no such notification")]
    Missing,
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct ReviewedFindingRow {
    id: ModerationFindingId,
    profile_id: Option<ProfileId>,
    embedding: Vec<u8>,
}

impl ContentModerationService {
    /// Notes a word on a notification; a later word of the same person replaces the earlier one.
    pub async fn review(
        &self,
        tx: &mut WriteTx,
        (account, user): (AccountId, Uuid),
        id: NotificationId,
        word: ReviewDecision,
        comment: &str,
    ) -> Result<ModerationNotification, ReviewError> {
        let comment = comment.trim();
        check_max_chars("comment", "it has", comment.chars().count(), MAX_COMMENT_CHARS, "shorten it")?;
        notifications::find(tx, account, id).await?.ok_or(ReviewError::Missing)?;
        let world: &dyn Environment = &*self.0.world;
        tx.execute(sql!(
            "INSERT INTO reviews (id, account_id, notification_id, user_id, description, score, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (notification_id, user_id) DO UPDATE
                SET description = excluded.description, score = excluded.score, created_at = excluded.created_at",
            ReviewId::new(world),
            account,
            id,
            user,
            comment,
            word.score(),
            world.now(),
        ))
        .await?;
        if word == ReviewDecision::Dismiss {
            self.reject_match(tx, account, id).await?;
        }
        notifications::find(tx, account, id).await?.ok_or(ReviewError::Missing)
    }

    /// "This is not that person": the face of a dismissed notification is not matched to its profile again.
    async fn reject_match(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: NotificationId,
    ) -> Result<(), DbError> {
        let found: Option<ReviewedFindingRow> = tx
            .fetch_optional(sql!(
                "SELECT f.id, f.profile_id, f.embedding FROM findings f JOIN notifications n ON n.finding_id = f.id
                  WHERE n.id = $1 AND n.account_id = $2",
                id,
                account,
            ))
            .await?;
        let Some(ReviewedFindingRow { id, profile_id: Some(profile), embedding }) = found else {
            return Ok(());
        };
        match self.open_embedding(id, &embedding) {
            Some(embedding) => self.0.faces.add_negative_label(tx, account, profile, &embedding).await,
            // Sealed under another master key: there is nothing to learn from.
            None => Ok(()),
        }
    }
}

/// A page of a notification's reviews, newest first, and how many there are.
pub async fn list(
    view: &mut ReadTx,
    account: AccountId,
    notification: NotificationId,
    offset: i64,
    most: i64,
) -> Result<(Vec<NotificationReview>, i64), DbError> {
    let total = view
        .count(sql!(
            "SELECT count(*) FROM reviews WHERE notification_id = $1 AND account_id = $2",
            notification,
            account,
        ))
        .await?;
    let reviews = view
        .fetch_all(sql!(
            "SELECT id, notification_id, user_id, description, score, created_at FROM reviews
              WHERE notification_id = $1 AND account_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
            notification,
            account,
            most,
            offset,
        ))
        .await?;
    Ok((reviews, total))
}
