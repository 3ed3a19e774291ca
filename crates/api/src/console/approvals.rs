//! `/console/approvals`: what one operator asked for, and another one decides about. And accounts, whose deletion needs it.

use super::{
    ApprovalDecisionErrors, OperatorListErrors, OperatorPathErrors,
    permissions::{AnyOperator, DeletionsApprove, OrganisationsManage},
    request::ConsoleCall,
    session::role_word,
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
use base::{AccountId, ApiKeyId, AppId, ApprovalId, MemberId, OperatorId, Timestamp, Uuid};
use db::WriteTx;
use domain::{
    accounts::{self, AccountRecord},
    console::approvals::{
        self, ApprovableAction, Approval, ApprovalAction, ApprovalError, ApprovalServices, ApprovalState,
    },
    operators::{Operator, OperatorGrant, OperatorScope},
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
    /// The account that would be deleted, or whose member would be given something.
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
    /// The operator who would be given something, or could come in again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    operator_id: Option<OperatorId>,
    /// The member who would be given something.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    member_id: Option<MemberId>,
    /// The address that would be invited.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// The role that would be given, or changed: `administrator`, `support`, `auditor`, or the id of another.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// The name of the key that would be created, of whoever would be invited, or of the role once it is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What that key could do, where none means everything that the application may; or what would be given besides a role; or
    /// what the role would allow.
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
        let mut body = Self {
            id: approval.id,
            action: approval.action,
            state: approval.state,
            application_id: None,
            account_id: None,
            session_id: None,
            session_kind: None,
            key_id: None,
            operator_id: None,
            member_id: None,
            email: None,
            role: None,
            name: None,
            scopes: None,
            requested_by: approval.requested_by,
            requested_at: approval.requested_at,
            expires_at: approval.expires_at,
            decided_by: approval.decided_by,
            decided_at: approval.decided_at.map(Timestamp::from),
        };
        body.set_details(approval.details);
        body
    }
}

impl ApprovalBody {
    fn set_details(&mut self, details: ApprovableAction) {
        match details {
            ApprovableAction::CreateKey { app, name, scopes, .. } => {
                self.application_id = Some(app);
                self.name = Some(name);
                self.scopes = Some(scopes);
            }
            ApprovableAction::RevokeKey { app, key } => {
                self.application_id = Some(app);
                self.key_id = Some(key);
            }
            ApprovableAction::DeleteAccount { account } => self.account_id = Some(account),
            ApprovableAction::RedactSession { app, session_kind, session } => {
                self.application_id = Some(app);
                self.session_id = Some(session);
                self.session_kind = Some(session_kind);
            }
            ApprovableAction::InviteOperator { invited_email, invited_name, operator_grant } => {
                self.email = Some(invited_email);
                self.name = invited_name;
                self.set_operator_grant(&operator_grant);
            }
            ApprovableAction::SetOperatorGrant { granted_operator, operator_grant } => {
                self.operator_id = Some(granted_operator);
                self.set_operator_grant(&operator_grant);
            }
            ApprovableAction::EnableOperator { enabled_operator } => {
                self.operator_id = Some(enabled_operator);
            }
            ApprovableAction::ChangeOperatorRole { operator_role, role_name, role_scopes } => {
                self.role = Some(operator_role.to_string());
                self.name = Some(role_name);
                self.scopes = Some(words_of(&role_scopes));
            }
            ApprovableAction::SetMemberGrant { member_account, member, console_grant } => {
                self.account_id = Some(member_account);
                self.member_id = Some(member);
                self.role = console_grant.role.map(|role| role.to_string());
                let scopes = console_grant.console_scopes.iter().map(|scope| scope.as_str().to_owned());
                self.scopes = Some(scopes.collect());
            }
        }
    }

    fn set_operator_grant(&mut self, grant: &OperatorGrant) {
        self.role = grant.role.map(role_word);
        self.scopes = Some(words_of(&grant.scopes));
    }
}

fn words_of(scopes: &[OperatorScope]) -> Vec<String> {
    scopes.iter().map(|scope| scope.as_str().to_owned()).collect()
}

/// What waits for another operator.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct PendingApproval {
    /// The request: another operator approves or refuses it within a day.
    #[schema(value_type = Uuid)]
    pub(super) approval_id: ApprovalId,
}

/// Whether another operator must approve what needs an approval whoever asks for it. Members act for their own application
/// only, and need none.
pub(super) fn needs_approval<P, Ids, I>(api: &ApiState, call: &ConsoleCall<P, Ids, I>) -> bool {
    api.sign_in.settings().four_eyes && call.own_application().is_none()
}

/// Asks for something that another operator must approve; the answer says so.
pub(super) async fn ask_for_approval(
    api: &ApiState,
    mut tx: WriteTx,
    requester: &Operator,
    wanted: &ApprovableAction,
) -> Result<Response, ModerationApiError> {
    let id = approvals::request(&mut tx, &*api.environment, requester, wanted).await?;
    tx.commit().await?;
    Ok((StatusCode::ACCEPTED, Json(PendingApproval { approval_id: id })).into_response())
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
/// It is done in the same transaction. Nobody approves what they asked for themselves, and nothing is done for somebody who may
/// not do it any more.
#[utoipa::path(
    post, path = "/console/approvals/{approvalId}/approve", tag = "approvals", security(("session" = [], "console" = [])),
    params(ApprovalPath),
    responses((status = 204, description = "The request is approved and carried out."), ApprovalDecisionErrors),
)]
pub(super) async fn approve_request(
    State(api): State<ApiState>,
    call: ConsoleCall<DeletionsApprove, ApprovalPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    let services = ApprovalServices {
        deletion: &api.account_deletion,
        sessions: &api.verification_sessions,
        operators: api.console_access.operators(),
    };
    let id = call.path.approval;
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
    responses((status = 204, description = "The request is refused."), ApprovalDecisionErrors),
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
        (status = 204, description = "The account is deleted."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        OperatorPathErrors
    ),
)]
pub(super) async fn delete_account(
    State(api): State<ApiState>,
    call: ConsoleCall<OrganisationsManage, AccountRecordPath>,
) -> Result<Response, ModerationApiError> {
    let account = call.path.account;
    if needs_approval(&api, &call) {
        let mut tx = call.begin(&api).await?;
        let found = accounts::find_for_operator(&mut tx, account).await?;
        found.ok_or_else(|| ModerationApiError::not_found("account"))?;
        let wanted = ApprovableAction::DeleteAccount { account };
        return ask_for_approval(&api, tx, call.operator()?, &wanted).await;
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
        Err(broken) => Err(ModerationApiError::broken_task(broken)),
    }
}

impl From<ApprovalError> for ModerationApiError {
    fn from(error: ApprovalError) -> Self {
        let words = error.to_string();
        match error {
            ApprovalError::Missing => Self::not_found("request that waits for approval"),
            ApprovalError::OwnRequest
            | ApprovalError::RequesterNotAllowed
            | ApprovalError::KeyHash
            | ApprovalError::TooMany => Self::new(ModerationErrorCode::Conflict, words),
            ApprovalError::Tenancy(error) => error.into(),
            ApprovalError::Deletion(error) => error.into(),
            ApprovalError::Session(error) => error.into(),
            ApprovalError::Operator(error) => error.into(),
            ApprovalError::Invitation(error) => error.into(),
            ApprovalError::Member(error) => error.into(),
            ApprovalError::Db(error) => Self::unavailable(&error),
        }
    }
}
