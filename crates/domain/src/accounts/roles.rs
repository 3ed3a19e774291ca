//! Roles of an account: sets of scopes that have a name. And what a member has of the console.

use super::{
    ConsoleScope, Principal, Scope, lock_shared,
    members::{console_scopes_json, scopes_json},
};
use base::{AccountId, Environment, Id as _, MemberId, MemberRoleId, Timestamp};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};

/// How many roles an account may have.
pub const MAX_MEMBER_ROLES: i64 = 100;
/// The longest name of a role, in characters.
pub const MAX_ROLE_NAME_CHARS: usize = 100;

/// A role.
#[derive(Clone, Debug, FromRow)]
pub struct MemberRole {
    pub id: MemberRoleId,
    /// 1 to [`MAX_ROLE_NAME_CHARS`] characters; unique within the account.
    pub name: String,
    #[sqlx(json)]
    pub scopes: Vec<Scope>,
    #[sqlx(json)]
    pub console_scopes: Vec<ConsoleScope>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// What a role is to be.
#[derive(Clone, Debug)]
pub struct MemberRoleContent {
    pub name: String,
    pub scopes: Vec<Scope>,
    pub console_scopes: Vec<ConsoleScope>,
}

/// What a member is to have besides the scopes of content moderation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleGrant {
    pub role: Option<MemberRoleId>,
    pub console_scopes: Vec<ConsoleScope>,
}

/// Who gives something.
#[derive(Clone, Copy, Debug)]
pub enum Giver<'a> {
    /// A member of the account, who gives only what they have.
    Member(&'a Principal),
    /// An operator, who may give everything.
    Operator,
}

/// Why a role or a member was not changed.
#[derive(Debug, thiserror::Error)]
pub enum RoleChangeError {
    /// The account has no such role, or is being deleted.
    #[error("there is no such role")]
    Missing,
    /// The account has no such member.
    #[error("there is no such member")]
    NoMember,
    /// They give a scope that they do not have.
    #[error("only somebody who has the scope {0} may give it")]
    ScopeNotHeld(&'static str),
    /// The account has a role of that name.
    #[error("the account has a role of that name")]
    DuplicateName,
    /// The name is empty or too long, or has control characters.
    #[error("a role's name has 1 to {MAX_ROLE_NAME_CHARS} characters and no control characters")]
    Name,
    /// Members have the role.
    #[error("{0} members have the role; give them another one first")]
    InUse(i64),
    /// The account has as many roles as it may have.
    #[error("an account has at most {MAX_MEMBER_ROLES} roles")]
    TooMany,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl Giver<'_> {
    fn ensure_holds(self, scopes: &[Scope], console_scopes: &[ConsoleScope]) -> Result<(), RoleChangeError> {
        let Self::Member(principal) = self else { return Ok(()) };
        let lacks = principal.lacks_one_of(scopes).map(Scope::as_str);
        let lacks = lacks.or(principal.lacks_one_of_console(console_scopes).map(ConsoleScope::as_str));
        lacks.map_or(Ok(()), |scope| Err(RoleChangeError::ScopeNotHeld(scope)))
    }
}

/// The roles of an account, by name.
pub async fn list(view: &mut ReadTx, account: AccountId) -> Result<Vec<MemberRole>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, name, scopes, console_scopes, created_at FROM member_roles
          WHERE account_id = $1 ORDER BY name, id LIMIT 1000",
        account,
    ))
    .await
}

/// A role of an account.
pub async fn find(
    view: &mut ReadTx,
    account: AccountId,
    id: MemberRoleId,
) -> Result<Option<MemberRole>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, name, scopes, console_scopes, created_at FROM member_roles WHERE account_id = $1 AND id = $2",
        account,
        id,
    ))
    .await
}

