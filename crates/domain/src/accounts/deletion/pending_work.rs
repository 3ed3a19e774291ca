//! What waits or runs for an account: jobs (a run whose row is gone cannot finish), deliveries, kept answers.

use super::OrphanedRows;
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};

/// Deletes a round of them.
pub(super) async fn delete_account_rows(
    tx: &mut WriteTx,
    account: AccountId,
) -> Result<Vec<(&'static str, u64)>, DbError> {
    let jobs = tx
        .execute(sql!(
            "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let deliveries = tx
        .execute(sql!(
            "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let idempotent_answers = tx
        .execute(sql!(
            "DELETE FROM idempotent_answers WHERE (app_id, request) IN (SELECT app_id, request FROM idempotent_answers WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    Ok(vec![("jobs", jobs), ("deliveries", deliveries), ("idempotent_answers", idempotent_answers)])
}

/// Those of accounts that are gone, by table.
pub(super) async fn orphaned_rows(
    view: &mut ReadTx,
) -> Result<Vec<(&'static str, Vec<OrphanedRows>)>, DbError> {
    let jobs = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM jobs
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let deliveries = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM deliveries
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let idempotent_answers = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM idempotent_answers
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    Ok(vec![("jobs", jobs), ("deliveries", deliveries), ("idempotent_answers", idempotent_answers)])
}
