//! `GET /idverify/v1/sessions/{sessionId}`

use crate::document_verification::{
    BASE, DocumentSessionFixture, SANDBOX, relying_party_call,
    sandbox_agent::{full_payload, run_agent},
};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_new_session_is_read() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "requested_checks": [{ "type": "LIVENESS" }], "user_tracking_id": "u-1" }),
    )
    .await;
    assert_response_snapshot!(relying_party_call(&app, "GET", &session.path(""), None).await);
}

/// With every kind of check, task and resource, and the reports of the sandbox.
#[tokio::test]
async fn a_completed_session_is_read() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(&app, SANDBOX, &full_payload()).await;
    run_agent(&app, &session).await;
    session.wait_until_completed(&app).await;
    let read = relying_party_call(&app, "GET", &session.path(""), None).await;
    assert_response_snapshot!(read);
}

#[tokio::test]
async fn a_missing_session_is_refused() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/sessions/018f3c8e-0000-4000-8000-00000000000a");
    assert_response_snapshot!(relying_party_call(&app, "GET", &path, None).await);
}
