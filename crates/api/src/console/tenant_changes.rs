//! `PATCH /console/organisations/{organisationId}` and `PATCH /console/applications/{applicationId}`

use super::{
    RecordCommandErrors,
    permissions::{ApplicationsManage, OrganisationsManage},
    request::{ConsoleCall, ConsoleCommand},
    tenants::{ApplicationPath, check_billing_source},
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{extract::State, http::StatusCode};
use base::{LimitViolation, OrgId};
use domain::{
    Violation,
    tenancy::{
        ApplicationState, Feature, OrganisationStatus, applications,
        limits::{self, LimitKind},
        organisations,
    },
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The most that can be allowed: more is no limit.
const MAX_ALLOWED: i64 = 1 << 50;

/// An organisation of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct OrganisationPath {
    /// The organisation.
    #[serde(rename = "organisationId")]
    #[param(rename = "organisationId", value_type = Uuid)]
    organisation: OrgId,
}

/// What changes of an organisation; what is absent stays as it is.
#[derive(Deserialize, ToSchema)]
pub(super) struct ChangeOrganisationRequest {
    #[schema(min_length = 1, max_length = 200, example = "Example Ltd")]
    name: Option<String>,
    /// While it is suspended, every call of its applications is refused.
    status: Option<OrganisationStatus>,
}

impl CommandPayload for ChangeOrganisationRequest {
    type Command = Self;

    fn into_command(self, _api: &ApiState, _violations: &mut CommandViolations) -> Option<Self> {
        Some(self)
    }
}

/// Change an organisation: its name, and whether its applications are served.
#[utoipa::path(
    patch, path = "/console/organisations/{organisationId}", tag = "tenants", security(("session" = [], "console" = [])),
    params(OrganisationPath),
    request_body = ChangeOrganisationRequest,
    responses((status = 204, description = "The organisation is changed, with immediate effect."), RecordCommandErrors),
)]
pub(super) async fn change_organisation(
    State(api): State<ApiState>,
    call: ConsoleCall<OrganisationsManage, OrganisationPath, ConsoleCommand<ChangeOrganisationRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let (id, wanted) = (call.path.organisation, &call.input.0);
    let mut tx = call.begin(&api).await?;
    organisations::ensure_exists(&mut tx, id).await?;
    if let Some(name) = &wanted.name {
        organisations::rename(&mut tx, id, name).await?;
    }
    if let Some(status) = wanted.status {
        organisations::set_status(&mut tx, id, status).await?;
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What changes of an application; what is absent stays as it is.
#[derive(Deserialize, ToSchema)]
pub(super) struct ChangeApplicationRequest {
    #[schema(min_length = 1, max_length = 200, example = "Shop")]
    name: Option<String>,
    /// While it is disabled, every call is refused.
    state: Option<ApplicationState>,
    /// The organisation that it belongs to.
    #[schema(value_type = Option<Uuid>)]
    organisation_id: Option<OrgId>,
    /// Where its use is billed. An application without gets its organisation's id when it is assigned to one.
    #[schema(min_length = 1, max_length = 200)]
    billing_source_id: Option<String>,
    /// The interfaces that it may use; with none, all are closed.
    features: Option<Vec<Feature>>,
    /// What it may take.
    #[schema(max_items = 6)]
    limits: Option<Vec<LimitChange>>,
}

/// A limit to set.
#[derive(Deserialize, ToSchema)]
struct LimitChange {
    #[schema(value_type = LimitKind)]
    limit: Option<LimitKind>,
    /// At most this; 0: as much as there is; absent: what the configuration says. Of an application with `calls_per_minute` of
    /// its own, `burst` is as many calls as those where it is 0 or absent.
    #[schema(minimum = 0, maximum = 1_125_899_906_842_624_i64)]
    allowed: Option<i64>,
}

pub(super) struct ApplicationChange {
    name: Option<String>,
    state: Option<ApplicationState>,
    organisation: Option<OrgId>,
    billing_source: Option<String>,
    features: Option<Vec<Feature>>,
    limits: Vec<(LimitKind, Option<i64>)>,
}

impl CommandPayload for ChangeApplicationRequest {
    type Command = ApplicationChange;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<ApplicationChange> {
        let billing_source = self.billing_source_id.map(|text| text.trim().to_owned());
        violations.check(billing_source.as_deref().map_or(Ok(()), check_billing_source));
        let mut limits: Vec<(LimitKind, Option<i64>)> = Vec::new();
        for (at, LimitChange { limit, allowed }) in self.limits.unwrap_or_default().into_iter().enumerate() {
            let missing = || Violation::new(format!("limits[{at}].limit"), "it is required");
            let Some(kind) = violations.check(limit.ok_or_else(missing)) else { continue };
            if limits.iter().any(|(known, _)| *known == kind) {
                violations.push(Violation::new(format!("limits[{at}].limit"), "it is there twice"));
            }
            if let Some(number) = allowed.filter(|number| !(0..=MAX_ALLOWED).contains(number)) {
                let measured = LimitViolation::new(
                    number as f64,
                    format!("0 to {MAX_ALLOWED}"),
                    "choose another number",
                );
                let words = format!("it is {number}");
                violations.push(Violation::with_limit(format!("limits[{at}].allowed"), words, measured));
            }
            limits.push((kind, allowed));
        }
        Some(ApplicationChange {
            name: self.name,
            state: self.state,
            organisation: self.organisation_id,
            billing_source,
            features: self.features,
            limits,
        })
    }
}

/// Change an application: its name, whether it is served, whose it is, what it may use and how much.
#[utoipa::path(
    patch, path = "/console/applications/{applicationId}", tag = "tenants", security(("session" = [], "console" = [])),
    params(ApplicationPath),
    request_body = ChangeApplicationRequest,
    responses((status = 204, description = "The application is changed, with immediate effect in every process."), RecordCommandErrors),
)]
pub(super) async fn change_application(
    State(api): State<ApiState>,
    call: ConsoleCall<ApplicationsManage, ApplicationPath, ConsoleCommand<ChangeApplicationRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let (id, wanted) = (call.path.application, &call.input.0);
    let mut tx = call.begin(&api).await?;
    let known = applications::find(&mut tx, id).await?;
    if let Some(name) = &wanted.name {
        applications::rename(&mut tx, id, name).await?;
    }
    if let Some(state) = wanted.state {
        applications::set_state(&mut tx, id, state).await?;
    }
    if wanted.organisation.is_some() || wanted.billing_source.is_some() {
        let Some(organisation) = wanted.organisation.or(known.organisation_id) else {
            return Err(ModerationApiError::violation(
                "organisation_id",
                "the application belongs to no organisation: say to which".to_owned(),
            ));
        };
        let billed = wanted.billing_source.clone().or(known.billing_source_id);
        let billed = billed.unwrap_or_else(|| organisation.to_string());
        applications::assign(&mut tx, id, organisation, &billed).await?;
    }
    if let Some(features) = &wanted.features {
        applications::set_features(&mut tx, id, features).await?;
    }
    if !wanted.limits.is_empty() {
        limits::set(&mut tx, id, &wanted.limits).await?;
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
