//! `POST /age/v1/sessions/{sessionId}/consent`

use crate::age_verification::{AgeSessionFixture, SANDBOX};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse, face_base64};

async fn consent(app: &TestApp, session: &AgeSessionFixture, given: bool) -> TestResponse {
    session.end_user_call(app, "POST", "/consent", Some(json!({ "given": given }))).await
}

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

#[tokio::test]
async fn the_answer_stays_once_the_session_has_ended() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "age_estimation": {} })).await;
    assert_eq!(consent(&app, &session, true).await.status, 200);
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let ended = session.take_turn(&app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(ended.status(), "COMPLETE");
    for given in [false, true] {
        assert_eq!(consent(&app, &session, given).await.status_and_code(), "409 INVALID_STATUS", "{given}");
    }
    let view = session.end_user_call(&app, "GET", "", None).await.json();
    assert_eq!(view["consent"], json!({ "required": true, "given": true, "may_give": false }));
    assert_ne!(session.result(&app).await["biometric_consent_given_at"], Value::Null, "a face was used");
}

#[tokio::test]
async fn who_may_go_on_after_a_refusal_may_change_their_mind() {
    let app = TestApp::start().await;
    // Everybody in a photo of the sandbox is thirty.
    let payload = json!({ "resume_enabled": true, "age_estimation": { "threshold": 40 } });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(consent(&app, &session, true).await.status, 200);
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let ended = session.take_turn(&app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(ended.status(), "FAIL");
    for given in [false, true] {
        let view = consent(&app, &session, given).await.json();
        // The page offers the answer that alone is in the way.
        assert_eq!(
            (&view["status"], &view["consent"], &view["retry"]),
            (&json!("FAIL"), &json!({ "required": true, "given": given, "may_give": true }), &json!(given))
        );
    }
    assert_eq!(session.open_attempt(&app, "AGE_ESTIMATION").await.status(), "IN_PROGRESS");
}
