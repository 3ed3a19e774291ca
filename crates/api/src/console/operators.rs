//! `/console/operators`: operators of the installation, and invitations to be one.

use super::{
    OperatorChangeErrors, OperatorCreationErrors, OperatorListErrors, OperatorPathErrors,
    approvals::{PendingApproval, ask_for_approval},
    permissions::OperatorsManage,
    request::{ConsoleCall, ConsoleCommand},
    session::{OperatorBody, role_word},
};
use crate::{
    ApiState,
    content_moderation::{
        CommandPayload, CommandViolations, CreatedResource, ModerationApiError, ModerationErrorCode,
        email_violation,
    },
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base::{InvitationId, OperatorId, OperatorRoleId, Timestamp};
use domain::{
    Violation,
    authentication::EmailAddress,
    console::approvals::ApprovableAction,
    operators::{
        self, BuiltInRole, OperatorChangeError, OperatorGrant, OperatorInvitation, OperatorInvitationError,
        OperatorInvitee, OperatorRole, OperatorScope,
    },
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The operators of the installation.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct OperatorList {
    /// The earliest first.
    operators: Vec<OperatorBody>,
}

/// An operator of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct OperatorPath {
    /// The operator.
    #[serde(rename = "operatorId")]
    #[param(rename = "operatorId", value_type = Uuid)]
    operator: OperatorId,
}

/// An invitation of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct OperatorInvitationPath {
    /// The invitation.
    #[serde(rename = "invitationId")]
    #[param(rename = "invitationId", value_type = Uuid)]
    invitation: InvitationId,
}

/// List the operators.
#[utoipa::path(
    get, path = "/console/operators", tag = "operators", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The operators.", body = OperatorList), OperatorListErrors),
)]
pub(super) async fn list_operators(
    State(api): State<ApiState>,
    _call: ConsoleCall<OperatorsManage>,
) -> Result<Json<OperatorList>, ModerationApiError> {
    let found = operators::list(&mut api.db.read().await?).await?;
    Ok(Json(OperatorList { operators: found.into_iter().map(OperatorBody::from).collect() }))
}

/// What an operator may do.
#[derive(Deserialize, ToSchema)]
pub(super) struct OperatorGrantRequest {
    /// A role: `administrator`, `support`, `auditor`, or the id of one of your own. Absent: none.
    #[schema(example = "support")]
    role: Option<String>,
    /// What they may do besides.
    scopes: Option<Vec<OperatorScope>>,
}

/// The role that is written, if one is; records what is wrong with it.
fn parse_role(violations: &mut CommandViolations, role: Option<&str>) -> Option<OperatorRole> {
    let word = role?;
    if let Ok(role) = word.parse::<BuiltInRole>() {
        return Some(OperatorRole::BuiltIn(role));
    }
    let id: Result<OperatorRoleId, _> = word.parse();
    let words = format!("it is one of {}, or the id of a role", BuiltInRole::VARIANTS.join(", "));
    violations.check(id.map_err(|_| Violation::new("role", words))).map(OperatorRole::Custom)
}

impl CommandPayload for OperatorGrantRequest {
    type Command = OperatorGrant;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<OperatorGrant> {
        let role = parse_role(violations, self.role.as_deref());
        Some(OperatorGrant { role, scopes: self.scopes.unwrap_or_default() })
    }
}

