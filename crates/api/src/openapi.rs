//! The OpenAPI documents, and the reference page that shows them.

use crate::{
    Brand, age_verification, console, content_moderation, document_verification,
    http::openapi::deduplicate_responses, image_analysis, proof_of_age,
};
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};
use utoipa_swagger_ui::{Config, SwaggerUi, Url};

/// The names of the interfaces' documents. The console's is for its own pages: businesses call none of its operations.
pub const DOCUMENT_NAMES: [&str; 6] = ["moderation", "ai", "proof", "identity", "ages", "console"];

/// The document of an interface in JSON, with the brand's header names; `None` for an unknown name.
///
/// # Panics
/// Never: a document of our own always serialises.
pub fn document_json(name: &str, brand: &Brand) -> Option<String> {
    let document = match name {
        "ai" => with_info(
            "Assay image analysis",
            "Age estimation and liveness from one image.",
            image_analysis::openapi_document(),
        ),
        "proof" => with_info(
            "Assay proof of age",
            "Verify a proof of age scanned at a till.",
            proof_of_age::openapi_document(),
        ),
        "moderation" => with_info(
            "Assay content moderation",
            "Moderate images, video and live video for unknown, known, banned and under-age faces.",
            content_moderation::openapi_document(),
        ),
        "identity" => with_info(
            "Assay document verification",
            "Verify identity documents in sessions. In front of every path, `/sandbox` stands for the sandbox.",
            document_verification::openapi_document(),
        ),
        "ages" => with_info(
            "Assay age verification",
            "Verify ages in sessions, by fifteen methods. In front of every path, `/sandbox` stands for the sandbox.",
            age_verification::openapi_document(),
        ),
        "console" => with_info(
            "Assay console",
            "What the console's pages ask besides content moderation: sign-in, cases, and what operators and integrators do.",
            console::openapi_document(),
        ),
        _ => return None,
    };
    let json = document.to_pretty_json().expect("a document of our own serialises");
    Some(brand.rebrand(&json).into_owned())
}

fn with_info(title: &str, description: &str, document: OpenApi) -> OpenApi {
    let licence =
        LicenseBuilder::new().name("MIT OR Apache-2.0").identifier(Some("MIT OR Apache-2.0")).build();
    let info = InfoBuilder::new()
        .title(title)
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(description))
        .license(Some(licence))
        .build();
    let builder: OpenApiBuilder = document.into();
    let mut document = builder.info(info).build();
    deduplicate_responses(&mut document);
    document
}

/// The reference page at `/reference`, of the interfaces that businesses call.
pub(crate) fn reference_page() -> SwaggerUi {
    let documents = [
        Url::new("image analysis", "/openapi/ai.json"),
        Url::new("content moderation", "/openapi/moderation.json"),
        Url::new("proof of age", "/openapi/proof.json"),
        Url::new("document verification", "/openapi/identity.json"),
        Url::new("age verification", "/openapi/ages.json"),
    ];
    SwaggerUi::new("/reference")
        .config(Config::new(documents).try_it_out_enabled(false).validator_url("none"))
}
