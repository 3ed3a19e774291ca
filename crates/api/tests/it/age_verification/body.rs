//! Bodies that cannot be read or used.

use crate::age_verification::{AgeSessionFixture, BASE, relying_party_call};
use axum::{body::Body, http::Request};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn each_unusable_body_is_refused_with_its_reason() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let path = format!("{BASE}/sessions");
    let refused =
        relying_party_call(&app, &key, "POST", &path, Some(json!({ "ttl": 10, "type": "OLD" }))).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let words = refused.json()["error_message"].as_str().unwrap().to_owned();
    assert!(
        words.contains("ttl: it is 10") && words.contains("type: it is one of AGE, OVER, UNDER"),
        "{words}"
    );
    // No provider for cards is configured.
    let refused = relying_party_call(&app, &key, "POST", &path, Some(json!({ "credit_card": {} }))).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_VALIDATION_METHODS");

    let send = |kind: Option<&str>, body: Vec<u8>| {
        let mut request = Request::builder()
            .method("POST")
            .uri(&path)
            .header("Authorization", format!("Bearer {key}"))
            .header("Svc-Sdk-Id", app.app.to_string());
        if let Some(kind) = kind {
            request = request.header("Content-Type", kind);
        }
        app.send(request.body(Body::from(body)).unwrap())
    };
    assert_eq!(send(None, b"{}".to_vec()).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(
        send(Some("text/plain"), b"{}".to_vec()).await.status_and_code(),
        "415 UNSUPPORTED_MEDIA_TYPE"
    );
    assert_eq!(send(Some("application/json"), b"[]".to_vec()).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(send(Some("application/json"), b"{".to_vec()).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(
        send(Some("application/json"), vec![b' '; 300 << 10]).await.status_and_code(),
        "413 PAYLOAD_TOO_LARGE"
    );
    let created = send(Some("Application/JSON; charset=utf-8"), b"{\"doc_scan\":{}}".to_vec()).await;
    assert_eq!(
        (created.status_and_code(), created.header("content-type")),
        ("200".to_owned(), "application/json")
    );
    assert_eq!(app.get("/api/v1/nothing").await.status_and_code(), "404 NOT_FOUND");

    let session = AgeSessionFixture::create(
        &app,
        BASE,
        &json!({ "doc_scan": {}, "age_estimation": {}, "block_biometric_consent": true }),
    )
    .await;
    for (rest, body, line) in [
        ("/attempts", json!({ "method": "MAGIC" }), "400 INVALID_REQUEST"),
        ("/attempts", json!({ "method": "CREDIT_CARD" }), "400 INVALID_REQUEST"),
        ("/consent", json!({ "given": "yes" }), "400 INVALID_REQUEST"),
        ("/consent", json!({ "given": true }), "409 INVALID_STATUS"),
        ("/attempts/1", json!({}), "409 STALE_CONTINUATION"),
        (
            "/attempts/7a0f0e5c-1b1c-4f4a-9a54-3f9f0f0e7c11",
            json!({ "continuation": "%%%" }),
            "409 STALE_CONTINUATION",
        ),
    ] {
        let refused = session.end_user_call(&app, "POST", rest, Some(body)).await;
        assert_eq!(refused.status_and_code(), line, "{rest}");
    }
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let path = format!("/attempts/{}", opened.attempt());
    for (img, line) in [
        (json!(null), "400 INVALID_REQUEST"),
        (json!("?"), "400 INVALID_REQUEST"),
        (json!("A".repeat(6 << 20)), "400 INVALID_REQUEST"),
    ] {
        let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
        let path = format!("/attempts/{}", opened.attempt());
        let body = json!({ "continuation": opened.0["continuation"], "img": img });
        assert_eq!(session.end_user_call(&app, "POST", &path, Some(body)).await.status_and_code(), line);
    }
    let body = json!({ "continuation": opened.0["continuation"], "img": "A".repeat(25 << 20) });
    assert_eq!(
        session.end_user_call(&app, "POST", &path, Some(body)).await.status_and_code(),
        "413 PAYLOAD_TOO_LARGE"
    );
    let bomb = json!({ "continuation": opened.0["continuation"] });
    assert_eq!(
        session.end_user_call(&app, "POST", &path, Some(bomb)).await.status_and_code(),
        "409 STALE_CONTINUATION"
    );
}
