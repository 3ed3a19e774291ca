//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/pages/{page}`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::{TestApp, face_jpeg};

#[tokio::test]
async fn a_page_is_put() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let id = session.add_document(&app, "PASSPORT", "SWE", &[]).await;
    let path = format!("/resources/id-documents/{id}/pages/0");
    assert_response_snapshot!(session.upload(&app, "PUT", &path, face_jpeg()).await);
}

#[tokio::test]
async fn a_page_of_an_unsupported_format_is_refused() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let id = session.add_document(&app, "PASSPORT", "SWE", &[]).await;
    let path = format!("/resources/id-documents/{id}/pages/0");
    assert_response_snapshot!(session.upload(&app, "PUT", &path, b"GIF89a and so on").await);
}
