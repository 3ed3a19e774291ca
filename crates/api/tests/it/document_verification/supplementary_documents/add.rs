//! `POST /idverify/v1/sessions/{sessionId}/resources/supplementary-documents`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_supplementary_document_is_added() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "SUPPLEMENTARY_DOCUMENT" }] }),
    )
    .await;
    let body = json!({ "document_type": "UTILITY_BILL", "issuing_country": "SWE" });
    let added = session.end_user_call(&app, "POST", "/resources/supplementary-documents", Some(body)).await;
    assert_response_snapshot!(added);
}
