//! `/console/approvals`: what one operator asked for, and another one decides about. And accounts, whose deletion needs it.

use super::{
    ApprovalDecisionErrors, OperatorListErrors, OperatorPathErrors,
    permissions::{AnyOperator, DeletionsApprove, OrganisationsManage},
    request::ConsoleCall,
};
use crate::{
    ApiState,
    content_moderation::{ModerationApiError, ModerationErrorCode},
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base::{AccountId, ApiKeyId, AppId, ApprovalId, OperatorId, Timestamp, Uuid};
use domain::{
    accounts::{self, AccountRecord},
    console::approvals::{self, ApprovableAction, Approval, ApprovalAction, ApprovalError, ApprovalState},
    session_steps::SessionKind,
};
use serde::Deserialize;
use tracing::Instrument as _;
use utoipa::{IntoParams, ToSchema};

/// What operators asked for within the last month.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ApprovalList {
    /// The newest first.
    approvals: Vec<ApprovalBody>,
}

/// What an operator asked for.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Approval)]
pub(super) struct ApprovalBody {
    #[schema(value_type = Uuid)]
    id: ApprovalId,
    action: ApprovalAction,
    state: ApprovalState,
    /// The application that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// The account that would be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    account_id: Option<AccountId>,
    /// The session that would be erased, and its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_kind: Option<SessionKind>,
    /// The key that would be revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    key_id: Option<ApiKeyId>,
    /// The name of the key that would be created.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What that key could do; empty: everything that the application may.
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<Vec<String>>,
    /// The operator who asked for it.
    #[schema(value_type = Uuid)]
    requested_by: OperatorId,
    #[schema(value_type = String, format = DateTime)]
    requested_at: Timestamp,
    /// Until when it can be approved.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// The operator who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    decided_by: Option<OperatorId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    decided_at: Option<Timestamp>,
}

impl From<Approval> for ApprovalBody {
    fn from(approval: Approval) -> Self {
        let (mut application_id, mut account_id, mut key_id, mut key_name, mut key_scopes) =
            (None, None, None, None, None);
        let (mut session_id, mut session_kind) = (None, None);
        match approval.details {
            ApprovableAction::CreateKey { app, name, scopes, .. } => {
                (application_id, key_name, key_scopes) = (Some(app), Some(name), Some(scopes));
            }
            ApprovableAction::RevokeKey { app, key } => (application_id, key_id) = (Some(app), Some(key)),
            ApprovableAction::DeleteAccount { account } => account_id = Some(account),
            ApprovableAction::RedactSession { app, session_kind: kind, session } => {
                (application_id, session_id, session_kind) = (Some(app), Some(session), Some(kind));
            }
        }
        Self {
            id: approval.id,
            action: approval.action,
            state: approval.state,
            application_id,
            account_id,
            session_id,
            session_kind,
            key_id,
            name: key_name,
            scopes: key_scopes,
            requested_by: approval.requested_by,
            requested_at: approval.requested_at,
            expires_at: approval.expires_at,
            decided_by: approval.decided_by,
            decided_at: approval.decided_at.map(Timestamp::from),
        }
    }
}

/// What waits for another operator.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct PendingApproval {
    /// The request: another operator approves or refuses it within a day.
    #[schema(value_type = Uuid)]
    pub(super) approval_id: ApprovalId,
}

/// A request of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct ApprovalPath {
    /// The request.
    #[serde(rename = "approvalId")]
    #[param(rename = "approvalId", value_type = Uuid)]
    approval: ApprovalId,
}

/// See what operators asked for within the last month.
#[utoipa::path(
    get, path = "/console/approvals", tag = "approvals", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The requests.", body = ApprovalList), OperatorListErrors),
)]
pub(super) async fn list_approvals(
    State(api): State<ApiState>,
    _call: ConsoleCall<AnyOperator>,
) -> Result<Json<ApprovalList>, ModerationApiError> {
    let found = approvals::list(&mut api.db.read().await?).await?;
    Ok(Json(ApprovalList { approvals: found.into_iter().map(ApprovalBody::from).collect() }))
}

