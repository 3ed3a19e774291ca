//! `PUT /idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/pages/{page}`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::{TestApp, face_jpeg};

#[tokio::test]
async fn a_page_is_put() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "SUPPLEMENTARY_DOCUMENT" }] }),
    )
    .await;
    let path = format!("{}/pages/0", session.add_supplementary_document(&app).await);
    assert_response_snapshot!(session.upload(&app, "PUT", &path, face_jpeg()).await);
}
