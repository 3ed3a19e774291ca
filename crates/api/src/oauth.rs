//! `POST /v1/oauth/token`: a bearer token for an assertion that the application signed (RFC 6749, RFC 7523).

use crate::{
    ApiState,
    http::{
        body::{self, BodyError},
        error::LoggedErrorCode,
        routes::routes,
    },
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::tenancy::tokens::{self, ACCESS_TOKEN_LIFETIME, TokenExchangeError, TokenRequest, TokenScope};
use std::{borrow::Cow, collections::BTreeMap};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

/// The path of the endpoint; with the server's address before it, the audience of assertions.
pub(crate) const TOKEN_ENDPOINT_PATH: &str = "/v1/oauth/token";
/// Larger forms are refused.
const MAX_FORM_BYTES: usize = 64 << 10;

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(token))
}

/// The form of a token request. What is missing is refused with an error of RFC 6749 by the domain.
#[derive(ToSchema)]
pub(crate) struct TokenForm {
    /// `client_credentials`.
    #[schema(value_type = String)]
    grant_type: Option<String>,
    /// `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.
    #[schema(value_type = String)]
    client_assertion_type: Option<String>,
    /// A JWT signed with a key of the application: `alg` PS384 (or PS256, RS256, ES256), `iss` and `sub` both
    /// `sdk:<SDK ID>`, `aud` the address of this endpoint, `jti` of 16 to 128 bytes and used once, `exp` at most 30
    /// minutes ahead.
    #[schema(value_type = String)]
    client_assertion: Option<String>,
    /// `idv:sessions`, `avs:sessions:create`, `poa:verify`, separated by spaces. Default: all that the application may
    /// use.
    scope: Option<String>,
}

/// A token.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct TokenResponse {
    /// Opaque; send it as `Authorization: Bearer …`.
    access_token: String,
    /// `Bearer`.
    #[schema(value_type = String, example = "Bearer")]
    token_type: &'static str,
    /// The lifetime, seconds.
    #[schema(example = 2700)]
    expires_in: i64,
    /// The scopes that it has.
    #[schema(example = "poa:verify")]
    scope: String,
}

/// A refusal (RFC 6749, section 5.2).
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct TokenErrorBody {
    /// `invalid_request`, `invalid_client`, `unauthorized_client`, `unsupported_grant_type`, `invalid_scope`, or
    /// `temporarily_unavailable` if there are too many live tokens or the database does not answer.
    #[schema(value_type = String, example = "invalid_client")]
    error: &'static str,
    /// The same in words, for a developer.
    error_description: String,
}

const NO_STORE_HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::PRAGMA, HeaderValue::from_static("no-cache")),
];

/// Get a bearer token for a signed assertion.
#[utoipa::path(
    post, path = "/v1/oauth/token", tag = "tokens",
    request_body(content = TokenForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The token, shown only now.", body = TokenResponse),
        (status = 400, description = "The request cannot be granted.", body = TokenErrorBody),
        (status = 401, description = "The client did not prove who it is.", body = TokenErrorBody),
        (status = 413, description = "The form has more than 64 KiB.", body = TokenErrorBody),
        (status = 429, description = "The application has 200 live tokens.", body = TokenErrorBody),
        (status = 503, description = "The database does not answer, or there is no memory for the form.", body = TokenErrorBody),
    ),
)]
pub(crate) async fn token(State(api): State<ApiState>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let read = body::read(&api, &parts, None, body, MAX_FORM_BYTES, "send the form alone").await;
    let form = match &read {
        Ok(form) => form,
        Err(BodyError::TooLarge(_)) => {
            return error_response(
                StatusCode::PAYLOAD_TOO_LARGE,
                "invalid_request",
                "the form has more than 64 KiB",
            );
        }
        Err(BodyError::BrokenOff) => {
            return error_response(StatusCode::BAD_REQUEST, "invalid_request", "the form broke off");
        }
        Err(BodyError::Late) => {
            return error_response(
                StatusCode::BAD_REQUEST,
                "invalid_request",
                "the form did not arrive in time",
            );
        }
        Err(BodyError::NoMemory(_)) => return busy_response(),
    };
    let form = match TokenForm::parse(form) {
        Ok(form) => form,
        Err(words) => return error_response(StatusCode::BAD_REQUEST, "invalid_request", words),
    };
    match tokens::exchange_assertion(
        &api.db,
        &*api.environment,
        &api.settings.token_audiences(),
        &form.request(),
    )
    .await
    {
        Ok(issued) => {
            let scope =
                issued.scopes.iter().map(|scope: &TokenScope| scope.as_str()).collect::<Vec<_>>().join(" ");
            let access_token = issued.token.expose().clone();
            let expires_in = ACCESS_TOKEN_LIFETIME.as_secs();
            let answer = TokenResponse { access_token, token_type: "Bearer", expires_in, scope };
            (NO_STORE_HEADERS, Json(answer)).into_response()
        }
        Err(error) => token_error_response(&api, &error),
    }
}

