//! `POST /age/v1/sessions/{sessionId}/cancel`

use crate::age_verification::{
    AgeSessionFixture, BASE, SANDBOX,
    retries::{session_status, sign_in},
};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_session_is_cancelled() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "doc_scan": {} })).await;
    assert_response_snapshot!(session.end_user_call(&app, "POST", "/cancel", None).await);
}

#[tokio::test]
async fn an_expired_session_is_not_cancelled() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "doc_scan": {}, "ttl": 60 })).await;
    app.environment.advance(base::SignedDuration::from_secs(60));
    assert_response_snapshot!(session.end_user_call(&app, "POST", "/cancel", None).await);
}

#[tokio::test]
async fn a_session_is_cancelled_once() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "doc_scan": {} })).await;
    let cancelled = session.end_user_call(&app, "POST", "/cancel", None).await;
    assert_eq!(cancelled.json()["status"], "CANCELLED");
    assert_eq!(
        session.end_user_call(&app, "POST", "/cancel", None).await.status_and_code(),
        "409 INVALID_STATUS"
    );
    let refused =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "DOC_SCAN" }))).await;
    assert_eq!(refused.status_and_code(), "409 INVALID_STATUS");
    assert_eq!(session.result(&app).await["status"], "CANCELLED");
}

#[tokio::test]
async fn a_session_is_cancelled_only_if_it_may_be_continued() {
    let app = TestApp::start().await;
    let (gone, refused) = ("200", "409 INVALID_STATUS");
    for (payload, choice, came, line) in [
        (json!({ "electronic_id": { "retry_enabled": true } }), "under", "FAIL", gone),
        (json!({ "resume_enabled": true, "electronic_id": {}, "credit_card": {} }), "under", "FAIL", gone),
        (json!({ "resume_enabled": true, "electronic_id": {} }), "unavailable", "ERROR", gone),
        (json!({ "electronic_id": {} }), "under", "FAIL", refused),
        (json!({ "electronic_id": {}, "credit_card": {} }), "under", "FAIL", refused),
        (json!({ "electronic_id": {} }), "unavailable", "ERROR", refused),
        (json!({ "resume_enabled": true, "electronic_id": {} }), "over", "COMPLETE", refused),
    ] {
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        assert_eq!(sign_in(&app, &session, choice).await.status(), came, "{payload}");
        let cancelled = session.end_user_call(&app, "POST", "/cancel", None).await;
        assert_eq!(cancelled.status_and_code(), line, "{payload} {choice}");
        let stands = if line == gone { "CANCELLED" } else { came };
        assert_eq!(session_status(&app, &session).await, stands, "{payload}");
        if line == gone {
            for (rest, body) in [("/cancel", json!({})), ("/attempts", json!({ "method": "ELECTRONIC_ID" }))]
            {
                let refusal = session.end_user_call(&app, "POST", rest, Some(body)).await;
                assert_eq!(refusal.status_and_code(), "409 INVALID_STATUS", "{rest}");
            }
            let view = session.end_user_call(&app, "GET", "", None).await.json();
            assert_eq!((&view["status"], &view["retry"]), (&json!("CANCELLED"), &json!(false)));
        }
    }
}
