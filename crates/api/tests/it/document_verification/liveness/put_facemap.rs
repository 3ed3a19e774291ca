//! `POST /idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/facemap`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_facemap_is_put() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "ZOOM" } }] }),
    )
    .await;
    let path = format!("{}/facemap", session.add_liveness_capture(&app, "zoom").await);
    assert_response_snapshot!(session.upload(&app, "POST", &path, b"a map").await);
}
