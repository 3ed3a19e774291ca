//! `PUT /idverify/v1/sessions/{sessionId}/response-config`

use crate::document_verification::{DocumentSessionFixture, SANDBOX, relying_party_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn the_answers_of_a_session_are_set() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        SANDBOX,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let path = session.path("/response-config");
    let config = json!({
        "check_reports": {
            "ID_DOCUMENT_AUTHENTICITY": [{ "result": { "report_template": "SUCCESS" } }], "async_report_delay": 30,
        },
    });
    assert_response_snapshot!(relying_party_call(&app, "PUT", &path, Some(config)).await);
}
