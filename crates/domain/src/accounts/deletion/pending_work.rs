//! What is queued or running for an account, and answers that are kept for repeated requests. Its jobs are deleted first:
//! a run whose row is gone cannot commit any more.

use super::{AccountTables, DeletedRows, OrphanedTables};
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};
use futures_util::future::BoxFuture;

/// Jobs, deliveries and answers to requests with an `Idempotency-Key`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingWorkTables;

impl AccountTables for PendingWorkTables {
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

async fn delete_rows(tx: &mut WriteTx, account: AccountId) -> Result<DeletedRows, DbError> {
    let jobs = tx
        .execute(sql!(
            sqlite: "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE account_id = $1 LIMIT 5000)",
            // By their ids, as whoever extends leases locks them.
            postgres: "WITH pending AS MATERIALIZED (
                           SELECT id FROM jobs WHERE account_id = $1 ORDER BY id LIMIT 5000 FOR UPDATE)
                       DELETE FROM jobs WHERE id IN (SELECT id FROM pending)",
            account,
        ))
        .await?;
    let deliveries = tx
        .execute(sql!(
            sqlite: "DELETE FROM deliveries WHERE id IN
                        (SELECT id FROM deliveries WHERE account_id = $1 LIMIT 5000)",
            // By their ids, as whoever sends or erases messages locks them.
            postgres: "WITH pending AS MATERIALIZED (
                           SELECT id FROM deliveries WHERE account_id = $1 ORDER BY id LIMIT 5000 FOR UPDATE)
                       DELETE FROM deliveries WHERE id IN (SELECT id FROM pending)",
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

async fn orphaned_rows(view: &mut ReadTx) -> Result<OrphanedTables, DbError> {
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
