//! `/console/providers`

use super::{message, staff::Staff};
use age_methods::{
    oidc::{ClaimsSource, SignInProviderSettings},
    registry::RegistrySettings,
};
use domain::{
    accounts::sign_in::SignInSettings,
    age_verification::{AgeVerificationSettings, ProviderSettings},
    operators::BuiltInRole,
};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use testkit::{
    TestResponse,
    signed_source::SignedSource,
    stub_server::{StubReply, StubServer},
};

/// An issuer that names itself `named`, or by its own address.
async fn issuer(named: Option<&'static str>) -> StubServer {
    let known = Arc::new(OnceLock::<String>::new());
    let own = known.clone();
    let server = StubServer::start(move |sent| {
        let address = own.get().expect("it is known before anybody asks");
        let document = json!({
            "issuer": named.unwrap_or(address),
            "authorization_endpoint": format!("{address}/authorize"),
            "token_endpoint": format!("{address}/token"),
            "jwks_uri": format!("{address}/keys"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        });
        let body = if sent.uri.path() == "/keys" { json!({ "keys": [] }) } else { document };
        StubReply::body("application/json", body.to_string())
    })
    .await;
    known.set(server.url("")).unwrap();
    server
}

/// A server with an issuer for the console and a registry.
async fn start(issuer: &StubServer, registry: Value, folder: &tempfile::TempDir) -> (Staff, String) {
    std::fs::write(folder.path().join("secret"), "s3cret").unwrap();
    let oidc = SignInProviderSettings {
        issuer: issuer.url(""),
        client_id: "console".to_owned(),
        client_secret_file: folder.path().join("secret"),
        label: None,
        domains: Vec::new(),
        claims_from: ClaimsSource::IdToken,
    };
    let registry: RegistrySettings = serde_json::from_value(registry).unwrap();
    let ages = AgeVerificationSettings {
        providers: ProviderSettings {
            email: Some(registry),
            cpf: Some(RegistrySettings::Sandbox {}),
            ..ProviderSettings::default()
        },
        ..AgeVerificationSettings::default()
    };
    let console = SignInSettings { oidc: Some(oidc), ..Staff::settings() };
    let staff = Staff::with(|builder| builder.age_verification(ages).console(console)).await;
    let operator = staff.operator(BuiltInRole::Support).await;
    (staff, operator)
}

async fn test(staff: &Staff, cookie: &str, provider: &str) -> TestResponse {
    let tested = staff.call(cookie, "POST", &format!("/console/providers/{provider}/test"), None).await;
    assert_eq!(tested.status, 200, "{}", tested.json());
    tested
}

#[tokio::test]
async fn providers_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let (issuer, registry) = (issuer(None).await, SignedSource::start(|_| None).await);
    let (staff, operator) = start(&issuer, registry.settings(), &folder).await;
    let listed = staff.get(&operator, "/console/providers").await;
    assert!(!String::from_utf8_lossy(&listed.body).contains("secret"));
    assert_response_snapshot!(listed, "providers.*.host");
}

#[tokio::test]
async fn each_provider_is_really_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (issuer, registry) = (issuer(None).await, SignedSource::start(|_| None).await);
    let (staff, operator) = start(&issuer, registry.settings(), &folder).await;
    let mails = staff.app().sent_mails().len();
    let mailed = test(&staff, &operator, "mail").await;
    assert_eq!(mailed.json()["succeeded"], true, "{}", mailed.json());
    let sent = staff.app().sent_mails();
    assert_eq!(sent.len(), mails + 1);
    let is_test = |mail: &&String| mail.contains("Subject: Test of the mail server");
    let test_mail = sent.iter().find(is_test).expect("a test");
    assert!(test_mail.contains("To: operator-"), "to the operator's own address: {test_mail}");
    assert_response_snapshot!(mailed, "took_ms tested_at");
    for (provider, words) in [
        ("storage", "written, read and deleted"),
        ("console.oidc", "are those of this issuer"),
        ("ages.email", "it can be reached"),
        ("ages.cpf", "nobody is asked"),
    ] {
        let tested = test(&staff, &operator, provider).await.json();
        assert_eq!(tested["succeeded"], true, "{provider}: {tested}");
        assert!(tested["message"].as_str().unwrap().contains(words), "{provider}: {tested}");
    }
    assert!(!issuer.captured().is_empty());
    assert_eq!(staff.app().api.blobs.tenants().await.unwrap(), Vec::<String>::new(), "nothing is left");
}

#[tokio::test]
async fn what_is_wrong_with_a_provider_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let issuer = issuer(Some("https://other.example.com")).await;
    let registry = SignedSource::start(|_| None).await;
    let settings = registry.settings();
    drop(registry);
    std::fs::write(folder.path().join("whsec"), format!("whsec_{}", "A".repeat(40))).unwrap();
    let settings = json!({
        "provider": "signed", "url": settings["url"], "secret_file": folder.path().join("whsec"),
    });
    let (staff, operator) = start(&issuer, settings, &folder).await;
    for provider in ["console.oidc", "ages.email"] {
        let tested = test(&staff, &operator, provider).await.json();
        assert_eq!(tested["succeeded"], false, "{provider}: {tested}");
        assert!(tested["message"].as_str().is_some_and(|words| words.len() > 10), "{tested}");
    }
    let nobody = staff.call(&operator, "POST", "/console/providers/ages.nobody/test", None).await;
    assert_eq!(nobody.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn tests_are_bounded() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let mut went_well = 0;
    let refused = loop {
        let tested = staff.call(&operator, "POST", "/console/providers/storage/test", None).await;
        if tested.status != 200 {
            break tested;
        }
        went_well += 1;
        assert!(went_well < 40, "there is an end to it");
    };
    assert!(went_well >= 10, "{went_well}");
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS", "{}", message(&refused));
    let other = staff.operator(BuiltInRole::Support).await;
    test(&staff, &other, "storage").await;
}
