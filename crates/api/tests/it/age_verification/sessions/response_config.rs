//! `PUT /sandbox/api/v1/sessions/{sessionId}/response-config`

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, relying_party_call};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

#[tokio::test]
async fn the_outcome_of_a_session_is_set() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "age_estimation": {} })).await;
    assert_response_snapshot!(set_outcome(&app, &session, json!({ "status": "FAIL" })).await);
}

async fn set_outcome(app: &TestApp, session: &AgeSessionFixture, response: Value) -> TestResponse {
    let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
    relying_party_call(app, &session.key, "PUT", &path, Some(response)).await
}

/// The result that the page shows.
async fn shown_result(app: &TestApp, session: &AgeSessionFixture) -> Value {
    session.end_user_call(app, "GET", "", None).await.json()["result"].clone()
}

#[tokio::test]
async fn every_status_can_be_set_and_results_are_sent() {
    let app = TestApp::start().await;
    for (kind, why) in [("OVER", "UNDER_AGE"), ("UNDER", "OVER_AGE")] {
        let payload = json!({
            "type": kind, "doc_scan": { "threshold": 21 }, "notification_url": "https://shop.example.com/hook",
        });
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        for (status, reason, sent) in [
            ("IN_PROGRESS", None, 0),
            ("PROCESSING", None, 0),
            ("COMPLETE", Some(json!(null)), 1),
            ("FAIL", Some(json!(why)), 2),
            ("ERROR", Some(json!("SANDBOX_ERROR")), 3),
            // A session that is cancelled or runs out keeps the last result.
            ("CANCELLED", Some(json!("SANDBOX_ERROR")), 4),
            ("EXPIRED", Some(json!("SANDBOX_ERROR")), 5),
            ("PENDING", None, 5),
        ] {
            let set = set_outcome(&app, &session, json!({ "status": status })).await;
            assert_eq!(
                (set.status_and_code().as_str(), &set.json()["status"]),
                ("200", &json!(status)),
                "{kind}"
            );
            let record = session.result(&app).await;
            assert_eq!(record, set.json());
            let shown = shown_result(&app, &session).await;
            match reason {
                Some(reason) => {
                    assert_eq!(shown["reason"], reason, "{kind} {status}");
                    assert_eq!((&record["method"], &record["age"]), (&json!("DOC_SCAN"), &json!(21)));
                }
                None => {
                    assert!(shown.is_null() && record.get("method").is_none(), "{kind} {status}: {record}");
                }
            }
            let query = db::sql!("SELECT count(*) FROM deliveries");
            let queued = app.api.db.read().await.unwrap().count(query).await.unwrap();
            assert_eq!(queued, if kind == "OVER" { sent } else { sent + 5 }, "{kind} {status}");
        }
        // As if it had not been started.
        let path = format!("{SANDBOX}/sessions/{}", session.id);
        assert_eq!(relying_party_call(&app, &session.key, "GET", &path, None).await.status_and_code(), "200");
        assert_eq!(session.open_attempt(&app, "DOC_SCAN").await.status(), "IN_PROGRESS");
    }
}

#[tokio::test]
async fn a_session_of_the_type_age_ends_with_an_age_or_an_error() {
    let app = TestApp::start().await;
    let payload = json!({ "type": "AGE", "age_estimation": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    for (response, member) in
        [(json!({ "status": "FAIL", "age": 25 }), "status"), (json!({ "status": "COMPLETE" }), "age")]
    {
        let refused = set_outcome(&app, &session, response).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{member}");
        let words = refused.json()["error_message"].as_str().unwrap().to_owned();
        assert!(words.starts_with(&format!("{member}: ")), "{words}");
        assert_eq!(session.result(&app).await["status"], "PENDING", "nothing has changed");
    }
    assert_eq!(
        set_outcome(&app, &session, json!({ "status": "COMPLETE", "age": 17 })).await.status_and_code(),
        "200"
    );
    let result = session.result(&app).await;
    assert_eq!((&result["age"], &result["method"]), (&json!(17), &json!("AGE_ESTIMATION")));
    assert_eq!(set_outcome(&app, &session, json!({ "status": "ERROR" })).await.status_and_code(), "200");
    let result = session.result(&app).await;
    assert_eq!((&result["status"], &result["age"]), (&json!("ERROR"), &json!(null)), "it names no age");
    assert_eq!(shown_result(&app, &session).await["reason"], "SANDBOX_ERROR");
    assert_eq!(set_outcome(&app, &session, json!({ "status": "PENDING" })).await.status_and_code(), "200");
    let result = session.result(&app).await;
    assert!(result.get("age").is_none_or(Value::is_null) && result.get("method").is_none(), "{result}");
    assert!(shown_result(&app, &session).await.is_null());
}

#[tokio::test]
async fn a_session_of_the_sandbox_ends_as_configured_and_production_has_no_such_operation() {
    let app = TestApp::start().await;
    let session =
        AgeSessionFixture::create(&app, SANDBOX, &json!({ "type": "AGE", "age_estimation": {} })).await;
    let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
    let outcome = json!({ "status": "complete", "age": 25, "method": "AGE_ESTIMATION" });
    let answer = relying_party_call(&app, &session.key, "PUT", &path, Some(outcome)).await;
    assert_eq!(answer.status_and_code(), "200");
    let result = session.result(&app).await;
    assert_eq!(
        (&result["status"], &result["age"], &result["method"]),
        (&json!("COMPLETE"), &json!(25), &json!("AGE_ESTIMATION"))
    );
    let wrong = json!({ "status": "DONE", "age": 200, "method": "MAGIC" });
    assert_eq!(
        relying_party_call(&app, &session.key, "PUT", &path, Some(wrong)).await.status_and_code(),
        "400 INVALID_REQUEST"
    );

    // Production has no such operation, and does not find the sandbox's sessions.
    let real = AgeSessionFixture::create(&app, BASE, &json!({ "age_estimation": {} })).await;
    let path = format!("{BASE}/sessions/{}/response-config", real.id);
    let body = json!({ "status": "COMPLETE" });
    assert_eq!(
        relying_party_call(&app, &real.key, "PUT", &path, Some(body)).await.status_and_code(),
        "404 NOT_FOUND"
    );
    for (base, id) in [(BASE, &session.id), (SANDBOX, &real.id)] {
        let path = format!("{base}/sessions/{id}/result");
        assert_eq!(
            relying_party_call(&app, &real.key, "GET", &path, None).await.status_and_code(),
            "404 SESSION_NOT_FOUND"
        );
    }
}
