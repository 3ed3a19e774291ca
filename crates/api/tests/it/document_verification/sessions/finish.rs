//! `DELETE /idverify/v1/sessions/{sessionId}/client-session-token`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_session_is_finished() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    session.add_document(&app, "PASSPORT", "SWE", &[testkit::face_jpeg()]).await;
    assert_response_snapshot!(session.end_user_call(&app, "DELETE", "/client-session-token", None).await);
}
