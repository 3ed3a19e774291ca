//! `POST /age/v1/anonymity/sessions`

use super::super::{AgeApiError, NoStoreJson, auth::AnonymousCaller, body::JsonBody, error, no_store_json};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use base::{AgeSessionId, AppId, Timestamp};
use utoipa::ToSchema;

/// The age to prove to the issuer.
#[derive(Debug, serde::Deserialize, ToSchema)]
pub(crate) struct BeginIssuingRequest {
    /// The age of one of the issuer's keys, years.
    #[schema(minimum = 6, maximum = 100)]
    threshold: i64,
}

/// A session of the issuer.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct IssuingSession {
    /// The session.
    #[schema(value_type = Uuid)]
    id: AgeSessionId,
    /// The operator's own application, to which the session belongs.
    #[schema(value_type = Uuid)]
    sdk_id: AppId,
    /// A secret for the tab that began the session: without it no method is opened and nothing is signed in the
    /// session.
    key: String,
    /// When the session expires.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// The origins of other servers whose pages may receive the token from the issuer's page.
    redeemers: Vec<String>,
}

/// Begin a session in which an age is proved to the issuer.
///
/// The session belongs to the operator's own application; the issuer does not learn which relying party needs the
/// token.
#[utoipa::path(
    post, path = "/age/v1/anonymity/sessions", tag = "tokens",
    request_body(content = BeginIssuingRequest, example = json!({ "threshold": 18 })),
    responses((status = 201, description = "The session.", body = IssuingSession), error::BeginIssuingErrors),
)]
pub(crate) async fn begin_age_issuing(
    State(api): State<ApiState>,
    AnonymousCaller { sandbox }: AnonymousCaller,
    JsonBody(BeginIssuingRequest { threshold }): JsonBody<BeginIssuingRequest>,
) -> Result<(StatusCode, NoStoreJson<IssuingSession>), AgeApiError> {
    let (session, secret) = api.age_verification.create_issuing_session(sandbox, threshold).await?;
    let begun = IssuingSession {
        id: session.id,
        sdk_id: session.app,
        key: secret,
        expires_at: session.wanted.until,
        redeemers: api.age_verification.redeemer_origins().to_vec(),
    };
    Ok((StatusCode::CREATED, no_store_json(begun)))
}
