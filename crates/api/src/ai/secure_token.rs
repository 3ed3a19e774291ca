//! `GET /ai/sm/v1/secure/{version}/token` and the capture module that asks for it.

use super::{Code, Problem, error};
use crate::Api;
use axum::{
    Json,
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderName, header},
    response::IntoResponse,
};
use domain::{
    secure_capture,
    tenancy::{Feature, caller, standing},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Which application's page asks, and the browser's key.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TokenQuery {
    /// The SDK ID of the application.
    #[serde(rename = "sdkId")]
    #[param(value_type = String, required = true)]
    sdk_id: Option<String>,
    /// Base64url of the browser's P-256 public key, an uncompressed point of 65 bytes.
    #[param(value_type = String, required = true)]
    key: Option<String>,
}

/// A secure session.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SecureToken {
    /// To be sent back as `secure.token`.
    token: String,
    /// Seconds until it expires.
    #[schema(example = 600)]
    expires_in: i64,
}

/// Any page of the business may ask; the token opens nothing without a signed request of the application.
const ANY_ORIGIN: (HeaderName, &str) = (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");

/// Start a secure capture session in a browser.
#[utoipa::path(
    get, path = "/ai/sm/v1/secure/{version}/token", tag = "secure capture",
    params(("version" = String, Path, description = "Protocol version, `1`."), TokenQuery),
    responses((status = 200, description = "The session.", body = SecureToken), error::StartingCapture),
)]
pub(crate) async fn issue_secure_token(
    State(api): State<Api>,
    version: Result<Path<String>, PathRejection>,
    query: Result<Query<TokenQuery>, QueryRejection>,
) -> Result<impl IntoResponse, Problem> {
    is_known(version)?;
    let Query(query) =
        query.map_err(|_| Problem::new(Code::InvalidRequestBody, "the query cannot be read"))?;
    let mut view = api.db.read().await.map_err(|error| Problem::unavailable(&error))?;
    // The page of age sessions asks as well, for businesses that may sign nothing.
    let page = match query.sdk_id.as_deref().and_then(|id| id.parse().ok()) {
        Some(app) => {
            let standing = standing::of(&mut view, app).await;
            let standing = standing.map_err(|error| Problem::unavailable(&error))?;
            standing.filter(|standing| standing.may(Feature::Ages)).map(|_| app)
        }
        None => None,
    };
    let app = if let Some(app) = page {
        app
    } else {
        let caller = caller::identify(&mut view, query.sdk_id.as_deref()).await;
        let caller = caller.map_err(Problem::from)?;
        if !caller.features.contains(&Feature::ImageAi) {
            return Err(Problem::new(Code::Unauthorized, "the application may not use image-ai"));
        }
        caller.app
    };
    drop(view);
    let key = query.key.unwrap_or_default();
    let token = api
        .secure_capture
        .issue(&*api.world, app, &key)
        .map_err(|error| Problem::new(Code::InvalidRequestBody, error.to_string()))?;
    let expires_in = secure_capture::LIFETIME.as_secs();
    Ok(([ANY_ORIGIN, (header::CACHE_CONTROL, "no-store")], Json(SecureToken { token, expires_in })))
}

/// The capture module, an ECMAScript module for any page.
#[utoipa::path(
    get, path = "/ai/sm/v1/secure/{version}/capture.js", tag = "secure capture",
    params(("version" = String, Path, description = "Protocol version, `1`.")),
    responses((status = 200, description = "The module.", content_type = "text/javascript", body = String), error::FetchingModule),
)]
pub(crate) async fn capture_module(
    version: Result<Path<String>, PathRejection>,
) -> Result<impl IntoResponse, Problem> {
    is_known(version)?;
    let headers = [
        ANY_ORIGIN,
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, include_str!("../../../../web/secure-capture.js")))
}

/// There is one version of the protocol; what is no text is none either.
fn is_known(version: Result<Path<String>, PathRejection>) -> Result<(), Problem> {
    if version.is_ok_and(|Path(version)| version == secure_capture::VERSION) {
        return Ok(());
    }
    Err(Problem::new(Code::SecureVersionNotFound, "there is only version 1"))
}
