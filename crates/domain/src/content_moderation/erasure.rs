//! What of contents and moderations goes with an account.

use crate::accounts::deletion::OrphanedRows;
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};

/// Rows of a table that go at once.
const ROWS_PER_ROUND: u64 = 5000;

/// Deletes rows of an account, a round at a time: repeat it until every number is 0. A table's rows go when all that refers
/// to them has gone.
pub(crate) async fn delete_account_rows(
    tx: &mut WriteTx,
    account: AccountId,
) -> Result<Vec<(&'static str, u64)>, DbError> {
    let rounds = [
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
    let (mut gone, mut full) = (Vec::new(), false);
    for (table, query) in rounds {
        let rows = if full { 0 } else { tx.execute(query).await? };
        full |= rows == ROWS_PER_ROUND;
        gone.push((table, rows));
    }
    Ok(gone)
}

/// Those of accounts that are gone, by table.
pub(crate) async fn orphaned_rows(
    view: &mut ReadTx,
) -> Result<Vec<(&'static str, Vec<OrphanedRows>)>, DbError> {
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
