//! Closing an account deletes everything under it.
//!
//! 1. One transaction turns it to CLOSING, and queues the job that finishes what a crash interrupts. From then on it
//!    answers as an account that never was; and because whoever writes something of an account holds it ([`super::hold`]),
//!    nothing is written under it any more.
//! 2. Rows go in rounds, table by table ([`delete_account_rows`]); each round adds what it deleted to the receipt.
//! 3. What lies outside the database goes ([`Outside`]): it is counted first, so that the receipt is right whatever
//!    happens meanwhile.
//! 4. One transaction finds nothing left, deletes the account and signs the receipt.
//!
//! Every step may be repeated, and several processes may be at it at once.

mod members;
mod pending_work;

use super::{DeletionReceipt, ReceiptSigner};
use crate::{content_moderation, faces};
use base::{AccountId, AppId, Environment, Id as _, ReceiptId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, FromRow, ReadTx, WriteTx, sql};
use futures_util::{TryStreamExt as _, future::BoxFuture};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, RetryPolicy, enqueue_unique};
use media::blobs::{BlobPrefix, BlobStore};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc};

/// The job looks when whoever asked should be through; and clears away what was still being written outside then.
const RESUME_DELAY: SignedDuration = SignedDuration::from_secs(30);

/// Why something outside the database could not be done.
pub type ExternalDataError = Box<dyn std::error::Error + Send + Sync>;

/// Something of accounts that lies outside the database.
pub trait ExternalAccountData: std::fmt::Debug + Send + Sync {
    /// What it is, for receipts: `blobs`.
    fn kind(&self) -> &'static str;
    /// How many an account has.
    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>>;
    /// Deletes all that an account has, durably. Nothing to delete is no error.
    fn erase(&self, account: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>>;
    /// Whose things there are, by the owner's id; text that is no id is something nobody knows.
    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>>;
}

impl ExternalAccountData for BlobStore {
    fn kind(&self) -> &'static str {
        "blobs"
    }

    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>> {
        Box::pin(async move {
            let blobs = self.list(&BlobPrefix::tenant(account));
            Ok(blobs.try_fold(0, |many, _| std::future::ready(Ok(many + 1))).await?)
        })
    }

    fn erase(&self, account: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>> {
        Box::pin(async move {
            self.delete_prefix(&BlobPrefix::tenant(account)).await?;
            Ok(())
        })
    }

    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>> {
        Box::pin(async move { Ok(self.tenants().await?) })
    }
}

/// Closes accounts; cheap to clone.
#[derive(Clone, Debug)]
pub struct AccountDeletionService {
    db: Db,
    world: Arc<dyn Environment>,
    receipts: ReceiptSigner,
    external: Arc<[Arc<dyn ExternalAccountData>]>,
}

/// Finishes the closing of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteAccount {
    account: AccountId,
}

impl Job for DeleteAccount {
    const KIND: &'static str = "close-account";
    const LANE: Lane = Lane::Upkeep;
    /// Never given up before somebody has had two days to see to it.
    const RETRY: RetryPolicy =
        RetryPolicy { waits: &[10, 60, 600, 3600, 3600, 7200, 14400, 28800, 43200, 43200], jitter: 0.1 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { account: Some(self.account), ..JobIds::default() }
    }
}

/// Why an account is not closed yet.
#[derive(Debug, thiserror::Error)]
pub enum AccountDeletionError {
    /// There is no such account.
    #[error("there is no such account")]
    Missing,
    /// What lies outside the database could not be deleted; a job goes on.
    #[error("{kind} cannot be deleted: {cause}")]
    External {
        /// What it was.
        kind: &'static str,
        /// Why.
        cause: ExternalDataError,
    },
    /// The database did not do it; a job goes on, where it was begun.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Something that belongs to nobody any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Orphan {
    /// The table, or what lies outside.
    pub place: &'static str,
    /// The account, or whatever is named as its owner.
    pub owner: String,
    /// How many, where they are counted.
    pub number: Option<i64>,
}

impl AccountDeletionService {
    /// Closes accounts whose things outside the database are `outside`.
    pub fn new(
        db: Db,
        world: Arc<dyn Environment>,
        receipts: ReceiptSigner,
        outside: impl IntoIterator<Item = Arc<dyn ExternalAccountData>>,
    ) -> Self {
        Self { db, world, receipts, external: outside.into_iter().collect() }
    }

    /// Finds the receipts.
    pub fn receipts(&self) -> &ReceiptSigner {
        &self.receipts
    }

