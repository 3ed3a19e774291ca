//! `POST /age/v1/anonymity/sessions`

use super::super::{AgeApiError, NoStoreJson, auth::AnonymousCaller, body::JsonBody, error, no_store_json};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use base::{AgeSessionId, AppId, Timestamp};
use utoipa::ToSchema;

/// An age to be shown to the issuer.
#[derive(Debug, serde::Deserialize, ToSchema)]
pub(crate) struct BeginIssuingRequest {
    /// The age of one of the keys, years.
    #[schema(minimum = 6, maximum = 100)]
    threshold: i64,
}

/// A session of the issuer.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct IssuingSession {
    /// The session.
    #[schema(value_type = Uuid)]
    id: AgeSessionId,
    /// The operator's own application, whose session it is.
    #[schema(value_type = Uuid)]
    sdk_id: AppId,
    /// For the tab that began it alone: without it no method is opened and nothing is signed in the session.
    key: String,
    /// When its time is over.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// The origins of other servers to whose pages the issuer's page may hand what is signed in it.
    redeemers: Vec<String>,
}

/// Begin a session in which an age is shown to the issuer.
///
/// It is one of the operator's own application, which knows of no other.
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
