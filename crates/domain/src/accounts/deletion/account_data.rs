//! How the owners of an account's data register it for deletion and for the audit: tables by [`AccountTables`], everything
//! outside the database by [`ExternalAccountData`].

use base::{AccountId, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx};
use futures_util::{TryStreamExt as _, future::BoxFuture};
use media::blobs::{BlobPrefix, BlobStore};

/// Tables, and how many rows were deleted from each: `("members", 2)`.
pub type DeletedRows = Vec<(&'static str, u64)>;

/// Tables, and the rows of each whose account no longer exists.
pub type OrphanedTables = Vec<(&'static str, Vec<OrphanedRows>)>;

/// The tables of one subject that hold rows of accounts. Implemented by the subject, which alone knows which rows refer to
/// which; the order of the subjects is in `account_tables.rs`.
pub trait AccountTables: std::fmt::Debug + Send + Sync {
    /// Deletes one round of an account's rows, at most some thousands of each table, children before their parents.
    /// Returns every table of the subject, also those without rows; the round is repeated until all numbers are 0.
    fn delete_rows<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        account: AccountId,
    ) -> BoxFuture<'a, Result<DeletedRows, DbError>>;

    /// The rows of the same tables whose account no longer exists.
    fn orphaned_rows<'a>(&'a self, view: &'a mut ReadTx) -> BoxFuture<'a, Result<OrphanedTables, DbError>>;
}

/// Rows of one table that belong to one account that no longer exists.
#[derive(Debug, FromRow)]
pub struct OrphanedRows {
    /// The id of that account.
    pub owner: Uuid,
    /// How many rows there are; at least 1.
    pub number: i64,
}

/// Why data outside the database could not be counted, deleted or listed.
pub type ExternalDataError = Box<dyn std::error::Error + Send + Sync>;

/// One kind of data that accounts have outside the database.
pub trait ExternalAccountData: std::fmt::Debug + Send + Sync {
    /// The kind, as receipts and the audit name it: `blobs`.
    fn kind(&self) -> &'static str;
    /// How many items an account has.
    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>>;
    /// Deletes everything that an account has, durably. An account without any is no error.
    fn erase(&self, account: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>>;
    /// The ids of all owners that have data of this kind. Text that is no id is an owner that nobody knows.
    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>>;
    /// What accounts that exist have of this kind without a row that it belongs to: the account, and how many items.
    fn leftovers(&self) -> BoxFuture<'_, Result<Vec<(AccountId, u64)>, ExternalDataError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

impl ExternalAccountData for BlobStore {
    fn kind(&self) -> &'static str {
        "blobs"
    }

    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>> {
        Box::pin(async move {
            let blobs = self.list(&BlobPrefix::tenant(account));
            Ok(blobs.try_fold(0, |count, _| std::future::ready(Ok(count + 1))).await?)
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
