//! Image analysis: age and liveness from one image, under `/ai/v1`.

mod age;
mod age_antispoofing;
mod age_antispoofing_verify;
mod age_verify;
mod analysis;
mod antispoofing;
mod enum_field;
mod error;
mod error_code;
mod explain;
mod secure_token;
mod self_checkout;
mod signed_request;
mod transaction_attempts;

use error::{ImageAnalysisApiError, ImageAnalysisErrorBody};
pub use error_code::ImageAnalysisErrorCode;
use signed_request::SignedRequest;
pub use transaction_attempts::TransactionAttempts;

use crate::{
    ApiState,
    http::{json::parse_borrowed, routes::routes},
};
use axum::response::{IntoResponse as _, Response};
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{ApiKey, ApiKeyValue, SecurityScheme},
    },
};
use utoipa_axum::router::OpenApiRouter;

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(antispoofing::detect_spoof))
        .routes(routes!(age_antispoofing::age_antispoofing))
        .routes(routes!(age::estimate_age))
        .routes(routes!(self_checkout::age_antispoofing_at_checkout))
        .routes(routes!(age_verify::verify_age))
        .routes(routes!(age_antispoofing_verify::age_antispoofing_verify))
        .merge(secure_token::router())
}

/// Parses a body as each operation that takes one does, and returns the refusals of those that cannot. `fuzz/` calls it
/// with generated bodies.
pub fn reject_bodies(body: &[u8]) -> Vec<Response> {
    let read = [
        parse_borrowed::<age::AgeRequest<'_>>(body).map(drop),
        parse_borrowed::<age_verify::AgeVerifyRequest<'_>>(body).map(drop),
        parse_borrowed::<age_antispoofing_verify::AgeAntispoofingVerifyRequest<'_>>(body).map(drop),
        parse_borrowed::<antispoofing::AntispoofingRequest<'_>>(body).map(drop),
    ];
    read.into_iter()
        .filter_map(Result::err)
        .map(|error| ImageAnalysisApiError::from(error).into_response())
        .collect()
}

pub(crate) fn openapi_document() -> OpenApi {
    let mut document = router().split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), ImageAnalysisErrorBody::schema());
    components.add_security_scheme(
        "applicationId",
        header("X-Svc-Auth-Id", "The SDK ID of the application, a UUID."),
    );
    components.add_security_scheme(
        "requestSignature",
        header(
            "X-Svc-Auth-Digest",
            "Standard base64 of the RSASSA-PKCS1-v1_5 SHA-256 signature over `METHOD&PATH?QUERY` and, when a body is \
             sent, `&` and the padded base64 of the raw body. PATH is relative to the client's base address.",
        ),
    );
    document
}

fn header(name: &str, description: &str) -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, description)))
}
