//! Moderation accounts: what owns contents, profiles and notifications, and who may do what there (docs/adr/0007-content-moderation.md).

pub mod deletion;
mod deletion_receipt;
mod email;
pub mod members;
mod principal;
pub mod sign_in;

pub use deletion_receipt::{DeletionReceipt, ReceiptSigner, SignedReceipt};
pub use email::{EmailAddress, InvalidEmailAddressError};
pub use members::Member;
pub use principal::{
    ADMIN_SCOPE, AuthenticationError, Principal, PrincipalKind, Scope, authenticate_api_key,
};

use crate::tenancy::applications;
use base::{AccountId, AppId, Environment, Id as _, Timestamp};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

/// The longest name, characters.
pub const MAX_ACCOUNT_NAME_CHARS: usize = 200;

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its name, 1 to [`MAX_ACCOUNT_NAME_CHARS`] characters; no two of an application have the same.
    pub name: String,
    /// When it was opened.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Why no account was opened.
#[derive(Debug, thiserror::Error)]
pub enum AccountCreationError {
    /// The name is empty or too long.
    #[error("an account's name has 1 to {MAX_ACCOUNT_NAME_CHARS} characters, this one {0}")]
    Name(usize),
    /// The application has an account of that name.
    #[error("the application has an account of that name")]
    Duplicate,
    /// The application has as many accounts as it may.
    #[error("the application has {0} accounts, the most it may have")]
    TooMany(i64),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Opens an account; an application has at most `most`.
pub async fn create(
    tx: &mut WriteTx,
    world: &dyn Environment,
    app: AppId,
    name: &str,
    most: i64,
) -> Result<AccountId, AccountCreationError> {
    let name = name.trim();
    let length = name.chars().count();
    if !(1..=MAX_ACCOUNT_NAME_CHARS).contains(&length) {
        return Err(AccountCreationError::Name(length));
    }
    applications::lock(tx, app).await?;
    let same =
        tx.count(sql!("SELECT count(*) FROM accounts WHERE app_id = $1 AND name = $2", app, name)).await?;
    if same > 0 {
        return Err(AccountCreationError::Duplicate);
    }
    let count = tx.count(sql!("SELECT count(*) FROM accounts WHERE app_id = $1", app)).await?;
    if count >= most {
        return Err(AccountCreationError::TooMany(count));
    }
    let id = AccountId::new(world);
    tx.execute(sql!(
        "INSERT INTO accounts (id, app_id, name, created_at) VALUES ($1, $2, $3, $4)",
        id,
        app,
        name,
        world.now(),
    ))
    .await?;
    Ok(id)
}

/// An account that an actor may see; a foreign one is as absent as one that never was.
pub async fn find(view: &mut ReadTx, actor: &Principal, id: AccountId) -> Result<Option<Account>, DbError> {
    if actor.account().is_some_and(|own| own != id) {
        return Ok(None);
    }
    view.fetch_optional(sql!(
        "SELECT id, name, created_at FROM accounts WHERE id = $1 AND app_id = $2 AND state = 'OPEN'",
        id,
        actor.app,
    ))
    .await
}

/// Keeps an account from being closed until the transaction ends; `false` where it is closed already, or is none. Every
/// transaction that writes something of an account does this first: what is written afterwards is deleted with it.
pub async fn lock_shared(tx: &mut WriteTx, id: AccountId) -> Result<bool, DbError> {
    #[derive(FromRow)]
    struct LockedAccountRow {
        id: AccountId,
    }
    let held: Option<LockedAccountRow> = tx
        .fetch_optional(sql!(
            sqlite: "SELECT id FROM accounts WHERE id = $1 AND state = 'OPEN'",
            postgres: "SELECT id FROM accounts WHERE id = $1 AND state = 'OPEN' FOR SHARE",
            id,
        ))
        .await?;
    Ok(held.is_some_and(|held| held.id == id))
}

/// The same, and nobody else holds the account meanwhile: for rules over all of its members.
pub(crate) async fn lock_exclusive(tx: &mut WriteTx, id: AccountId) -> Result<bool, DbError> {
    Ok(tx.execute(sql!("UPDATE accounts SET state = state WHERE id = $1 AND state = 'OPEN'", id)).await? == 1)
}

/// An account as its operator sees it.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct AccountRecord {
    /// Its id.
    pub id: AccountId,
    /// Whose it is.
    pub app_id: AppId,
    /// Its name.
    pub name: String,
    /// `OPEN`, or `CLOSING` while what is under it is deleted.
    pub state: String,
    /// How many members it has.
    pub members: i64,
    /// When it was opened.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// The accounts of an application or of all, oldest first.
pub async fn list(view: &mut ReadTx, app: Option<AppId>) -> Result<Vec<AccountRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT a.id, a.app_id, a.name, a.state, a.created_at,
                (SELECT count(*) FROM members m WHERE m.account_id = a.id) AS members
           FROM accounts a WHERE (a.app_id = $1 OR $1 IS NULL) ORDER BY a.created_at, a.id",
        app,
    ))
    .await
}

/// An open account by its id alone: for operators, who see all.
pub async fn find_for_operator(view: &mut ReadTx, id: AccountId) -> Result<Option<Account>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, name, created_at FROM accounts WHERE id = $1 AND state = 'OPEN'",
        id,
    ))
    .await
}
