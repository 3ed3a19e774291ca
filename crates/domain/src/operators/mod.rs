//! Operators: people with a grant on the whole installation.
//!
//! - this file: operators themselves, and what they are granted
//! - `scopes`: what there is to grant, and the roles that are built in
//! - `roles`: roles that an installation makes itself
//! - `invitations`: how people become operators, the first one too, and links to sign in with

pub mod invitations;
pub mod roles;
mod scopes;

pub use invitations::{
    IssuedOperatorInvitation, OperatorInvitation, OperatorInvitationError, OperatorInvitee, OperatorService,
    OperatorServiceSettings,
};
pub use scopes::{BuiltInRole, OperatorScope};

use base::{Environment, OperatorId, OperatorRoleId, Timestamp};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};
use scopes::scopes_json;
use serde::{Deserialize, Serialize};

/// How many operators an installation may have, together with those invited.
pub const MAX_OPERATORS: i64 = 1000;

/// What somebody is granted: the scopes of a role, and others besides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorGrant {
    pub role: Option<OperatorRole>,
    pub scopes: Vec<OperatorScope>,
}

/// A role of operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorRole {
    BuiltIn(BuiltInRole),
    /// One that the installation made itself.
    Custom(OperatorRoleId),
}

impl OperatorRole {
    /// The role that two columns name: one that is built in by its word, another by its id.
    fn of_columns(word: Option<&str>, id: Option<OperatorRoleId>) -> Option<Self> {
        let built_in = word.and_then(|word| word.parse().ok());
        built_in.map(Self::BuiltIn).or(id.map(Self::Custom))
    }
}

impl OperatorGrant {
    /// A role alone.
    pub fn of_role(role: BuiltInRole) -> Self {
        Self { role: Some(OperatorRole::BuiltIn(role)), scopes: Vec::new() }
    }

    fn built_in(&self) -> Option<BuiltInRole> {
        match self.role {
            Some(OperatorRole::BuiltIn(role)) => Some(role),
            _ => None,
        }
    }

    fn custom(&self) -> Option<OperatorRoleId> {
        match self.role {
            Some(OperatorRole::Custom(id)) => Some(id),
            _ => None,
        }
    }

    /// All scopes that it comes to.
    async fn resolve(&self, view: &mut ReadTx) -> Result<Vec<OperatorScope>, OperatorChangeError> {
        let mut granted = self.scopes.clone();
        match self.role {
            Some(OperatorRole::BuiltIn(role)) => granted.extend(role.scopes()),
            Some(OperatorRole::Custom(id)) => {
                let role = roles::find(view, id).await?.ok_or(OperatorChangeError::NoRole)?;
                granted.extend(role.scopes);
            }
            None => {}
        }
        Ok(granted)
    }
}

/// An operator.
#[derive(Clone, Debug)]
pub struct Operator {
    pub id: OperatorId,
    /// Their e-mail address, as it was written in the invitation.
    pub email: String,
    pub name: String,
    pub grant: OperatorGrant,
    /// Everything they may do, in the order of docs/CONSOLE.md.
    pub scopes: Vec<OperatorScope>,
    /// When they accepted their invitation.
    pub created_at: Timestamp,
    /// Whether they can come in no more.
    pub disabled: bool,
}

impl Operator {
    /// Whether they may do what the scope allows.
    pub fn has_scope(&self, scope: OperatorScope) -> bool {
        self.scopes.contains(&scope)
    }

    /// The first of these scopes that they do not have themselves, and so cannot give to anybody.
    pub fn lacks_one_of(&self, scopes: &[OperatorScope]) -> Option<OperatorScope> {
        scopes.iter().copied().find(|scope| !self.has_scope(*scope))
    }

    /// Whether they may invite somebody who is to have these scopes.
    fn may_invite(&self, scopes: &[OperatorScope]) -> bool {
        !self.disabled
            && self.has_scope(OperatorScope::OperatorsManage)
            && self.lacks_one_of(scopes).is_none()
    }
}

