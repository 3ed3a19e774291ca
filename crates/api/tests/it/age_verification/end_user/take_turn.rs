//! `POST /age/v1/sessions/{sessionId}/attempts/{attemptId}`

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, captured_photo};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse, face_base64};

/// Takes the first turn of a method in a new session of the sandbox.
async fn first_turn(method: &str, payload: Value, mut input: Value) -> TestResponse {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, method).await;
    input["continuation"] = opened.0["continuation"].clone();
    session.end_user_call(&app, "POST", &format!("/attempts/{}", opened.attempt()), Some(input)).await
}

#[tokio::test]
async fn a_turn_completes_the_session() {
    let payload = json!({ "age_estimation": {}, "block_biometric_consent": true });
    assert_response_snapshot!(first_turn("AGE_ESTIMATION", payload, json!({ "img": face_base64() })).await);
}

#[tokio::test]
async fn a_turn_asks_for_a_field_again() {
    let fields = json!({ "number": "4242 4242 4242 4243", "expiry": "12/30", "code": "123" });
    let turn = first_turn("CREDIT_CARD", json!({ "credit_card": {} }), json!({ "fields": fields })).await;
    assert_response_snapshot!(turn, "continuation");
}

#[tokio::test]
async fn a_turn_asks_for_a_code() {
    let fields = json!({ "phone": "+44 7700 900123" });
    let turn = first_turn("MOBILE", json!({ "mobile": {} }), json!({ "fields": fields })).await;
    assert_response_snapshot!(turn, "continuation");
}

#[tokio::test]
async fn a_turn_fails_the_session() {
    let fields = json!({ "number": "4000 0000 0000 0002", "expiry": "12/30", "code": "123" });
    let turn = first_turn("CREDIT_CARD", json!({ "credit_card": {} }), json!({ "fields": fields })).await;
    assert_response_snapshot!(turn);
}

#[tokio::test]
async fn a_turn_counts_once_and_only_for_its_own_attempt() {
    let app = TestApp::start().await;
    let payload = json!({ "block_biometric_consent": true, "retry_enabled": true, "age_estimation": { "threshold": 3 } });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let first = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let second = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let mut body = captured_photo(&app, &session).await;
    body["continuation"] = first.0["continuation"].clone();
    let path = format!("/attempts/{}", first.attempt());
    let stale = session.end_user_call(&app, "POST", &path, Some(body.clone())).await;
    assert_eq!(stale.status_and_code(), "409 STALE_CONTINUATION", "another attempt was opened meanwhile");
    let path = format!("/attempts/{}", second.attempt());
    let crossed = session.end_user_call(&app, "POST", &path, Some(body.clone())).await;
    assert_eq!(crossed.status_and_code(), "409 STALE_CONTINUATION", "sealed for another attempt");
    body["continuation"] = second.0["continuation"].clone();
    // Input that cannot be read uses nothing up.
    let unread = json!({ "continuation": body["continuation"], "img": 7 });
    assert_eq!(
        session.end_user_call(&app, "POST", &path, Some(unread)).await.status_and_code(),
        "400 INVALID_REQUEST"
    );
    // Of two concurrent turns, one counts.
    let both = tokio::join!(
        session.end_user_call(&app, "POST", &path, Some(body.clone())),
        session.end_user_call(&app, "POST", &path, Some(body.clone())),
    );
    let mut lines = [both.0.status_and_code(), both.1.status_and_code()];
    lines.sort();
    assert_eq!(lines, ["200", "409 STALE_CONTINUATION"]);
    assert_eq!(session.result(&app).await["age_estimation"]["attempts"], 1);
    let repeated = session.end_user_call(&app, "POST", &path, Some(body)).await;
    assert_eq!(repeated.status_and_code(), "409 STALE_CONTINUATION");
}

#[tokio::test]
async fn an_attempt_has_sixty_turns() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "credit_card": {} })).await;
    let mut turn = session.open_attempt(&app, "CREDIT_CARD").await;
    let wrong = json!({ "fields": { "number": "4242 4242 4242 4243", "expiry": "12/30", "code": "123" } });
    for _ in 0..60 {
        turn = session.take_turn(&app, &turn, wrong.clone()).await;
        assert_eq!(turn.0["problem"], json!({ "code": "INVALID", "field": "number" }));
    }
    let right = json!({ "fields": { "number": "4242 4242 4242 4242", "expiry": "12/30", "code": "123" } });
    let over = session.take_turn(&app, &turn, right).await;
    assert_eq!((over.status(), over.reason()), ("FAIL", "TOO_MANY_TURNS"));
}
