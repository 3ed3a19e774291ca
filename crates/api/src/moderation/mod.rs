//! Interface 1: content moderation, under `/accounts`.

mod accounts;
mod caller;
mod invitations;
mod members;
mod problem;
mod sent;

pub use problem::Code;

use crate::Api;
pub(crate) use accounts::get::AccountBody;
pub(crate) use caller::Caller;
pub(crate) use members::MemberBody;
use problem::{Error, Wrong};
pub(crate) use problem::{Problem, not_found, panicked};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{ApiKey, ApiKeyValue, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The operations.
pub(crate) fn router() -> OpenApiRouter<Api> {
    operations().layer(CatchPanicLayer::custom(panicked))
}

fn operations() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(accounts::open::open_account))
        .routes(routes!(accounts::get::get_account))
        .routes(routes!(accounts::close::close_account))
        .routes(routes!(accounts::receipt::get_deletion_receipt))
        .routes(routes!(invitations::list::list_invitations))
        .routes(routes!(invitations::invite::invite))
        .routes(routes!(invitations::revoke::revoke_invitation))
        .routes(routes!(members::list::list_members))
        .routes(routes!(members::get::get_member))
        .routes(routes!(members::set_scopes::set_scopes))
        .routes(routes!(members::remove::remove_member))
        .routes(routes!(members::own_scopes::own_scopes))
        .routes(routes!(members::promote::promote))
        .routes(routes!(members::demote::demote))
}

pub(crate) fn document() -> OpenApi {
    let mut document = operations().split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), Error::schema());
    components.schemas.insert("Wrong".to_owned(), Wrong::schema());
    let key = |name, description| {
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, description)))
    };
    let description = "An API key of the application, alone or after `Bearer`.";
    components.add_security_scheme("api key", key("Authorization", description));
    components.add_security_scheme("application", key("Svc-Sdk-Id", "The application's id."));
    document
}
