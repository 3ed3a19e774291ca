//! What the operator sets around the operations: quotas, host names, and what client libraries send along.

use api::{ApiSettings, Interface, RateLimit, VirtualHosts};
use axum::{body::Body, http::Request};
use serde_json::json;
use std::{num::NonZeroU32, sync::Arc};
use testkit::{SignedCall, TestApp};

fn call() -> SignedCall {
    SignedCall::post("/ai/v1/age").json(&json!({}))
}

#[tokio::test]
async fn an_application_has_a_quota_where_the_operator_sets_one() {
    let two = NonZeroU32::new(2).unwrap();
    let app = TestApp::start_with(|api| {
        api.application_rate_limit = Some(Arc::new(RateLimit::new(NonZeroU32::MIN, two)));
    })
    .await;

    let strangers = call().digest(Some("AAAA")).send(&app).await;
    assert_eq!(strangers.status_and_code(), "401 INVALID_SIGNATURE");
    assert_eq!(strangers.header("ratelimit-limit"), "", "who cannot sign uses up nobody's quota");

    for remaining in ["1", "0"] {
        let answer = call().send(&app).await;
        assert_eq!(answer.status_and_code(), "400 IMAGE_NOT_PROVIDED");
        assert_eq!(
            (answer.header("ratelimit-limit"), answer.header("ratelimit-remaining")),
            ("2", remaining)
        );
    }
    let refused = call().send(&app).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    let wait: u32 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(refused.header("ratelimit-remaining"), "0");
}

#[tokio::test]
async fn without_a_quota_nothing_is_said_of_one() {
    let app = TestApp::start().await;
    assert_eq!(call().send(&app).await.header("ratelimit-limit"), "");
}

#[tokio::test]
async fn an_interface_can_have_a_host_of_its_own() {
    let app = TestApp::start_with(|api| {
        let mut hosts = VirtualHosts::default();
        hosts.insert("AI.example.com", Interface::ImageAnalysis);
        hosts.insert("id.example.com", Interface::DocumentVerification);
        api.settings = Arc::new(ApiSettings { virtual_hosts: hosts, ..ApiSettings::default() });
    })
    .await;
    let at = |path: &str, host: &str| SignedCall::post(path).json(&json!({})).header("host", host);
    let (passed, nowhere) = ("400 IMAGE_NOT_PROVIDED", "404 INVALID_ENDPOINT");
    assert_eq!(at("/age", "ai.example.com").send(&app).await.status_and_code(), passed);
    assert_eq!(at("/ai/v1/age", "ai.example.com:8443").send(&app).await.status_and_code(), passed);
    assert_eq!(at("/ai/v1/age", "other.example.com").send(&app).await.status_and_code(), passed);
    assert_eq!(at("/age", "other.example.com").send(&app).await.status_and_code(), nowhere);
    let elsewhere = at("/ai/v1/age", "id.example.com").send(&app).await;
    assert_eq!(elsewhere.status_and_code(), "404 NOT_FOUND", "in the words of the interface that is there");
    assert_eq!(at("/ai/v1age", "ai.example.com").send(&app).await.status_and_code(), nowhere);
}

#[tokio::test]
async fn a_host_of_age_sessions_has_what_their_page_asks_for() {
    let app = TestApp::start_with(|api| {
        let mut hosts = VirtualHosts::default();
        hosts.insert("age.example.com", Interface::AgeVerification);
        api.settings = Arc::new(ApiSettings { virtual_hosts: hosts, ..ApiSettings::default() });
    })
    .await;
    let session = "018f3c8e-0000-4000-8000-00000000000a";
    for (path, line) in [
        ("/sessions/1".to_owned(), "401 MISSING_SDK_ID"),
        (format!("/age/v1/sessions/{session}"), "401 MISSING_SDK_ID"),
        // The capture module and its tokens, and what the page of document verification calls from its frame.
        ("/ai/sm/v1/secure/1/capture.js".to_owned(), "200"),
        ("/idverify/v1/supported-documents".to_owned(), "200"),
        ("/sandbox/idverify/v1/supported-documents".to_owned(), "200"),
        (format!("/idverify/v1/sessions/{session}/configuration"), "401 BAD_TOKEN"),
        // Nothing else of the other interfaces.
        ("/idverify/v1/apps/1/response-config".to_owned(), "404 NOT_FOUND"),
        ("/ai/v1/age".to_owned(), "404 NOT_FOUND"),
    ] {
        let request = Request::builder().uri(&path).header("host", "age.example.com");
        let request = request.header("x-svc-auth-token", "none").body(Body::empty()).unwrap();
        let answer = app.send(request).await;
        assert_eq!(answer.status_and_code(), line, "{path}");
    }
}

#[tokio::test]
async fn what_client_libraries_tell_of_themselves_is_optional_but_must_be_readable() {
    let app = TestApp::start().await;
    let meta = |json: &str| call().header("x-svc-device-meta", &api::base64(json.as_bytes()));
    let known = meta(r#"{"os_name":"Android","locale":"de-DE"}"#).header("x-svc-sdk", "shop/1");
    assert_eq!(known.send(&app).await.status_and_code(), "400 IMAGE_NOT_PROVIDED");

    let wrong = meta(r#"{"os_name":7}"#).send(&app).await;
    assert_eq!(wrong.status_and_code(), "400 INVALID_REQUEST_BODY");
    let words = wrong.json()["error_message"].as_str().unwrap().to_owned();
    assert!(words.contains("x-svc-device-meta") && words.contains("os_name"), "{words}");
    let plain = call().header("x-svc-device-meta", "{}").send(&app).await;
    assert_eq!(plain.status_and_code(), "400 INVALID_REQUEST_BODY");
}
