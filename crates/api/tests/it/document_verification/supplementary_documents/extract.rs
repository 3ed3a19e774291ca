//! `PUT /idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/text-extraction`

use crate::document_verification::{DocumentSessionFixture, SANDBOX};
use serde_json::json;
use testkit::TestApp;

/// With the fields that the sandbox reads.
#[tokio::test]
async fn the_text_of_a_supplementary_document_is_extracted() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_tasks": [{ "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let worker = app.spawn_worker();
    let document = session.add_supplementary_document(&app).await;
    session.upload(&app, "PUT", &format!("{document}/file"), b"%PDF-1.7").await;
    let path = format!("{document}/text-extraction");
    assert_response_snapshot!(session.end_user_call(&app, "PUT", &path, None).await);
    worker.stop().await;
}
