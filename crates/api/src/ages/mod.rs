//! Interface 3, part B: age verification sessions, under `/api/v1`, and the same in a sandbox under `/sandbox/api/v1`.
//! What the hosted page asks is under `/age/v1`, and what wallets do under `/age/v1/wallet`.

mod anonymity;
mod caller;
mod create;
mod described;
mod error;
mod get;
mod person;
mod responses;
mod view;
mod wallet;

pub use error::Code;

use crate::{Api, oauth};
use caller::{Business, Person};
use error::{ErrorBody, Problem};
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The operations.
pub(crate) fn router() -> OpenApiRouter<Api> {
    operations().layer(crate::http::panic::catch::<Code>())
}

fn operations() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(create::create_age_session))
        .routes(routes!(create::create_age_rule))
        .routes(routes!(get::get_age_session))
        .routes(routes!(get::get_age_result))
        .routes(routes!(get::webhook_keys))
        .routes(routes!(responses::set_age_response))
        .routes(routes!(person::see_age_session))
        .routes(routes!(person::give_age_consent))
        .routes(routes!(person::cancel_age_session))
        .routes(routes!(person::open_age_attempt))
        .routes(routes!(person::take_age_turn))
        .routes(routes!(person::keep_age_result))
        .routes(routes!(person::forget_age_result))
        .routes(routes!(person::take_age_proof))
        .routes(routes!(person::report_age_fault))
        .routes(routes!(anonymity::age_token_keys))
        .routes(routes!(anonymity::begin_age_issuing))
        .routes(routes!(anonymity::issue_age_token))
        .routes(routes!(wallet::get_wallet_request, wallet::post_wallet_request))
        .routes(routes!(wallet::take_wallet_answer))
        .routes(routes!(wallet::see_sandbox_wallet, wallet::use_sandbox_wallet))
}

pub(crate) fn document() -> OpenApi {
    let mut document = operations().merge(oauth::router()).split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), ErrorBody::schema());
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
    document
}
