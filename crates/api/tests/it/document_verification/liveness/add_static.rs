//! `POST /idverify/v1/sessions/{sessionId}/resources/liveness/static`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_static_capture_is_added() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "STATIC" } }] }),
    )
    .await;
    session.consent(&app).await;
    assert_response_snapshot!(session.end_user_call(&app, "POST", "/resources/liveness/static", None).await);
}
