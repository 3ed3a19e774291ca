//! Interface 2, image AI: age and liveness from one image, under `/ai/v1`.

mod age;
mod age_antispoofing;
mod age_antispoofing_verify;
mod age_verify;
mod antispoofing;
mod code;
mod explain;
mod photo;
mod problem;
mod secure_token;
mod self_checkout;

pub use code::Code;
pub use problem::{Error, Problem};

use crate::Api;
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn router() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(antispoofing::antispoofing))
        .routes(routes!(age_antispoofing::age_antispoofing))
        .routes(routes!(age::age))
        .routes(routes!(self_checkout::age_antispoofing_at_checkout))
        .routes(routes!(age_verify::age_verify))
        .routes(routes!(age_antispoofing_verify::age_antispoofing_verify))
        .routes(routes!(secure_token::issue_secure_token))
        .routes(routes!(secure_token::capture_module))
}

pub(crate) fn document() -> OpenApi {
    router().split_for_parts().1
}
