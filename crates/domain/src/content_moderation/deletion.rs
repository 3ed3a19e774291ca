//! Deletion of moderations and contents, and of the embeddings of faces that were found in them.

use super::{contents::uploads, notification_lists};
use crate::{
    accounts, delivery,
    erasure_keys::{self, KeyOwner},
    faces::{DismissalSelection, FaceIndexService},
};
use base::{AccountId, ContentId, ModerationId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, FromRow, WriteTx, sql};

/// How many moderations [`purge_embeddings`] looks at in one transaction.
const MODERATIONS_PER_ROUND: i64 = 50;

#[derive(FromRow)]
struct DeletedModerationRow {
    id: ModerationId,
    job_id: Uuid,
}

/// Deletes a moderation of an account and everything that it found: findings, notifications, reviews and what their
/// dismissals taught. One that runs is stopped, and writes nothing any more. Returns whether the account has such a moderation.
pub(super) async fn delete_moderation(
    tx: &mut WriteTx,
    faces: &FaceIndexService,
    account: AccountId,
    id: ModerationId,
    now: Timestamp,
) -> Result<bool, DbError> {
    // First, as a review does: what one has taught is found below, and a later one finds no notification.
    faces.lock_changes(tx, account).await?;
    let row: Option<DeletedModerationRow> = tx
        .fetch_optional(sql!(
            "SELECT id, job_id FROM moderations WHERE id = $1 AND account_id = $2",
            id,
            account
        ))
        .await?;
    let Some(row) = row else { return Ok(false) };
    faces.undo_dismissals(tx, account, DismissalSelection::OfModeration(id)).await?;
    delete_rows(tx, account, vec![row], now).await?;
    erasure_keys::record_erasure(tx).await?;
    Ok(true)
}

/// Deletes a content of an account, with its moderations and reports. Returns whether the account has such a content.
pub(super) async fn delete_content(
    tx: &mut WriteTx,
    faces: &FaceIndexService,
    account: AccountId,
    id: ContentId,
    now: Timestamp,
) -> Result<bool, DbError> {
    // First, as a review and the deletion of a profile do, which locks contents once it has locked findings.
    faces.lock_changes(tx, account).await?;
    faces.undo_dismissals(tx, account, DismissalSelection::OfContent(id)).await?;
    // Nothing new is begun for the content from here on.
    let rows = tx
        .execute(sql!("UPDATE contents SET archived = TRUE WHERE id = $1 AND account_id = $2", id, account))
        .await?;
    if rows == 0 {
        return Ok(false);
    }
    let moderations: Vec<DeletedModerationRow> = tx
        .fetch_all(sql!("SELECT id, job_id FROM moderations WHERE content_id = $1 ORDER BY job_id", id))
        .await?;
    delete_rows(tx, account, moderations, now).await?;
    uploads::release(tx, id, now).await?;
    for query in [
        sql!("DELETE FROM content_reports WHERE content_id = $1", id),
        sql!("DELETE FROM content_profiles WHERE content_id = $1", id),
        sql!("DELETE FROM contents WHERE id = $1", id),
    ] {
        tx.execute(query).await?;
    }
    erasure_keys::record_erasure(tx).await?;
    Ok(true)
}

/// The caller records the erasure, as the last of its transaction: whoever erases the embeddings of one of the moderations holds
/// its findings when it does so.
async fn delete_rows(
    tx: &mut WriteTx,
    account: AccountId,
    moderations: Vec<DeletedModerationRow>,
    now: Timestamp,
) -> Result<(), DbError> {
    if moderations.is_empty() {
        return Ok(());
    }
    // Whatever runs one of the jobs has lost it, and with it the right to write. All of them before any list of notifications: a
    // run that is writing, and is waited for here, locks its job before the lists. By their ids, as whoever extends leases does.
    for DeletedModerationRow { job_id, .. } in &moderations {
        tx.execute(sql!("DELETE FROM jobs WHERE id = $1", *job_id)).await?;
    }
    // The account's list before the others, as whatever writes a notification does, and before messages are looked for: those
    // that a ban's sweep is writing are there to be erased once it has been waited for here.
    notification_lists::reserve_timestamp(tx, account, now).await?;
    let erased: Vec<Uuid> = moderations.iter().map(|moderation| moderation.id.into()).collect();
    delivery::erase_messages_about(tx, &erased, now).await?;
    for DeletedModerationRow { id, .. } in moderations {
        notification_lists::remove_moderation(tx, id).await?;
        for query in [
            sql!(
                "DELETE FROM reviews WHERE notification_id IN
                    (SELECT id FROM notifications WHERE moderation_id = $1)",
                id
            ),
            sql!("DELETE FROM notifications WHERE moderation_id = $1", id),
            sql!("DELETE FROM findings WHERE moderation_id = $1", id),
            sql!("DELETE FROM moderations WHERE id = $1", id),
        ] {
            tx.execute(query).await?;
        }
    }
    erasure_keys::delete_keys(tx, &erased).await
}

/// Erases the embeddings of findings whose moderation ended longer ago than `retention`, and the moderations' keys, those of
/// moderations that found nobody too; but not those that pictures of findings are still sealed with. Returns of how many
/// moderations; 0 once there is nothing left.
pub async fn purge_embeddings(db: &Db, now: Timestamp, retention: SignedDuration) -> Result<u64, DbError> {
    #[derive(FromRow)]
    struct DueModerationRow {
        id: ModerationId,
        account_id: AccountId,
    }
    let due: Vec<DueModerationRow> = db
        .read()
        .await?
        // `EXISTS`, which looks up each moderation: PostgreSQL would go through the whole lists of `IN` and `NOT IN` for each,
        // once they are long.
        .fetch_all(sql!(
            "SELECT m.id, m.account_id FROM moderations m
              WHERE m.ended_at <= $1
                AND (EXISTS (SELECT 1 FROM findings f WHERE f.moderation_id = m.id AND f.sealed_embedding IS NOT NULL)
                     OR (EXISTS (SELECT 1 FROM erasure_keys k WHERE k.owner_id = m.id)
                         AND NOT EXISTS (SELECT 1 FROM findings f JOIN finding_pictures p ON p.finding_id = f.id
                                          WHERE f.moderation_id = m.id)))
              LIMIT $2",
            now - retention,
            MODERATIONS_PER_ROUND,
        ))
        .await?;
    let mut erased = 0;
    for DueModerationRow { id, account_id } in due {
        let mut tx = db.write().await?;
        if accounts::lock_shared(&mut tx, account_id).await? {
            tx.execute(sql!(
                "UPDATE findings SET sealed_embedding = NULL
                  WHERE moderation_id = $1 AND sealed_embedding IS NOT NULL",
                id,
            ))
            .await?;
            let pictures = tx
                .count(sql!(
                    "SELECT count(*) FROM finding_pictures p JOIN findings f ON f.id = p.finding_id
                      WHERE f.moderation_id = $1",
                    id,
                ))
                .await?;
            if pictures == 0 {
                erasure_keys::erase(&mut tx, KeyOwner::Moderation(id)).await?;
            } else {
                erasure_keys::record_erasure(&mut tx).await?;
            }
            tx.commit().await?;
            erased += 1;
        }
    }
    Ok(erased)
}
