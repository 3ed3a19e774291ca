//! Moderation accounts: what owns contents, profiles and notifications, and who may do what there (decisions, section 6).

mod actor;

pub use actor::{ADMIN, Actor, NoActor, Scope, Who, by_api_key};

use crate::tenancy::applications;
use base::{AccountId, AppId, Id as _, Timestamp, World};
use db::{DbError, FromRow, Read, Tx, sql};

/// The longest name, characters.
pub const LONGEST_NAME: usize = 200;

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its name, 1 to [`LONGEST_NAME`] characters; no two of an application have the same.
    pub name: String,
    /// When it was opened.
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
}

/// Why no account was opened.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// The name is empty or too long.
    #[error("an account's name has 1 to {LONGEST_NAME} characters, this one {0}")]
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
pub async fn open(
    tx: &mut Tx,
    world: &dyn World,
    app: AppId,
    name: &str,
    most: i64,
) -> Result<AccountId, NotOpened> {
    let name = name.trim();
    let length = name.chars().count();
    if !(1..=LONGEST_NAME).contains(&length) {
        return Err(NotOpened::Name(length));
    }
    applications::lock(tx, app).await?;
    let same =
        tx.count(sql!("SELECT count(*) FROM accounts WHERE app_id = $1 AND name = $2", app, name)).await?;
    if same > 0 {
        return Err(NotOpened::Duplicate);
    }
    let count = tx.count(sql!("SELECT count(*) FROM accounts WHERE app_id = $1", app)).await?;
    if count >= most {
        return Err(NotOpened::TooMany(count));
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
pub async fn find(view: &mut Read, actor: &Actor, id: AccountId) -> Result<Option<Account>, DbError> {
    if actor.account().is_some_and(|own| own != id) {
        return Ok(None);
    }
    view.fetch_optional(sql!(
        "SELECT id, name, created_at FROM accounts WHERE id = $1 AND app_id = $2",
        id,
        actor.app,
    ))
    .await
}
