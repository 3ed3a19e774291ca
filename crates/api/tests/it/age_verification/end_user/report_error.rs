//! `POST /age/v1/sessions/{sessionId}/faults`

use crate::age_verification::{AgeSessionFixture, BASE};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_error_of_the_page_is_reported() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({})).await;
    let report = json!({ "name": "TypeError", "file": "page.js", "line": 7, "screen": "camera" });
    assert_response_snapshot!(session.end_user_call(&app, "POST", "/faults", Some(report)).await);
}
