//! `DELETE /idverify/v1/sessions/{sessionId}/tracked-devices`

use crate::document_verification::{BASE, DocumentSessionFixture, relying_party_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn devices_are_forgotten() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    assert_response_snapshot!(
        relying_party_call(&app, "DELETE", &session.path("/tracked-devices"), None).await
    );
}
