//! Four eyes (`console.four_eyes`): what one operator asks for, and another one approves or refuses within a day. It is done in
//! the transaction that approves it, if whoever asked for it may still do it.
//!
//! The rights to ask and to approve are given with four eyes as well ([`OperatorScope::needs_approval`]): otherwise one operator
//! could invite, let in or promote somebody who is themselves.

use crate::{
    accounts::{
        deletion::{AccountDeletionError, AccountDeletionService},
        roles::{self as member_roles, ConsoleGrant, Giver, RoleChangeError},
    },
    operators::{
        self, Operator, OperatorChangeError, OperatorGrant, OperatorInvitationError, OperatorInvitee,
        OperatorScope, OperatorService, roles as operator_roles,
    },
    session_steps::SessionKind,
    tenancy::{
        TenancyError,
        api_keys::{self, NewApiKey},
    },
    verification_sessions::{RedactedSession, SessionCommandError, VerificationSessions},
    wire_enum::wire_enum,
};
use aws_lc_rs::digest;
use base::{
    AccountId, ApiKeyId, AppId, ApprovalId, Environment, Id as _, MemberId, OperatorId, OperatorRoleId,
    Secret, SignedDuration, Timestamp, Uuid,
};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long an approval can be given.
const APPROVAL_TTL: SignedDuration = SignedDuration::from_hours(24);
/// How long it is kept from when it was asked for.
const APPROVAL_RETENTION: SignedDuration = SignedDuration::from_hours(24 * 30);
/// How many may wait at a time.
pub const MAX_PENDING_APPROVALS: i64 = 200;

wire_enum! {
    /// What is to be approved.
    pub enum ApprovalAction {
        /// The deletion of an account.
        AccountDelete => "account.delete",
        /// A new API key.
        ApiKeyCreate => "api-key.create",
        /// The end of an API key.
        ApiKeyRevoke => "api-key.revoke",
        /// The erasure of a document verification or age verification session.
        SessionRedact => "session.redact",
        /// An invitation to be an operator.
        OperatorInvitationCreate => "operator-invitation.create",
        /// What an operator may do.
        OperatorSetScopes => "operator.set-scopes",
        /// An operator who can come in again.
        OperatorEnable => "operator.enable",
        /// What a role of operators allows.
        OperatorRoleChange => "operator-role.change",
        /// What a member may do in the console.
        MemberSetConsoleScopes => "member.set-console-scopes",
    }
}

wire_enum! {
    /// What became of it.
    pub enum ApprovalState {
        /// Nobody has decided yet.
        Pending => "PENDING",
        /// It was done.
        Approved => "APPROVED",
        /// It was not done, and will not be.
        Refused => "REFUSED",
    }
}

/// Something to be approved, with all that is needed to do it. It is stored in two columns: its [`ApprovalAction`], which says
/// what it is, and its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", content = "details")]
pub enum ApprovableAction {
    /// The creation of a key, whose hash is known already.
    #[serde(rename = "api-key.create")]
    CreateKey {
        app: AppId,
        name: String,
        /// Hexadecimal.
        hash: String,
        scopes: Vec<String>,
        expires_at: Option<Timestamp>,
    },
    /// The end of a key.
    #[serde(rename = "api-key.revoke")]
    RevokeKey { app: AppId, key: ApiKeyId },
    /// The deletion of an account.
    #[serde(rename = "account.delete")]
    DeleteAccount { account: AccountId },
    /// The erasure of a session.
    #[serde(rename = "session.redact")]
    RedactSession { app: AppId, session_kind: SessionKind, session: Uuid },
    /// An invitation to be an operator.
    #[serde(rename = "operator-invitation.create")]
    InviteOperator {
        invited_email: String,
        /// `None`: the part of the address before the `@`.
        invited_name: Option<String>,
        operator_grant: OperatorGrant,
    },
    /// What an operator may do.
    #[serde(rename = "operator.set-scopes")]
    SetOperatorGrant { granted_operator: OperatorId, operator_grant: OperatorGrant },
    /// An operator who can come in again.
    #[serde(rename = "operator.enable")]
    EnableOperator { enabled_operator: OperatorId },
    /// What a role of operators allows.
    #[serde(rename = "operator-role.change")]
    ChangeOperatorRole { operator_role: OperatorRoleId, role_name: String, role_scopes: Vec<OperatorScope> },
    /// What a member may do in the console.
    #[serde(rename = "member.set-console-scopes")]
    SetMemberGrant { member_account: AccountId, member: MemberId, console_grant: ConsoleGrant },
}

