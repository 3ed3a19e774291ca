//! `POST /idverify/v1/sessions/{sessionId}/page-faults`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_error_of_the_page_is_reported() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    assert_response_snapshot!(
        session
            .end_user_call(
                &app,
                "POST",
                "/page-faults",
                Some(json!({ "name": "TypeError", "file": "page.js", "line": 7, "screen": "document" }))
            )
            .await
    );
}