/// Makes a role; the giver must have its scopes.
pub async fn create(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    giver: Giver<'_>,
    account: AccountId,
    content: &MemberRoleContent,
) -> Result<MemberRoleId, RoleChangeError> {
    let name = validate_name(&content.name)?;
    giver.ensure_holds(&content.scopes, &content.console_scopes)?;
    if !lock_shared(tx, account).await? {
        return Err(RoleChangeError::Missing);
    }
    let count = tx.count(sql!("SELECT count(*) FROM member_roles WHERE account_id = $1", account)).await?;
    if count >= MAX_MEMBER_ROLES {
        return Err(RoleChangeError::TooMany);
    }
    let id = MemberRoleId::new(environment);
    let rows = tx
        .execute(sql!(
            "INSERT INTO member_roles (id, account_id, name, scopes, console_scopes, created_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            id,
            account,
            name,
            scopes_json(&content.scopes),
            console_scopes_json(&content.console_scopes),
            environment.now(),
        ))
        .await?;
    if rows == 0 {
        return Err(RoleChangeError::DuplicateName);
    }
    tx.audit(role_event("member-role.create", account, id, content));
    Ok(id)
}

/// Changes a role, for everybody who has it. What is added, the giver must have.
pub async fn change(
    tx: &mut WriteTx,
    giver: Giver<'_>,
    account: AccountId,
    id: MemberRoleId,
    content: &MemberRoleContent,
) -> Result<(), RoleChangeError> {
    let name = validate_name(&content.name)?;
    if !lock_shared(tx, account).await? {
        return Err(RoleChangeError::Missing);
    }
    // Changes nothing, and keeps the row as it is until the transaction ends.
    tx.execute(sql!("UPDATE member_roles SET name = name WHERE account_id = $1 AND id = $2", account, id))
        .await?;
    let before = find(tx, account, id).await?.ok_or(RoleChangeError::Missing)?;
    let added: Vec<_> =
        content.scopes.iter().copied().filter(|scope| !before.scopes.contains(scope)).collect();
    let added_of_console: Vec<_> = content
        .console_scopes
        .iter()
        .copied()
        .filter(|scope| !before.console_scopes.contains(scope))
        .collect();
    giver.ensure_holds(&added, &added_of_console)?;
    let others = tx
        .count(sql!(
            "SELECT count(*) FROM member_roles WHERE account_id = $1 AND name = $3 AND id <> $2",
            account,
            id,
            name,
        ))
        .await?;
    if others > 0 {
        return Err(RoleChangeError::DuplicateName);
    }
    tx.execute(sql!(
        "UPDATE member_roles SET name = $3, scopes = $4, console_scopes = $5 WHERE account_id = $1 AND id = $2",
        account,
        id,
        name,
        scopes_json(&content.scopes),
        console_scopes_json(&content.console_scopes),
    ))
    .await?;
    tx.audit(role_event("member-role.change", account, id, content));
    Ok(())
}

/// Deletes a role that nobody has.
pub async fn delete(tx: &mut WriteTx, account: AccountId, id: MemberRoleId) -> Result<(), RoleChangeError> {
    let holders = tx
        .count(sql!("SELECT count(*) FROM members WHERE account_id = $1 AND role_id = $2", account, id))
        .await?;
    if holders > 0 {
        return Err(RoleChangeError::InUse(holders));
    }
    let rows =
        tx.execute(sql!("DELETE FROM member_roles WHERE account_id = $1 AND id = $2", account, id)).await?;
    if rows == 0 {
        return Err(RoleChangeError::Missing);
    }
    tx.audit(AuditEvent::new("member-role.delete").account(account).target(id));
    Ok(())
}

/// Whether [`set_grant`] by an operator would give a scope that [needs approval](ConsoleScope::needs_approval). Refuses what that
/// one refuses, so that nobody is asked to approve what cannot be done.
pub async fn grant_needs_approval(
    tx: &mut WriteTx,
    account: AccountId,
    member: MemberId,
    grant: &ConsoleGrant,
) -> Result<bool, RoleChangeError> {
    let given = check_grant(tx, Giver::Operator, account, member, grant).await?;
    Ok(given.into_iter().any(ConsoleScope::needs_approval))
}

