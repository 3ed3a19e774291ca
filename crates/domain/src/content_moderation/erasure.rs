//! The tables of contents and moderations, for the deletion of accounts.

use super::contents::uploads;
use crate::accounts::deletion::{AccountTables, DeletedRows, OrphanedTables};
use base::AccountId;
use db::{DbError, Query, ReadTx, WriteTx, sql};
use futures_util::future::BoxFuture;

/// How many rows of a table are deleted in one round, at most.
const ROWS_PER_ROUND: u64 = 5000;

/// Contents and their reports, moderations, findings, notifications and reviews.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModerationTables;

impl AccountTables for ModerationTables {
    fn delete_rows<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        account: AccountId,
    ) -> BoxFuture<'a, Result<DeletedRows, DbError>> {
        Box::pin(delete_rows(tx, account))
    }

    fn orphaned_rows<'a>(&'a self, view: &'a mut ReadTx) -> BoxFuture<'a, Result<OrphanedTables, DbError>> {
        Box::pin(orphaned_rows(view))
    }
}

/// Deletes the keys of moderations and uploads.
fn key_deletions(account: AccountId) -> [(&'static str, Query); 2] {
    [
        (
            "erasure_keys",
            sql!(
                "DELETE FROM erasure_keys WHERE owner_id IN
                    (SELECT k.owner_id FROM erasure_keys k JOIN moderations m ON m.id = k.owner_id
                      WHERE m.account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "erasure_keys",
            sql!(
                "DELETE FROM erasure_keys WHERE owner_id IN
                    (SELECT k.owner_id FROM erasure_keys k JOIN content_uploads u ON u.id = k.owner_id
                      WHERE u.account_id = $1 LIMIT 5000)",
                account
            ),
        ),
    ]
}

/// A table is left for a later round while a table before it, whose rows may refer to it, still has rows.
#[expect(clippy::too_many_lines, reason = "it is one list of statements")]
async fn delete_rows(tx: &mut WriteTx, account: AccountId) -> Result<DeletedRows, DbError> {
    let rounds = [
        (
            "content_uploads",
            sql!(
                "DELETE FROM content_uploads WHERE id IN
                    (SELECT id FROM content_uploads WHERE account_id = $1 LIMIT 5000) RETURNING bytes",
                account
            ),
        ),
        (
            "notification_places",
            sql!(
                "DELETE FROM notification_places WHERE (list_id, place) IN
                    (SELECT list_id, place FROM notification_places WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "reviews",
            sql!(
                "DELETE FROM reviews WHERE id IN
                    (SELECT id FROM reviews WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "notifications",
            sql!(
                "DELETE FROM notifications WHERE id IN
                    (SELECT id FROM notifications WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "notification_lists",
            sql!(
                "DELETE FROM notification_lists WHERE list_id IN
                    (SELECT list_id FROM notification_lists WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "finding_pictures",
            sql!(
                "DELETE FROM finding_pictures WHERE id IN
                    (SELECT id FROM finding_pictures WHERE account_id = $1 LIMIT 5000) RETURNING bytes",
                account
            ),
        ),
        (
            "findings",
            sql!(
                "DELETE FROM findings WHERE id IN
                    (SELECT id FROM findings WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "moderations",
            sql!(
                "DELETE FROM moderations WHERE id IN
                    (SELECT id FROM moderations WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "content_reports",
            sql!(
                "DELETE FROM content_reports WHERE id IN
                    (SELECT id FROM content_reports WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "content_profiles",
            sql!(
                "DELETE FROM content_profiles WHERE (content_id, profile_id) IN
                    (SELECT content_id, profile_id FROM content_profiles WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "contents",
            sql!(
                "DELETE FROM contents WHERE id IN
                    (SELECT id FROM contents WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
    ];
    let (mut deleted, mut full) = (Vec::new(), false);
    for (table, query) in key_deletions(account).into_iter().chain(rounds) {
        let rows = match table {
            _ if full => 0,
            "content_uploads" | "finding_pictures" => uploads::delete_rows(tx, account, query).await?,
            _ => tx.execute(query).await?,
        };
        full |= rows == ROWS_PER_ROUND;
        deleted.push((table, rows));
    }
    Ok(deleted)
}

async fn orphaned_rows(view: &mut ReadTx) -> Result<OrphanedTables, DbError> {
    let mut found = Vec::new();
    for (table, query) in [
        (
            "notification_places",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM notification_places
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "reviews",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM reviews
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "notifications",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM notifications
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "notification_lists",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM notification_lists
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "finding_pictures",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM finding_pictures
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "findings",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM findings
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "moderations",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM moderations
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "content_reports",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM content_reports
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "content_profiles",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM content_profiles
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "content_uploads",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM content_uploads
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "contents",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM contents
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
    ] {
        found.push((table, view.fetch_all(query).await?));
    }
    Ok(found)
}
