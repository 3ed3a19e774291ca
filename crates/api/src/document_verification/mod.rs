//! Document verification sessions, under `/idverify/v1`, and the same in a sandbox under
//! `/sandbox/idverify/v1`.

mod auth;
mod devices;
mod error;
mod extraction_answer;
mod face_capture;
mod fraud_list;
mod id_documents;
mod liveness;
mod media;
mod openapi;
mod response_config;
mod resumable_uploads;
mod reviews;
mod sandbox_agent;
mod sessions;
mod supplementary_documents;
mod supported_documents;
mod upload_input;
mod violations;
mod webhooks;

pub use error::DocumentErrorCode;
pub(crate) use openapi::openapi_document;
pub(crate) use response_config::config::{ResponseConfigRequest, SentResponseConfig};

use crate::{ApiState, http::routes::routes};
use error::DocumentApiError;
use utoipa_axum::router::OpenApiRouter;

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    operations().layer(crate::http::panic::catch_panics::<DocumentErrorCode>())
}

fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(supported_documents::supported_documents))
        .routes(routes!(sessions::create::create_document_session))
        .routes(routes!(sessions::get::get_session, sessions::delete::delete_session))
        .routes(routes!(media::get::get_media, media::delete::delete_media))
        .routes(routes!(
            response_config::get_for_application::get_app_responses,
            response_config::set_for_application::set_app_responses
        ))
        .routes(routes!(
            response_config::get_for_session::get_session_responses,
            response_config::set_for_session::set_session_responses
        ))
        .routes(routes!(devices::list::list_devices, devices::forget::forget_devices))
        .routes(routes!(fraud_list::list::list_fraud_list, fraud_list::add::add_to_fraud_list))
        .routes(routes!(fraud_list::remove::remove_from_fraud_list))
        .routes(routes!(reviews::list::list_reviews))
        .routes(routes!(reviews::show::show_review, reviews::decide::decide_review))
        .routes(routes!(sessions::configuration::session_configuration))
        .routes(routes!(sessions::consent::give_consent))
        .routes(routes!(id_documents::add::add_id_document))
        .routes(routes!(id_documents::put_page::put_id_page))
        .routes(routes!(id_documents::extract::extract_id_document))
        .routes(routes!(supplementary_documents::add::add_supplementary_document))
        .routes(routes!(supplementary_documents::put_page::put_supplementary_page))
        .routes(routes!(supplementary_documents::put_file::put_supplementary_file))
        .routes(routes!(supplementary_documents::extract::extract_supplementary_document))
        .routes(routes!(liveness::add_static::add_static))
        .routes(routes!(liveness::add_zoom::add_zoom))
        .routes(routes!(liveness::put_static_frame::put_static_frame))
        .routes(routes!(liveness::put_zoom_frame::put_zoom_frame))
        .routes(routes!(liveness::put_facemap::put_facemap))
        .routes(routes!(face_capture::add::add_face_capture))
        .routes(routes!(face_capture::put_image::put_face_image))
        .merge(resumable_uploads::router())
        .routes(routes!(sessions::emails::ask_for_mail))
        .routes(routes!(sessions::report_error::report_page_fault))
        .routes(routes!(sessions::finish::delete_token))
        .routes(routes!(sandbox_agent::play_agent))
}
