//! `PUT /idverify/v1/sessions/{sessionId}/resources/liveness/static/{resourceId}/frames/{frame}`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::{TestApp, face_jpeg};

#[tokio::test]
async fn a_static_frame_is_put() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "STATIC" } }] }),
    )
    .await;
    let path = format!("{}/frames/0", session.add_liveness_capture(&app, "static").await);
    assert_response_snapshot!(session.upload(&app, "PUT", &path, face_jpeg()).await);
}
