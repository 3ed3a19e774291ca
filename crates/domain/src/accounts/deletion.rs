//! Deletion of an account and everything under it.
//!
//! 1. One transaction sets the account to CLOSING and queues the job that finishes the deletion after a crash. From then
//!    on the account answers as if it had never existed; and because every writer locks the account first
//!    ([`super::lock_shared`]), nothing is written under it any more.
//! 2. Rows are deleted in rounds, subject by subject ([`AccountTables`]); each round adds its counts to the receipt.
//! 3. Data outside the database is deleted ([`ExternalAccountData`]). It is counted first, so that the receipt is right
//!    even where the deletion is interrupted.
//! 4. One transaction finds no rows left, deletes the account and signs the receipt.
//!
//! Every step can be repeated, and several processes may do them at the same time.
//!
//! Owners of data register it by the traits in `account_data`; `orphans` is the audit of what was left behind.

mod account_data;
mod member_tables;
mod orphans;
mod pending_work;

pub use account_data::{
    AccountTables, DeletedRows, ExternalAccountData, ExternalDataError, OrphanedRows, OrphanedTables,
};
pub(crate) use member_tables::MemberTables;
pub use orphans::Orphan;
pub(crate) use pending_work::PendingWorkTables;

use super::{DeletionReceipt, ReceiptScope, ReceiptSigner};
use crate::erasure_keys;
use base::{AccountId, AppId, Environment, Id as _, ReceiptId, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, FromRow, WriteTx, sql};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, NewJob, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

/// How long after the request the job runs. The request itself should have deleted everything by then; the job finishes
/// what it did not, and deletes what was still being written outside the database.
const RESUME_DELAY: SignedDuration = SignedDuration::from_secs(30);

/// How often, and after which pauses, the files of the database are cleaned again while somebody reads an older state.
const CLEANING_ATTEMPTS: usize = 20;
const CLEANING_PAUSE: Duration = Duration::from_millis(100);

/// Deletes accounts; cheap to clone.
#[derive(Clone, Debug)]
pub struct AccountDeletionService {
    db: Db,
    environment: Arc<dyn Environment>,
    receipts: ReceiptSigner,
    tables: Arc<[Arc<dyn AccountTables>]>,
    external: Arc<[Arc<dyn ExternalAccountData>]>,
}

/// Finishes the deletion of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteAccount {
    account: AccountId,
}

impl Job for DeleteAccount {
    const KIND: &'static str = "close-account";
    const LANE: Lane = Lane::Upkeep;
    /// Tries for almost two days before it gives up, so that an operator has the time to repair what fails.
    const RETRY: RetryPolicy =
        RetryPolicy { waits: &[10, 60, 600, 3600, 3600, 7200, 14400, 28800, 43200, 43200], jitter: 0.1 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { account: Some(self.account), ..JobIds::default() }
    }
}

