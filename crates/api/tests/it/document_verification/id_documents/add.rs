//! `POST /idverify/v1/sessions/{sessionId}/resources/id-documents`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_identity_document_is_added() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let body = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" });
    assert_response_snapshot!(
        session.end_user_call(&app, "POST", "/resources/id-documents", Some(body)).await
    );
}

#[tokio::test]
async fn an_unknown_kind_of_document_is_refused() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let body = json!({ "document_type": "DIARY", "issuing_country": "SWE" });
    assert_response_snapshot!(
        session.end_user_call(&app, "POST", "/resources/id-documents", Some(body)).await
    );
}
