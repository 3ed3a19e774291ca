//! Moderation accounts: they own contents, profiles and notifications, and their members work with them
//! (docs/adr/0007-content-moderation.md).
//!
//! - this file: accounts themselves, and the locks that every writer takes
//! - `members`: who works in an account, and with which scopes; `roles`: sets of scopes that have a name
//! - `invitations`, `sign_in`, `sessions`: how members come in
//! - `principal`: who makes a request, and what they may do
//! - `deletion`, `deletion_receipt`: deleting an account with everything under it, and the proof of it

pub mod deletion;
mod deletion_receipt;
pub mod invitations;
pub mod members;
mod principal;
pub mod roles;
mod sessions;
pub mod sign_in;

pub use crate::authentication::{EmailAddress, InvalidEmailAddressError};
pub use deletion_receipt::{DeletionReceipt, ReceiptScope, ReceiptSigner, ReceiptSummary, SignedReceipt};
pub use members::Member;
pub use principal::{
    ADMIN_SCOPE, AuthenticationError, ConsoleScope, Principal, PrincipalKind, Scope, authenticate_api_key,
};

use crate::tenancy::applications;
use base::{AccountId, AppId, Environment, Id as _, Timestamp};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};

/// The longest name of an account, in characters.
pub const MAX_ACCOUNT_NAME_CHARS: usize = 200;

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Account {
    pub id: AccountId,
    /// 1 to [`MAX_ACCOUNT_NAME_CHARS`] characters; unique within the application.
    pub name: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Why no account was created.
#[derive(Debug, thiserror::Error)]
pub enum AccountCreationError {
    /// The name is empty or too long; it has this many characters.
    #[error("an account's name has 1 to {MAX_ACCOUNT_NAME_CHARS} characters, this one {0}")]
    Name(usize),
    /// The application has an account of that name.
    #[error("the application has an account of that name")]
    Duplicate,
    /// The application has this many accounts, and may not have more.
    #[error("the application has {0} accounts, the most it may have")]
    TooMany(i64),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Creates an account. The name is trimmed; an application has at most `limit` accounts.
pub async fn create(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    app: AppId,
    name: &str,
    limit: i64,
) -> Result<AccountId, AccountCreationError> {
    let name = name.trim();
    let length = name.chars().count();
    if !(1..=MAX_ACCOUNT_NAME_CHARS).contains(&length) {
        return Err(AccountCreationError::Name(length));
    }
    applications::lock(tx, app).await?;
    let duplicates =
        tx.count(sql!("SELECT count(*) FROM accounts WHERE app_id = $1 AND name = $2", app, name)).await?;
    if duplicates > 0 {
        return Err(AccountCreationError::Duplicate);
    }
    let count = tx.count(sql!("SELECT count(*) FROM accounts WHERE app_id = $1", app)).await?;
    if count >= limit {
        return Err(AccountCreationError::TooMany(count));
    }
    let id = AccountId::new(environment);
    tx.execute(sql!(
        "INSERT INTO accounts (id, app_id, name, created_at) VALUES ($1, $2, $3, $4)",
        id,
        app,
        name,
        environment.now(),
    ))
    .await?;
    tx.audit(AuditEvent::new("account.open").app(app).account(id).target(id));
    Ok(id)
}

/// An open account that the caller may see. One of somebody else is answered like one that does not exist.
pub async fn find(view: &mut ReadTx, caller: &Principal, id: AccountId) -> Result<Option<Account>, DbError> {
    if caller.account().is_some_and(|own| own != id) {
        return Ok(None);
    }
    view.fetch_optional(sql!(
        "SELECT id, name, created_at FROM accounts WHERE id = $1 AND app_id = $2 AND state = 'OPEN'",
        id,
        caller.app,
    ))
    .await
}

/// The application of an account, whatever the account's state; `None` if there is no such account.
pub(crate) async fn application_of(view: &mut ReadTx, id: AccountId) -> Result<Option<AppId>, DbError> {
    #[derive(FromRow)]
    struct ApplicationRow {
        app_id: AppId,
    }
    let row: Option<ApplicationRow> =
        view.fetch_optional(sql!("SELECT app_id FROM accounts WHERE id = $1", id)).await?;
    Ok(row.map(|row| row.app_id))
}

/// Keeps an account from being deleted until the transaction ends; `false` if it is being deleted or does not exist. Every
/// transaction that writes under an account does this first, so that the deletion sees everything that was written.
pub async fn lock_shared(tx: &mut WriteTx, id: AccountId) -> Result<bool, DbError> {
    #[derive(FromRow)]
    struct LockedAccountRow {
        id: AccountId,
    }
    let locked: Option<LockedAccountRow> = tx
        .fetch_optional(sql!(
            sqlite: "SELECT id FROM accounts WHERE id = $1 AND state = 'OPEN'",
            postgres: "SELECT id FROM accounts WHERE id = $1 AND state = 'OPEN' FOR SHARE",
            id,
        ))
        .await?;
    Ok(locked.is_some_and(|row| row.id == id))
}

/// Locks an open account as [`lock_shared`] does, and returns it.
async fn lock_and_load(tx: &mut WriteTx, id: AccountId) -> Result<Option<Account>, DbError> {
    if !lock_shared(tx, id).await? {
        return Ok(None);
    }
    tx.fetch_optional(sql!("SELECT id, name, created_at FROM accounts WHERE id = $1", id)).await
}

/// Like [`lock_shared`], and no other transaction has either lock meanwhile: for rules about all members of an account.
pub(crate) async fn lock_exclusive(tx: &mut WriteTx, id: AccountId) -> Result<bool, DbError> {
    Ok(tx.execute(sql!("UPDATE accounts SET state = state WHERE id = $1 AND state = 'OPEN'", id)).await? == 1)
}

/// An account as its operator sees it.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct AccountRecord {
    pub id: AccountId,
    pub app_id: AppId,
    pub name: String,
    /// `OPEN`, or `CLOSING` while everything under it is being deleted.
    pub state: String,
    /// How many members it has.
    pub members: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// The accounts of an application, or of all applications if none is named; oldest first.
pub async fn list(view: &mut ReadTx, app: Option<AppId>) -> Result<Vec<AccountRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT a.id, a.app_id, a.name, a.state, a.created_at,
                (SELECT count(*) FROM members m WHERE m.account_id = a.id) AS members
           FROM accounts a WHERE (a.app_id = $1 OR $1 IS NULL) ORDER BY a.created_at, a.id",
        app,
    ))
    .await
}

/// An open account of any application: for operators only.
pub async fn find_for_operator(view: &mut ReadTx, id: AccountId) -> Result<Option<Account>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, name, created_at FROM accounts WHERE id = $1 AND state = 'OPEN'",
        id,
    ))
    .await
}
