//! The tables of cases, for the deletion of accounts.

use crate::accounts::deletion::{AccountTables, DeletedRows, OrphanedTables};
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};
use futures_util::future::BoxFuture;

/// Queues, cases, opinions and views.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaseTables;

impl AccountTables for CaseTables {
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
    let mut deleted = Vec::new();
    for (table, query) in [
        (
            "case_views",
            sql!(
                "DELETE FROM case_views WHERE id IN (SELECT id FROM case_views WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "case_opinions",
            sql!(
                "DELETE FROM case_opinions WHERE id IN
                    (SELECT id FROM case_opinions WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "cases",
            sql!(
                "DELETE FROM cases WHERE id IN (SELECT id FROM cases WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
        (
            "case_queues",
            sql!(
                "DELETE FROM case_queues WHERE id IN
                    (SELECT id FROM case_queues WHERE account_id = $1 LIMIT 5000)",
                account
            ),
        ),
    ] {
        deleted.push((table, tx.execute(query).await?));
    }
    Ok(deleted)
}

async fn orphaned_rows(view: &mut ReadTx) -> Result<OrphanedTables, DbError> {
    let mut found = Vec::new();
    for (table, query) in [
        (
            "case_views",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM case_views
                  WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "case_opinions",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM case_opinions
                  WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "cases",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM cases
                  WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "case_queues",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM case_queues
                  WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
    ] {
        found.push((table, view.fetch_all(query).await?));
    }
    Ok(found)
}
