//! `/console/roles`: roles of the caller's account; and what its members have of the console.

use super::{
    GetConsoleSessionErrors, OperatorCreationErrors, RoleChangeErrors, RolePathErrors,
    approvals::{PendingApproval, ask_for_approval},
    permissions::{GivesConsoleScopes, RolesManage},
    request::{ConsoleCall, ConsoleCommand},
    sessions::ConsoleMemberPath,
};
use crate::{
    ApiState,
    content_moderation::{
        CommandPayload, CommandViolations, CreatedResource, MemberBody, ModerationApiError,
        ModerationErrorCode,
    },
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base::{MemberRoleId, Timestamp};
use domain::{
    accounts::{
        Account, ConsoleScope, Member, Principal, Scope, members,
        roles::{self, ConsoleGrant, Giver, MemberRole, MemberRoleContent, RoleChangeError},
    },
    console::{ConsolePerson, approvals::ApprovableAction},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The roles of an account.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct MemberRoleList {
    /// By name.
    roles: Vec<MemberRoleBody>,
}

/// A role: a set of scopes that has a name.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = MemberRole)]
pub(super) struct MemberRoleBody {
    #[schema(value_type = Uuid)]
    id: MemberRoleId,
    #[schema(max_length = 100)]
    name: String,
    /// What it allows in content moderation.
    scopes: Vec<Scope>,
    /// What it allows in the console beyond that.
    console_scopes: Vec<ConsoleScope>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<MemberRole> for MemberRoleBody {
    fn from(MemberRole { id, name, scopes, console_scopes, created_at }: MemberRole) -> Self {
        Self { id, name, scopes, console_scopes, created_at }
    }
}

/// A role of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct MemberRolePath {
    /// The role.
    #[serde(rename = "roleId")]
    #[param(rename = "roleId", value_type = Uuid)]
    role: MemberRoleId,
}

/// The member who calls, and their account. A permission of members has let them in, so there is one.
fn member_of<P, Ids, I>(call: &ConsoleCall<P, Ids, I>) -> Result<(&Principal, &Account), ModerationApiError> {
    match &call.caller.person {
        ConsolePerson::Member { principal, account, .. } => Ok((&**principal, account)),
        ConsolePerson::Operator(_) => Err(ModerationApiError::new(
            ModerationErrorCode::Unauthorized,
            "this is for members of an account",
        )),
    }
}

/// List the roles of the account.
#[utoipa::path(
    get, path = "/console/roles", tag = "roles", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The roles.", body = MemberRoleList), GetConsoleSessionErrors),
)]
pub(super) async fn list_member_roles(
    State(api): State<ApiState>,
    call: ConsoleCall<RolesManage>,
) -> Result<Json<MemberRoleList>, ModerationApiError> {
    let (_, account) = member_of(&call)?;
    let found = roles::list(&mut api.db.read().await?, account.id).await?;
    Ok(Json(MemberRoleList { roles: found.into_iter().map(MemberRoleBody::from).collect() }))
}

/// A role to make, or what to make of one.
#[derive(Deserialize, ToSchema)]
pub(super) struct MemberRoleRequest {
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Lead reviewer")]
    name: Option<String>,
    /// What it allows in content moderation; nothing by default.
    scopes: Option<Vec<Scope>>,
    /// What it allows in the console beyond that; nothing by default.
    console_scopes: Option<Vec<ConsoleScope>>,
}

impl CommandPayload for MemberRoleRequest {
    type Command = MemberRoleContent;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<MemberRoleContent> {
        Some(MemberRoleContent {
            name: violations.required("name", self.name)?,
            scopes: self.scopes.unwrap_or_default(),
            console_scopes: self.console_scopes.unwrap_or_default(),
        })
    }
}

/// Make a role of the account.
///
/// Nobody can put a scope into it that they do not have themselves.
#[utoipa::path(
    post, path = "/console/roles", tag = "roles", security(("session" = [], "console" = [])),
    request_body = MemberRoleRequest,
    responses((status = 201, description = "The role is created.", body = CreatedResource), OperatorCreationErrors),
)]
pub(super) async fn create_member_role(
    State(api): State<ApiState>,
    call: ConsoleCall<RolesManage, (), ConsoleCommand<MemberRoleRequest>>,
) -> Result<(StatusCode, Json<CreatedResource>), ModerationApiError> {
    let (principal, account) = member_of(&call)?;
    let mut tx = call.begin(&api).await?;
    let giver = Giver::Member(principal);
    let id = roles::create(&mut tx, &*api.environment, giver, account.id, &call.input.0).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedResource::new(id))))
}

