//! `GET /age/v1/anonymity/keys`

use super::super::{AgeApiError, auth::UnmeteredCaller, error};
use crate::ApiState;
use axum::{
    Json,
    extract::State,
    http::{HeaderName, header},
};
use domain::age_verification::{TOKEN_DIRECTORY_MEDIA_TYPE, TokenDirectory, TokenDirectoryKey};
use serde::Serialize;
use utoipa::ToSchema;

/// Servers may cache the keys for ten minutes, because successive keys overlap by hours.
const CACHE_TEN_MINUTES: &str = "public, max-age=600";

/// The keys of an issuer: the directory of RFC 9578, section 4.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct IssuerDirectory {
    /// The address at which requests for tokens begin, relative to the directory.
    #[schema(example = "sessions")]
    issuer_request_uri: String,
    /// The keys; of each age, the newest first.
    token_keys: Vec<IssuerDirectoryKey>,
}

/// A key that tokens are signed with. `threshold` and `not-after` are not members of the standard.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct IssuerDirectoryKey {
    /// The type of its tokens: 2, blind RSA signatures.
    #[schema(example = 2)]
    token_type: u16,
    /// The public key, base64url of its `SubjectPublicKeyInfo`.
    token_key: String,
    /// From when it signs, Unix seconds.
    not_before: i64,
    /// Until when its tokens are accepted, Unix seconds.
    not_after: i64,
    /// The age that its tokens attest, years.
    #[schema(minimum = 6, maximum = 100)]
    threshold: u8,
}

impl From<TokenDirectory> for IssuerDirectory {
    fn from(directory: TokenDirectory) -> Self {
        let key = |TokenDirectoryKey { token_type, token_key, not_before, not_after, threshold }| {
            IssuerDirectoryKey { token_type, token_key, not_before, not_after, threshold }
        };
        Self {
            issuer_request_uri: directory.issuer_request_uri,
            token_keys: directory.token_keys.into_iter().map(key).collect(),
        }
    }
}

/// Read the public keys that tokens are signed with.
#[utoipa::path(
    get, path = "/age/v1/anonymity/keys", tag = "tokens",
    responses(
        (status = 200, description = "The keys.", body = IssuerDirectory, content_type = "application/private-token-issuer-directory"),
        error::TokenKeysErrors,
    ),
)]
pub(crate) async fn age_token_keys(
    State(api): State<ApiState>,
    UnmeteredCaller { sandbox }: UnmeteredCaller,
) -> Result<([(HeaderName, &'static str); 2], Json<IssuerDirectory>), AgeApiError> {
    let directory = api.age_verification.token_directory(sandbox).await?;
    let headers =
        [(header::CONTENT_TYPE, TOKEN_DIRECTORY_MEDIA_TYPE), (header::CACHE_CONTROL, CACHE_TEN_MINUTES)];
    Ok((headers, Json(directory.into())))
}
