//! `POST /idverify/v1/sessions/{sessionId}/resources/face-capture`

use crate::document_verification::{BASE, DocumentSessionFixture, relying_party_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_face_capture_is_added() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_checks": [{ "type": "LIVENESS" }, { "type": "FACE_COMPARISON" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let body = json!({ "requirement_id": session.requirement(&app, "FACE_CAPTURE").await });
    let added = relying_party_call(&app, "POST", &session.path("/resources/face-capture"), Some(body)).await;
    assert_response_snapshot!(added);
}
