//! The outcomes that a sandbox's session can be set to, and those that it cannot.

use super::{SANDBOX, Session, business};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

async fn tell(app: &TestApp, session: &Session, response: Value) -> TestResponse {
    let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
    business(app, &session.key, "PUT", &path, Some(response)).await
}

/// The result that the page shows.
async fn shown(app: &TestApp, session: &Session) -> Value {
    session.page(app, "GET", "", None).await.json()["result"].clone()
}

#[tokio::test]
async fn every_status_can_be_told_and_results_are_sent() {
    let app = TestApp::start().await;
    for (kind, why) in [("OVER", "UNDER_AGE"), ("UNDER", "OVER_AGE")] {
        let payload = json!({
            "type": kind, "doc_scan": { "threshold": 21 }, "notification_url": "https://shop.example.com/hook",
        });
        let session = Session::new(&app, SANDBOX, &payload).await;
        for (status, reason, sent) in [
            ("IN_PROGRESS", None, 0),
            ("PROCESSING", None, 0),
            ("COMPLETE", Some(json!(null)), 1),
            ("FAIL", Some(json!(why)), 2),
            ("ERROR", Some(json!("SANDBOX_ERROR")), 3),
            // A cancelled session keeps the last result.
            ("CANCELLED", Some(json!("SANDBOX_ERROR")), 3),
            ("PENDING", None, 3),
        ] {
            let told = tell(&app, &session, json!({ "status": status })).await;
            assert_eq!(
                (told.status_and_code().as_str(), &told.json()["status"]),
                ("200", &json!(status)),
                "{kind}"
            );
            let record = session.result(&app).await;
            assert_eq!(record, told.json());
            let shown = shown(&app, &session).await;
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
            assert_eq!(queued, if kind == "OVER" { sent } else { sent + 3 }, "{kind} {status}");
        }
        // As if it had not been started.
        let path = format!("{SANDBOX}/sessions/{}", session.id);
        assert_eq!(business(&app, &session.key, "GET", &path, None).await.status_and_code(), "200");
        assert_eq!(session.open(&app, "DOC_SCAN").await.status(), "IN_PROGRESS");
    }
}

#[tokio::test]
async fn a_session_of_the_type_age_comes_to_an_age_or_to_an_error() {
    let app = TestApp::start().await;
    let payload = json!({ "type": "AGE", "age_estimation": {} });
    let session = Session::new(&app, SANDBOX, &payload).await;
    for (response, member) in
        [(json!({ "status": "FAIL", "age": 25 }), "status"), (json!({ "status": "COMPLETE" }), "age")]
    {
        let refused = tell(&app, &session, response).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{member}");
        let words = refused.json()["error_message"].as_str().unwrap().to_owned();
        assert!(words.starts_with(&format!("{member}: ")), "{words}");
        assert_eq!(session.result(&app).await["status"], "PENDING", "nothing has changed");
    }
    assert_eq!(
        tell(&app, &session, json!({ "status": "COMPLETE", "age": 17 })).await.status_and_code(),
        "200"
    );
    let result = session.result(&app).await;
    assert_eq!((&result["age"], &result["method"]), (&json!(17), &json!("AGE_ESTIMATION")));
    assert_eq!(tell(&app, &session, json!({ "status": "ERROR" })).await.status_and_code(), "200");
    let result = session.result(&app).await;
    assert_eq!((&result["status"], &result["age"]), (&json!("ERROR"), &json!(null)), "it names no age");
    assert_eq!(shown(&app, &session).await["reason"], "SANDBOX_ERROR");
    assert_eq!(tell(&app, &session, json!({ "status": "PENDING" })).await.status_and_code(), "200");
    let result = session.result(&app).await;
    assert!(result.get("age").is_none_or(Value::is_null) && result.get("method").is_none(), "{result}");
    assert!(shown(&app, &session).await.is_null());
}
