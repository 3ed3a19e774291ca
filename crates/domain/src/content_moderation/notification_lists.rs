//! Lists of notifications: one of each account, moderation and inbox of a member. A list's id is that of its owner.
//!
//! The places of a list are numbered from 1, so a page is a range of places, found at once however long the list is. Where
//! notifications were deleted with their moderation, places are missing: the pages of such a list are counted off, and so are
//! those of a list that is filtered by more than time. Times never decrease along a list, so a filter by time is the first place at or after that time.

use super::{ModerationNotification, NotificationReason};
use crate::CreationRange;
use base::{AccountId, ModerationId, NotificationId, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

/// A page of a list, newest first.
#[derive(Clone, Debug)]
pub struct NotificationPage {
    /// The notifications of the page; none if it lies past the end of the list.
    pub notifications: Vec<ModerationNotification>,
    /// How many notifications the list has of those that were asked for.
    pub total: i64,
}

#[derive(FromRow)]
struct ListHeadRow {
    length: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    last_at: Timestamp,
}

#[derive(FromRow)]
struct ListSizeRow {
    length: i64,
    /// How many of the places are missing.
    gaps: i64,
}

#[derive(FromRow)]
struct ListPositionRow {
    place: i64,
}

/// Appends to a list, which stays locked until the transaction ends. The notification's time in the list is never before
/// that of an earlier one.
pub(super) async fn append(
    tx: &mut WriteTx,
    (list, account): (Uuid, AccountId),
    notification: NotificationId,
    now: Timestamp,
) -> Result<(), DbError> {
    let ListHeadRow { length, last_at } = extend_list(tx, list, account, now).await?;
    tx.execute(sql!(
        "INSERT INTO notification_places (list_id, place, notification_id, account_id, created_at)
         VALUES ($1, $2, $3, $4, $5)",
        list,
        length,
        notification,
        account,
        last_at,
    ))
    .await
    .map(drop)
}

/// The time that a notification written now has in its account's list, which this locks until the transaction ends.
pub(super) async fn reserve_timestamp(
    tx: &mut WriteTx,
    account: AccountId,
    now: Timestamp,
) -> Result<Timestamp, DbError> {
    Ok(lock_list(tx, account.into(), account, now, 0).await?.last_at)
}

/// Takes the notifications of a moderation out of every list. The moderation's own list ceases to be. The caller has locked
/// the account's list ([`reserve_timestamp`]), which comes before the others.
pub(super) async fn remove_moderation(tx: &mut WriteTx, moderation: ModerationId) -> Result<(), DbError> {
    #[derive(FromRow)]
    struct ListGapsRow {
        list_id: Uuid,
        number: i64,
    }
    let gaps: Vec<ListGapsRow> = tx
        .fetch_all(sql!(
            "SELECT p.list_id, count(*) AS number
               FROM notification_places p JOIN notifications n ON n.id = p.notification_id
              WHERE n.moderation_id = $1 GROUP BY p.list_id ORDER BY p.list_id",
            moderation,
        ))
        .await?;
    for ListGapsRow { list_id, number } in gaps {
        tx.execute(sql!(
            "UPDATE notification_lists SET gaps = gaps + $2 WHERE list_id = $1",
            list_id,
            number
        ))
        .await?;
    }
    for query in [
        sql!(
            "DELETE FROM notification_places WHERE notification_id IN
                (SELECT id FROM notifications WHERE moderation_id = $1)",
            moderation,
        ),
        sql!("DELETE FROM notification_lists WHERE list_id = $1", moderation),
    ] {
        tx.execute(query).await?;
    }
    Ok(())
}

async fn extend_list(
    tx: &mut WriteTx,
    list: Uuid,
    account: AccountId,
    now: Timestamp,
) -> Result<ListHeadRow, DbError> {
    lock_list(tx, list, account, now, 1).await
}

/// Locks a list until the transaction ends, creating it if need be, and makes it `more` places longer.
async fn lock_list(
    tx: &mut WriteTx,
    list: Uuid,
    account: AccountId,
    now: Timestamp,
    more: i64,
) -> Result<ListHeadRow, DbError> {
    tx.execute(sql!(
        "INSERT INTO notification_lists (list_id, account_id, length, last_at) VALUES ($1, $2, 0, $3)
         ON CONFLICT DO NOTHING",
        list,
        account,
        now,
    ))
    .await?;
    let head: Option<ListHeadRow> = tx
        .fetch_optional(sql!(
            "UPDATE notification_lists SET length = length + $3,
                    last_at = CASE WHEN last_at > $2 THEN last_at ELSE $2 END
              WHERE list_id = $1 RETURNING length, last_at",
            list,
            now,
            more,
        ))
        .await?;
    // The row exists: it was inserted above if it did not.
    Ok(head.unwrap_or(ListHeadRow { length: more, last_at: now }))
}

/// Which notifications a page has; all that is set must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotificationFilter {
    /// When they were written.
    pub created: CreationRange,
    pub reason: Option<NotificationReason>,
    /// Whether somebody has accepted or dismissed them.
    pub reviewed: Option<bool>,
}

