//! `GET /api/v1/policies`

use super::{
    super::{auth::RelyingParty, error},
    record::PolicyRecord,
};
use crate::ApiState;
use axum::{Json, extract::State};
use serde::Serialize;
use utoipa::ToSchema;

/// The policies that sessions can name.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PolicyList {
    /// By name.
    policies: Vec<PolicyRecord>,
}

/// List the policies.
///
/// A policy says, for a law, which methods prove an age, in which order and with which thresholds. A session names one in
/// `policy`.
#[utoipa::path(
    get, path = "/api/v1/policies", tag = "policies", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    responses((status = 200, description = "The policies.", body = PolicyList), error::ListPoliciesErrors),
)]
pub(crate) async fn list_age_policies(
    State(api): State<ApiState>,
    RelyingParty { app, sandbox }: RelyingParty,
) -> Json<PolicyList> {
    let available = api.age_verification.available_methods(sandbox);
    let policies = api.age_verification.policies().policies();
    let record = |policy| PolicyRecord::of(policy, app, available);
    Json(PolicyList { policies: policies.map(record).collect() })
}
