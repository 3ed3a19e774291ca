//! `GET /ai/sm/v1/secure/{version}/token` and the capture module that calls it.

use super::{ImageAnalysisApiError, ImageAnalysisErrorCode, error};
use crate::{
    ApiState,
    http::{auth::SignatureAuthError, panic::catch_panics, routes::routes},
};
use axum::{
    Json,
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderValue, header},
    middleware,
    response::{IntoResponse, Response},
};
use base::AgeSessionId;
use domain::{
    secure_capture,
    tenancy::{Feature, OrganisationStatus, application_status, calling_application},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;

/// The operations that pages of any origin call.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(issue_secure_token))
        .routes(routes!(capture_module))
        .layer(catch_panics::<ImageAnalysisErrorCode>())
        .layer(middleware::map_response(allow_any_origin))
}

/// Lets pages of any origin read an answer, refusals too; a token is of no use without a signed request of the application.
async fn allow_any_origin(mut response: Response) -> Response {
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// The application whose page calls, and the browser's key.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SecureTokenQuery {
    /// The SDK ID of the application.
    #[serde(rename = "sdkId")]
    #[param(value_type = String, required = true)]
    sdk_id: Option<String>,
    /// Base64url of the browser's P-256 public key, an uncompressed point of 65 bytes.
    #[param(value_type = String, required = true)]
    key: Option<String>,
    /// The age session that photos will be taken for, if any. The token then counts in that session alone, and once.
    #[serde(rename = "sessionId")]
    #[param(value_type = Option<Uuid>)]
    session_id: Option<String>,
}

/// A secure session.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SecureTokenResponse {
    /// To be sent back as `secure.token`.
    token: String,
    /// Seconds until it expires.
    #[schema(example = 600)]
    expires_in: i64,
}

/// Start a secure capture session in a browser.
#[utoipa::path(
    get, path = "/ai/sm/v1/secure/{version}/token", tag = "secure capture",
    params(("version" = String, Path, description = "Protocol version, `1`."), SecureTokenQuery),
    responses((status = 200, description = "The session.", body = SecureTokenResponse), error::SecureTokenErrors),
)]
pub(crate) async fn issue_secure_token(
    State(api): State<ApiState>,
    version: Result<Path<String>, PathRejection>,
    query: Result<Query<SecureTokenQuery>, QueryRejection>,
) -> Result<impl IntoResponse, ImageAnalysisApiError> {
    check_version(version)?;
    let Query(query) = query.map_err(|_| {
        ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, "the query cannot be read")
    })?;
    let session = query.session_id.as_deref().map(str::parse::<AgeSessionId>).transpose().map_err(|_| {
        ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, "sessionId is not a UUID")
    })?;
    let mut view = api.db.read().await.map_err(|error| ImageAnalysisApiError::unavailable(&error))?;
    // The page of age verification calls this as well, for applications that may not sign requests.
    let page = match query.sdk_id.as_deref().and_then(|id| id.parse().ok()) {
        Some(app) => {
            let standing = application_status::find(&mut view, app).await;
            let standing = standing.map_err(|error| ImageAnalysisApiError::unavailable(&error))?;
            standing.filter(|standing| standing.allows(Feature::Ages)).map(|_| app)
        }
        None => None,
    };
    let app = if let Some(app) = page {
        app
    } else {
        let caller = calling_application::identify(&mut view, query.sdk_id.as_deref()).await;
        let caller = caller.map_err(ImageAnalysisApiError::from)?;
        if caller.org_status != OrganisationStatus::Active {
            return Err(SignatureAuthError::Suspended.into());
        }
        if !caller.features.contains(&Feature::ImageAi) {
            return Err(ImageAnalysisApiError::new(
                ImageAnalysisErrorCode::Unauthorized,
                "the application may not use image-ai",
            ));
        }
        caller.app
    };
    drop(view);
    let key = query.key.unwrap_or_default();
    let token = api.secure_capture.issue_token(&*api.environment, app, session, &key).map_err(|error| {
        ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, error.to_string())
    })?;
    let expires_in = secure_capture::SESSION_TOKEN_LIFETIME.as_secs();
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(SecureTokenResponse { token, expires_in })))
}

/// The capture module, an ECMAScript module for any page.
#[utoipa::path(
    get, path = "/ai/sm/v1/secure/{version}/capture.js", tag = "secure capture",
    params(("version" = String, Path, description = "Protocol version, `1`.")),
    responses((status = 200, description = "The module.", content_type = "text/javascript", body = String), error::CaptureModuleErrors),
)]
pub(crate) async fn capture_module(
    version: Result<Path<String>, PathRejection>,
) -> Result<impl IntoResponse, ImageAnalysisApiError> {
    check_version(version)?;
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, include_str!("../../../../web/secure-capture.js")))
}

/// Refuses every protocol version but the only one, and text that is not UTF-8.
fn check_version(version: Result<Path<String>, PathRejection>) -> Result<(), ImageAnalysisApiError> {
    if version.is_ok_and(|Path(version)| version == secure_capture::PROTOCOL_VERSION) {
        return Ok(());
    }
    Err(ImageAnalysisApiError::new(ImageAnalysisErrorCode::SecureVersionNotFound, "there is only version 1"))
}
