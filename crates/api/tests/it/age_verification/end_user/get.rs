//! `GET /age/v1/sessions/{sessionId}`

use crate::age_verification::{AgeSessionFixture, BASE};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn the_page_reads_its_session() {
    let app = TestApp::start().await;
    let payload = json!({
        "age_estimation": { "retry_enabled": true, "retry_limit": 2 }, "doc_scan": { "preset_issuing_country": "GBR" },
        "callback": { "url": "https://shop.test/done", "auto": true }, "privacy_policy": "https://shop.test/privacy",
    });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    assert_response_snapshot!(session.end_user_call(&app, "GET", "", None).await);
}

#[tokio::test]
async fn methods_are_offered_in_the_order_of_the_payload() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    for (payload, offered) in [
        (r#"{"doc_scan":{},"ttl":60,"age_estimation":{}}"#, ["DOC_SCAN", "AGE_ESTIMATION"]),
        (r#"{"age_estimation":{},"doc_scan":{},"ttl":60}"#, ["AGE_ESTIMATION", "DOC_SCAN"]),
    ] {
        let request = axum::http::Request::builder()
            .method("POST")
            .uri(format!("{BASE}/sessions"))
            .header("Authorization", format!("Bearer {key}"))
            .header("Svc-Sdk-Id", app.app.to_string())
            .header("Content-Type", "application/json")
            .body(axum::body::Body::from(payload));
        let made = app.send(request.unwrap()).await.json();
        let id = made["id"].as_str().unwrap().to_owned();
        let session = AgeSessionFixture { id, key: key.clone(), base: BASE };
        let view = session.end_user_call(&app, "GET", "", None).await.json();
        let methods: Vec<_> =
            view["methods"].as_array().unwrap().iter().map(|one| one["method"].as_str().unwrap()).collect();
        assert_eq!(methods, offered);
    }
}