/// What does the things that are approved.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalServices<'a> {
    pub deletion: &'a AccountDeletionService,
    pub sessions: &'a VerificationSessions,
    pub operators: &'a OperatorService,
}

/// What was approved, and done.
#[derive(Debug)]
pub struct ApprovedAction {
    /// The deletion of an account has begun, and is to be finished ([`AccountDeletionService::finish`]).
    pub action: ApprovableAction,
    /// A session that was erased, which is to be finished as well.
    pub redacted: Option<RedactedSession>,
}

impl ApprovableAction {
    /// The creation of a key, of which only the hash is kept.
    pub fn create_key(
        app: AppId,
        name: &str,
        key: &Secret<String>,
        scopes: &[String],
        expires_at: Option<Timestamp>,
    ) -> Self {
        let hash = hex::encode(api_keys::hash(key.expose()));
        Self::CreateKey { app, name: name.to_owned(), hash, scopes: scopes.to_vec(), expires_at }
    }

    /// What it is.
    pub fn action(&self) -> ApprovalAction {
        match self {
            Self::CreateKey { .. } => ApprovalAction::ApiKeyCreate,
            Self::RevokeKey { .. } => ApprovalAction::ApiKeyRevoke,
            Self::DeleteAccount { .. } => ApprovalAction::AccountDelete,
            Self::RedactSession { .. } => ApprovalAction::SessionRedact,
            Self::InviteOperator { .. } => ApprovalAction::OperatorInvitationCreate,
            Self::SetOperatorGrant { .. } => ApprovalAction::OperatorSetScopes,
            Self::EnableOperator { .. } => ApprovalAction::OperatorEnable,
            Self::ChangeOperatorRole { .. } => ApprovalAction::OperatorRoleChange,
            Self::SetMemberGrant { .. } => ApprovalAction::MemberSetConsoleScopes,
        }
    }

    /// Its members, for the column beside that of [`Self::action`].
    fn to_details(&self) -> Value {
        serde_json::to_value(self).expect("ids, texts and times are JSON")["details"].take()
    }

    /// From the two columns.
    fn from_columns(action: ApprovalAction, details: Value) -> Result<Self, serde_json::Error> {
        let columns = [("action", Value::from(action.as_str())), ("details", details)];
        serde_json::from_value(columns.into_iter().collect())
    }
}

impl ApprovalAction {
    /// The scope that whoever asks for it must have, and must still have when it is approved.
    fn required_scope(self) -> OperatorScope {
        match self {
            Self::AccountDelete => OperatorScope::OrganisationsManage,
            Self::ApiKeyCreate | Self::ApiKeyRevoke => OperatorScope::KeysManage,
            Self::SessionRedact => OperatorScope::SessionsManage,
            Self::OperatorInvitationCreate
            | Self::OperatorSetScopes
            | Self::OperatorEnable
            | Self::OperatorRoleChange
            | Self::MemberSetConsoleScopes => OperatorScope::OperatorsManage,
        }
    }
}

/// What somebody asked for.
#[derive(Clone, Debug)]
pub struct Approval {
    pub id: ApprovalId,
    pub action: ApprovalAction,
    pub details: ApprovableAction,
    pub state: ApprovalState,
    pub requested_by: OperatorId,
    pub requested_at: Timestamp,
    /// Until when it can be approved.
    pub expires_at: Timestamp,
    pub decided_by: Option<OperatorId>,
    pub decided_at: Option<DbTimestamp>,
}

/// A request as it is stored. What a newer build may have written in its own words is read as text, so that such a row hides no
/// others.
#[derive(FromRow)]
struct ApprovalRow {
    id: ApprovalId,
    action: String,
    /// JSON.
    details: String,
    state: String,
    requested_by: OperatorId,
    #[sqlx(try_from = "db::DbTimestamp")]
    requested_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    expires_at: Timestamp,
    decided_by: Option<OperatorId>,
    decided_at: Option<DbTimestamp>,
}

impl TryFrom<ApprovalRow> for Approval {
    type Error = DbError;