    /// Closes an account for good. `by` is who asks: `api key ID`, `member` or `operator`. When this is through, nothing
    /// is left, and that is durable; when it fails after it began, a job finishes it.
    pub async fn delete(
        &self,
        app: Option<AppId>,
        account: AccountId,
        by: &str,
    ) -> Result<(), AccountDeletionError> {
        self.begin(app, account, by).await?;
        self.run(account).await
    }

    /// The first step alone.
    pub async fn begin(
        &self,
        app: Option<AppId>,
        account: AccountId,
        by: &str,
    ) -> Result<(), AccountDeletionError> {
        #[derive(FromRow)]
        struct Owner {
            app_id: AppId,
        }
        let (world, now) = (&*self.world, self.world.now());
        let mut tx = self.db.write().await?;
        // The name is free again at once, and gone.
        let owner: Option<Owner> = tx
            .fetch_optional(sql!(
                "UPDATE accounts SET state = 'CLOSING', name = $3
                  WHERE id = $1 AND state = 'OPEN' AND (app_id = $2 OR $2 IS NULL) RETURNING app_id",
                account,
                app,
                format!("closed {account}"),
            ))
            .await?;
        let owner = owner.ok_or(AccountDeletionError::Missing)?;
        tx.execute(sql!(
            "INSERT INTO deletion_receipts (id, app_id, account_id, requested_by, requested_at)
             VALUES ($1, $2, $3, $4, $5)",
            ReceiptId::new(world),
            owner.app_id,
            account,
            by,
            now,
        ))
        .await?;
        enqueue_unique(&mut tx, world, &DeleteAccount { account }, &account.to_string(), now + RESUME_DELAY)
            .await?;
        Ok(tx.commit().await?)
    }

    /// The job: finishes what was interrupted, and clears what was still being written outside when it began.
    pub async fn resume(&self, job: &DeleteAccount, _lease: &Lease) -> Result<JobOutcome, JobError> {
        self.run(job.account).await?;
        for outside in &*self.external {
            let failed =
                |cause: ExternalDataError| AccountDeletionError::External { kind: outside.kind(), cause };
            outside.erase(job.account).await.map_err(failed)?;
        }
        Ok(JobOutcome::Done)
    }

    async fn run(&self, account: AccountId) -> Result<(), AccountDeletionError> {
        let Some(open) = self.open_receipt(account).await? else { return Ok(()) };
        while self.delete_round(&open, account).await? > 0 {}
        for outside in &*self.external {
            let kind = outside.kind();
            let failed = |cause| AccountDeletionError::External { kind, cause };
            if !self.is_counted(&open, kind).await? {
                let many = outside.count(account).await.map_err(failed)?;
                self.record_external_count(&open, kind, many).await?;
            }
            outside.erase(account).await.map_err(failed)?;
        }
        while !self.complete(&open, account).await? {}
        Ok(())
    }

    /// One round; how many rows it deleted.
    async fn delete_round(&self, open: &OpenReceipt, account: AccountId) -> Result<u64, DbError> {
        let mut tx = self.db.write().await?;
        let gone = delete_account_rows(&mut tx, account).await?;
        let many = add_to_receipt(&mut tx, open.id, &gone).await?;
        tx.commit().await?;
        Ok(many)
    }

