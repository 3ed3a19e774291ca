//! Organisations, applications and their keys, for operators.

use super::{
    OperatorListErrors, OperatorPathErrors, TenantCreationErrors, TenantListErrors,
    approvals::{PendingApproval, ask_for_approval, needs_approval},
    permissions::{ApplicationsManage, KeysManage, OrganisationsManage},
    request::{ConsoleCall, ConsoleCommand},
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, CreatedResource, ModerationApiError},
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use base::{ApiKeyId, AppId, ApprovalId, LimitViolation, OrgId, Timestamp};
use domain::{
    Violation,
    console::approvals::{self, ApprovableAction},
    tenancy::{
        ApplicationState, Feature, OrganisationStatus, TenancyError,
        api_keys::{self, ApiKey},
        applications::{self, Application, NewApplication},
        organisations::{self, Organisation},
        public_keys,
    },
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The longest word among a key's scopes, and how many there may be.
const MAX_SCOPE_CHARS: usize = 100;
const MAX_KEY_SCOPES: usize = 50;

/// All organisations.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct OrganisationList {
    /// The oldest first.
    organisations: Vec<OrganisationBody>,
}

/// An organisation: a tenant.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Organisation)]
pub(super) struct OrganisationBody {
    #[schema(value_type = Uuid)]
    id: OrgId,
    #[schema(max_length = 200)]
    name: String,
    status: OrganisationStatus,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Organisation> for OrganisationBody {
    fn from(Organisation { id, name, status, created_at }: Organisation) -> Self {
        Self { id, name, status, created_at }
    }
}

/// List the organisations.
#[utoipa::path(
    get, path = "/console/organisations", tag = "tenants", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The organisations.", body = OrganisationList), OperatorListErrors),
)]
pub(super) async fn list_organisations(
    State(api): State<ApiState>,
    _call: ConsoleCall<OrganisationsManage>,
) -> Result<Json<OrganisationList>, ModerationApiError> {
    let found = organisations::list(&mut api.db.read().await?).await?;
    Ok(Json(OrganisationList { organisations: found.into_iter().map(OrganisationBody::from).collect() }))
}

/// An organisation to create.
#[derive(Deserialize, ToSchema)]
pub(super) struct CreateOrganisationRequest {
    #[schema(value_type = String, min_length = 1, max_length = 200, example = "Example Ltd")]
    name: Option<String>,
}

impl CommandPayload for CreateOrganisationRequest {
    type Command = String;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("name", self.name)
    }
}

/// Create an organisation.
#[utoipa::path(
    post, path = "/console/organisations", tag = "tenants", security(("session" = [], "console" = [])),
    request_body = CreateOrganisationRequest,
    responses((status = 201, description = "The organisation is created, and active.", body = CreatedResource), TenantCreationErrors),
)]
pub(super) async fn create_organisation(
    State(api): State<ApiState>,
    call: ConsoleCall<OrganisationsManage, (), ConsoleCommand<CreateOrganisationRequest>>,
) -> Result<(StatusCode, Json<CreatedResource>), ModerationApiError> {
    let mut tx = call.begin(&api).await?;
    let id = organisations::create(&mut tx, &*api.environment, &call.input.0).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedResource::new(id))))
}

/// All applications.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ApplicationList {
    /// The oldest first.
    applications: Vec<ApplicationBody>,
}

/// An application of an organisation.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Application)]
pub(super) struct ApplicationBody {
    /// Its id, which callers know as the SDK id.
    #[schema(value_type = Uuid)]
    id: AppId,
    /// Absent: it belongs to none, and is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    organisation_id: Option<OrgId>,
    #[schema(max_length = 200)]
    name: String,
    state: ApplicationState,
    /// Where its use is billed. Absent: its signed calls are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_source_id: Option<String>,
    /// The interfaces that it may use.
    features: Vec<Feature>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Application> for ApplicationBody {
    fn from(application: Application) -> Self {
        Self {
            id: application.id,
            organisation_id: application.organisation_id,
            name: application.name,
            state: application.state,
            billing_source_id: application.billing_source_id,
            features: application.features,
            created_at: application.created_at,
        }
    }
}

/// List the applications.
#[utoipa::path(
    get, path = "/console/applications", tag = "tenants", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The applications.", body = ApplicationList), OperatorListErrors),
)]
pub(super) async fn list_applications(
    State(api): State<ApiState>,
    _call: ConsoleCall<ApplicationsManage>,
) -> Result<Json<ApplicationList>, ModerationApiError> {
    let found = applications::list(&mut api.db.read().await?, None).await?;
    Ok(Json(ApplicationList { applications: found.into_iter().map(ApplicationBody::from).collect() }))
}

