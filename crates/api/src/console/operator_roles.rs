//! `/console/operator-roles`: roles of operators that the installation makes itself.

use super::{
    OperatorChangeErrors, OperatorCreationErrors, OperatorListErrors, OperatorPathErrors,
    approvals::{PendingApproval, ask_for_approval},
    permissions::{AnyOperator, OperatorsManage},
    request::{ConsoleCall, ConsoleCommand},
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, CreatedResource, ModerationApiError},
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use base::{OperatorRoleId, Timestamp};
use domain::{
    console::approvals::ApprovableAction,
    operators::{BuiltInRole, OperatorScope, roles, roles::OperatorRoleRecord},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The roles that operators can have.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct OperatorRoleList {
    /// Those that every installation has.
    built_in: Vec<BuiltInRoleBody>,
    /// Those that this one made, by name.
    roles: Vec<OperatorRoleBody>,
}

/// A role that every installation has.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = BuiltInRoleScopes)]
pub(super) struct BuiltInRoleBody {
    role: BuiltInRole,
    scopes: &'static [OperatorScope],
}

/// A role that the installation made.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = OperatorRole)]
pub(super) struct OperatorRoleBody {
    #[schema(value_type = Uuid)]
    id: OperatorRoleId,
    #[schema(max_length = 100)]
    name: String,
    scopes: Vec<OperatorScope>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<OperatorRoleRecord> for OperatorRoleBody {
    fn from(OperatorRoleRecord { id, name, scopes, created_at }: OperatorRoleRecord) -> Self {
        Self { id, name, scopes, created_at }
    }
}

/// A role of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct OperatorRolePath {
    /// The role.
    #[serde(rename = "roleId")]
    #[param(rename = "roleId", value_type = Uuid)]
    role: OperatorRoleId,
}

/// List the roles that operators can have.
#[utoipa::path(
    get, path = "/console/operator-roles", tag = "operators", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The roles.", body = OperatorRoleList), OperatorListErrors),
)]
pub(super) async fn list_operator_roles(
    State(api): State<ApiState>,
    _call: ConsoleCall<AnyOperator>,
) -> Result<Json<OperatorRoleList>, ModerationApiError> {
    let built_in = [BuiltInRole::Administrator, BuiltInRole::Support, BuiltInRole::Auditor];
    let built_in = built_in.map(|role| BuiltInRoleBody { role, scopes: role.scopes() });
    let found = roles::list(&mut api.db.read().await?).await?;
    let roles = found.into_iter().map(OperatorRoleBody::from).collect();
    Ok(Json(OperatorRoleList { built_in: built_in.into(), roles }))
}

/// A role to make, or what to make of one.
#[derive(Deserialize, ToSchema)]
pub(super) struct OperatorRoleRequest {
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "On call")]
    name: Option<String>,
    /// What the role may do.
    #[schema(value_type = Vec<OperatorScope>)]
    scopes: Option<Vec<OperatorScope>>,
}

pub(super) struct NewOperatorRole {
    name: String,
    scopes: Vec<OperatorScope>,
}

impl CommandPayload for OperatorRoleRequest {
    type Command = NewOperatorRole;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<NewOperatorRole> {
        let name = violations.required("name", self.name);
        let scopes = violations.required("scopes", self.scopes);
        Some(NewOperatorRole { name: name?, scopes: scopes? })
    }
}

/// Make a role.
///
/// Nobody can put a scope into it that they do not have themselves.
#[utoipa::path(
    post, path = "/console/operator-roles", tag = "operators", security(("session" = [], "console" = [])),
    request_body = OperatorRoleRequest,
    responses((status = 201, description = "The role is created.", body = CreatedResource), OperatorCreationErrors),
)]
pub(super) async fn create_operator_role(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, (), ConsoleCommand<OperatorRoleRequest>>,
) -> Result<(StatusCode, Json<CreatedResource>), ModerationApiError> {
    let NewOperatorRole { name, scopes } = &call.input.0;
    let mut tx = call.begin(&api).await?;
    let id = roles::create(&mut tx, &*api.environment, call.operator()?, name, scopes).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedResource::new(id))))
}

/// Change a role, for everybody who has it.
///
/// Nobody can add a scope that they do not have themselves, and somebody must remain who may manage operators. Where four eyes
/// are needed (`console.four_eyes`), another operator must approve it first if it adds a scope with which one asks for what needs
/// an approval, or approves it.
#[utoipa::path(
    put, path = "/console/operator-roles/{roleId}", tag = "operators", security(("session" = [], "console" = [])),
    params(OperatorRolePath),
    request_body = OperatorRoleRequest,
    responses(
        (status = 204, description = "The role is changed. Calls from now on are judged by it."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        OperatorChangeErrors
    ),
)]
pub(super) async fn change_operator_role(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, OperatorRolePath, ConsoleCommand<OperatorRoleRequest>>,
) -> Result<Response, ModerationApiError> {
    let (giver, role) = (call.operator()?, call.path.role);
    let NewOperatorRole { name, scopes } = &call.input.0;
    let mut tx = call.begin(&api).await?;
    if api.sign_in.settings().four_eyes
        && roles::change_needs_approval(&mut tx, giver, role, name, scopes).await?
    {
        let wanted = ApprovableAction::ChangeOperatorRole {
            operator_role: role,
            role_name: name.clone(),
            role_scopes: scopes.clone(),
        };
        return ask_for_approval(&api, tx, giver, &wanted).await;
    }
    roles::change(&mut tx, giver, role, name, scopes).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Delete a role that nobody has.
#[utoipa::path(
    delete, path = "/console/operator-roles/{roleId}", tag = "operators", security(("session" = [], "console" = [])),
    params(OperatorRolePath),
    responses((status = 204, description = "The role is deleted."), OperatorPathErrors),
)]
pub(super) async fn delete_operator_role(
    State(api): State<ApiState>,
    call: ConsoleCall<OperatorsManage, OperatorRolePath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    roles::delete(&mut tx, call.path.role).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
