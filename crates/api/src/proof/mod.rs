//! Interface 2, proof of age: a code scanned at a till, under `/poa/v1`.

mod caller;
mod error;
mod fetch;
mod holder;
mod verify;
mod webhooks;

pub use error::Code;

use crate::{Api, oauth};
use error::{ErrorBody, Problem};
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{Http, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The operations.
pub(crate) fn router() -> OpenApiRouter<Api> {
    operations().layer(crate::http::panic::catch::<Code>())
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
    components.schemas.insert("Error".to_owned(), ErrorBody::schema());
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
    webhooks::document(&mut document);
    document
}
