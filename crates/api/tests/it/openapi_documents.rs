//! The OpenAPI documents: as published, without dangling references, and true.

use api::openapi::DOCUMENT_NAMES;
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use testkit::{SignedCall, TestApp};

async fn document(app: &TestApp, name: &str) -> Value {
    let answer = app.get(&format!("/openapi/{name}.json")).await;
    assert_eq!(
        (answer.status_and_code().as_str(), answer.header("content-type")),
        ("200", "application/json")
    );
    answer.json()
}

/// `make snap` accepts a change.
#[tokio::test]
async fn the_documents_served_are_the_published_ones() {
    let app = TestApp::start().await;
    for name in DOCUMENT_NAMES {
        let file = format!("{}/../../openapi/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let mut now = serde_json::to_string_pretty(&document(&app, name).await).unwrap();
        now.push('\n');
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(&file, &now).unwrap();
        }
        let published = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(published == now, "openapi/{name}.json is not what the server serves; `make snap` writes it");
    }
}

fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Clients that are made from the documents must ask for what operations refuse to be without.
#[tokio::test]
async fn what_image_analysis_and_proof_of_age_need_is_required() {
    let app = TestApp::start().await;
    for (name, schema, needed) in [
        ("ai", "AgeRequest", &["img"][..]),
        ("ai", "AntispoofingRequest", &["img"]),
        ("ai", "AgeVerifyRequest", &["img", "threshold"]),
        ("ai", "AgeAntispoofingVerifyRequest", &["img", "threshold"]),
        ("proof", "PoaQuery", &["qr", "terminal"]),
        ("proof", "ScannedCode", &["value", "scanned_at"]),
        ("proof", "ScanningTerminal", &["id"]),
    ] {
        let document = document(&app, name).await;
        assert_eq!(document["components"]["schemas"][schema]["required"], json!(needed), "{schema}");
    }
}

/// A file is bytes to clients that are made from the documents, and no list of numbers.
#[tokio::test]
async fn no_body_that_is_not_json_is_a_list() {
    let app = TestApp::start().await;
    let mut looked_at = 0;
    for name in DOCUMENT_NAMES {
        let document = document(&app, name).await;
        let operations = document["paths"].as_object().unwrap().iter();
        for (path, operation) in operations.flat_map(|(path, item)| {
            item.as_object().unwrap().values().map(move |operation| (path, operation))
        }) {
            let answers = operation["responses"].as_object().into_iter().flat_map(|all| all.values());
            for body in std::iter::once(&operation["requestBody"]).chain(answers) {
                for (media_type, content) in body["content"].as_object().into_iter().flatten() {
                    if media_type == "application/json" || media_type.ends_with("+json") {
                        continue;
                    }
                    let mut schema = &content["schema"];
                    if let Some(reference) = schema["$ref"].as_str() {
                        schema = document.pointer(reference.trim_start_matches('#')).unwrap();
                    }
                    assert!(schema["type"].is_string(), "{name}: {path} {media_type}: {schema}");
                    assert_ne!(schema["type"], "array", "{name}: {path} {media_type}");
                    looked_at += 1;
                }
            }
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}

#[tokio::test]
async fn an_attestation_is_described_with_the_formats_that_are_taken() {
    let app = TestApp::start().await;
    let document = document(&app, "ages").await;
    let format = &document["components"]["schemas"]["DeviceAttestationFormat"]["enum"];
    assert_eq!(*format, json!(["PLAY_INTEGRITY", "APP_ATTEST", "SANDBOX"]));
}

#[tokio::test]
async fn the_parameters_of_a_path_are_those_that_it_names() {
    let app = TestApp::start().await;
    for name in DOCUMENT_NAMES {
        let document = document(&app, name).await;
        for (path, item) in document["paths"].as_object().unwrap() {
            let mut named: Vec<&str> = path
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(name, _)| name)
                .collect();
            named.sort_unstable();
            for (method, operation) in item.as_object().unwrap() {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let mut described: Vec<&str> = parameters
                    .filter(|parameter| parameter["in"] == "path")
                    .filter_map(|parameter| parameter["name"].as_str())
                    .collect();
                described.sort_unstable();
                assert_eq!(described, named, "{name}: {method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn every_reference_resolves() {
    let app = TestApp::start().await;
    for name in DOCUMENT_NAMES {
        let document = document(&app, name).await;
        let mut found = Vec::new();
        references(&document, &mut found);
        for reference in found {
            let pointer = reference.strip_prefix('#').expect("references stay inside the document");
            assert!(document.pointer(pointer).is_some(), "{name}: {reference} leads nowhere");
        }
        let operations = document["paths"]
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(_, path)| path.as_object().unwrap());
        for scheme in operations
            .filter_map(|(_, operation)| operation["security"][0].as_object())
            .flat_map(|set| set.keys())
        {
            assert!(
                document["components"]["securitySchemes"][scheme].is_object(),
                "{name}: no scheme {scheme}"
            );
        }
    }
}

/// A path with something in place of each parameter.
pub(crate) fn concrete(path: &str) -> String {
    let mut parts: Vec<_> = path.split('/').map(str::to_owned).collect();
    for part in &mut parts {
        match part.as_str() {
            "{version}" => "1".clone_into(part),
            "{id}" if path.starts_with("/poa/") => "AAAAAAAAAAAAAAAAAAAAAA".clone_into(part),
            name if name.starts_with('{') => "018f3c8e-0000-4000-8000-00000000000a".clone_into(part),
            _ => {}
        }
    }
    parts.join("/")
}

/// Operations without authentication, by design: public keys and files, the token endpoint, deleting a result by its
/// own passkey, the anonymous start at the issuer, wallets, which have nothing but a sealed address, and whoever
/// comes back from the identity provider of the console.
const OPEN: [&str; 12] = [
    "/age/v1/anonymity/keys",
    "/age/v1/anonymity/sessions",
    "/age/v1/keys/forget",
    "/api/v1/webhook-keys",
    "/console/oidc/callback",
    "/ai/sm/v1/secure/{version}/capture.js",
    "/poa/v1/issuer/keys",
    "/v1/oauth/token",
    "/idverify/v1/supported-documents",
    "/age/v1/wallet/{request}",
    "/age/v1/wallet/{request}/response",
    "/age/v1/wallet/{request}/sandbox",
];

#[tokio::test]
async fn every_operation_refuses_callers_without_credentials() {
    let app = TestApp::start().await;
    let mut tried = 0;
    for name in DOCUMENT_NAMES {
        let document = document(&app, name).await;
        for (path, operations) in document["paths"].as_object().into_iter().flatten() {
            for method in operations.as_object().unwrap().keys() {
                // Anyone may ask which parts of tus are supported.
                if OPEN.contains(&path.as_str()) || method == "options" {
                    continue;
                }
                let concrete = concrete(path);
                let answer = match method.as_str() {
                    "post" => SignedCall::post(&concrete).auth_id(None).digest(None).send(&app).await,
                    "get" | "head" | "put" | "delete" | "patch" => {
                        let method = method.to_ascii_uppercase();
                        let request = Request::builder().method(&*method).uri(&concrete);
                        app.send(request.body(Body::empty()).unwrap()).await
                    }
                    other => panic!("teach this test the method {other}"),
                };
                assert_eq!(answer.status.as_u16(), 401, "{method} {path}");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 244, "every documented operation was tried");
}