/// Set what an operator may do.
///
/// Nobody can give a scope that they do not have themselves, and somebody must remain who may manage operators. Where four eyes
/// are needed (`console.four_eyes`), another operator must approve it first if it adds a scope with which one asks for what needs
/// an approval, or approves it.
#[utoipa::path(
    put, path = "/console/operators/{operatorId}", tag = "operators", security(("session" = [], "console" = [])),
    params(OperatorPath),
    request_body = OperatorGrantRequest,
    responses(
        (status = 204, description = "The permissions are set; they apply from the next call on."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        OperatorChangeErrors
    ),
)]
pub(super) async fn set_operator_grant(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, OperatorPath, ConsoleCommand<OperatorGrantRequest>>,
) -> Result<Response, ModerationApiError> {
    let (giver, id, grant) = (call.operator()?, call.path.operator, &call.input.0);
    let mut tx = call.begin(&api).await?;
    if api.sign_in.settings().four_eyes && operators::grant_needs_approval(&mut tx, giver, id, grant).await? {
        let wanted =
            ApprovableAction::SetOperatorGrant { granted_operator: id, operator_grant: grant.clone() };
        return ask_for_approval(&api, tx, giver, &wanted).await;
    }
    operators::set_grant(&mut tx, Some(giver), id, grant).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Disable an operator.
///
/// Their sessions end, and the invitations that they sent. Somebody must remain who may manage operators.
#[utoipa::path(
    post, path = "/console/operators/{operatorId}/disable", tag = "operators", security(("session" = [], "console" = [])),
    params(OperatorPath),
    responses((status = 204, description = "The operator is disabled, and their sessions have ended."), OperatorPathErrors),
)]
pub(super) async fn disable_operator(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, OperatorPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    operators::set_disabled(&mut tx, &*api.environment, call.path.operator, true).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enable an operator again.
///
/// Where four eyes are needed (`console.four_eyes`), another operator must approve it first if they have a scope with which one asks
/// for what needs an approval, or approves it.
#[utoipa::path(
    post, path = "/console/operators/{operatorId}/enable", tag = "operators", security(("session" = [], "console" = [])),
    params(OperatorPath),
    responses(
        (status = 204, description = "The operator can sign in again."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        OperatorPathErrors
    ),
)]
pub(super) async fn enable_operator(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, OperatorPath>,
) -> Result<Response, ModerationApiError> {
    let id = call.path.operator;
    let mut tx = call.begin(&api).await?;
    if api.sign_in.settings().four_eyes && operators::enabling_needs_approval(&mut tx, id).await? {
        let wanted = ApprovableAction::EnableOperator { enabled_operator: id };
        return ask_for_approval(&api, tx, call.operator()?, &wanted).await;
    }
    operators::set_disabled(&mut tx, &*api.environment, id, false).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Whom to invite.
#[derive(Deserialize, ToSchema)]
pub(super) struct InviteOperatorRequest {
    /// Their email address.
    #[schema(value_type = String, min_length = 7, max_length = 100, example = "grace@example.com")]
    email: Option<String>,
    /// Their name; by default the part of the address before the `@`.
    #[schema(min_length = 1, max_length = 100)]
    name: Option<String>,
    /// A role: `administrator`, `support`, `auditor`, or the id of one of your own. Absent: none.
    #[schema(example = "support")]
    role: Option<String>,
    /// What they may do besides.
    scopes: Option<Vec<OperatorScope>>,
}

impl CommandPayload for InviteOperatorRequest {
    type Command = OperatorInvitee;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<OperatorInvitee> {
        let email: Result<EmailAddress, _> = self.email.as_deref().unwrap_or_default().parse();
        let email = violations.check(email.map_err(email_violation));
        let role = parse_role(violations, self.role.as_deref());
        let grant = OperatorGrant { role, scopes: self.scopes.unwrap_or_default() };
        Some(OperatorInvitee { email: email?, name: self.name, grant })
    }
}

/// Invite an operator.
///
/// They receive an email with a link that makes them one and signs them in; it works once, and as long as whoever sent it could
/// still send it. A new invitation to the same address replaces the old one. Nobody can give a scope that they do not have
/// themselves. Where four eyes are needed (`console.four_eyes`), another operator must approve it first if it gives a scope with
/// which one asks for what needs an approval, or approves it.
#[utoipa::path(
    post, path = "/console/operators/invitations", tag = "operators", security(("session" = [], "console" = [])),
    request_body = InviteOperatorRequest,
    responses(
        (status = 201, description = "The mail is on its way.", body = CreatedResource),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        OperatorCreationErrors
    ),
)]
pub(super) async fn invite_operator(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, (), ConsoleCommand<InviteOperatorRequest>>,
) -> Result<Response, ModerationApiError> {
    let (inviter, invitee) = (call.operator()?, &call.input.0);
    let operators = api.console_access.operators();
    let mut tx = call.begin(&api).await?;
    if api.sign_in.settings().four_eyes
        && operators.invitation_needs_approval(&mut tx, inviter, invitee).await?
    {
        let wanted = ApprovableAction::InviteOperator {
            invited_email: invitee.email.as_str().to_owned(),
            invited_name: invitee.name.clone(),
            operator_grant: invitee.grant.clone(),
        };
        return ask_for_approval(&api, tx, inviter, &wanted).await;
    }
    let id = operators.invite_by_mail(&mut tx, inviter, invitee).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedResource::new(id))).into_response())
}