    fn try_from(row: ApprovalRow) -> Result<Self, DbError> {
        let action: ApprovalAction = row.action.parse().map_err(unreadable)?;
        let details: Value = serde_json::from_str(&row.details).map_err(unreadable)?;
        Ok(Self {
            id: row.id,
            action,
            details: ApprovableAction::from_columns(action, details).map_err(unreadable)?,
            state: row.state.parse().map_err(unreadable)?,
            requested_by: row.requested_by,
            requested_at: row.requested_at,
            expires_at: row.expires_at,
            decided_by: row.decided_by,
            decided_at: row.decided_at,
        })
    }
}

/// What is stored cannot be read.
fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> db::row::Error {
    db::row::Error::Decode(Box::new(error))
}

/// Why nothing was asked for or decided.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// There is no such request, or it was decided, or it is too old.
    #[error("there is no such request that waits for approval")]
    Missing,
    /// They asked for it themselves.
    #[error("another operator must decide about what you asked for")]
    OwnRequest,
    /// Whoever asked for it is disabled, or lacks a scope that it takes.
    #[error("whoever asked for it may not do it any more; refuse it")]
    RequesterNotAllowed,
    /// What is stored of the key that would be created is no hash of a key.
    #[error("what is stored of the key is not a hash; refuse it, and ask for another key")]
    KeyHash,
    /// As many wait as may wait.
    #[error("{MAX_PENDING_APPROVALS} requests wait for approval; decide about some of them first")]
    TooMany,
    /// What was approved cannot be done any more.
    #[error(transparent)]
    Tenancy(#[from] TenancyError),
    /// What was approved cannot be done any more.
    #[error(transparent)]
    Deletion(#[from] AccountDeletionError),
    /// What was approved cannot be done any more.
    #[error(transparent)]
    Session(#[from] SessionCommandError),
    /// What was approved cannot be done any more.
    #[error(transparent)]
    Operator(OperatorChangeError),
    /// What was approved cannot be done any more.
    #[error(transparent)]
    Invitation(OperatorInvitationError),
    /// What was approved cannot be done any more.
    #[error(transparent)]
    Member(#[from] RoleChangeError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<OperatorChangeError> for ApprovalError {
    fn from(error: OperatorChangeError) -> Self {
        match error {
            OperatorChangeError::ScopeNotHeld(_) => Self::RequesterNotAllowed,
            error => Self::Operator(error),
        }
    }
}

impl From<OperatorInvitationError> for ApprovalError {
    fn from(error: OperatorInvitationError) -> Self {
        match error {
            OperatorInvitationError::Grant(error) => error.into(),
            error => Self::Invitation(error),
        }
    }
}

/// Asks for something.
pub async fn request(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    requester: &Operator,
    details: &ApprovableAction,
) -> Result<ApprovalId, ApprovalError> {
    let now = environment.now();
    let pending = tx
        .count(sql!("SELECT count(*) FROM approvals WHERE state = 'PENDING' AND expires_at > $1", now))
        .await?;
    if pending >= MAX_PENDING_APPROVALS {
        return Err(ApprovalError::TooMany);
    }
    let id = ApprovalId::new(environment);
    tx.execute(sql!(
        "INSERT INTO approvals (id, action, details, state, requested_by, requested_at, expires_at)
         VALUES ($1, $2, $3, 'PENDING', $4, $5, $6)",
        id,
        details.action(),
        details.to_details(),
        requester.id,
        now,
        now + APPROVAL_TTL,
    ))
    .await?;
    tx.audit(AuditEvent::new("approval.request").target(id).detail("action", details.action().as_str()));
    Ok(id)
}

/// What was asked for within the last month, newest first. What cannot be read is left out.
pub async fn list(view: &mut ReadTx) -> Result<Vec<Approval>, DbError> {
    let rows: Vec<ApprovalRow> = view
        .fetch_all(sql!(
            "SELECT id, action, CAST(details AS TEXT) AS details, state, requested_by, requested_at, expires_at,
                    decided_by, decided_at
               FROM approvals ORDER BY requested_at DESC, id LIMIT 500",
        ))
        .await?;
    Ok(rows.into_iter().filter_map(read_approval).collect())
}

/// `None`, and an error in the log, if a row cannot be read: it was damaged, or a newer build wrote it.
fn read_approval(row: ApprovalRow) -> Option<Approval> {
    let id = row.id;
    let approval = Approval::try_from(row);
    if approval.is_err() {
        // Without the cause, which may quote what is stored.
        tracing::error!(approval.id = %id, "what an operator asked for cannot be read, and is not listed");
    }
    approval.ok()
}

/// Approves what another operator asked for, and does it in the same transaction.
pub async fn approve(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    services: ApprovalServices<'_>,
    decider: &Operator,
    id: ApprovalId,
) -> Result<ApprovedAction, ApprovalError> {
    let mut redacted = None;
    let approval = decide(tx, environment, decider, id, ApprovalState::Approved).await?;
    let scope = approval.action.required_scope();
    let requester = operators::find(tx, approval.requested_by).await?;
    let requester = requester.filter(|requester| !requester.disabled && requester.has_scope(scope));
    let requester = requester.ok_or(ApprovalError::RequesterNotAllowed)?;
    match &approval.details {
        ApprovableAction::CreateKey { app, name, hash, scopes, expires_at } => {
            let new = NewApiKey {
                app: *app,
                name: name.clone(),
                hash: decode_key_hash(hash)?,
                scopes: scopes.clone(),
                expires_at: *expires_at,
            };
            api_keys::insert(tx, environment, &new).await?;
        }
        ApprovableAction::RevokeKey { app, key } => api_keys::revoke(tx, environment, *app, *key).await?,
        ApprovableAction::DeleteAccount { account } => {
            services.deletion.begin_in(tx, None, *account, "operator").await?;
        }
        ApprovableAction::RedactSession { app, session_kind, session } => {
            redacted = Some(services.sessions.redact_in(tx, *app, *session_kind, *session).await?);
        }
        ApprovableAction::InviteOperator { invited_email, invited_name, operator_grant } => {
            let invitee = OperatorInvitee {
                // It was an address when it was asked for.
                email: invited_email.parse().map_err(|_| ApprovalError::Missing)?,
                name: invited_name.clone(),
                grant: operator_grant.clone(),
            };
            services.operators.invite_by_mail(tx, &requester, &invitee).await?;
        }
        ApprovableAction::SetOperatorGrant { granted_operator, operator_grant } => {
            operators::set_grant(tx, Some(&requester), *granted_operator, operator_grant).await?;
        }
        ApprovableAction::EnableOperator { enabled_operator } => {
            operators::set_disabled(tx, environment, *enabled_operator, false).await?;
        }
        ApprovableAction::ChangeOperatorRole { operator_role, role_name, role_scopes } => {
            operator_roles::change(tx, &requester, *operator_role, role_name, role_scopes).await?;
        }
        ApprovableAction::SetMemberGrant { member_account, member, console_grant } => {
            member_roles::set_grant(tx, Giver::Operator, *member_account, *member, console_grant).await?;
        }
    }
    Ok(ApprovedAction { action: approval.details, redacted })
}

fn decode_key_hash(digits: &str) -> Result<Vec<u8>, ApprovalError> {
    let hash = hex::decode(digits).ok().filter(|hash| hash.len() == digest::SHA256_OUTPUT_LEN);
    hash.ok_or(ApprovalError::KeyHash)
}

/// Refuses what another operator asked for.
pub async fn refuse(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    decider: &Operator,
    id: ApprovalId,
) -> Result<(), ApprovalError> {
    decide(tx, environment, decider, id, ApprovalState::Refused).await.map(drop)
}

async fn decide(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    decider: &Operator,
    id: ApprovalId,
    state: ApprovalState,
) -> Result<Approval, ApprovalError> {
    let now = environment.now();
    let decided: Option<ApprovalRow> = tx
        .fetch_optional(sql!(
            "UPDATE approvals SET state = $2, decided_by = $3, decided_at = $4
              WHERE id = $1 AND state = 'PENDING' AND expires_at > $4
             RETURNING id, action, CAST(details AS TEXT) AS details, state, requested_by, requested_at, expires_at,
                       decided_by, decided_at",
            id,
            state,
            decider.id,
            now,
        ))
        .await?;
    let approval = Approval::try_from(decided.ok_or(ApprovalError::Missing)?)?;
    // The transaction is given up with the error.
    if approval.requested_by == decider.id {
        return Err(ApprovalError::OwnRequest);
    }
    let kind = if state == ApprovalState::Approved { "approval.approve" } else { "approval.refuse" };
    let event = AuditEvent::new(kind).target(id).detail("action", approval.action.as_str());
    tx.audit(event.detail("requested_by", approval.requested_by.to_string()));
    Ok(approval)
}

/// Deletes what was asked for a month ago, at most 5,000; returns how many.
pub(crate) async fn purge_expired(db: &Db, environment: &dyn Environment) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let approvals = tx
        .execute(sql!(
            "DELETE FROM approvals WHERE id IN (SELECT id FROM approvals WHERE requested_at < $1 LIMIT 5000)",
            environment.now() - APPROVAL_RETENTION,
        ))
        .await?;
    tx.commit().await?;
    Ok(approvals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::{BuiltInRole, OperatorRole};
    use base::TestEnvironment;
    use serde_json::json;

    #[test]
    fn every_action_is_read_as_what_it_was_written_as() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let (app, account) = (AppId::new(&env), AccountId::new(&env));
        let custom = Some(OperatorRole::Custom(OperatorRoleId::new(&env)));
        let grant = OperatorGrant { role: custom, scopes: vec![OperatorScope::OperatorsManage] };
        let actions = [
            ApprovableAction::create_key(app, "New", &Secret::new("key".to_owned()), &[], None),
            ApprovableAction::RevokeKey { app, key: ApiKeyId::new(&env) },
            ApprovableAction::DeleteAccount { account },
            ApprovableAction::RedactSession {
                app,
                session_kind: SessionKind::Document,
                session: env.uuid_v4(),
            },
            ApprovableAction::InviteOperator {
                invited_email: "ada@example.com".to_owned(),
                invited_name: None,
                operator_grant: OperatorGrant::of_role(BuiltInRole::Administrator),
            },
            ApprovableAction::SetOperatorGrant {
                granted_operator: OperatorId::new(&env),
                operator_grant: grant,
            },
            ApprovableAction::EnableOperator { enabled_operator: OperatorId::new(&env) },
            ApprovableAction::ChangeOperatorRole {
                operator_role: OperatorRoleId::new(&env),
                role_name: "New".to_owned(),
                role_scopes: vec![OperatorScope::KeysManage],
            },
            ApprovableAction::SetMemberGrant {
                member_account: account,
                member: MemberId::new(&env),
                console_grant: ConsoleGrant::default(),
            },
        ];
        assert_eq!(actions.len(), ApprovalAction::VARIANTS.len());
        for action in actions {
            let stored = action.to_details();
            assert_eq!(ApprovableAction::from_columns(action.action(), stored).unwrap(), action);
        }
        // Members alone do not say what is to be done.
        let details = json!({ "app": app, "account": account });
        let action = ApprovableAction::from_columns(ApprovalAction::AccountDelete, details.clone()).unwrap();
        assert_eq!(action, ApprovableAction::DeleteAccount { account });
        assert!(ApprovableAction::from_columns(ApprovalAction::ApiKeyRevoke, details).is_err());
        assert!(ApprovableAction::from_columns(ApprovalAction::AccountDelete, Value::Null).is_err());
    }

    #[test]
    fn a_row_that_cannot_be_read_is_left_out() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let row = |action: &str, details: &str, state: &str| ApprovalRow {
            id: ApprovalId::new(&env),
            action: action.to_owned(),
            details: details.to_owned(),
            state: state.to_owned(),
            requested_by: OperatorId::new(&env),
            requested_at: env.now(),
            expires_at: env.now() + APPROVAL_TTL,
            decided_by: None,
            decided_at: None,
        };
        let details = json!({ "account": AccountId::new(&env) }).to_string();
        let read = read_approval(row("account.delete", &details, "PENDING")).unwrap();
        assert_eq!((read.action, read.state), (ApprovalAction::AccountDelete, ApprovalState::Pending));
        for (action, details, state) in [
            ("account.move", details.as_str(), "PENDING"),
            ("account.delete", details.as_str(), "POSTPONED"),
            ("account.delete", "{}", "PENDING"),
            ("account.delete", "{\"account\":", "PENDING"),
        ] {
            assert!(read_approval(row(action, details, state)).is_none(), "{action} {details} {state}");
        }
    }

    #[test]
    fn what_is_no_hash_of_a_key_is_refused() {
        let hash = api_keys::hash("key");
        assert_eq!(decode_key_hash(&hex::encode(&hash)).unwrap(), hash);
        for digits in ["", "00", "xyz"] {
            assert!(matches!(decode_key_hash(digits), Err(ApprovalError::KeyHash)), "{digits}");
        }
    }
}
