//! `PUT /idverify/v1/sessions/{sessionId}/resources/face-capture/{resourceId}/image`

use crate::document_verification::{
    BASE, DocumentSessionFixture, UPLOAD_CONTENT_TYPE, relying_party_call, signed_call, upload_form,
};
use serde_json::json;
use testkit::{TestApp, face_jpeg};

#[tokio::test]
async fn the_image_of_a_face_is_put() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_checks": [{ "type": "LIVENESS" }, { "type": "FACE_COMPARISON" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let body = json!({ "requirement_id": session.requirement(&app, "FACE_CAPTURE").await });
    let path = session.path("/resources/face-capture");
    let added = relying_party_call(&app, "POST", &path, Some(body)).await.json();
    let path = format!("{path}/{}/image", added["id"].as_str().unwrap());
    let call = signed_call(&app, "PUT", &path).header("Content-Type", UPLOAD_CONTENT_TYPE);
    assert_response_snapshot!(call.body(upload_form(face_jpeg())).send(&app).await);
}