/// Why an operator or a role was not changed.
#[derive(Debug, thiserror::Error)]
pub enum OperatorChangeError {
    /// There is no such operator.
    #[error("there is no such operator")]
    Missing,
    /// There is no such role.
    #[error("there is no such role")]
    NoRole,
    /// Nobody would be left who may manage operators.
    #[error(
        "nobody would be left who has the scope {}; give it to another operator first",
        OperatorScope::OperatorsManage
    )]
    LastAdministrator,
    /// They give a scope that they do not have.
    #[error("only somebody who has the scope {0} may give it")]
    ScopeNotHeld(OperatorScope),
    /// A role has that name.
    #[error("there is a role of that name")]
    DuplicateName,
    /// The name is empty or too long, or has control characters.
    #[error("a name has 1 to {} characters and no control characters", invitations::MAX_NAME_CHARS)]
    Name,
    /// Somebody has the role.
    #[error("{0} operators or invitations have the role; give them another one first")]
    RoleInUse(i64),
    /// There are as many roles as there may be.
    #[error("there are at most {} roles", roles::MAX_ROLES)]
    TooManyRoles,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct OperatorRow {
    id: OperatorId,
    email: String,
    name: String,
    role: Option<String>,
    role_id: Option<OperatorRoleId>,
    #[sqlx(json)]
    scopes: Vec<OperatorScope>,
    #[sqlx(json)]
    role_scopes: Vec<OperatorScope>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    disabled: bool,
}

impl From<OperatorRow> for Operator {
    fn from(row: OperatorRow) -> Self {
        let role = OperatorRole::of_columns(row.role.as_deref(), row.role_id);
        let of_role = match role {
            Some(OperatorRole::BuiltIn(role)) => role.scopes(),
            _ => &[],
        };
        let has = |scope: &OperatorScope| {
            of_role.contains(scope) || row.scopes.contains(scope) || row.role_scopes.contains(scope)
        };
        Self {
            id: row.id,
            email: row.email,
            name: row.name,
            scopes: OperatorScope::ALL.into_iter().filter(has).collect(),
            grant: OperatorGrant { role, scopes: row.scopes },
            created_at: row.created_at,
            disabled: row.disabled,
        }
    }
}

/// All operators, oldest first.
pub async fn list(view: &mut ReadTx) -> Result<Vec<Operator>, DbError> {
    let rows: Vec<OperatorRow> = view
        .fetch_all(sql!(
            "SELECT o.id, o.email, o.name, o.role, o.role_id, o.scopes, COALESCE(r.scopes, '[]') AS role_scopes,
                    o.created_at, o.disabled_at IS NOT NULL AS disabled
               FROM operators o LEFT JOIN operator_roles r ON r.id = o.role_id ORDER BY o.created_at, o.id LIMIT 2000",
        ))
        .await?;
    Ok(rows.into_iter().map(Operator::from).collect())
}

/// An operator, disabled or not.
pub async fn find(view: &mut ReadTx, id: OperatorId) -> Result<Option<Operator>, DbError> {
    let row: Option<OperatorRow> = view
        .fetch_optional(sql!(
            "SELECT o.id, o.email, o.name, o.role, o.role_id, o.scopes, COALESCE(r.scopes, '[]') AS role_scopes,
                    o.created_at, o.disabled_at IS NOT NULL AS disabled
               FROM operators o LEFT JOIN operator_roles r ON r.id = o.role_id WHERE o.id = $1",
            id,
        ))
        .await?;
    Ok(row.map(Operator::from))
}

/// The operator with this address, in lower case, disabled or not.
pub async fn find_by_address(view: &mut ReadTx, address: &str) -> Result<Option<Operator>, DbError> {
    let row: Option<OperatorRow> = view
        .fetch_optional(sql!(
            "SELECT o.id, o.email, o.name, o.role, o.role_id, o.scopes, COALESCE(r.scopes, '[]') AS role_scopes,
                    o.created_at, o.disabled_at IS NOT NULL AS disabled
               FROM operators o LEFT JOIN operator_roles r ON r.id = o.role_id WHERE o.address = $1",
            address,
        ))
        .await?;
    Ok(row.map(Operator::from))
}

/// Whether there has ever been an operator.
pub async fn is_set_up(view: &mut ReadTx) -> Result<bool, DbError> {
    Ok(view.count(sql!("SELECT count(*) FROM operators")).await? > 0)
}

/// Whether [`set_grant`] would add a scope that [needs approval](OperatorScope::needs_approval). Refuses what that one refuses,
/// so that nobody is asked to approve what cannot be done.
pub async fn grant_needs_approval(
    tx: &mut WriteTx,
    giver: &Operator,
    id: OperatorId,
    grant: &OperatorGrant,
) -> Result<bool, OperatorChangeError> {
    let added = check_grant(tx, Some(giver), id, grant).await?;
    Ok(added.into_iter().any(OperatorScope::needs_approval))
}

/// Whether an operator who is let in again would have a scope that [needs approval](OperatorScope::needs_approval).
pub async fn enabling_needs_approval(tx: &mut WriteTx, id: OperatorId) -> Result<bool, OperatorChangeError> {
    lock_all(tx).await?;
    let operator = find(tx, id).await?.ok_or(OperatorChangeError::Missing)?;
    Ok(operator.disabled && operator.scopes.into_iter().any(OperatorScope::needs_approval))
}

