//! The people who work in an account.

use super::{Scope, lock};
use base::{AccountId, MemberId, Timestamp};
use db::{DbError, FromRow, Read, Tx, sql};

/// A member.
#[derive(Clone, Debug, FromRow)]
pub struct Member {
    /// His id.
    pub id: MemberId,
    /// His e-mail address.
    pub email: String,
    /// What he is called.
    pub username: String,
    /// Whether he is an administrator.
    pub admin: bool,
    /// What he may do.
    #[sqlx(json)]
    pub scopes: Vec<Scope>,
    /// When he came in.
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
}

impl Member {
    /// All that they may do, in the interface's order.
    pub fn granted(&self) -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| self.admin || self.scopes.contains(scope)).collect()
    }
}

/// Why nothing was changed about a member.
#[derive(Debug, thiserror::Error)]
pub enum NotChanged {
    /// There is no such member, or no such account any more.
    #[error("there is no such member")]
    Missing,
    /// Nobody would be left who can let others in.
    #[error("he is the account's last administrator; make another member one first")]
    LastAdministrator,
    /// An administrator is removed by an administrator.
    #[error("only an administrator may remove one")]
    Administrator,
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// The members of an account, the longest there first.
pub async fn list(view: &mut Read, account: AccountId) -> Result<Vec<Member>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, email, username, admin, scopes, created_at FROM members
          WHERE account_id = $1 ORDER BY created_at, id",
        account,
    ))
    .await
}

/// A member of an account.
pub async fn find(view: &mut Read, account: AccountId, id: MemberId) -> Result<Option<Member>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, email, username, admin, scopes, created_at FROM members WHERE account_id = $1 AND id = $2",
        account,
        id,
    ))
    .await
}

/// Sets what a member may do.
pub async fn set_scopes(
    tx: &mut Tx,
    account: AccountId,
    id: MemberId,
    scopes: &[Scope],
) -> Result<(), NotChanged> {
    let rows = tx
        .execute(sql!(
            "UPDATE members SET scopes = $3 WHERE account_id = $1 AND id = $2",
            account,
            id,
            words(scopes),
        ))
        .await?;
    if rows == 1 { Ok(()) } else { Err(NotChanged::Missing) }
}

/// Makes a member an administrator; nothing changes where he is one.
pub async fn promote(tx: &mut Tx, account: AccountId, id: MemberId) -> Result<Member, NotChanged> {
    tx.execute(sql!("UPDATE members SET admin = TRUE WHERE account_id = $1 AND id = $2", account, id))
        .await?;
    find(tx, account, id).await?.ok_or(NotChanged::Missing)
}

/// Makes an administrator an ordinary member; nothing changes where he is one.
pub async fn demote(tx: &mut Tx, account: AccountId, id: MemberId) -> Result<(), NotChanged> {
    if leaves_one(tx, account, id).await?.admin {
        tx.execute(sql!("UPDATE members SET admin = FALSE WHERE account_id = $1 AND id = $2", account, id))
            .await?;
    }
    Ok(())
}

/// Removes a member and ends his sessions.
pub async fn remove(
    tx: &mut Tx,
    account: AccountId,
    id: MemberId,
    by_administrator: bool,
) -> Result<(), NotChanged> {
    let member = leaves_one(tx, account, id).await?;
    if member.admin && !by_administrator {
        return Err(NotChanged::Administrator);
    }
    // Sessions and links go with the row that they refer to.
    tx.execute(sql!("DELETE FROM members WHERE account_id = $1 AND id = $2", account, id)).await?;
    Ok(())
}

/// The member, unless he is the last administrator. The account's row is locked until the transaction ends, so that
/// two administrators cannot take the right from each other at once.
async fn leaves_one(tx: &mut Tx, account: AccountId, id: MemberId) -> Result<Member, NotChanged> {
    if !lock(tx, account).await? {
        return Err(NotChanged::Missing);
    }
    let member = find(tx, account, id).await?.ok_or(NotChanged::Missing)?;
    let others = tx
        .count(sql!(
            "SELECT count(*) FROM members WHERE account_id = $1 AND admin = TRUE AND id <> $2",
            account,
            id,
        ))
        .await?;
    if member.admin && others == 0 { Err(NotChanged::LastAdministrator) } else { Ok(member) }
}

/// Scopes as they are kept: each once, in the order of the interface.
pub(super) fn words(scopes: &[Scope]) -> serde_json::Value {
    Scope::ALL.iter().filter(|scope| scopes.contains(scope)).map(|scope| scope.as_str()).collect()
}
