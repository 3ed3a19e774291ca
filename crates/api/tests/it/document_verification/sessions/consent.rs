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

#[tokio::test]
async fn no_face_is_taken_without_consent() {
    let app = TestApp::start().await;
    let payload =
        json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "ZOOM" } }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let refused = session.end_user_call(&app, "POST", "/resources/liveness/zoom", None).await;
    assert_eq!(refused.status_and_code(), "409 BIOMETRIC_CONSENT_REQUIRED");
    assert!(refused.json()["message"].as_str().unwrap().contains("biometric-consent"));
    let refused = session.end_user_call(&app, "DELETE", "/client-session-token", None).await;
    assert_eq!(refused.status_and_code(), "409 BIOMETRIC_CONSENT_REQUIRED");
    session.consent(&app).await;
    let begun = session.end_user_call(&app, "POST", "/resources/liveness/zoom", None).await;
    assert_eq!(begun.status_and_code(), "201", "and no attempt was used up");

    // Without consent, or a face, nothing is asked.
    for payload in [
        json!({ "requested_checks": [{ "type": "LIVENESS" }], "block_biometric_consent": true }),
        json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    ] {
        let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
        let early = session.end_user_call(&app, "DELETE", "/client-session-token", None).await;
        assert_eq!(early.status_and_code(), "409 SESSION_NOT_READY");
    }
}
