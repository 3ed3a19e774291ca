//! Roles that an installation makes itself.

use super::{
    Operator, OperatorChangeError, OperatorScope, invitations::validate_name, lock_all,
    require_administrator, scopes::scopes_json,
};
use base::{Environment, Id as _, OperatorRoleId, Timestamp};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};

/// How many roles there may be.
pub const MAX_ROLES: i64 = 100;

/// A set of scopes that has a name.
#[derive(Clone, Debug, FromRow)]
pub struct OperatorRoleRecord {
    pub id: OperatorRoleId,
    pub name: String,
    #[sqlx(json)]
    pub scopes: Vec<OperatorScope>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// All roles, by name.
pub async fn list(view: &mut ReadTx) -> Result<Vec<OperatorRoleRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, name, scopes, created_at FROM operator_roles ORDER BY name, id LIMIT 1000"
    ))
    .await
}

/// One role.
pub async fn find(view: &mut ReadTx, id: OperatorRoleId) -> Result<Option<OperatorRoleRecord>, DbError> {
    view.fetch_optional(sql!("SELECT id, name, scopes, created_at FROM operator_roles WHERE id = $1", id))
        .await
}

/// Makes a role; `giver` must have its scopes.
pub async fn create(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    giver: &Operator,
    name: &str,
    scopes: &[OperatorScope],
) -> Result<OperatorRoleId, OperatorChangeError> {
    let name = validate_name(name).ok_or(OperatorChangeError::Name)?;
    if let Some(scope) = giver.lacks_one_of(scopes) {
        return Err(OperatorChangeError::ScopeNotHeld(scope));
    }
    if tx.count(sql!("SELECT count(*) FROM operator_roles")).await? >= MAX_ROLES {
        return Err(OperatorChangeError::TooManyRoles);
    }
    let id = OperatorRoleId::new(environment);
    let rows = tx
        .execute(sql!(
            "INSERT INTO operator_roles (id, name, scopes, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            id,
            name,
            scopes_json(scopes),
            environment.now(),
        ))
        .await?;
    if rows == 0 {
        return Err(OperatorChangeError::DuplicateName);
    }
    tx.audit(AuditEvent::new("operator-role.create").target(id).detail("scopes", scopes_json(scopes)));
    Ok(id)
}

/// Whether [`change`] would add a scope that [needs approval](OperatorScope::needs_approval). Refuses what that one refuses, so
/// that nobody is asked to approve what cannot be done.
pub async fn change_needs_approval(
    tx: &mut WriteTx,
    giver: &Operator,
    id: OperatorRoleId,
    name: &str,
    scopes: &[OperatorScope],
) -> Result<bool, OperatorChangeError> {
    let (_, added) = check_change(tx, giver, id, name, scopes).await?;
    Ok(added.into_iter().any(OperatorScope::needs_approval))
}

/// The name that a role would have, and the scopes that a change would add to it, all of which the giver has. No other
/// transaction changes operators and roles until this one ends.
async fn check_change<'a>(
    tx: &mut WriteTx,
    giver: &Operator,
    id: OperatorRoleId,
    name: &'a str,
    scopes: &[OperatorScope],
) -> Result<(&'a str, Vec<OperatorScope>), OperatorChangeError> {
    let name = validate_name(name).ok_or(OperatorChangeError::Name)?;
    lock_all(tx).await?;
    let before = find(tx, id).await?.ok_or(OperatorChangeError::NoRole)?;
    let added: Vec<_> = scopes.iter().copied().filter(|scope| !before.scopes.contains(scope)).collect();
    if let Some(scope) = giver.lacks_one_of(&added) {
        return Err(OperatorChangeError::ScopeNotHeld(scope));
    }
    let others =
        tx.count(sql!("SELECT count(*) FROM operator_roles WHERE name = $2 AND id <> $1", id, name)).await?;
    if others > 0 {
        return Err(OperatorChangeError::DuplicateName);
    }
    Ok((name, added))
}

/// Changes a role, for everybody who has it. What is added, `giver` must have themselves.
pub async fn change(
    tx: &mut WriteTx,
    giver: &Operator,
    id: OperatorRoleId,
    name: &str,
    scopes: &[OperatorScope],
) -> Result<(), OperatorChangeError> {
    let (name, _) = check_change(tx, giver, id, name, scopes).await?;
    tx.execute(sql!(
        "UPDATE operator_roles SET name = $2, scopes = $3 WHERE id = $1",
        id,
        name,
        scopes_json(scopes)
    ))
    .await?;
    tx.audit(AuditEvent::new("operator-role.change").target(id).detail("scopes", scopes_json(scopes)));
    require_administrator(tx).await
}

/// Deletes a role that nobody has.
pub async fn delete(tx: &mut WriteTx, id: OperatorRoleId) -> Result<(), OperatorChangeError> {
    let holders = tx
        .count(sql!(
            "SELECT (SELECT count(*) FROM operators WHERE role_id = $1)
                  + (SELECT count(*) FROM operator_invitations WHERE role_id = $1)",
            id
        ))
        .await?;
    if holders > 0 {
        return Err(OperatorChangeError::RoleInUse(holders));
    }
    let rows = tx.execute(sql!("DELETE FROM operator_roles WHERE id = $1", id)).await?;
    if rows == 0 {
        return Err(OperatorChangeError::NoRole);
    }
    tx.audit(AuditEvent::new("operator-role.delete").target(id));
    Ok(())
}