/// Refuses a source of billing that is empty or too long.
pub(super) fn check_billing_source(text: &str) -> Result<(), Violation> {
    let length = text.trim().chars().count();
    if (1..=200).contains(&length) {
        return Ok(());
    }
    let measured = LimitViolation::new(length as f64, "1 to 200 characters", "choose another one");
    Err(Violation::with_limit("billing_source_id", format!("it has {length} characters"), measured))
}

/// An application to create.
#[derive(Deserialize, ToSchema)]
pub(super) struct CreateApplicationRequest {
    #[schema(value_type = String, min_length = 1, max_length = 200, example = "Shop")]
    name: Option<String>,
    /// The organisation that it belongs to.
    #[schema(value_type = Uuid)]
    organisation_id: Option<OrgId>,
    /// Where its use is billed; by default the organisation's id.
    #[schema(min_length = 1, max_length = 200)]
    billing_source_id: Option<String>,
    /// The interfaces that it may use; by default all.
    features: Option<Vec<Feature>>,
}

pub(super) struct RequestedApplication {
    name: String,
    organisation: OrgId,
    billing_source: String,
    features: Vec<Feature>,
}

impl CommandPayload for CreateApplicationRequest {
    type Command = RequestedApplication;

    fn into_command(
        self,
        _api: &ApiState,
        violations: &mut CommandViolations,
    ) -> Option<RequestedApplication> {
        let name = violations.required("name", self.name);
        let organisation = violations.required("organisation_id", self.organisation_id);
        violations.check(self.billing_source_id.as_deref().map_or(Ok(()), check_billing_source));
        let (name, organisation) = (name?, organisation?);
        Some(RequestedApplication {
            name,
            organisation,
            billing_source: self.billing_source_id.unwrap_or_else(|| organisation.to_string()),
            features: self.features.unwrap_or_else(|| Feature::ALL.to_vec()),
        })
    }
}

/// Create an application.
#[utoipa::path(
    post, path = "/console/applications", tag = "tenants", security(("session" = [], "console" = [])),
    request_body = CreateApplicationRequest,
    responses((status = 201, description = "The application is created and enabled; it has no keys yet.", body = CreatedResource), TenantCreationErrors),
)]
pub(super) async fn create_application(
    State(api): State<ApiState>,
    call: ConsoleCall<ApplicationsManage, (), ConsoleCommand<CreateApplicationRequest>>,
) -> Result<(StatusCode, Json<CreatedResource>), ModerationApiError> {
    let wanted = &call.input.0;
    let new = NewApplication {
        name: &wanted.name,
        organisation: Some(wanted.organisation),
        billing_source: Some(wanted.billing_source.trim()),
        features: &wanted.features,
    };
    let mut tx = call.begin(&api).await?;
    let id = applications::create(&mut tx, &*api.environment, &new).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedResource::new(id))))
}

/// An application of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct ApplicationPath {
    /// The application.
    #[serde(rename = "applicationId")]
    #[param(rename = "applicationId", value_type = Uuid)]
    pub(super) application: AppId,
}

/// A key of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct ApiKeyPath {
    /// The application.
    #[serde(rename = "applicationId")]
    #[param(rename = "applicationId", value_type = Uuid)]
    application: AppId,
    /// The key.
    #[serde(rename = "keyId")]
    #[param(rename = "keyId", value_type = Uuid)]
    key: ApiKeyId,
}