    /// Ends it, unless something is left; whether it is ended.
    async fn complete(&self, open: &OpenReceipt, account: AccountId) -> Result<bool, DbError> {
        #[derive(FromRow)]
        struct DeletionCountRow {
            kind: String,
            number: i64,
        }
        let mut tx = self.db.write().await?;
        let still = tx
            .execute(sql!(
                "UPDATE accounts SET state = 'CLOSING' WHERE id = $1 AND state = 'CLOSING'",
                account
            ))
            .await?;
        if still == 0 {
            // Another process was faster.
            return Ok(true);
        }
        let gone = delete_account_rows(&mut tx, account).await?;
        if add_to_receipt(&mut tx, open.id, &gone).await? > 0 {
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
            completed_at: self.world.now(),
            by: open.requested_by.clone(),
        };
        tx.execute(sql!(
            "UPDATE deletion_receipts SET completed_at = $2, jws = $3 WHERE id = $1 AND completed_at IS NULL",
            open.id,
            receipt.completed_at,
            self.receipts.sign(&receipt),
        ))
        .await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn open_receipt(&self, account: AccountId) -> Result<Option<OpenReceipt>, DbError> {
        let mut view = self.db.read().await?;
        view.fetch_optional(sql!(
            "SELECT id, requested_by, requested_at FROM deletion_receipts
              WHERE account_id = $1 AND completed_at IS NULL",
            account,
        ))
        .await
    }

    async fn is_counted(&self, open: &OpenReceipt, kind: &str) -> Result<bool, DbError> {
        let mut view = self.db.read().await?;
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
        many: u64,
    ) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO deletion_counts (receipt_id, kind, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            open.id,
            kind,
            many as i64,
        ))
        .await?;
        tx.commit().await
    }

    /// What is left of accounts that are gone: nothing, if all is well. An account that is still being closed counts.
    pub async fn find_orphans(&self) -> Result<Vec<Orphan>, AccountDeletionError> {
        let mut view = self.db.read().await?;
        let rows = orphaned_rows(&mut view).await?;
        let known: BTreeSet<String> =
            known_owners(&mut view).await?.into_iter().map(|id| id.to_string()).collect();
        drop(view);
        let orphan = |(place, owned): (_, Vec<OrphanedRows>)| {
            owned.into_iter().map(move |OrphanedRows { owner, number }| Orphan {
                place,
                owner: owner.to_string(),
                number: Some(number),
            })
        };
        let mut found: Vec<_> = rows.into_iter().flat_map(orphan).collect();
        for outside in &*self.external {
            let place = outside.kind();
            let owners = outside
                .owners()
                .await
                .map_err(|cause| AccountDeletionError::External { kind: place, cause })?;
            let strange = owners.into_iter().filter(|owner| !known.contains(owner));
            found.extend(strange.map(|owner| Orphan { place, owner, number: None }));
        }
        Ok(found)
    }
}

#[derive(Debug, FromRow)]
struct OpenReceipt {
    id: ReceiptId,
    requested_by: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    requested_at: Timestamp,
}

async fn add_to_receipt(
    tx: &mut WriteTx,
    receipt: ReceiptId,
    gone: &[(&'static str, u64)],
) -> Result<u64, DbError> {
    for &(kind, many) in gone.iter().filter(|(_, many)| *many > 0) {
        tx.execute(sql!(
            "INSERT INTO deletion_counts (receipt_id, kind, number) VALUES ($1, $2, $3)
             ON CONFLICT (receipt_id, kind) DO UPDATE SET number = deletion_counts.number + excluded.number",
            receipt,
            kind,
            many as i64,
        ))
        .await?;
    }
    Ok(gone.iter().map(|(_, many)| many).sum())
}

/// Deletes a round of everything that an account has in the database, children before their parents: every table that
/// there is, and how many rows went. A test holds the list against the schema.
pub(crate) async fn delete_account_rows(
    tx: &mut WriteTx,
    account: AccountId,
) -> Result<Vec<(&'static str, u64)>, DbError> {
    let mut gone = Vec::new();
    // Subjects that keep something of accounts stand here, those that refer to others first.
    gone.extend(pending_work::delete_account_rows(tx, account).await?);
    gone.extend(content_moderation::delete_account_rows(tx, account).await?);
    gone.extend(faces::delete_account_rows(tx, account).await?);
    gone.extend(members::delete_account_rows(tx, account).await?);
    Ok(gone)
}

/// Rows whose account is gone, by the same subjects and tables.
pub(crate) async fn orphaned_rows(
    view: &mut ReadTx,
) -> Result<Vec<(&'static str, Vec<OrphanedRows>)>, DbError> {
    let mut found = Vec::new();
    found.extend(pending_work::orphaned_rows(view).await?);
    found.extend(content_moderation::orphaned_rows(view).await?);
    found.extend(faces::orphaned_rows(view).await?);
    found.extend(members::orphaned_rows(view).await?);
    let closing: Vec<OrphanedRows> = view
        .fetch_all(sql!(
            "SELECT id AS owner, CAST(1 AS BIGINT) AS number FROM accounts WHERE state <> 'OPEN' ORDER BY id"
        ))
        .await?;
    found.push(("accounts", closing));
    Ok(found)
}

/// Everyone who may own something outside the database.
async fn known_owners(view: &mut ReadTx) -> Result<Vec<Uuid>, DbError> {
    #[derive(FromRow)]
    struct Owner {
        id: Uuid,
    }
    let owners: Vec<Owner> = view
        .fetch_all(sql!(
            "SELECT id FROM accounts UNION SELECT id FROM applications UNION SELECT id FROM organisations
             UNION SELECT id FROM identity_sessions"
        ))
        .await?;
    Ok(owners.into_iter().map(|owner| owner.id).collect())
}

/// Rows of a table that belong to an account that is gone.
#[derive(Debug, FromRow)]
pub(crate) struct OrphanedRows {
    owner: Uuid,
    number: i64,
}

#[cfg(test)]
mod tests;
