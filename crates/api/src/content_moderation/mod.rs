//! Content moderation, under `/accounts`.
//!
//! A folder for each kind of resource, a file for each operation. `request` has the extractors: they authenticate the caller
//! (`authentication`), read the ids of the path (`path`), and the query (`query`) or the body. `error` has the interface's
//! error table, `webhooks` the bodies of notifications.

mod accounts;
mod authentication;
mod contents;
mod created;
mod error;
mod findings;
mod groups;
mod invitations;
mod members;
mod moderations;
mod notifications;
pub(crate) mod path;
mod profiles;
pub(crate) mod query;
mod request;
mod violations;
mod webhooks;

pub use error::ModerationErrorCode;

use crate::{ApiState, http::routes::routes};
pub(crate) use accounts::{deletion_receipt::DeletionReceiptBody, get::AccountBody};
pub(crate) use authentication::authenticate;
pub(crate) use created::CreatedResource;
pub(crate) use error::ModerationApiError;
use error::{ModerationErrorBody, ModerationViolationBody};
pub(crate) use invitations::invite::email_violation;
pub(crate) use members::MemberBody;
pub(crate) use path::read as read_path;
pub(crate) use request::{CommandPayload, read_command};
use utoipa::{
    PartialSchema as _,
    openapi::{
        Components, Deprecated, OpenApi,
        security::{ApiKey, ApiKeyValue, SecurityScheme},
    },
};
use utoipa_axum::router::OpenApiRouter;
pub(crate) use violations::CommandViolations;

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    operations().layer(crate::http::panic::catch_panics::<ModerationErrorCode>())
}

fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(accounts::open::open_account))
        .routes(routes!(accounts::get::get_account))
        .routes(routes!(contents::archive::archive_content))
        .routes(routes!(contents::restore::restore_content))
        .routes(routes!(contents::list::list_contents, contents::register::register_content))
        .routes(routes!(contents::register_many::register_many_contents))
        .routes(routes!(contents::upload::upload_file))
        .routes(routes!(contents::get::get_content, contents::delete::delete_content))
        .routes(routes!(contents::attach_profile::attach_profile))
        .routes(routes!(contents::detach_profile::detach_profile))
        .routes(routes!(contents::moderations::list_content_moderations))
        .routes(routes!(contents::reports::list_reports, contents::report::report_content))
        .routes(routes!(contents::resolve_report::resolve_report))
        .routes(routes!(moderations::list::list_moderations, moderations::start::start_moderation))
        .routes(routes!(moderations::overview::moderation_overview))
        .routes(routes!(moderations::details::moderation_details))
        .routes(routes!(moderations::results::moderation_results))
        .routes(routes!(moderations::report::moderation_report))
        .routes(routes!(moderations::notifications::list_moderation_notifications))
        .routes(routes!(moderations::stop::stop_moderation))
        .routes(routes!(moderations::delete::delete_moderation))
        .routes(routes!(notifications::list::list_notifications))
        .routes(routes!(notifications::get::get_notification))
        .routes(routes!(notifications::accept::accept_notification))
        .routes(routes!(notifications::dismiss::dismiss_notification))
        .routes(routes!(notifications::reviews::list_reviews))
        .routes(routes!(notifications::statement_of_reasons::statement_of_reasons))
        .routes(routes!(notifications::inbox::read_inbox))
        .routes(routes!(accounts::close::close_account))
        .routes(routes!(accounts::deletion_receipt::get_deletion_receipt))
        .routes(routes!(invitations::list::list_invitations))
        .routes(routes!(invitations::invite::invite))
        .routes(routes!(invitations::revoke::revoke_invitation))
        .routes(routes!(members::list::list_members))
        .routes(routes!(members::get::get_member))
        .routes(routes!(members::set_scopes::set_scopes))
        .routes(routes!(members::remove::remove_member))
        .routes(routes!(members::scopes::list_scopes))
        .routes(routes!(members::promote::promote))
        .routes(routes!(members::demote::demote))
        .routes(routes!(profiles::list::list_profiles, profiles::enrol::enrol_profile))
        .routes(routes!(profiles::enrol_many::enrol_many_profiles))
        .routes(routes!(profiles::search::search_profiles))
        .routes(routes!(findings::search::search_findings))
        .routes(routes!(
            profiles::get::get_profile,
            profiles::change::change_profile,
            profiles::delete::delete_profile
        ))
        .routes(routes!(profiles::ban::ban_profile))
        .routes(routes!(profiles::unban::unban_profile))
        .routes(routes!(profiles::add_face::add_face))
        .routes(routes!(profiles::delete_face::delete_face))
        .routes(routes!(profiles::dismissals::list_dismissals))
        .routes(routes!(profiles::undo_dismissal::undo_dismissal))
        .routes(routes!(groups::list::list_groups, groups::make::make_group))
        .routes(routes!(groups::join::join_group, groups::remove::remove_group))
        .routes(routes!(groups::leave::leave_group))
}

pub(crate) fn openapi_document() -> OpenApi {
    let mut document = operations().split_for_parts().1;
    let results = "/accounts/{accountId}/moderations/{moderationId}/results";
    if let Some(results) = document.paths.paths.get_mut(results).and_then(|path| path.get.as_mut()) {
        results.deprecated = Some(Deprecated::True);
    }
    webhooks::describe_webhooks(&mut document);
    let components = document.components.get_or_insert_default();
    add_error_schemas(components);
    let key = |name, description| {
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, description)))
    };
    let description = "An API key of the application, alone or after `Bearer`.";
    components.add_security_scheme("api key", key("Authorization", description));
    components.add_security_scheme("application", key("Svc-Sdk-Id", "The application's id."));
    document
}

/// Adds the schemas of refusals.
pub(crate) fn add_error_schemas(components: &mut Components) {
    components.schemas.insert("Error".to_owned(), ModerationErrorBody::schema());
    components.schemas.insert("Violation".to_owned(), ModerationViolationBody::schema());
}
