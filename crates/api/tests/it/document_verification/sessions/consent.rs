//! `POST /idverify/v1/sessions/{sessionId}/biometric-consent`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn consent_is_given() {
    let app = TestApp::start().await;
    let session =
        DocumentSessionFixture::create(&app, BASE, &json!({ "requested_checks": [{ "type": "LIVENESS" }] }))
            .await;
    assert_response_snapshot!(session.end_user_call(&app, "POST", "/biometric-consent", None).await);
}
