//! Host names of single interfaces.

use api::{ApiSettings, Interface, VirtualHosts};
use axum::{body::Body, http::Request};
use serde_json::json;
use std::sync::Arc;
use testkit::{SignedCall, TestApp};

#[tokio::test]
async fn an_interface_can_have_its_own_host() {
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
async fn the_host_of_age_verification_has_what_its_page_calls() {
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