impl TokenForm {
    /// A parameter that is sent twice is an error (RFC 6749, section 3.2); one without a value counts as left out.
    fn parse(form: &[u8]) -> Result<Self, &'static str> {
        let mut fields: BTreeMap<Cow<'_, str>, Cow<'_, str>> = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(form) {
            if fields.insert(name, value).is_some() {
                return Err("a parameter is sent twice");
            }
        }
        let mut take =
            |name: &str| fields.remove(name).filter(|value| !value.is_empty()).map(Cow::into_owned);
        Ok(Self {
            grant_type: take("grant_type"),
            client_assertion_type: take("client_assertion_type"),
            client_assertion: take("client_assertion"),
            scope: take("scope"),
        })
    }

    fn request(&self) -> TokenRequest<'_> {
        let Self { grant_type, client_assertion_type, client_assertion, scope } = self;
        TokenRequest {
            grant_type: grant_type.as_deref().map(Cow::Borrowed),
            client_assertion_type: client_assertion_type.as_deref().map(Cow::Borrowed),
            client_assertion: client_assertion.as_deref().map(Cow::Borrowed),
            scope: scope.as_deref().map(Cow::Borrowed),
        }
    }
}

fn token_error_response(api: &ApiState, error: &TokenExchangeError) -> Response {
    let (status, code) = match error {
        TokenExchangeError::InvalidRequest(_) => (StatusCode::BAD_REQUEST, "invalid_request"),
        TokenExchangeError::InvalidClient(_) => (StatusCode::UNAUTHORIZED, "invalid_client"),
        TokenExchangeError::UnauthorizedClient(_) => (StatusCode::BAD_REQUEST, "unauthorized_client"),
        TokenExchangeError::UnsupportedGrantType => (StatusCode::BAD_REQUEST, "unsupported_grant_type"),
        TokenExchangeError::InvalidScope(_) => (StatusCode::BAD_REQUEST, "invalid_scope"),
        TokenExchangeError::TooMany { .. } => (StatusCode::TOO_MANY_REQUESTS, "temporarily_unavailable"),
        TokenExchangeError::Db(error) => {
            tracing::warn!(error = error as &dyn std::error::Error, "no token can be issued");
            return busy_response();
        }
    };
    let response = error_response(status, code, error.to_string());
    match error {
        TokenExchangeError::TooMany { until } => {
            let wait = until.map_or(60, |until| until.duration_since(api.environment.now()).as_secs().max(1));
            with_retry_after(response, wait as u64)
        }
        _ => response,
    }
}

fn busy_response() -> Response {
    let words = "temporarily unavailable, try again";
    with_retry_after(error_response(StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", words), 1)
}

fn error_response(status: StatusCode, error: &'static str, words: impl Into<String>) -> Response {
    let body = TokenErrorBody { error, error_description: words.into() };
    let mut response = (status, NO_STORE_HEADERS, Json(body)).into_response();
    response.extensions_mut().insert(LoggedErrorCode(error));
    response
}

fn with_retry_after(mut response: Response, seconds: u64) -> Response {
    response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    response
}
