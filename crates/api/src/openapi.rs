//! The OpenAPI documents, and the reference page that shows them.

use crate::{Brand, ages, ai, console, http::openapi::share_responses, identity, moderation, proof};
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};
use utoipa_swagger_ui::{Config, SwaggerUi, Url};

/// The interfaces, by the name of their document. The console's is for its own pages, and nothing that businesses call stands in
/// it.
pub const NAMES: [&str; 6] = ["moderation", "ai", "proof", "identity", "ages", "console"];

/// The document of an interface in JSON, with the brand's header names; `None` for an unknown name.
///
/// # Panics
/// Never: a document of our own always serialises.
pub fn document(name: &str, brand: &Brand) -> Option<String> {
    let document = match name {
        "ai" => describe("Assay image AI", "Age estimation and liveness from one image.", ai::document()),
        "proof" => {
            describe("Assay proof of age", "Verify a proof of age scanned at a till.", proof::document())
        }
        "moderation" => describe(
            "Assay content moderation",
            "Moderate images, video and live video for unknown, known, banned and under-age faces.",
            moderation::document(),
        ),
        "identity" => describe(
            "Assay document verification",
            "Verify identity documents in sessions. In front of every path, `/sandbox` stands for the sandbox.",
            identity::document(),
        ),
        "ages" => describe(
            "Assay age verification",
            "Verify ages in sessions, by fourteen methods. In front of every path, `/sandbox` stands for the sandbox.",
            ages::document(),
        ),
        "console" => describe(
            "Assay console",
            "Sign in to the console and out again; everything else its pages ask of the moderation interface.",
            console::document(),
        ),
        _ => return None,
    };
    let json = document.to_pretty_json().expect("a document of our own serialises");
    Some(brand.rebrand(&json).into_owned())
}

fn describe(title: &str, description: &str, document: OpenApi) -> OpenApi {
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
    share_responses(&mut document);
    document
}

/// The reference page at `/reference`: of what businesses call.
pub(crate) fn reference() -> SwaggerUi {
    let documents = [
        Url::new("image AI", "/openapi/ai.json"),
        Url::new("moderation", "/openapi/moderation.json"),
        Url::new("proof of age", "/openapi/proof.json"),
        Url::new("identity documents", "/openapi/identity.json"),
        Url::new("age sessions", "/openapi/ages.json"),
    ];
    SwaggerUi::new("/reference")
        .config(Config::new(documents).try_it_out_enabled(false).validator_url("none"))
}
