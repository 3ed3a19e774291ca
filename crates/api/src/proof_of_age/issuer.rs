//! `POST /poa/v1/holder/credentials` and `GET /poa/v1/issuer/keys`: this server as an issuer of proofs.

use super::{ProofApiError, ProofErrorCode, error};
use crate::{
    ApiState,
    http::{
        auth::count_stranger,
        body, header_text,
        idempotency::{IdempotencyKeyHeader, RequestFingerprint, idempotency_key, idempotent, operation_of},
        json::parse,
    },
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderName, StatusCode, header},
    response::Response,
};
use domain::{
    audit::sha256_hex,
    jwk::JwkSet,
    proof_of_age::issuer::{HolderKeys, MAX_BATCH_CREDENTIALS, ProofIssueError},
};
use utoipa::ToSchema;

/// Room for the keys of a batch.
const MAX_BODY_BYTES: usize = 64 << 10;

/// The public keys of a holder's page.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct RedeemInvitationRequest {
    /// Base64url of uncompressed P-256 points (65 bytes), 1 to 120; each gets a credential of its own.
    keys: Vec<String>,
}

/// Credentials for a holder's page.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CredentialBatchResponse {
    /// Base64url, one for each key, in their order.
    credentials: Vec<String>,
    /// Until when they can be presented.
    #[schema(value_type = String, format = DateTime)]
    expires_at: base::Timestamp,
    /// How many more batches the invitation allows.
    batches_left: i64,
}

/// Redeem an invitation for a batch of credentials.
#[utoipa::path(
    post, path = "/poa/v1/holder/credentials", tag = "holders", security(("invitation" = [])),
    params(IdempotencyKeyHeader),
    request_body = RedeemInvitationRequest,
    responses((status = 200, description = "The credentials.", body = CredentialBatchResponse), error::RedeemInvitationErrors),
)]
pub(crate) async fn redeem_invitation(
    State(api): State<ApiState>,
    request: Request,
) -> Result<([(HeaderName, &'static str); 1], Response), ProofApiError> {
    let (parts, body) = request.into_parts();
    let sent = header_text(&parts.headers, &header::AUTHORIZATION).and_then(|value| value.split_once(' '));
    let code = sent.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, code)| code.trim());
    let code =
        code.ok_or_else(|| ProofApiError::new(ProofErrorCode::InvalidToken, "no invitation was sent"))?;
    count_stranger(&api, &parts.headers, &parts.extensions)?;
    let body = body::read(&api, &parts, None, body, MAX_BODY_BYTES, "send at most 120 keys").await?;
    let RedeemInvitationRequest { keys } = parse(&body)?;
    let app = api.proof_issuer.grant_application(code).await?;
    let holders = HolderKeys::parse(&keys)?;
    let key = idempotency_key(&parts.headers)?;
    // Each invitation has its own keys: holders do not know of each other.
    let invitation = sha256_hex(code.as_bytes());
    let identity = RequestFingerprint {
        app,
        account: None,
        operation: &format!("{} {invitation}", operation_of(&parts)),
        key: key.as_deref(),
        body: &body,
        actor: format!("application:{app}"),
    };
    let answer = idempotent(&api, identity, async |tx| {
        let batch = api.proof_issuer.redeem_in(tx, code, holders).await?;
        let encode = |bytes: &Vec<u8>| base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes);
        let answer = CredentialBatchResponse {
            credentials: batch.credentials.iter().map(encode).collect(),
            expires_at: batch.expires_at,
            batches_left: batch.batches_left,
        };
        Ok((StatusCode::OK, answer))
    })
    .await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], answer))
}

/// The public keys of this server as an issuer of proofs, a JWK Set.
#[utoipa::path(
    get, path = "/poa/v1/issuer/keys", tag = "holders",
    responses((status = 200, description = "The keys.", body = JwkSet), error::IssuerKeysErrors),
)]
pub(crate) async fn issuer_keys(State(api): State<ApiState>) -> Result<Json<JwkSet>, ProofApiError> {
    Ok(Json(api.proof_issuer.key_set().await?))
}

impl From<ProofIssueError> for ProofApiError {
    fn from(error: ProofIssueError) -> Self {
        match error {
            ProofIssueError::Code => Self::new(ProofErrorCode::InvalidToken, error.to_string()),
            ProofIssueError::ApplicationNotServed => {
                Self::new(ProofErrorCode::FeatureDisabled, error.to_string())
            }
            ProofIssueError::Key(_) | ProofIssueError::Age => {
                Self::new(ProofErrorCode::UnprocessableEntry, error.to_string())
            }
            ProofIssueError::Keys(many) => {
                let limit = format!("1 to {MAX_BATCH_CREDENTIALS} keys");
                let measured =
                    base::LimitViolation::new(many as f64, limit, "send a key for each credential");
                Self::new(ProofErrorCode::UnprocessableEntry, error.to_string()).with_measured(measured)
            }
            ProofIssueError::Damaged(_)
            | ProofIssueError::Issue(_)
            | ProofIssueError::Tenancy(_)
            | ProofIssueError::Db(_) => Self::unavailable(&error),
        }
    }
}
