//! `GET /idverify/v1/sessions/{sessionId}/response-config`

use crate::document_verification::{DocumentSessionFixture, SANDBOX, relying_party_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn the_answers_of_a_session_are_read() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        SANDBOX,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let path = session.path("/response-config");
    let config = json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [
        { "document_filter": { "country_codes": ["SWE"] }, "result": { "detected_country": "SWE" } },
    ] } });
    relying_party_call(&app, "PUT", &path, Some(config)).await;
    assert_response_snapshot!(relying_party_call(&app, "GET", &path, None).await);
}