/// Why an account is not deleted, or not entirely.
#[derive(Debug, thiserror::Error)]
pub enum AccountDeletionError {
    /// No open account has this id, or it belongs to another application.
    #[error("there is no such account")]
    Missing,
    /// Data outside the database could not be deleted; the job tries again.
    #[error("{kind} cannot be deleted: {cause}")]
    External {
        /// The kind of data: [`ExternalAccountData::kind`].
        kind: &'static str,
        /// The underlying error.
        cause: ExternalDataError,
    },
    /// Something reads an older state of the database, so that its files cannot be cleaned; the job tries again.
    #[error("the rows are deleted, but the files of the database are in use and still contain them")]
    FilesInUse,
    /// The database failed. If the deletion had begun, the job tries again.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl AccountDeletionService {
    /// Deletes the rows of `tables`, in this order, and the data of `external`.
    pub fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        receipts: ReceiptSigner,
        tables: impl IntoIterator<Item = Arc<dyn AccountTables>>,
        external: impl IntoIterator<Item = Arc<dyn ExternalAccountData>>,
    ) -> Self {
        let (tables, external) = (tables.into_iter().collect(), external.into_iter().collect());
        Self { db, environment, receipts, tables, external }
    }

    /// The same service, on whose behalf `actor` acts.
    #[must_use]
    pub fn acting_as(self, actor: String) -> Self {
        Self { db: self.db.acting_as(actor), ..self }
    }

    /// Signs and finds the receipts of deleted accounts.
    pub fn receipts(&self) -> &ReceiptSigner {
        &self.receipts
    }

    /// Deletes an account for good; with `app`, only one of that application. `by` says who asked: `api key ID`, `member`
    /// or `operator`. When this returns, nothing is left, durably. When it fails after it began, a job finishes it.
    pub async fn delete(
        &self,
        app: Option<AppId>,
        account: AccountId,
        by: &str,
    ) -> Result<(), AccountDeletionError> {
        self.begin(app, account, by).await?;
        self.run(account).await
    }

    /// The first step alone: sets the account to CLOSING and queues the job.
    pub async fn begin(
        &self,
        app: Option<AppId>,
        account: AccountId,
        by: &str,
    ) -> Result<(), AccountDeletionError> {
        let mut tx = self.db.write().await?;
        self.begin_in(&mut tx, app, account, by).await?;
        Ok(tx.commit().await?)
    }

    /// The same in a transaction of the caller's.
    pub(crate) async fn begin_in(
        &self,
        tx: &mut WriteTx,
        app: Option<AppId>,
        account: AccountId,
        by: &str,
    ) -> Result<(), AccountDeletionError> {
        #[derive(FromRow)]
        struct OwnerRow {
            app_id: AppId,
        }
        let (environment, now) = (&*self.environment, self.environment.now());
        // The name is overwritten: it can be used again at once, and is not kept. Names of open accounts are trimmed, so that
        // none is like the one here, which begins with a blank.
        let owner: Option<OwnerRow> = tx
            .fetch_optional(sql!(
                "UPDATE accounts SET state = 'CLOSING', name = $3
                  WHERE id = $1 AND state = 'OPEN' AND (app_id = $2 OR $2 IS NULL) RETURNING app_id",
                account,
                app,
                format!(" closed {account}"),
            ))
            .await?;
        let owner = owner.ok_or(AccountDeletionError::Missing)?;
        tx.execute(sql!(
            "INSERT INTO deletion_receipts (id, app_id, account_id, requested_by, requested_at)
             VALUES ($1, $2, $3, $4, $5)",
            ReceiptId::new(environment),
            owner.app_id,
            account,
            by,
            now,
        ))
        .await?;
        let event = AuditEvent::new("account.close").app(owner.app_id).account(account).target(account);
        tx.audit(event.detail("by", by));
        let job = DeleteAccount { account };
        let key = account.to_string();
        jobs::enqueue(tx, NewJob::new(environment, &job).unique(&key).due_at(now + RESUME_DELAY)).await?;
        Ok(())
    }

    /// Finishes a deletion that has begun.
    pub async fn finish(&self, account: AccountId) -> Result<(), AccountDeletionError> {
        self.run(account).await
    }

    /// Runs a [`DeleteAccount`]: finishes what was interrupted, and deletes what was still being written outside the
    /// database when the deletion began.
    pub async fn resume(&self, job: &DeleteAccount, _lease: &Lease) -> Result<JobOutcome, JobError> {
        self.run(job.account).await?;
        for data in &*self.external {
            let failed =
                |cause: ExternalDataError| AccountDeletionError::External { kind: data.kind(), cause };
            data.erase(job.account).await.map_err(failed)?;
        }
        Ok(JobOutcome::Done)
    }

    async fn run(&self, account: AccountId) -> Result<(), AccountDeletionError> {
        let Some(open) = self.open_receipt(account).await? else { return Ok(()) };
        while self.delete_round(&open, account).await? > 0 {}
        for data in &*self.external {
            let kind = data.kind();
            let failed = |cause| AccountDeletionError::External { kind, cause };
            if !self.is_counted(&open, kind).await? {
                let count = data.count(account).await.map_err(failed)?;
                self.record_external_count(&open, kind, count).await?;
            }
            data.erase(account).await.map_err(failed)?;
        }
        self.clean_files().await?;
        while !self.complete(&open, account).await? {}
        Ok(())
    }

    /// Removes from the files of the database what was deleted from it: the receipt says that this was done.
    async fn clean_files(&self) -> Result<(), AccountDeletionError> {
        for _ in 0..CLEANING_ATTEMPTS {
            if erasure_keys::clean_files(&self.db).await? {
                return Ok(());
            }
            tokio::time::sleep(CLEANING_PAUSE).await;
        }
        Err(AccountDeletionError::FilesInUse)
    }

    /// Deletes one round of rows and adds the numbers to the receipt; returns how many rows were deleted.
    async fn delete_round(&self, open: &OpenReceipt, account: AccountId) -> Result<u64, DbError> {
        let mut tx = self.db.write().await?;
        let deleted = self.delete_account_rows(&mut tx, account).await?;
        let count = add_to_receipt(&mut tx, open.id, &deleted).await?;
        erasure_keys::record_erasure(&mut tx).await?;
        tx.commit().await?;
        Ok(count)
    }

    /// Deletes the account itself and signs the receipt. Returns false if there were rows left to delete.
    async fn complete(&self, open: &OpenReceipt, account: AccountId) -> Result<bool, DbError> {
        #[derive(FromRow)]
        struct DeletionCountRow {
            kind: String,
            number: i64,
        }
        let mut tx = self.db.write().await?;
        let closing = tx
            .execute(sql!(
                "UPDATE accounts SET state = 'CLOSING' WHERE id = $1 AND state = 'CLOSING'",
                account
            ))
            .await?;
        if closing == 0 {
            // Another process has completed it.
            return Ok(true);
        }
        let deleted = self.delete_account_rows(&mut tx, account).await?;
        if add_to_receipt(&mut tx, open.id, &deleted).await? > 0 {
            tx.commit().await?;
            return Ok(false);
        }
        tx.execute(sql!("DELETE FROM accounts WHERE id = $1", account)).await?;
        let counts: Vec<DeletionCountRow> = tx
            .fetch_all(sql!(
                "SELECT kind, number FROM deletion_counts WHERE receipt_id = $1 ORDER BY kind",
                open.id
            ))
            .await?;
        let what =
            counts.into_iter().filter(|count| count.number > 0).map(|count| (count.kind, count.number));
        let receipt = DeletionReceipt {
            id: open.id,
            account_id: account,
            what: what.collect(),
            requested_at: open.requested_at,
            completed_at: self.environment.now(),
            by: open.requested_by.clone(),
            scope: Some(ReceiptScope::of(self.db.engine())),
        };
        tx.execute(sql!(
            "UPDATE deletion_receipts SET completed_at = $2, jws = $3 WHERE id = $1 AND completed_at IS NULL",
            open.id,
            receipt.completed_at,
            self.receipts.sign(&receipt),
        ))
        .await?;
        tx.audit(AuditEvent::new("account.delete").account(account).target(account));
        tx.commit().await?;
        Ok(true)
    }

    async fn open_receipt(&self, account: AccountId) -> Result<Option<OpenReceipt>, DbError> {
        let mut view = self.db.read_once().await?;
        view.fetch_optional(sql!(
            "SELECT id, requested_by, requested_at FROM deletion_receipts
              WHERE account_id = $1 AND completed_at IS NULL",
            account,
        ))
        .await
    }

    async fn is_counted(&self, open: &OpenReceipt, kind: &str) -> Result<bool, DbError> {
        let mut view = self.db.read_once().await?;
        let found = view
            .count(sql!(
                "SELECT count(*) FROM deletion_counts WHERE receipt_id = $1 AND kind = $2",
                open.id,
                kind
            ))
            .await?;
        Ok(found > 0)
    }

    async fn record_external_count(
        &self,
        open: &OpenReceipt,
        kind: &'static str,
        count: u64,
    ) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO deletion_counts (receipt_id, kind, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            open.id,
            kind,
            count as i64,
        ))
        .await?;
        tx.commit().await
    }

    /// Deletes one round of an account's rows, subject by subject. Returns every registered table.
    async fn delete_account_rows(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
    ) -> Result<DeletedRows, DbError> {
        let mut deleted = Vec::new();
        for tables in &*self.tables {
            deleted.extend(tables.delete_rows(tx, account).await?);
        }
        Ok(deleted)
    }
}

#[derive(Debug, FromRow)]
struct OpenReceipt {
    id: ReceiptId,
    requested_by: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    requested_at: Timestamp,
}

/// Adds numbers of deleted rows to a receipt; returns their sum.
async fn add_to_receipt(
    tx: &mut WriteTx,
    receipt: ReceiptId,
    deleted: &[(&'static str, u64)],
) -> Result<u64, DbError> {
    for &(kind, count) in deleted.iter().filter(|(_, count)| *count > 0) {
        tx.execute(sql!(
            "INSERT INTO deletion_counts (receipt_id, kind, number) VALUES ($1, $2, $3)
             ON CONFLICT (receipt_id, kind) DO UPDATE SET number = deletion_counts.number + excluded.number",
            receipt,
            kind,
            count as i64,
        ))
        .await?;
    }
    Ok(deleted.iter().map(|(_, count)| count).sum())
}

#[cfg(test)]
mod tests;
