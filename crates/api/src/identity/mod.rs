//! Interface 3, part A: document verification sessions, under `/idverify/v1`, and the same in a sandbox under
//! `/sandbox/idverify/v1`.

mod agent;
mod caller;
mod configuration;
mod consent;
mod create;
mod delete;
mod devices;
mod documents;
mod error;
mod face;
mod finish;
mod get;
mod liveness;
mod mails;
mod media;
mod page_faults;
mod responses;
mod reviews;
mod supported;
mod uploads;
mod view;

pub use error::Code;

use crate::{Api, oauth};
use caller::{Business, Either, Person};
use error::{ErrorBody, Problem, Wrong};
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
        .routes(routes!(supported::supported_documents))
        .routes(routes!(create::create_session))
        .routes(routes!(get::get_session, delete::delete_session))
        .routes(routes!(media::get_media, media::delete_media))
        .routes(routes!(responses::get_app_responses, responses::set_app_responses))
        .routes(routes!(responses::get_session_responses, responses::set_session_responses))
        .routes(routes!(devices::list_devices, devices::forget_devices))
        .routes(routes!(reviews::list_reviews))
        .routes(routes!(reviews::show_review, reviews::decide_review))
        .routes(routes!(configuration::session_configuration))
        .routes(routes!(consent::give_consent))
        .routes(routes!(documents::add_id_document))
        .routes(routes!(documents::put_id_page))
        .routes(routes!(documents::extract_id_document))
        .routes(routes!(documents::add_supplementary_document))
        .routes(routes!(documents::put_supplementary_page))
        .routes(routes!(documents::put_supplementary_file))
        .routes(routes!(documents::extract_supplementary_document))
        .routes(routes!(liveness::add_static))
        .routes(routes!(liveness::add_zoom))
        .routes(routes!(liveness::put_static_frame))
        .routes(routes!(liveness::put_zoom_frame))
        .routes(routes!(liveness::put_facemap))
        .routes(routes!(face::add_face_capture))
        .routes(routes!(face::put_face_image))
        .routes(routes!(uploads::begin_upload))
        .routes(routes!(uploads::upload_offset, uploads::append_to_upload))
        .routes(routes!(mails::ask_for_mail))
        .routes(routes!(page_faults::report_page_fault))
        .routes(routes!(finish::delete_token))
        .routes(routes!(agent::play_agent))
}

pub(crate) fn document() -> OpenApi {
    let mut document = operations().merge(oauth::router()).split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), ErrorBody::schema());
    components.schemas.insert("Wrong".to_owned(), Wrong::schema());
    let key = |name: &str, words: &str| {
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, words)))
    };
    components.add_security_scheme(
        "signature",
        key(
            "X-Svc-Auth-Digest",
            "The base64 of an RSASSA-PKCS1-v1_5 signature with SHA-256 over method, path, query and base64 body, with \
             `sdkId`, `nonce` and `timestamp` in the query.",
        ),
    );
    components.add_security_scheme(
        "session",
        key("X-Svc-Auth-Token", "The `client_session_token` of a session, for its person."),
    );
    let bearer: Http = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A token of `POST /v1/oauth/token` with the scope `idv:sessions`, instead of a signature.",
        ))
        .build();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    document
}
