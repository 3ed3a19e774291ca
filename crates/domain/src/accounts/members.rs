//! The members of an account: the people who work in it.

use super::{ConsoleScope, Principal, Scope, lock_exclusive};
use crate::{
    authentication::{self, CredentialHolder},
    erasure_keys,
};
use base::{AccountId, MemberId, MemberRoleId, Timestamp};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};

/// A member of one account. A person who works in several accounts is a member of each.
#[derive(Clone, Debug, FromRow)]
pub struct Member {
    pub id: MemberId,
    /// Their e-mail address, as it was written in the invitation.
    pub email: String,
    pub username: String,
    /// Administrators may do everything, whatever their scopes are.
    pub admin: bool,
    /// What they were given themselves.
    #[sqlx(json)]
    pub scopes: Vec<Scope>,
    /// What their role allows besides.
    #[sqlx(json)]
    pub role_scopes: Vec<Scope>,
    /// What they were given in the console beyond that.
    #[sqlx(json)]
    pub console_scopes: Vec<ConsoleScope>,
    /// The role that they have.
    pub role_id: Option<MemberRoleId>,
    /// When they accepted their invitation.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

impl Member {
    /// The scopes that were given to them and to their role, each once, in the order of the interface.
    pub fn scopes_with_role(&self) -> Vec<Scope> {
        let is_given = |scope: &Scope| self.scopes.contains(scope) || self.role_scopes.contains(scope);
        Scope::ALL.into_iter().filter(is_given).collect()
    }

    /// Everything they may do, in the order of the interface: all scopes for an administrator.
    pub fn granted_scopes(&self) -> Vec<Scope> {
        if self.admin { Scope::ALL.to_vec() } else { self.scopes_with_role() }
    }

