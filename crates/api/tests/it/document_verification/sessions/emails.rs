//! `POST /idverify/v1/sessions/{sessionId}/emails/{kind}`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_email_is_requested() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    assert_response_snapshot!(session.end_user_call(&app, "POST", "/emails/instructions", None).await);
}
