//! `PUT /idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/file`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::{TestApp, specimens::Specimen};

#[tokio::test]
async fn a_file_is_put() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "SUPPLEMENTARY_DOCUMENT" }] }),
    )
    .await;
    let path = format!("{}/file", session.add_supplementary_document(&app).await);
    assert_response_snapshot!(
        session.upload(&app, "PUT", &path, &Specimen::utility_bill().pdf().unwrap()).await
    );
}