    /// Everything they may do in the console beyond that, in the order of docs/CONSOLE.md.
    pub fn granted_console_scopes(&self) -> Vec<ConsoleScope> {
        let granted = |scope: &ConsoleScope| {
            self.console_scopes.contains(scope) || (self.admin && scope.is_of_account())
        };
        ConsoleScope::ALL.into_iter().filter(granted).collect()
    }
}

/// Why a member was not changed or removed.
#[derive(Debug, thiserror::Error)]
pub enum MemberChangeError {
    /// The account has no such member, or is being deleted.
    #[error("there is no such member")]
    Missing,
    /// The account would have no administrator left.
    #[error("they are the account's last administrator; make another member one first")]
    LastAdministrator,
    /// The member is an administrator, and the caller is not.
    #[error("only an administrator may remove one")]
    AdministratorRequired,
    /// The caller gives a scope that they do not have.
    #[error("only somebody who has the scope {0} may give it")]
    ScopeNotHeld(Scope),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// The members of an account, oldest first.
pub async fn list(view: &mut ReadTx, account: AccountId) -> Result<Vec<Member>, DbError> {
    view.fetch_all(sql!(
        "SELECT m.id, m.email, m.username, m.admin, m.scopes, COALESCE(r.scopes, '[]') AS role_scopes, m.console_scopes,
                m.role_id, m.created_at
           FROM members m LEFT JOIN member_roles r ON r.id = m.role_id AND r.account_id = m.account_id
          WHERE m.account_id = $1 ORDER BY m.created_at, m.id",
        account,
    ))
    .await
}

/// A member of an account.
pub async fn find(view: &mut ReadTx, account: AccountId, id: MemberId) -> Result<Option<Member>, DbError> {
    view.fetch_optional(sql!(
        "SELECT m.id, m.email, m.username, m.admin, m.scopes, COALESCE(r.scopes, '[]') AS role_scopes, m.console_scopes,
                m.role_id, m.created_at
           FROM members m LEFT JOIN member_roles r ON r.id = m.role_id AND r.account_id = m.account_id
          WHERE m.account_id = $1 AND m.id = $2",
        account,
        id,
    ))
    .await
}

/// The member of an account with this address, in lower case.
pub async fn find_by_address(
    view: &mut ReadTx,
    account: AccountId,
    address: &str,
) -> Result<Option<Member>, DbError> {
    view.fetch_optional(sql!(
        "SELECT m.id, m.email, m.username, m.admin, m.scopes, COALESCE(r.scopes, '[]') AS role_scopes, m.console_scopes,
                m.role_id, m.created_at
           FROM members m LEFT JOIN member_roles r ON r.id = m.role_id AND r.account_id = m.account_id
          WHERE m.account_id = $1 AND m.address = $2",
        account,
        address,
    ))
    .await
}

/// Sets what a member may do: a role that allows more is taken from them, with its scopes of the console. What the member has
/// not had before, `giver` must have themselves.
pub async fn set_scopes(
    tx: &mut WriteTx,
    giver: &Principal,
    account: AccountId,
    id: MemberId,
    scopes: &[Scope],
) -> Result<(), MemberChangeError> {
    // Changes nothing, and keeps the row as it is until the transaction ends.
    tx.execute(sql!("UPDATE members SET admin = admin WHERE account_id = $1 AND id = $2", account, id))
        .await?;
    let member = find(tx, account, id).await?.ok_or(MemberChangeError::Missing)?;
    let held = member.scopes_with_role();
    let given: Vec<_> = scopes.iter().copied().filter(|scope| !held.contains(scope)).collect();
    if let Some(scope) = giver.lacks_one_of(&given) {
        return Err(MemberChangeError::ScopeNotHeld(scope));
    }
    let allows_more = member.role_scopes.iter().any(|scope| !scopes.contains(scope));
    let taken_role = member.role_id.filter(|_| allows_more);
    // What a role that stays allows does not become the member's own: it is to go with the role.
    let is_of_role = |scope: &Scope| {
        taken_role.is_none() && member.role_scopes.contains(scope) && !member.scopes.contains(scope)
    };
    let own: Vec<_> = scopes.iter().copied().filter(|scope| !is_of_role(scope)).collect();
    let rows = tx
        .execute(sql!(
            "UPDATE members SET scopes = $3, role_id = CASE WHEN $4 THEN NULL ELSE role_id END
              WHERE account_id = $1 AND id = $2",
            account,
            id,
            scopes_json(&own),
            taken_role.is_some(),
        ))
        .await?;
    let event = member_event("member.set-scopes", account, id).detail("scopes", scopes_json(scopes));
    tx.audit(match taken_role {
        Some(role) => event.detail("taken_role", role.to_string()),
        None => event,
    });
    if rows == 1 { Ok(()) } else { Err(MemberChangeError::Missing) }
}

/// Makes a member an administrator; nothing changes if they are one already.
pub async fn promote(
    tx: &mut WriteTx,
    account: AccountId,
    id: MemberId,
) -> Result<Member, MemberChangeError> {
    tx.execute(sql!("UPDATE members SET admin = TRUE WHERE account_id = $1 AND id = $2", account, id))
        .await?;
    tx.audit(member_event("member.promote", account, id));
    find(tx, account, id).await?.ok_or(MemberChangeError::Missing)
}

/// Makes an administrator an ordinary member; nothing changes if they are not an administrator.
pub async fn demote(tx: &mut WriteTx, account: AccountId, id: MemberId) -> Result<(), MemberChangeError> {
    if lock_unless_last_administrator(tx, account, id).await?.admin {
        tx.execute(sql!("UPDATE members SET admin = FALSE WHERE account_id = $1 AND id = $2", account, id))
            .await?;
        tx.audit(member_event("member.demote", account, id));
    }
    Ok(())
}

/// Removes a member, and ends their sessions and the invitations that they sent. `by_administrator` says whether the caller
/// is an administrator.
pub async fn remove(
    tx: &mut WriteTx,
    account: AccountId,
    id: MemberId,
    by_administrator: bool,
) -> Result<(), MemberChangeError> {
    let member = lock_unless_last_administrator(tx, account, id).await?;
    if member.admin && !by_administrator {
        return Err(MemberChangeError::AdministratorRequired);
    }
    Ok(delete(tx, account, id).await?)
}

/// Removes a member again, after a backup brought them back: the last administrator, too. Returns whether they were there.
pub(crate) async fn remove_again(
    tx: &mut WriteTx,
    account: AccountId,
    id: MemberId,
) -> Result<bool, DbError> {
    if !lock_exclusive(tx, account).await? || find(tx, account, id).await?.is_none() {
        return Ok(false);
    }
    delete(tx, account, id).await?;
    Ok(true)
}

async fn delete(tx: &mut WriteTx, account: AccountId, id: MemberId) -> Result<(), DbError> {
    authentication::delete_all(tx, CredentialHolder::member(account, id)).await?;
    // Their sign-in links are deleted by ON DELETE CASCADE.
    for query in [
        sql!("DELETE FROM members WHERE account_id = $1 AND id = $2", account, id),
        sql!("DELETE FROM invitations WHERE account_id = $1 AND invited_by = $2", account, id),
        // Their inbox.
        sql!("DELETE FROM notification_places WHERE account_id = $1 AND list_id = $2", account, id),
        sql!("DELETE FROM notification_lists WHERE account_id = $1 AND list_id = $2", account, id),
    ] {
        tx.execute(query).await?;
    }
    tx.audit(member_event("member.remove", account, id));
    erasure_keys::record_erasure(tx).await
}

fn member_event(kind: &'static str, account: AccountId, member: MemberId) -> AuditEvent {
    AuditEvent::new(kind).account(account).target(member)
}

/// Finds a member who is not the last administrator. The account's row stays locked until the transaction ends, so that two
/// administrators cannot demote each other at the same time.
async fn lock_unless_last_administrator(
    tx: &mut WriteTx,
    account: AccountId,
    id: MemberId,
) -> Result<Member, MemberChangeError> {
    if !lock_exclusive(tx, account).await? {
        return Err(MemberChangeError::Missing);
    }
    let member = find(tx, account, id).await?.ok_or(MemberChangeError::Missing)?;
    let others = tx
        .count(sql!(
            "SELECT count(*) FROM members WHERE account_id = $1 AND admin = TRUE AND id <> $2",
            account,
            id,
        ))
        .await?;
    if member.admin && others == 0 { Err(MemberChangeError::LastAdministrator) } else { Ok(member) }
}

/// Scopes as they are stored: each once, in the order of the interface.
pub(super) fn scopes_json(scopes: &[Scope]) -> serde_json::Value {
    Scope::ALL.iter().filter(|scope| scopes.contains(scope)).map(|scope| scope.as_str()).collect()
}

/// The same for what they may do in the console, in the order of docs/CONSOLE.md.
pub(super) fn console_scopes_json(scopes: &[ConsoleScope]) -> serde_json::Value {
    ConsoleScope::ALL.iter().filter(|scope| scopes.contains(scope)).map(|scope| scope.as_str()).collect()
}
