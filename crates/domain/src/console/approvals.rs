//! Four eyes (`console.four_eyes`): what one operator asks for, and another one approves or refuses within a day. It is done in
//! the transaction that approves it.

use crate::{
    accounts::deletion::{AccountDeletionError, AccountDeletionService},
    operators::Operator,
    session_steps::SessionKind,
    tenancy::{
        TenancyError,
        api_keys::{self, NewApiKey},
    },
    verification_sessions::{RedactedSession, SessionCommandError, VerificationSessions},
    wire_enum::wire_enum,
};
use base::{
    AccountId, ApiKeyId, AppId, ApprovalId, Environment, Id as _, OperatorId, Secret, SignedDuration,
    Timestamp, Uuid,
};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};

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

/// Something to be approved, with all that is needed to do it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ApprovableAction {
    /// The creation of a key, whose hash is known already.
    CreateKey {
        app: AppId,
        name: String,
        /// Hexadecimal.
        hash: String,
        scopes: Vec<String>,
        expires_at: Option<Timestamp>,
    },
    /// The end of a key.
    RevokeKey { app: AppId, key: ApiKeyId },
    /// The deletion of an account.
    DeleteAccount { account: AccountId },
    /// The erasure of a session.
    RedactSession { app: AppId, session_kind: SessionKind, session: Uuid },
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
        }
    }
}

/// What somebody asked for.
#[derive(Clone, Debug, FromRow)]
pub struct Approval {
    pub id: ApprovalId,
    #[sqlx(try_from = "String")]
    pub action: ApprovalAction,
    #[sqlx(json)]
    pub details: ApprovableAction,
    #[sqlx(try_from = "String")]
    pub state: ApprovalState,
    pub requested_by: OperatorId,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub requested_at: Timestamp,
    /// Until when it can be approved.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub expires_at: Timestamp,
    pub decided_by: Option<OperatorId>,
    pub decided_at: Option<DbTimestamp>,
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
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
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
        serde_json::to_value(details).unwrap_or_default(),
        requester.id,
        now,
        now + APPROVAL_TTL,
    ))
    .await?;
    tx.audit(AuditEvent::new("approval.request").target(id).detail("action", details.action().as_str()));
    Ok(id)
}

/// What was asked for within the last month, newest first.
pub async fn list(view: &mut ReadTx) -> Result<Vec<Approval>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, action, details, state, requested_by, requested_at, expires_at, decided_by, decided_at
           FROM approvals ORDER BY requested_at DESC, id LIMIT 500",
    ))
    .await
}

/// Approves what another operator asked for, and does it in the same transaction.
pub async fn approve(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    (deletion, sessions): (&AccountDeletionService, &VerificationSessions),
    decider: &Operator,
    id: ApprovalId,
) -> Result<ApprovedAction, ApprovalError> {
    let mut redacted = None;
    let approval = decide(tx, environment, decider, id, ApprovalState::Approved).await?;
    match &approval.details {
        ApprovableAction::CreateKey { app, name, hash, scopes, expires_at } => {
            let new = NewApiKey {
                app: *app,
                name: name.clone(),
                hash: hex::decode(hash).unwrap_or_default(),
                scopes: scopes.clone(),
                expires_at: *expires_at,
            };
            api_keys::insert(tx, environment, &new).await?;
        }
        ApprovableAction::RevokeKey { app, key } => api_keys::revoke(tx, environment, *app, *key).await?,
        ApprovableAction::DeleteAccount { account } => {
            deletion.begin_in(tx, None, *account, "operator").await?;
        }
        ApprovableAction::RedactSession { app, session_kind, session } => {
            redacted = Some(sessions.redact_in(tx, *app, *session_kind, *session).await?);
        }
    }
    Ok(ApprovedAction { action: approval.details, redacted })
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
    let decided: Option<Approval> = tx
        .fetch_optional(sql!(
            "UPDATE approvals SET state = $2, decided_by = $3, decided_at = $4
              WHERE id = $1 AND state = 'PENDING' AND expires_at > $4
             RETURNING id, action, details, state, requested_by, requested_at, expires_at, decided_by, decided_at",
            id,
            state,
            decider.id,
            now,
        ))
        .await?;
    let approval = decided.ok_or(ApprovalError::Missing)?;
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
