//! `GET /poa/v1/verify/{id}`

use super::{Code, Problem, caller::Caller};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State, rejection::PathRejection},
};
use domain::proof::Record;
use utoipa::ToSchema;

/// A verification.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes domain::proof::Record, which knows no HTTP, in the document")]
pub(crate) struct Verification {
    /// 22 characters of base64url.
    #[schema(example = "kR3bV0mWQeS9n1yXo2Jt6A")]
    id: String,
    /// `SUCCESS`, `FAILURE` or `PENDING`.
    #[schema(example = "SUCCESS")]
    status: String,
    /// When that was found.
    #[schema(format = DateTime)]
    timestamp: String,
    /// Who vouches for the holder, as the operator's trust list calls him; absent where that is not known.
    #[schema(example = "GOV_UK")]
    provider: Option<String>,
    /// What was proven, with `SUCCESS`.
    result: Option<Proven>,
    /// Why nothing was, with `FAILURE`.
    failure: Option<NotProven>,
}

/// What was proven.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes domain::proof::Proven in the document")]
pub(crate) struct Proven {
    /// The holder is at least this old, years.
    #[schema(example = 18)]
    age_over: u8,
    /// Whether that suffices for alcohol where this server stands, with this provider.
    valid_for_alcohol: bool,
    /// What was checked: `SIGNATURE_VERIFIED`, `PROVIDER_TRUSTED`, `NOT_REVOKED`, …
    checks: Vec<String>,
}

/// Why nothing was proven.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes domain::proof::NotProven in the document")]
pub(crate) struct NotProven {
    /// `UNABLE_TO_VERIFY_SIGNATURE`, `PRESENTATION_EXPIRED`, `PRESENTATION_ALREADY_USED`, `UNSUPPORTED_PAYLOAD`,
    /// `EXCLUDED_PROVIDER`, `UNKNOWN_PROVIDER`, `USER_DID_NOT_CONSENT` or `REVOKED`.
    #[schema(example = "PRESENTATION_EXPIRED")]
    reason: String,
    /// The same in words, for a developer.
    message: Option<String>,
}

/// Fetch a verification, for 30 days.
#[utoipa::path(
    get, path = "/poa/v1/verify/{id}", tag = "proof of age", security(("bearer" = [])),
    params(("id" = String, Path, description = "The `id` of the verification.")),
    responses((status = 200, description = "The verification as it stands.", body = Verification), Problem),
)]
pub(crate) async fn fetch_proof(
    State(api): State<Api>,
    Caller(bearer): Caller,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Record>, Problem> {
    // Whatever is no id of ours is nobody's.
    let id = id.ok().filter(|Path(id)| id.len() == 22);
    let known = match id {
        Some(Path(id)) => api.proofs.find(bearer.app, &id).await?,
        None => None,
    };
    known.map(Json).ok_or_else(|| Problem::new(Code::NotFound, "there is no such verification"))
}
