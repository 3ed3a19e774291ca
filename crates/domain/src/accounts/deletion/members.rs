//! The people of an account, and their doors.

use super::OrphanedRows;
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};

/// Deletes a round of them.
pub(super) async fn delete_account_rows(
    tx: &mut WriteTx,
    account: AccountId,
) -> Result<Vec<(&'static str, u64)>, DbError> {
    let member_sessions = tx
        .execute(sql!(
            "DELETE FROM member_sessions WHERE id IN (SELECT id FROM member_sessions WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let sign_in_links = tx
        .execute(sql!(
            "DELETE FROM sign_in_links WHERE id IN (SELECT id FROM sign_in_links WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let invitations = tx
        .execute(sql!(
            "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let members = tx
        .execute(sql!(
            "DELETE FROM members WHERE id IN (SELECT id FROM members WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    Ok(vec![
        ("member_sessions", member_sessions),
        ("sign_in_links", sign_in_links),
        ("invitations", invitations),
        ("members", members),
    ])
}

/// Those of accounts that are gone, by table.
pub(super) async fn orphaned_rows(
    view: &mut ReadTx,
) -> Result<Vec<(&'static str, Vec<OrphanedRows>)>, DbError> {
    let member_sessions = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM member_sessions
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let sign_in_links = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM sign_in_links
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let invitations = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM invitations
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let members = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM members
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    Ok(vec![
        ("member_sessions", member_sessions),
        ("sign_in_links", sign_in_links),
        ("invitations", invitations),
        ("members", members),
    ])
}
