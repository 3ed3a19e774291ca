//! What every request has: an id in its answer, and a span that its lines of the log are in.

use crate::{captured_log::CapturedLog, http::call};
use axum::{body::Body, http::Request};
use base::Environment as _;
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn every_answer_has_a_request_id_and_plain_json() {
    let app = TestApp::start().await;
    for answer in [call().send(&app).await, app.get("/healthz").await, app.get("/nowhere").await] {
        assert_eq!(answer.header("x-request-id").len(), 36);
    }
    assert_eq!(call().send(&app).await.header("content-type"), "application/json");
}

/// The span of the one request that was answered since the log was last taken.
fn span_of_answer(log: &CapturedLog) -> Value {
    let text = log.take();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answered: Vec<_> = lines.filter(|line| line["message"] == "answered").collect();
    assert_eq!(answered.len(), 1, "{text}");
    answered[0]["span"].clone()
}

/// Begins to log in this thread.
fn start_logging() -> (CapturedLog, tracing::subscriber::DefaultGuard) {
    let log = CapturedLog::new();
    let lines = tracing_subscriber::fmt().json().flatten_event(true).with_writer(log.clone()).finish();
    (log, tracing::subscriber::set_default(lines))
}

#[tokio::test]
async fn a_request_span_names_the_operation_the_caller_and_the_ids_of_the_path() {
    let app = TestApp::start().await;
    let (account, key) = (app.open_account().await, app.api_key(&[]).await);
    let (log, _logging) = start_logging();
    let content = app.environment.uuid_v4();
    let path = format!("/accounts/{account}/contents/{content}");
    let answer = app.call_moderation("GET", &path, &key, None).await;
    assert_eq!(answer.status, 404);
    let expected = json!({
        "name": "request",
        "request.id": answer.header("x-request-id"),
        "http.method": "GET",
        "http.route": "/accounts/{accountId}/contents/{id}",
        "interface": "moderation",
        "operation": "get_content",
        "app.id": app.app,
        "account.id": account,
        "content.id": content,
    });
    assert_eq!(span_of_answer(&log), expected);

    // The caller is not authenticated, and an invalid id could be any text.
    let answer = app.get("/accounts/Ada%20Lovelace/contents/ada@example.com").await;
    assert_eq!(answer.status, 401);
    let span = span_of_answer(&log);
    assert_eq!(span["operation"], "get_content");
    let fields: Vec<_> =
        span.as_object().unwrap().keys().filter(|field| field.rsplit('.').next() == Some("id")).collect();
    assert_eq!(fields, ["request.id"]);

    let session = app.environment.uuid_v7();
    app.get(&format!("/idverify/v1/sessions/{session}")).await;
    let span = span_of_answer(&log);
    assert_eq!((&span["interface"], &span["session.id"]), (&json!("identity"), &json!(session)));

    app.get("/poa/v1/verify/AAECAwQFBgcICQoLDA0ODw").await;
    assert_eq!(span_of_answer(&log)["proof.id"], "AAECAwQFBgcICQoLDA0ODw");
    app.get("/healthz").await;
    assert_eq!(span_of_answer(&log)["interface"], Value::Null);
}

/// The id of an age verification session, with that of its application, is what its end user is known by; and
/// docs/BLIND-TOKENS.md promises that calls do not name the issuer's sessions.
#[tokio::test]
async fn a_request_span_does_not_name_age_verification_sessions() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let (log, _logging) = start_logging();
    let payload = json!({ "age_estimation": {} });
    let made = app.call_moderation("POST", "/api/v1/sessions", &format!("Bearer {key}"), Some(payload)).await;
    assert_eq!(made.status, 200, "{}", made.json());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    log.take();
    for path in [format!("/api/v1/sessions/{id}"), format!("/age/v1/sessions/{id}")] {
        let request = Request::get(&path)
            .header("authorization", format!("Bearer {key}"))
            .header(app.api.brand.sdk_id(), app.app.to_string());
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        let text = log.take();
        assert!(text.contains(&app.app.to_string()) && text.contains("ages"), "{text}");
        assert!(!text.contains(&id), "{text}");
    }
}

#[tokio::test]
async fn the_log_says_what_is_wrong_with_a_signature() {
    let app = TestApp::start().await;
    let (log, _logging) = start_logging();
    let call = testkit::SignedCall::post("/idverify/v1/sessions").query("sdkId", &app.app.to_string());
    let answer = call.auth_id(None).query("timestamp", "17").send(&app).await;
    assert_eq!(answer.status_and_code(), "401 MESSAGE_SIGNING");
    assert!(answer.json()["message"].as_str().unwrap().contains("timestamp"), "{}", answer.json());
    let text = log.take();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reasons: Vec<_> = lines.filter_map(|line| Some(line["error.reason"].as_str()?.to_owned())).collect();
    assert!(reasons.len() == 1 && reasons[0].contains("timestamp"), "{text}");
}