/// Invitations that were not accepted yet.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct OperatorInvitationList {
    /// The newest first.
    invitations: Vec<OperatorInvitationBody>,
}

/// An invitation to be an operator.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = OperatorInvitation)]
pub(super) struct OperatorInvitationBody {
    #[schema(value_type = Uuid)]
    id: InvitationId,
    email: String,
    name: String,
    /// The role that they will have.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// What they will be able to do besides.
    scopes: Vec<OperatorScope>,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<OperatorInvitation> for OperatorInvitationBody {
    fn from(invitation: OperatorInvitation) -> Self {
        let OperatorInvitation { id, email, name, role, role_id, scopes, expires_at, created_at } =
            invitation;
        let role = role.or(role_id.map(|id| role_word(OperatorRole::Custom(id))));
        Self { id, email, name, role, scopes, expires_at, created_at }
    }
}

/// List the invitations that can still be accepted.
#[utoipa::path(
    get, path = "/console/operators/invitations", tag = "operators", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The invitations.", body = OperatorInvitationList), OperatorListErrors),
)]
pub(super) async fn list_operator_invitations(
    State(api): State<ApiState>,
    _call: ConsoleCall<OperatorsManage>,
) -> Result<Json<OperatorInvitationList>, ModerationApiError> {
    let found = api.console_access.operators().invitations(&mut api.db.read().await?).await?;
    let invitations = found.into_iter().map(OperatorInvitationBody::from).collect();
    Ok(Json(OperatorInvitationList { invitations }))
}

/// Revoke an invitation.
#[utoipa::path(
    delete, path = "/console/operators/invitations/{invitationId}", tag = "operators", security(("session" = [], "console" = [])),
    params(OperatorInvitationPath),
    responses((status = 204, description = "The invitation is revoked."), OperatorPathErrors),
)]
pub(super) async fn revoke_operator_invitation(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, OperatorInvitationPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    if !api.console_access.operators().revoke_invitation(&mut tx, call.path.invitation).await? {
        return Err(ModerationApiError::not_found("invitation"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<OperatorChangeError> for ModerationApiError {
    fn from(error: OperatorChangeError) -> Self {
        let words = error.to_string();
        match error {
            OperatorChangeError::Missing => Self::not_found("operator"),
            OperatorChangeError::NoRole => Self::not_found("role"),
            OperatorChangeError::LastAdministrator => {
                Self::new(ModerationErrorCode::LastAdministrator, words)
            }
            OperatorChangeError::ScopeNotHeld(_) => Self::new(ModerationErrorCode::Unauthorized, words),
            OperatorChangeError::DuplicateName
            | OperatorChangeError::RoleInUse(_)
            | OperatorChangeError::TooManyRoles => Self::new(ModerationErrorCode::Conflict, words),
            OperatorChangeError::Name => Self::violation("name", words),
            OperatorChangeError::Db(error) => Self::unavailable(&error),
        }
    }
}

impl From<OperatorInvitationError> for ModerationApiError {
    fn from(error: OperatorInvitationError) -> Self {
        let words = error.to_string();
        match error {
            OperatorInvitationError::AlreadySetUp
            | OperatorInvitationError::Operator
            | OperatorInvitationError::TooMany => Self::new(ModerationErrorCode::Conflict, words),
            OperatorInvitationError::Name => Self::violation("name", words),
            OperatorInvitationError::Grant(error) => error.into(),
            OperatorInvitationError::Mail(_) => Self::new(ModerationErrorCode::Unavailable, words),
            OperatorInvitationError::Db(error) => Self::unavailable(&error),
        }
    }
}
