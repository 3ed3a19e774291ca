//! `/console/providers`: the services of others that the settings name, and a test that asks each of them.

use super::{OperatorListErrors, ProviderTestErrors, permissions::ProvidersTest, request::ConsoleCall};
use crate::{ApiState, content_moderation::ModerationApiError, http::auth::RateLimitError};
use axum::{Json, extract::State};
use base::Timestamp;
use db::AuditEvent;
use domain::provider_tests::{Provider, ProviderTestKind};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Everything that can be tested.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ProviderList {
    providers: Vec<ProviderBody>,
}

/// A service that the settings name, or the server's mail or storage.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Provider)]
pub(super) struct ProviderBody {
    /// Where the settings have it.
    #[schema(example = "ages.credit_card")]
    name: String,
    /// The host that is asked, where the settings name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "api.stripe.com")]
    host: Option<String>,
    /// What a test of it does. `MAIL` sends a mail to whoever asks; `STORAGE` writes a file, reads and deletes it;
    /// `OIDC_DISCOVERY` fetches the documents and keys of an issuer; `REACHABILITY` connects to the host, checks its certificate
    /// and that it answers, and says nothing of credentials; `SIMULATED` asks nobody.
    test: ProviderTestKind,
}

impl From<&Provider> for ProviderBody {
    fn from(provider: &Provider) -> Self {
        Self { name: provider.name.clone(), host: provider.host().map(str::to_owned), test: provider.kind }
    }
}

/// List the services that can be tested. Needs `providers:test`.
#[utoipa::path(
    get, path = "/console/providers", tag = "health", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The services.", body = ProviderList), OperatorListErrors),
)]
pub(super) async fn list_providers(
    State(api): State<ApiState>,
    _call: ConsoleCall<ProvidersTest>,
) -> Result<Json<ProviderList>, ModerationApiError> {
    let providers = api.provider_tester.providers().iter().map(ProviderBody::from).collect();
    Ok(Json(ProviderList { providers }))
}

/// A service of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct ProviderPath {
    /// The name of the service, as the list has it.
    #[serde(rename = "provider")]
    #[param(rename = "provider", max_length = 200)]
    provider: String,
}

/// How a test ended.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ProviderTestOutcome {
    /// Whether it went well.
    succeeded: bool,
    /// What was shown, or what went wrong, in words.
    message: String,
    /// How long it took, milliseconds.
    #[schema(minimum = 0)]
    took_ms: u64,
    #[schema(value_type = String, format = DateTime)]
    tested_at: Timestamp,
}

/// Test a service.
///
/// It is really asked, and has half a minute to answer. Each operator may test ten times in a minute. Needs `providers:test`.
#[utoipa::path(
    post, path = "/console/providers/{provider}/test", tag = "health", security(("session" = [], "console" = [])),
    params(ProviderPath),
    responses((status = 200, description = "The outcome of the test, whether it succeeded or failed.", body = ProviderTestOutcome), ProviderTestErrors),
)]
pub(super) async fn test_provider(
    State(api): State<ApiState>,
    call: ConsoleCall<ProvidersTest, ProviderPath>,
) -> Result<Json<ProviderTestOutcome>, ModerationApiError> {
    let name = &call.path.provider;
    let known = api.provider_tester.providers().iter().any(|provider| provider.name == *name);
    if !known {
        return Err(ModerationApiError::not_found("provider"));
    }
    api.console_resources.provider_tests.try_take(&call.holder().id).map_err(RateLimitError)?;
    let mut tx = call.begin(&api).await?;
    tx.audit(AuditEvent::new("provider.test").target(name));
    tx.commit().await?;
    let tested_at = api.environment.now();
    let result = api.provider_tester.run(name, call.caller.email()).await;
    let result = result.ok_or_else(|| ModerationApiError::not_found("provider"))?;
    let succeeded = result.outcome.is_ok();
    let message = match result.outcome {
        Ok(words) | Err(words) => words,
    };
    let took_ms = u64::try_from(result.took.as_millis()).unwrap_or(u64::MAX);
    Ok(Json(ProviderTestOutcome { succeeded, message, took_ms, tested_at }))
}
