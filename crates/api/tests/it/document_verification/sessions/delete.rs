//! `DELETE /idverify/v1/sessions/{sessionId}`

use crate::document_verification::{BASE, DocumentSessionFixture, relying_party_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_session_is_deleted() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    assert_response_snapshot!(relying_party_call(&app, "DELETE", &session.path(""), None).await);
}