impl NotificationFilter {
    /// Whether a page is a range of places of the list: everything from a moment on.
    fn is_range(&self) -> bool {
        *self == Self { created: CreationRange { from: self.created.from, before: None }, ..Self::default() }
    }
}

/// A page of a list: `limit` notifications after the first `offset`, newest first.
pub(super) async fn load_page(
    view: &mut ReadTx,
    list: Uuid,
    filter: NotificationFilter,
    (offset, limit): (i64, i64),
) -> Result<NotificationPage, DbError> {
    let NotificationFilter { created, reason, reviewed } = filter;
    let reason = reason.map(NotificationReason::as_str);
    let size: Option<ListSizeRow> = view
        .fetch_optional(sql!("SELECT length, gaps FROM notification_lists WHERE list_id = $1", list))
        .await?;
    let ListSizeRow { length, gaps } = size.unwrap_or(ListSizeRow { length: 0, gaps: 0 });
    let first = match created.from {
        None => 1,
        Some(since) => {
            let first: Option<ListPositionRow> = view
                .fetch_optional(sql!(
                    "SELECT place FROM notification_places WHERE list_id = $1 AND created_at >= $2
                      ORDER BY created_at, place LIMIT 1",
                    list,
                    since,
                ))
                .await?;
            first.map_or(length + 1, |row| row.place)
        }
    };
    let (total, low, high) = if gaps == 0 && filter.is_range() {
        let high = length - offset;
        ((length - first + 1).max(0), (high - limit + 1).max(first), high)
    } else {
        let total = view
            .count(sql!(
                "SELECT count(*) FROM notification_places p JOIN notifications n ON n.id = p.notification_id
                  WHERE p.list_id = $1 AND p.place >= $2 AND (p.created_at < $3 OR $3 IS NULL)
                    AND (coalesce(n.precise_reason, n.reason) = $4 OR $4 IS NULL)
                    AND (EXISTS (SELECT 1 FROM reviews r WHERE r.notification_id = n.id) = $5 OR $5 IS NULL)",
                list,
                first,
                created.before,
                reason,
                reviewed,
            ))
            .await?;
        let place_of = async |view: &mut ReadTx, offset: i64| -> Result<Option<ListPositionRow>, DbError> {
            view.fetch_optional(sql!(
                "SELECT p.place FROM notification_places p JOIN notifications n ON n.id = p.notification_id
                  WHERE p.list_id = $1 AND p.place >= $2 AND (p.created_at < $3 OR $3 IS NULL)
                    AND (coalesce(n.precise_reason, n.reason) = $4 OR $4 IS NULL)
                    AND (EXISTS (SELECT 1 FROM reviews r WHERE r.notification_id = n.id) = $5 OR $5 IS NULL)
                  ORDER BY p.place DESC LIMIT 1 OFFSET $6",
                list,
                first,
                created.before,
                reason,
                reviewed,
                offset,
            ))
            .await
        };
        let high = place_of(view, offset).await?.map_or(0, |row| row.place);
        (total, place_of(view, offset + limit - 1).await?.map_or(first, |row| row.place), high)
    };
    if high < low {
        return Ok(NotificationPage { notifications: Vec::new(), total });
    }
    let notifications = view
        .fetch_all(sql!(
            "SELECT n.id, n.account_id, n.type, n.created_at, n.moderation_id, n.content_id, n.url, n.content_type,
                    coalesce(n.precise_reason, n.reason) AS reason, n.frame_time, n.observed_at, n.face_top,
                    n.face_right, n.face_bottom, n.face_left,
                    n.age_group, n.profile_id, n.finding_id, n.retroactive,
                    CASE WHEN n.precise_reason = 'FAILED' THEN m.error_code END AS error_code,
                    CASE WHEN n.precise_reason = 'FAILED' THEN m.error END AS error,
                    (SELECT count(*) FROM reviews r WHERE r.notification_id = n.id) AS reviews,
                    (SELECT CAST(coalesce(sum(r.score), 0) AS BIGINT) FROM reviews r WHERE r.notification_id = n.id) AS scores
               FROM notification_places p JOIN notifications n ON n.id = p.notification_id
               JOIN moderations m ON m.id = n.moderation_id
              WHERE p.list_id = $1 AND p.place BETWEEN $2 AND $3 AND (p.created_at < $4 OR $4 IS NULL)
                AND (coalesce(n.precise_reason, n.reason) = $5 OR $5 IS NULL)
                AND (EXISTS (SELECT 1 FROM reviews r WHERE r.notification_id = n.id) = $6 OR $6 IS NULL)
              ORDER BY p.place DESC",
            list,
            low,
            high,
            created.before,
            reason,
            reviewed,
        ))
        .await?;
    Ok(NotificationPage { notifications, total })
}
