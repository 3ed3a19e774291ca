//! Operations for the console's pages besides content moderation: sessions of members, and sign-in links. Refusals have
//! the form of the moderation interface; that one knows nothing of the console.
//!
//! They have an OpenAPI document of their own: businesses never call them, and the pages' types are generated from it.

mod begin_session;
mod end_session;
mod get_session;
mod request;
mod session;
mod sign_in;

use crate::{
    ApiState,
    content_moderation::{self, ModerationErrorCode},
    http::{auth::session_cookie::INSECURE_COOKIE_NAME, error::error_responses, panic},
};
use utoipa::openapi::{
    OpenApi,
    security::{ApiKey, ApiKeyValue, SecurityScheme},
};
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    operations().layer(panic::catch_panics::<ModerationErrorCode>())
}

error_responses! {
    ModerationErrorCode;
    GetConsoleSessionErrors: &[ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
    BeginConsoleSessionErrors: &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PayloadTooLarge, ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
    SignInLinkErrors: &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PayloadTooLarge, ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
    EndConsoleSessionErrors: &[ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
}

fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_session::get_session, begin_session::begin_session, end_session::end_session))
        .routes(routes!(sign_in::ask_for_link))
}

pub(crate) fn openapi_document() -> OpenApi {
    let mut document = operations().split_for_parts().1;
    let components = document.components.get_or_insert_default();
    content_moderation::add_error_schemas(components);
    let session = "A session. Over https the cookie is called `__Host-assay-session`.";
    let session = ApiKey::Cookie(ApiKeyValue::with_description(INSECURE_COOKIE_NAME, session));
    components.add_security_scheme("session", SecurityScheme::ApiKey(session));
    let page = "`1`: what the console's own pages send with each call, and forms of other sites cannot.";
    let page = ApiKey::Header(ApiKeyValue::with_description("X-Assay-Console", page));
    components.add_security_scheme("console", SecurityScheme::ApiKey(page));
    document
}
