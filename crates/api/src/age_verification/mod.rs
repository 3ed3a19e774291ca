//! Age verification sessions, under `/api/v1`, and the same in a sandbox under `/sandbox/api/v1`. The hosted page calls
//! `/age/v1`, wallets call `/age/v1/wallet`.

mod appeals;
mod auth;
mod body;
mod end_user;
mod error;
mod policies;
mod rules;
mod sessions;
mod tokens;
mod wallet;
mod webhooks;

pub use error::AgeErrorCode;

use crate::{
    ApiState,
    http::{openapi::move_to_sandbox_paths, routes::routes},
    oauth,
};
use axum::{
    Json,
    http::{HeaderName, header},
};
use error::{AgeApiError, AgeErrorBody};
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::router::OpenApiRouter;

/// Answers show the state of the moment, so they must not be cached.
const NO_STORE_HEADERS: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "no-store")];

/// An answer that must not be cached.
type NoStoreJson<T> = ([(HeaderName, &'static str); 1], Json<T>);

fn no_store_json<T>(answer: T) -> NoStoreJson<T> {
    (NO_STORE_HEADERS, Json(answer))
}

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    operations().layer(crate::http::panic::catch_panics::<AgeErrorCode>())
}

fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(sessions::create::create_age_session))
        .routes(routes!(rules::create::create_age_rule))
        .routes(routes!(policies::list::list_age_policies))
        .routes(routes!(policies::get::get_age_policy))
        .routes(routes!(sessions::get::get_age_session))
        .routes(routes!(sessions::result::get_age_result))
        .routes(routes!(sessions::device_challenge::begin_device_signal))
        .routes(routes!(sessions::device_signal::send_device_signal))
        .routes(routes!(appeals::create::create_age_appeal, appeals::get::get_age_appeal))
        .routes(routes!(webhooks::webhook_keys))
        .routes(routes!(sessions::response_config::set_age_response))
        .routes(routes!(end_user::get::see_age_session))
        .routes(routes!(end_user::consent::give_age_consent))
        .routes(routes!(end_user::cancel::cancel_age_session))
        .routes(routes!(end_user::open_attempt::open_age_attempt))
        .routes(routes!(end_user::take_turn::take_age_turn))
        .routes(routes!(end_user::keep_result::keep_age_result))
        .routes(routes!(end_user::forget_result::forget_age_result))
        .routes(routes!(end_user::take_proof::take_age_proof))
        .routes(routes!(end_user::report_error::report_age_fault))
        .routes(routes!(tokens::keys::age_token_keys))
        .routes(routes!(tokens::begin::begin_age_issuing))
        .routes(routes!(tokens::issue::issue_age_token))
        .routes(routes!(wallet::get_wallet_request, wallet::post_wallet_request))
        .routes(routes!(wallet::take_wallet_answer))
        .routes(routes!(wallet::see_sandbox_wallet, wallet::use_sandbox_wallet))
}

pub(crate) fn openapi_document() -> OpenApi {
    let mut document = operations().merge(oauth::router()).split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), AgeErrorBody::schema());
    let id = ApiKeyValue::with_description(
        "Svc-Sdk-Id",
        "The application's SDK ID: beside a key or token, and of the page the one that its address names.",
    );
    components.add_security_scheme("sdk", SecurityScheme::ApiKey(ApiKey::Header(id)));
    let bearer = |words: &str| -> Http {
        HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(words)).build()
    };
    let key = bearer("An API key of the application.");
    components.add_security_scheme("key", SecurityScheme::Http(key));
    let token =
        bearer("A token of `POST /v1/oauth/token` with the scope `avs:sessions:create`, instead of a key.");
    components.add_security_scheme("bearer", SecurityScheme::Http(token));
    webhooks::describe_webhooks(&mut document);
    move_to_sandbox_paths(&mut document, &["/api/v1/sessions/{sessionId}/response-config"]);
    document
}