/// The scopes of the console that a grant gives, by itself or by a new role, all of which the giver has. Member and role stay as
/// they are until the transaction ends.
async fn check_grant(
    tx: &mut WriteTx,
    giver: Giver<'_>,
    account: AccountId,
    member: MemberId,
    grant: &ConsoleGrant,
) -> Result<Vec<ConsoleScope>, RoleChangeError> {
    #[derive(FromRow)]
    struct HeldGrantRow {
        #[sqlx(json)]
        console_scopes: Vec<ConsoleScope>,
        role_id: Option<MemberRoleId>,
    }
    if !lock_shared(tx, account).await? {
        return Err(RoleChangeError::NoMember);
    }
    // Changes nothing, and keeps the row as it is until the transaction ends.
    let held: Option<HeldGrantRow> = tx
        .fetch_optional(sql!(
            "UPDATE members SET admin = admin WHERE account_id = $1 AND id = $2 RETURNING console_scopes, role_id",
            account,
            member,
        ))
        .await?;
    let held = held.ok_or(RoleChangeError::NoMember)?;
    let mut given: Vec<_> =
        grant.console_scopes.iter().copied().filter(|scope| !held.console_scopes.contains(scope)).collect();
    giver.ensure_holds(&[], &given)?;
    if let Some(role) = grant.role.filter(|role| held.role_id != Some(*role)) {
        // A role that is being changed is given as it will be.
        tx.execute(sql!(
            "UPDATE member_roles SET name = name WHERE account_id = $1 AND id = $2",
            account,
            role
        ))
        .await?;
        let role = find(tx, account, role).await?.ok_or(RoleChangeError::Missing)?;
        giver.ensure_holds(&role.scopes, &role.console_scopes)?;
        given.extend(role.console_scopes);
    }
    Ok(given)
}

/// Sets a member's role, and their scopes of the console besides. What they have not had before, the giver must have.
pub async fn set_grant(
    tx: &mut WriteTx,
    giver: Giver<'_>,
    account: AccountId,
    member: MemberId,
    grant: &ConsoleGrant,
) -> Result<(), RoleChangeError> {
    check_grant(tx, giver, account, member, grant).await?;
    tx.execute(sql!(
        "UPDATE members SET role_id = $3, console_scopes = $4 WHERE account_id = $1 AND id = $2",
        account,
        member,
        grant.role,
        console_scopes_json(&grant.console_scopes),
    ))
    .await?;
    let event = AuditEvent::new("member.set-console-scopes").account(account).target(member);
    let event = event.detail("console_scopes", console_scopes_json(&grant.console_scopes));
    tx.audit(match grant.role {
        Some(role) => event.detail("role", role.to_string()),
        None => event,
    });
    Ok(())
}

/// The account of a member of any application: for operators only.
pub async fn account_of_member(view: &mut ReadTx, member: MemberId) -> Result<Option<AccountId>, DbError> {
    #[derive(FromRow)]
    struct AccountOfMemberRow {
        account_id: AccountId,
    }
    let row: Option<AccountOfMemberRow> = view
        .fetch_optional(sql!(
            "SELECT m.account_id FROM members m JOIN accounts a ON a.id = m.account_id
              WHERE m.id = $1 AND a.state = 'OPEN'",
            member,
        ))
        .await?;
    Ok(row.map(|row| row.account_id))
}

fn role_event(
    kind: &'static str,
    account: AccountId,
    id: MemberRoleId,
    content: &MemberRoleContent,
) -> AuditEvent {
    AuditEvent::new(kind)
        .account(account)
        .target(id)
        .detail("scopes", scopes_json(&content.scopes))
        .detail("console_scopes", console_scopes_json(&content.console_scopes))
}

fn validate_name(name: &str) -> Result<&str, RoleChangeError> {
    let name = name.trim();
    let fits = (1..=MAX_ROLE_NAME_CHARS).contains(&name.chars().count());
    if fits && !name.contains(char::is_control) { Ok(name) } else { Err(RoleChangeError::Name) }
}