/// The scopes that a grant adds to what an operator has, all of which the giver has. No other transaction changes operators
/// until this one ends.
async fn check_grant(
    tx: &mut WriteTx,
    giver: Option<&Operator>,
    id: OperatorId,
    grant: &OperatorGrant,
) -> Result<Vec<OperatorScope>, OperatorChangeError> {
    lock_all(tx).await?;
    let before = find(tx, id).await?.ok_or(OperatorChangeError::Missing)?;
    let granted = grant.resolve(tx).await?;
    let added: Vec<_> = granted.into_iter().filter(|scope| !before.has_scope(*scope)).collect();
    match giver.and_then(|giver| giver.lacks_one_of(&added)) {
        Some(scope) => Err(OperatorChangeError::ScopeNotHeld(scope)),
        None => Ok(added),
    }
}

/// Sets what an operator may do. What they have not had before, `giver` must have themselves; without a giver, it is
/// somebody with a shell on the server.
pub async fn set_grant(
    tx: &mut WriteTx,
    giver: Option<&Operator>,
    id: OperatorId,
    grant: &OperatorGrant,
) -> Result<(), OperatorChangeError> {
    check_grant(tx, giver, id, grant).await?;
    tx.execute(sql!(
        "UPDATE operators SET role = $2, role_id = $3, scopes = $4 WHERE id = $1",
        id,
        grant.built_in().map(BuiltInRole::as_str),
        grant.custom(),
        scopes_json(&grant.scopes),
    ))
    .await?;
    let after = find(tx, id).await?.ok_or(OperatorChangeError::Missing)?;
    tx.audit(AuditEvent::new("operator.set-scopes").target(id).detail("scopes", scopes_json(&after.scopes)));
    require_administrator(tx).await
}

/// Disables an operator, which ends their sessions and the invitations that they sent, or lets them in again. Nothing changes
/// if it is so already.
pub async fn set_disabled(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    id: OperatorId,
    disabled: bool,
) -> Result<(), OperatorChangeError> {
    lock_all(tx).await?;
    let before = find(tx, id).await?.ok_or(OperatorChangeError::Missing)?;
    if before.disabled == disabled {
        return Ok(());
    }
    let at = disabled.then(|| environment.now());
    tx.execute(sql!("UPDATE operators SET disabled_at = $2 WHERE id = $1", id, at)).await?;
    if disabled {
        tx.execute(sql!("DELETE FROM console_sessions WHERE holder_id = $1", id)).await?;
        tx.execute(sql!("DELETE FROM operator_sign_in_links WHERE operator_id = $1", id)).await?;
        tx.execute(sql!("DELETE FROM operator_invitations WHERE invited_by = $1", id)).await?;
    }
    let kind = if disabled { "operator.disable" } else { "operator.enable" };
    tx.audit(AuditEvent::new(kind).target(id));
    require_administrator(tx).await
}

/// Makes other transactions that change operators wait until this one ends, so that two cannot disable each other.
async fn lock_all(tx: &mut WriteTx) -> Result<(), DbError> {
    #[derive(FromRow)]
    struct LockedOperatorRow {
        #[expect(dead_code, reason = "only the lock matters")]
        id: OperatorId,
    }
    let _locked: Vec<LockedOperatorRow> = tx
        .fetch_all(sql!(
            sqlite: "SELECT id FROM operators ORDER BY id LIMIT 1",
            postgres: "SELECT id FROM operators ORDER BY id FOR UPDATE",
        ))
        .await?;
    Ok(())
}

/// Whether an operator can come in; until the transaction ends, nobody disables them. It comes before any change to what
/// [`set_disabled`] deletes, because that locks operators first, too.
pub(crate) async fn lock_enabled(tx: &mut WriteTx, id: OperatorId) -> Result<bool, DbError> {
    #[derive(FromRow)]
    struct EnabledOperatorRow {
        id: OperatorId,
    }
    let locked: Option<EnabledOperatorRow> = tx
        .fetch_optional(sql!(
            sqlite: "SELECT id FROM operators WHERE id = $1 AND disabled_at IS NULL",
            postgres: "SELECT id FROM operators WHERE id = $1 AND disabled_at IS NULL FOR SHARE",
            id,
        ))
        .await?;
    Ok(locked.is_some_and(|row| row.id == id))
}

/// Fails, so that the transaction is given up, if nobody is left who may manage operators.
async fn require_administrator(tx: &mut WriteTx) -> Result<(), OperatorChangeError> {
    let manages =
        |operator: &Operator| !operator.disabled && operator.has_scope(OperatorScope::OperatorsManage);
    if list(tx).await?.iter().any(manages) { Ok(()) } else { Err(OperatorChangeError::LastAdministrator) }
}
