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

use crate::{Api, wire::parse};
use utoipa::{
    PartialSchema as _,
    openapi::{
        OpenApi,
        security::{ApiKey, ApiKeyValue, SecurityScheme},
    },
};
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

/// Reads a body as each operation that takes one does, before anything is looked at; `fuzz/` calls it with made-up ones.
pub fn read_bodies(body: &[u8]) -> [Result<(), Problem>; 4] {
    [
        parse::<age::AgeRequest<'_>>(body).map(drop).map_err(Problem::from),
        parse::<age_verify::AgeVerifyRequest<'_>>(body).map(drop).map_err(Problem::from),
        parse::<age_antispoofing_verify::AgeAntispoofingVerifyRequest<'_>>(body)
            .map(drop)
            .map_err(Problem::from),
        parse::<antispoofing::AntispoofingRequest<'_>>(body).map(drop).map_err(Problem::from),
    ]
}

pub(crate) fn document() -> OpenApi {
    let mut document = router().split_for_parts().1;
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), Error::schema());
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