/// The API keys of an application.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ApiKeyList {
    /// The newest first.
    keys: Vec<ApiKeyBody>,
}

/// An API key. The key itself was shown when it was created.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub(super) struct ApiKeyBody {
    #[schema(value_type = Uuid)]
    id: ApiKeyId,
    #[schema(max_length = 200)]
    name: String,
    /// What it may do; empty: everything that the application may.
    scopes: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    revoked: bool,
    /// Absent: it works until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// To the hour. Absent: it was not used yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
}

impl From<ApiKey> for ApiKeyBody {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id,
            name: key.name,
            scopes: key.scopes,
            created_at: key.created_at,
            revoked: key.revoked,
            expires_at: key.expires_at.map(Timestamp::from),
            last_used_at: key.last_used_at.map(Timestamp::from),
        }
    }
}

/// List the API keys of an application.
#[utoipa::path(
    get, path = "/console/applications/{applicationId}/keys", tag = "tenants", security(("session" = [], "console" = [])),
    params(ApplicationPath),
    responses((status = 200, description = "The keys.", body = ApiKeyList), TenantListErrors),
)]
pub(super) async fn list_api_keys(
    State(api): State<ApiState>,
    call: ConsoleCall<KeysManage, ApplicationPath>,
) -> Result<Json<ApiKeyList>, ModerationApiError> {
    let mut view = api.db.read().await?;
    call.require_application(&mut view, call.path.application).await?;
    let found = api_keys::list(&mut view, call.path.application).await?;
    Ok(Json(ApiKeyList { keys: found.into_iter().map(ApiKeyBody::from).collect() }))
}

/// An API key to create.
#[derive(Deserialize, ToSchema)]
pub(super) struct CreateApiKeyRequest {
    #[schema(value_type = String, min_length = 1, max_length = 200, example = "Production")]
    name: Option<String>,
    /// What it may do, as scopes of the interfaces; empty: everything that the application may.
    #[schema(value_type = Vec<String>, max_items = 50)]
    scopes: Option<Vec<String>>,
    /// Until when it works; absent: until it is revoked.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

pub(super) struct RequestedApiKey {
    name: String,
    scopes: Vec<String>,
    expires_at: Option<Timestamp>,
}

impl CommandPayload for CreateApiKeyRequest {
    type Command = RequestedApiKey;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<RequestedApiKey> {
        let name = violations.required("name", self.name);
        // Not by default: a key that may do everything is asked for.
        let scopes = violations.required("scopes", self.scopes);
        if let Some(scopes) = &scopes {
            if scopes.len() > MAX_KEY_SCOPES {
                let limit = format!("at most {MAX_KEY_SCOPES} scopes");
                let measured = LimitViolation::new(scopes.len() as f64, limit, "leave some out");
                let words = format!("it has {} scopes", scopes.len());
                violations.push(Violation::with_limit("scopes", words, measured));
            }
            for (at, scope) in scopes.iter().enumerate().take(MAX_KEY_SCOPES) {
                let is_word = (1..=MAX_SCOPE_CHARS).contains(&scope.len())
                    && scope.bytes().all(|byte| byte.is_ascii_lowercase() || b":-".contains(&byte));
                if !is_word {
                    violations.push(Violation::new(format!("scopes[{at}]"), "it is not a scope"));
                }
            }
        }
        if self.expires_at.is_some_and(|at| at <= api.environment.now()) {
            violations.push(Violation::new("expires_at", "it is in the past"));
        }
        Some(RequestedApiKey { name: name?, scopes: scopes?, expires_at: self.expires_at })
    }
}

/// A key that works once another operator has approved it.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct PendingApiKey {
    /// The request: another operator approves or refuses it within a day.
    #[schema(value_type = Uuid)]
    approval_id: ApprovalId,
    /// The key. It cannot be shown again, not even to who approves it.
    key: String,
}

/// A key that was created.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct CreatedApiKey {
    #[schema(value_type = Uuid)]
    id: ApiKeyId,
    /// The key. It cannot be shown again.
    #[schema(example = "assay_2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM")]
    key: String,
}

