//! Sessions that ended, retried or resumed.

use crate::age_verification::{
    AgeSessionFixture, AttemptTurn, BASE, SANDBOX, captured_photo, relying_party_call,
};
use serde_json::{Value, json};
use testkit::TestApp;

/// Signs in at an identity provider of the sandbox, and returns.
pub(super) async fn sign_in(app: &TestApp, session: &AgeSessionFixture, choice: &str) -> AttemptTurn {
    let opened = session.open_attempt(app, "ELECTRONIC_ID").await;
    assert_eq!((opened.status(), &opened.step()["kind"]), ("IN_PROGRESS", &json!("choose")));
    let sent = session.take_turn(app, &opened, json!({ "choice": choice })).await;
    session.return_from_provider(app, &sent).await
}

pub(super) async fn session_status(app: &TestApp, session: &AgeSessionFixture) -> Value {
    session.result(app).await["status"].clone()
}

#[tokio::test]
async fn a_failed_or_broken_session_continues_if_it_allows_it() {
    let app = TestApp::start().await;
    for (payload, choice, came) in [
        (json!({ "electronic_id": { "retry_enabled": true, "retry_limit": 2 } }), "under", "FAIL"),
        (json!({ "retry_enabled": true, "electronic_id": {} }), "under", "FAIL"),
        // `resume_enabled` suffices, although the method has no attempt left.
        (json!({ "resume_enabled": true, "electronic_id": {} }), "unavailable", "ERROR"),
    ] {
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let ended = sign_in(&app, &session, choice).await;
        assert_eq!((ended.status(), &ended.0["session"]["retry"]), (came, &json!(true)), "{payload}");
        assert_eq!(session_status(&app, &session).await, came);
        let ended = sign_in(&app, &session, "over").await;
        assert_eq!(ended.status(), "COMPLETE", "{payload}: {}", ended.reason());
        assert_eq!(session.result(&app).await["age"], 18);
    }

    let payload = json!({ "resume_enabled": true, "electronic_id": {}, "credit_card": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(sign_in(&app, &session, "under").await.status(), "FAIL");
    let other = session.open_attempt(&app, "CREDIT_CARD").await;
    assert_eq!((other.status(), &other.step()["kind"]), ("IN_PROGRESS", &json!("form")));

    // An error that was set in the sandbox can be continued from like any other.
    for (payload, line) in [
        (json!({ "electronic_id": { "retry_enabled": true } }), "201"),
        (json!({ "resume_enabled": true, "electronic_id": {} }), "201"),
        (json!({ "electronic_id": {} }), "409 INVALID_STATUS"),
    ] {
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
        let outcome = json!({ "status": "ERROR", "method": "ELECTRONIC_ID" });
        assert_eq!(
            relying_party_call(&app, &session.key, "PUT", &path, Some(outcome)).await.status_and_code(),
            "200"
        );
        let again = session
            .end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "ELECTRONIC_ID" })))
            .await;
        assert_eq!(again.status_and_code(), line, "{payload}");
        let now = if line == "201" { "IN_PROGRESS" } else { "ERROR" };
        assert_eq!(session_status(&app, &session).await, now, "{payload}");
    }
}

#[tokio::test]
async fn an_attempt_of_a_resumed_session_may_be_left_and_begun_again() {
    let app = TestApp::start().await;
    let payload = json!({ "resume_enabled": true, "electronic_id": {}, "credit_card": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(sign_in(&app, &session, "under").await.status(), "FAIL");
    // Also from another method, and after its page was loaded anew.
    for method in ["ELECTRONIC_ID", "ELECTRONIC_ID", "CREDIT_CARD", "ELECTRONIC_ID"] {
        assert_eq!(session.open_attempt(&app, method).await.status(), "IN_PROGRESS", "{method}");
    }
    // What counts is attempts that have ended.
    for left in [1, 0] {
        assert_eq!(sign_in(&app, &session, "under").await.status(), "FAIL");
        assert_eq!(session.result(&app).await["electronic_id"]["attempts_remaining"], left);
    }
    let over =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "ELECTRONIC_ID" }))).await;
    assert_eq!(over.status_and_code(), "409 INVALID_STATUS");
    assert_eq!(session.open_attempt(&app, "CREDIT_CARD").await.status(), "IN_PROGRESS");
}

#[tokio::test]
async fn what_is_retried_is_the_method_that_failed_and_no_other() {
    let app = TestApp::start().await;
    let payload = json!({ "electronic_id": { "retry_enabled": true, "retry_limit": 3 }, "credit_card": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(sign_in(&app, &session, "under").await.status(), "FAIL");
    let offered = async || {
        let view = session.end_user_call(&app, "GET", "", None).await.json();
        let methods = view["methods"].as_array().unwrap().clone();
        let available = methods.into_iter().filter(|method| method["available"] == true);
        available.map(|method| method["method"].clone()).collect::<Vec<_>>()
    };
    // Neither one that is opened again and left, nor one that tells nothing, makes room for another method.
    session.open_attempt(&app, "ELECTRONIC_ID").await;
    for _ in 0..2 {
        assert_eq!(offered().await, ["ELECTRONIC_ID"]);
        let other = json!({ "method": "CREDIT_CARD" });
        let refused = session.end_user_call(&app, "POST", "/attempts", Some(other)).await;
        assert_eq!(refused.status_and_code(), "409 INVALID_STATUS");
        let ended = sign_in(&app, &session, "declined").await;
        assert_eq!(ended.reason(), "NOT_FOUND");
    }
    assert_eq!(session_status(&app, &session).await, "FAIL", "nothing is left");
}

#[tokio::test]
async fn a_failed_method_may_be_retried_if_the_session_allows_it() {
    let app = TestApp::start().await;
    let estimation = |more: serde_json::Value| {
        let mut block = json!({ "threshold": 90, "confidence": 0.95 });
        block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        block
    };
    let retry = json!({
        "block_biometric_consent": true,
        "age_estimation": estimation(json!({ "retry_enabled": true, "retry_limit": 2 })),
        "doc_scan": {},
    });
    let session = AgeSessionFixture::create(&app, BASE, &retry).await;
    for left in [1, 0] {
        let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
        let ended = session.take_turn(&app, &opened, captured_photo(&app, &session).await).await;
        assert_eq!(ended.status(), "FAIL");
        assert_eq!(ended.0["session"]["retry"], left == 1);
        assert_eq!(session.result(&app).await["age_estimation"]["attempts_remaining"], left);
    }
    for method in ["AGE_ESTIMATION", "DOC_SCAN"] {
        let refused =
            session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": method }))).await;
        assert_eq!(refused.status_and_code(), "409 INVALID_STATUS", "{method}");
    }

    let resume = json!({
        "block_biometric_consent": true, "resume_enabled": true, "age_estimation": estimation(json!({})), "doc_scan": {},
    });
    let session = AgeSessionFixture::create(&app, BASE, &resume).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    assert_eq!(session.take_turn(&app, &opened, captured_photo(&app, &session).await).await.status(), "FAIL");
    let document = session.open_attempt(&app, "DOC_SCAN").await;
    assert_eq!((document.status(), &document.step()["kind"]), ("IN_PROGRESS", &json!("document")));
}
