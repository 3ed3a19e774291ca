//! `GET /poa/v1/verify/{id}`

use super::{ProofApiError, ProofErrorCode, auth::BearerCaller, error};
use crate::ApiState;
use axum::{
    Json,
    extract::{Path, State, rejection::PathRejection},
};
use base::Timestamp;
use domain::proof_of_age::{PROOF_ID_CHARS, ProofRecord, ProofStatus};
use utoipa::ToSchema;

/// A verification.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct ProofVerification {
    /// 22 characters of base64url.
    #[schema(min_length = 22, max_length = 22, example = "kR3bV0mWQeS9n1yXo2Jt6A")]
    id: String,
    /// The status of the verification.
    status: ProofStatus,
    /// When it reached this status.
    #[schema(value_type = String, format = DateTime)]
    timestamp: Timestamp,
    /// The provider that vouches for the holder, as the operator's trust list names it; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "GOV_UK")]
    provider: Option<String>,
    /// What was proven, with `SUCCESS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ProofResult>,
    /// Why nothing was proven, with `FAILURE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<ProofFailure>,
    /// The terminal of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal: Option<ProofTerminal>,
}

/// The terminal that scanned the code, as the query named it.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct ProofTerminal {
    /// Its id.
    id: String,
    /// The store or unit it is registered under.
    #[serde(skip_serializing_if = "Option::is_none")]
    store_id: Option<String>,
}

/// What was proven.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct ProofResult {
    /// The holder is at least this old, years.
    #[schema(example = 18)]
    age_over: u8,
    /// Whether that suffices for alcohol in the jurisdiction of this server, with this provider.
    valid_for_alcohol: bool,
    /// What was checked: `SIGNATURE_VERIFIED`, `PROVIDER_TRUSTED`, `NOT_REVOKED`, …
    checks: Vec<String>,
    /// Whether the holder's own key signed this presentation. If not, a copy of the code works like the code: for the seconds
    /// for which a code of this server is fresh or, where the trust list says `unbound` of its issuer, for as long as the
    /// credential is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    holder_bound: Option<bool>,
}

/// Why nothing was proven.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct ProofFailure {
    /// `UNABLE_TO_VERIFY_SIGNATURE`, `PRESENTATION_EXPIRED`, `PRESENTATION_ALREADY_USED`, `UNSUPPORTED_PAYLOAD`,
    /// `EXCLUDED_PROVIDER`, `UNKNOWN_PROVIDER`, `USER_DID_NOT_CONSENT` or `REVOKED`.
    #[schema(example = "PRESENTATION_EXPIRED")]
    reason: String,
    /// The same in words, for a developer.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl From<&ProofRecord> for ProofVerification {
    fn from(record: &ProofRecord) -> Self {
        Self {
            id: record.id.clone(),
            status: record.status,
            timestamp: record.timestamp,
            provider: record.provider.clone(),
            result: record.result.as_ref().map(|proven| ProofResult {
                age_over: proven.age_over,
                valid_for_alcohol: proven.valid_for_alcohol,
                checks: proven.checks.clone(),
                holder_bound: proven.holder_bound,
            }),
            failure: record.failure.as_ref().map(|failure| ProofFailure {
                reason: failure.reason.clone(),
                message: failure.message.clone(),
            }),
            terminal: record.terminal.as_ref().map(|terminal| ProofTerminal {
                id: terminal.id.clone(),
                store_id: terminal.store_id.clone(),
            }),
        }
    }
}

/// Fetch a verification; possible for 30 days.
#[utoipa::path(
    get, path = "/poa/v1/verify/{id}", tag = "proof of age", security(("bearer" = [])),
    params(("id" = String, Path, description = "The `id` of the verification.")),
    responses(
        (status = 200, description = "The verification as it stands.", body = ProofVerification),
        error::FetchProofErrors
    ),
)]
pub(crate) async fn fetch_proof(
    State(api): State<ApiState>,
    BearerCaller(bearer): BearerCaller,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<ProofVerification>, ProofApiError> {
    // Text that cannot be an id is answered like an unknown id, and one of the databases would refuse some of it.
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let id = id.ok().filter(|Path(id)| id.len() == PROOF_ID_CHARS && id.bytes().all(is_base64url));
    let record = match id {
        Some(Path(id)) => api.proof_of_age.find(bearer.app, &id).await?,
        None => None,
    };
    let record = record
        .ok_or_else(|| ProofApiError::new(ProofErrorCode::NotFound, "there is no such verification"))?;
    Ok(Json(ProofVerification::from(&record)))
}