/// Create an API key.
///
/// Where four eyes are needed (`console.four_eyes`), it works once another operator has approved it.
#[utoipa::path(
    post, path = "/console/applications/{applicationId}/keys", tag = "tenants", security(("session" = [], "console" = [])),
    params(ApplicationPath),
    request_body = CreateApiKeyRequest,
    responses(
        (status = 201, description = "The key, this once.", body = CreatedApiKey),
        (status = 202, description = "The key, this once; another operator must approve it.", body = PendingApiKey),
        TenantCreationErrors
    ),
)]
pub(super) async fn create_api_key(
    State(api): State<ApiState>,
    call: ConsoleCall<KeysManage, ApplicationPath, ConsoleCommand<CreateApiKeyRequest>>,
) -> Result<Response, ModerationApiError> {
    let RequestedApiKey { name, scopes, expires_at } = &call.input.0;
    let mut tx = call.begin(&api).await?;
    let app = call.path.application;
    call.require_application(&mut tx, app).await?;
    let no_store = [(header::CACHE_CONTROL, "no-store")];
    if needs_approval(&api, &call) {
        api_keys::validate(&mut tx, app, name).await?;
        let key = api_keys::generate(&*api.environment);
        let wanted = ApprovableAction::create_key(app, name, &key, scopes, *expires_at);
        let approval_id = approvals::request(&mut tx, &*api.environment, call.operator()?, &wanted).await?;
        tx.commit().await?;
        let body = PendingApiKey { approval_id, key: key.expose().clone() };
        return Ok((StatusCode::ACCEPTED, no_store, Json(body)).into_response());
    }
    let (id, key) =
        api_keys::create_until(&mut tx, &*api.environment, app, name, scopes, *expires_at).await?;
    tx.commit().await?;
    let body = CreatedApiKey { id, key: key.expose().clone() };
    Ok((StatusCode::CREATED, no_store, Json(body)).into_response())
}

/// Revoke an API key.
///
/// It stops working at once or, where four eyes are needed (`console.four_eyes`), once another operator has approved it.
#[utoipa::path(
    delete, path = "/console/applications/{applicationId}/keys/{keyId}", tag = "tenants", security(("session" = [], "console" = [])),
    params(ApiKeyPath),
    responses(
        (status = 204, description = "The key is revoked."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        OperatorPathErrors
    ),
)]
pub(super) async fn revoke_api_key(
    State(api): State<ApiState>,
    call: ConsoleCall<KeysManage, ApiKeyPath>,
) -> Result<Response, ModerationApiError> {
    let ApiKeyPath { application: app, key } = call.path;
    let mut tx = call.begin(&api).await?;
    call.require_application(&mut tx, app).await?;
    if needs_approval(&api, &call) {
        let known = api_keys::list(&mut tx, app).await?;
        if !known.iter().any(|known| known.id == key && !known.revoked) {
            return Err(ModerationApiError::not_found("key in use by this application"));
        }
        let wanted = ApprovableAction::RevokeKey { app, key };
        return ask_for_approval(&api, tx, call.operator()?, &wanted).await;
    }
    api_keys::revoke(&mut tx, &*api.environment, app, key).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl From<TenancyError> for ModerationApiError {
    fn from(error: TenancyError) -> Self {
        match error {
            TenancyError::NotFound(what) => Self::not_found(&what),
            TenancyError::Name(length) => {
                let measured =
                    LimitViolation::new(length as f64, "1 to 200 characters", "choose another one");
                let words = format!("a name has 1 to 200 characters, this one {length}");
                Violation::with_limit("name", words, measured).into()
            }
            TenancyError::Key(error) => Self::violation("key", error.to_string()),
            TenancyError::TooManyPublicKeys(count) => {
                let limit = format!("at most {} public keys", public_keys::MAX_PUBLIC_KEYS);
                let measured = LimitViolation::new(count as f64, limit, "revoke one first");
                Violation::with_limit("key", error.to_string(), measured).into()
            }
            TenancyError::Db(error) => Self::unavailable(&error),
        }
    }
}
