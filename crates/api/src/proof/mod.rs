//! Interface 2, proof of age: a code scanned at a till, under `/poa/v1`.

mod caller;
mod fetch;
mod holder;
mod problem;
mod verify;

pub use problem::Code;

use crate::{Api, oauth};
use axum::middleware;
pub(crate) use problem::not_found;
use problem::{Error, Problem, render};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{Http, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The operations; `api` is for the layer that writes refusals.
pub(crate) fn router(api: Api) -> OpenApiRouter<Api> {
    operations()
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(middleware::from_fn_with_state(api, render))
}

fn operations() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(verify::verify_proof))
        .routes(routes!(fetch::fetch_proof))
        .routes(routes!(holder::redeem_invitation))
        .routes(routes!(holder::issuer_keys))
}

pub(crate) fn document() -> OpenApi {
    let mut document = operations().merge(oauth::router()).split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), Error::schema());
    let bearer: Http = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A token of `POST /v1/oauth/token` with the scope `poa:verify`, or one that the operator made. The spelling \
             `Authorisation` is read as well.",
        ))
        .build();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    let invitation = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The code of an invitation that the operator made."))
        .build();
    components.add_security_scheme("invitation", SecurityScheme::Http(invitation));
    document
}
