//! What members say of notifications.

use super::{Moderations, Notification, notify};
use crate::violation::{Violation, at_most};
use base::{AccountId, FindingId, Id as _, NotificationId, ProfileId, ReviewId, Timestamp, Uuid, World};
use db::{DbError, FromRow, Read, Tx, sql};

/// The longest comment, characters.
pub const LONGEST_COMMENT: usize = 500;

/// A word on a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It is right.
    Accept,
    /// It is wrong: the face is not matched to that profile again.
    Dismiss,
}

impl Word {
    /// The score it counts as (decisions, section 6).
    pub const fn score(self) -> i64 {
        match self {
            Self::Accept => 100,
            Self::Dismiss => 0,
        }
    }
}

/// A review.
#[derive(Clone, Debug, FromRow)]
pub struct Review {
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
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
}

/// Why a word did not count.
#[derive(Debug, thiserror::Error)]
pub enum NotReviewed {
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
struct Found {
    id: FindingId,
    profile_id: Option<ProfileId>,
    embedding: Vec<u8>,
}

impl Moderations {
    /// Notes a word on a notification; a later word of the same person replaces the earlier one.
    pub async fn review(
        &self,
        tx: &mut Tx,
        (account, user): (AccountId, Uuid),
        id: NotificationId,
        word: Word,
        comment: &str,
    ) -> Result<Notification, NotReviewed> {
        let comment = comment.trim();
        at_most("comment", "it has", comment.chars().count(), LONGEST_COMMENT, "shorten it")?;
        notify::find(tx, account, id).await?.ok_or(NotReviewed::Missing)?;
        let world: &dyn World = &*self.0.world;
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
        if word == Word::Dismiss {
            self.unlearn(tx, account, id).await?;
        }
        notify::find(tx, account, id).await?.ok_or(NotReviewed::Missing)
    }

    /// "This is not that person": the face of a dismissed notification is not matched to its profile again.
    async fn unlearn(&self, tx: &mut Tx, account: AccountId, id: NotificationId) -> Result<(), DbError> {
        let found: Option<Found> = tx
            .fetch_optional(sql!(
                "SELECT f.id, f.profile_id, f.embedding FROM findings f JOIN notifications n ON n.finding_id = f.id
                  WHERE n.id = $1 AND n.account_id = $2",
                id,
                account,
            ))
            .await?;
        let Some(Found { id, profile_id: Some(profile), embedding }) = found else { return Ok(()) };
        match self.open_embedding(id, &embedding) {
            Some(embedding) => self.0.faces.mark_wrong(tx, account, profile, &embedding).await,
            // Sealed under another master key: there is nothing to learn from.
            None => Ok(()),
        }
    }
}

/// A page of a notification's reviews, newest first, and how many there are.
pub async fn list(
    view: &mut Read,
    account: AccountId,
    notification: NotificationId,
    offset: i64,
    most: i64,
) -> Result<(Vec<Review>, i64), DbError> {
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
