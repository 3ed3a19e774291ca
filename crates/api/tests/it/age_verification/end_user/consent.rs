//! `POST /age/v1/sessions/{sessionId}/consent`

use crate::age_verification::{AgeSessionFixture, SANDBOX};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn consent_is_given() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "age_estimation": {} })).await;
    let given = session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": true }))).await;
    assert_response_snapshot!(given);
}

#[tokio::test]
async fn an_end_user_who_declines_may_use_another_method() {
    let app = TestApp::start().await;
    let session =
        AgeSessionFixture::create(&app, SANDBOX, &json!({ "age_estimation": {}, "doc_scan": {} })).await;
    let view = session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": false }))).await.json();
    assert_eq!(
        (&view["methods"][0]["state"], &view["methods"][1]["state"]),
        (&json!("DECLINED"), &json!("OPEN"))
    );
    let refused =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "AGE_ESTIMATION" }))).await;
    assert_eq!(refused.status_and_code(), "409 CONSENT_REQUIRED");
    assert_eq!(session.open_attempt(&app, "DOC_SCAN").await.step()["kind"], "document");
}
