//! `GET /api/v1/policies/{policyId}`

use super::{
    super::{AgeApiError, AgeErrorCode, auth::RelyingParty, error},
    record::SignedPolicyRecord,
};
use crate::ApiState;
use axum::{
    Json,
    extract::{Path, State},
};

/// Read a policy, with its file and signature.
///
/// `gb` is the policy of that name, `gb@1` this version of it.
#[utoipa::path(
    get, path = "/api/v1/policies/{policyId}", tag = "policies", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("policyId" = String, Path, description = "The policy.", example = "gb")),
    responses((status = 200, description = "The policy.", body = SignedPolicyRecord), error::GetPolicyErrors),
)]
pub(crate) async fn get_age_policy(
    State(api): State<ApiState>,
    RelyingParty { app, sandbox }: RelyingParty,
    Path(named): Path<String>,
) -> Result<Json<SignedPolicyRecord>, AgeApiError> {
    let available = api.age_verification.available_methods(sandbox);
    let policy = api.age_verification.policies().find(&named);
    let policy = policy.map_err(|error| AgeApiError::new(AgeErrorCode::NotFound, error.to_string()))?;
    Ok(Json(SignedPolicyRecord::of(policy, app, available)))
}
