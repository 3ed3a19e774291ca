//! `POST /age/v1/sessions/{sessionId}/token`

use super::super::{AgeApiError, NoStoreJson, auth::AgeEndUser, body::JsonBody, error, no_store_json};
use crate::ApiState;
use axum::extract::State;
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use utoipa::ToSchema;

/// The maximum length of `token_request`; a valid one has 348 characters.
const MAX_TOKEN_REQUEST_BYTES: usize = 1024;

/// A blinded message to be signed.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct IssueTokenRequest {
    /// A `TokenRequest` (RFC 9578, section 6.1), base64url.
    #[schema(value_type = String, max_length = 1024)]
    token_request: Option<String>,
    /// The `key` that the session began with.
    #[schema(value_type = String)]
    key: Option<String>,
}

/// The signed message.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct IssuedToken {
    /// A `TokenResponse` (RFC 9578, section 6.2), base64url.
    token_response: String,
}

impl IssueTokenRequest {
    fn blinded(&self) -> Result<Vec<u8>, AgeApiError> {
        let text = self.token_request.as_deref().filter(|text| text.len() <= MAX_TOKEN_REQUEST_BYTES);
        let bytes = text.and_then(|text| BASE64URL.decode_to_vec(text.trim_end_matches('=')).ok());
        bytes
            .ok_or_else(|| AgeApiError::violation("token_request", "a TokenRequest in base64url is expected"))
    }
}

/// Have a blinded message signed after the age was proved.
///
/// Until the session expires, the same message gets the same answer, so that a lost answer can be fetched again; a
/// different message is refused (`INVALID_STATUS`).
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/token", tag = "tokens", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "A session of the issuer that is COMPLETE.")),
    request_body = IssueTokenRequest,
    responses((status = 200, description = "The signature.", body = IssuedToken), error::IssueTokenErrors),
)]
pub(crate) async fn issue_age_token(
    State(api): State<ApiState>,
    user: AgeEndUser,
    JsonBody(request): JsonBody<IssueTokenRequest>,
) -> Result<NoStoreJson<IssuedToken>, AgeApiError> {
    let response = api
        .age_verification
        .issue_token(user.session.id, request.key.as_deref(), &request.blinded()?)
        .await?;
    Ok(no_store_json(IssuedToken { token_response: BASE64URL.encode_to_string(response) }))
}
