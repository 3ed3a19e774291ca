//! Proof of age: a code scanned at a till, under `/poa/v1`.

mod auth;
mod error;
mod fetch;
mod issuer;
mod verify;
mod webhooks;

pub use error::ProofErrorCode;

use crate::{ApiState, http::routes::routes, oauth};
use error::{ProofApiError, ProofErrorBody};
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{Http, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::router::OpenApiRouter;

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    operations().layer(crate::http::panic::catch_panics::<ProofErrorCode>())
}

fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(verify::verify_proof))
        .routes(routes!(fetch::fetch_proof))
        .routes(routes!(issuer::redeem_invitation))
        .routes(routes!(issuer::issuer_keys))
}

pub(crate) fn openapi_document() -> OpenApi {
    let mut document = operations().merge(oauth::router()).split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), ProofErrorBody::schema());
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
    webhooks::describe_webhooks(&mut document);
    document
}