/// Approve what another operator asked for.
///
/// It is done in the same transaction. Nobody approves what they asked for themselves.
#[utoipa::path(
    post, path = "/console/approvals/{approvalId}/approve", tag = "approvals", security(("session" = [], "console" = [])),
    params(ApprovalPath),
    responses((status = 204, description = "It is done."), ApprovalDecisionErrors),
)]
pub(super) async fn approve_request(
    State(api): State<ApiState>,
    call: ConsoleCall<DeletionsApprove, ApprovalPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    let (services, id) = ((&api.account_deletion, &api.verification_sessions), call.path.approval);
    let done = approvals::approve(&mut tx, &*api.environment, services, call.operator()?, id).await?;
    tx.commit().await?;
    if let Some(redacted) = &done.redacted {
        api.verification_sessions.finish_redaction(redacted).await;
    }
    if let ApprovableAction::DeleteAccount { account } = done.action {
        finish_deletion(&api, call.holder().audit_actor(), account).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Refuse what another operator asked for.
#[utoipa::path(
    post, path = "/console/approvals/{approvalId}/refuse", tag = "approvals", security(("session" = [], "console" = [])),
    params(ApprovalPath),
    responses((status = 204, description = "It will not be done."), ApprovalDecisionErrors),
)]
pub(super) async fn refuse_request(
    State(api): State<ApiState>,
    call: ConsoleCall<DeletionsApprove, ApprovalPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    approvals::refuse(&mut tx, &*api.environment, call.operator()?, call.path.approval).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The moderation accounts of all applications.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct AccountRecordList {
    /// The oldest first.
    accounts: Vec<AccountRecordBody>,
}

/// A moderation account, as operators see it.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = AccountRecord)]
pub(super) struct AccountRecordBody {
    #[schema(value_type = Uuid)]
    id: AccountId,
    #[schema(value_type = Uuid)]
    application_id: AppId,
    #[schema(max_length = 200)]
    name: String,
    /// `OPEN`, or `CLOSING` while everything under it is being deleted.
    state: String,
    /// How many members it has.
    members: i64,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<AccountRecord> for AccountRecordBody {
    fn from(AccountRecord { id, app_id, name, state, members, created_at }: AccountRecord) -> Self {
        Self { id, application_id: app_id, name, state, members, created_at }
    }
}

/// An account of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct AccountRecordPath {
    /// The account.
    #[serde(rename = "accountId")]
    #[param(rename = "accountId", value_type = Uuid)]
    pub(super) account: AccountId,
}

/// List the moderation accounts of all applications.
#[utoipa::path(
    get, path = "/console/accounts", tag = "tenants", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The accounts.", body = AccountRecordList), OperatorListErrors),
)]
pub(super) async fn list_accounts(
    State(api): State<ApiState>,
    _call: ConsoleCall<OrganisationsManage>,
) -> Result<Json<AccountRecordList>, ModerationApiError> {
    let found = accounts::list(&mut api.db.read().await?, None).await?;
    Ok(Json(AccountRecordList { accounts: found.into_iter().map(AccountRecordBody::from).collect() }))
}

/// Delete an account and everything under it, for good.
///
/// Where four eyes are needed (`console.four_eyes`), another operator must approve it first.
#[utoipa::path(
    delete, path = "/console/accounts/{accountId}", tag = "tenants", security(("session" = [], "console" = [])),
    params(AccountRecordPath),
    responses(
        (status = 204, description = "Nothing is left of it."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        OperatorPathErrors
    ),
)]
pub(super) async fn delete_account(
    State(api): State<ApiState>,
    call: ConsoleCall<OrganisationsManage, AccountRecordPath>,
) -> Result<Response, ModerationApiError> {
    let account = call.path.account;
    if api.sign_in.settings().four_eyes {
        let mut tx = call.begin(&api).await?;
        let found = accounts::find_for_operator(&mut tx, account).await?;
        found.ok_or_else(|| ModerationApiError::not_found("account"))?;
        let wanted = ApprovableAction::DeleteAccount { account };
        let id = approvals::request(&mut tx, &*api.environment, call.operator()?, &wanted).await?;
        tx.commit().await?;
        return Ok((StatusCode::ACCEPTED, Json(PendingApproval { approval_id: id })).into_response());
    }
    let deletion = api.account_deletion.clone().acting_as(call.holder().audit_actor());
    deletion.begin(None, account, "operator").await?;
    finish_deletion(&api, call.holder().audit_actor(), account).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Finishes a deletion, in a task of its own, so that a caller who disconnects does not stop it.
async fn finish_deletion(
    api: &ApiState,
    actor: String,
    account: AccountId,
) -> Result<(), ModerationApiError> {
    let deletion = api.account_deletion.clone().acting_as(actor);
    let finish = async move { deletion.finish(account).await };
    match tokio::spawn(finish.in_current_span()).await {
        Ok(finished) => Ok(finished?),
        Err(broken) => Err(ModerationApiError::unavailable(&broken)),
    }
}

impl From<ApprovalError> for ModerationApiError {
    fn from(error: ApprovalError) -> Self {
        let words = error.to_string();
        match error {
            ApprovalError::Missing => Self::not_found("request that waits for approval"),
            ApprovalError::OwnRequest | ApprovalError::TooMany => {
                Self::new(ModerationErrorCode::Conflict, words)
            }
            ApprovalError::Tenancy(error) => error.into(),
            ApprovalError::Deletion(error) => error.into(),
            ApprovalError::Session(error) => error.into(),
            ApprovalError::Db(error) => Self::unavailable(&error),
        }
    }
}