/// Change a role, for everybody who has it.
///
/// Nobody can add a scope that they do not have themselves.
#[utoipa::path(
    put, path = "/console/roles/{roleId}", tag = "roles", security(("session" = [], "console" = [])),
    params(MemberRolePath),
    request_body = MemberRoleRequest,
    responses((status = 204, description = "The role is changed. Calls from now on are judged by it."), RoleChangeErrors),
)]
pub(super) async fn change_member_role(
    State(api): State<ApiState>,
    call: ConsoleCall<RolesManage, MemberRolePath, ConsoleCommand<MemberRoleRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let (principal, account) = member_of(&call)?;
    let mut tx = call.begin(&api).await?;
    let giver = Giver::Member(principal);
    roles::change(&mut tx, giver, account.id, call.path.role, &call.input.0).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a role that nobody has.
#[utoipa::path(
    delete, path = "/console/roles/{roleId}", tag = "roles", security(("session" = [], "console" = [])),
    params(MemberRolePath),
    responses((status = 204, description = "The role is deleted."), RolePathErrors),
)]
pub(super) async fn delete_member_role(
    State(api): State<ApiState>,
    call: ConsoleCall<RolesManage, MemberRolePath>,
) -> Result<StatusCode, ModerationApiError> {
    let (_, account) = member_of(&call)?;
    let mut tx = call.begin(&api).await?;
    roles::delete(&mut tx, account.id, call.path.role).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The members of an account, with what they have of the console.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ConsoleMemberList {
    /// The earliest member first.
    members: Vec<ConsoleMemberBody>,
}

/// A member, with what they have of the console.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ConsoleMember)]
pub(super) struct ConsoleMemberBody {
    member: MemberBody,
    /// Their role.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    role_id: Option<MemberRoleId>,
    /// What they were given in the console besides.
    console_scopes: Vec<ConsoleScope>,
}

impl From<Member> for ConsoleMemberBody {
    fn from(member: Member) -> Self {
        Self { role_id: member.role_id, console_scopes: member.console_scopes.clone(), member: member.into() }
    }
}

/// List the members of the account, with what they have of the console.
#[utoipa::path(
    get, path = "/console/members", tag = "roles", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The members.", body = ConsoleMemberList), GetConsoleSessionErrors),
)]
pub(super) async fn list_console_members(
    State(api): State<ApiState>,
    call: ConsoleCall<RolesManage>,
) -> Result<Json<ConsoleMemberList>, ModerationApiError> {
    let (_, account) = member_of(&call)?;
    let found = members::list(&mut api.db.read().await?, account.id).await?;
    Ok(Json(ConsoleMemberList { members: found.into_iter().map(ConsoleMemberBody::from).collect() }))
}

/// What a member is to have of the console.
#[derive(Deserialize, ToSchema)]
pub(super) struct ConsoleGrantRequest {
    /// Their role, with all of its scopes; absent: none.
    #[schema(value_type = Option<Uuid>)]
    role_id: Option<MemberRoleId>,
    /// What they may do in the console besides; scopes that are left out are revoked.
    #[schema(value_type = Vec<ConsoleScope>)]
    console_scopes: Option<Vec<ConsoleScope>>,
}

impl CommandPayload for ConsoleGrantRequest {
    type Command = ConsoleGrant;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<ConsoleGrant> {
        let console_scopes = violations.required("console_scopes", self.console_scopes)?;
        Some(ConsoleGrant { role: self.role_id, console_scopes })
    }
}

/// Set what a member has of the console.
///
/// For members who have `roles:manage`, who give only what they have themselves; and for operators who have
/// `operators:manage`, who may give everything. What the member has already may stay. Where four eyes are needed
/// (`console.four_eyes`), another operator must approve first that an operator gives `keys:manage` or `sessions:manage`.
#[utoipa::path(
    put, path = "/console/members/{memberId}/console-scopes", tag = "roles", security(("session" = [], "console" = [])),
    params(ConsoleMemberPath),
    request_body = ConsoleGrantRequest,
    responses(
        (status = 204, description = "The permissions are set; they apply from the next call on."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        RoleChangeErrors
    ),
)]
pub(super) async fn set_console_scopes(
    State(api): State<ApiState>,
    call: ConsoleCall<GivesConsoleScopes, ConsoleMemberPath, ConsoleCommand<ConsoleGrantRequest>>,
) -> Result<Response, ModerationApiError> {
    let (member, grant) = (call.path.member, &call.input.0);
    let mut tx = call.begin(&api).await?;
    let (giver, account) = match &call.caller.person {
        ConsolePerson::Member { principal, account, .. } => (Giver::Member(principal), account.id),
        ConsolePerson::Operator(operator) => {
            let account = roles::account_of_member(&mut tx, member).await?;
            let account = account.ok_or_else(|| ModerationApiError::not_found("member"))?;
            if api.sign_in.settings().four_eyes
                && roles::grant_needs_approval(&mut tx, account, member, grant).await?
            {
                let wanted = ApprovableAction::SetMemberGrant {
                    member_account: account,
                    member,
                    console_grant: grant.clone(),
                };
                return ask_for_approval(&api, tx, operator, &wanted).await;
            }
            (Giver::Operator, account)
        }
    };
    roles::set_grant(&mut tx, giver, account, member, grant).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl From<RoleChangeError> for ModerationApiError {
    fn from(error: RoleChangeError) -> Self {
        let words = error.to_string();
        match error {
            RoleChangeError::Missing => Self::not_found("role"),
            RoleChangeError::NoMember => Self::not_found("member"),
            RoleChangeError::ScopeNotHeld(_) => Self::new(ModerationErrorCode::Unauthorized, words),
            RoleChangeError::DuplicateName | RoleChangeError::InUse(_) | RoleChangeError::TooMany => {
                Self::new(ModerationErrorCode::Conflict, words)
            }
            RoleChangeError::Name => Self::violation("name", words),
            RoleChangeError::Db(error) => Self::unavailable(&error),
        }
    }
}
