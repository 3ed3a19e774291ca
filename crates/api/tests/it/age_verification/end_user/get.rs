//! `GET /age/v1/sessions/{sessionId}`

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, relying_party_call};
use base::SignedDuration;
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn the_page_reads_its_session() {
    let app = TestApp::start().await;
    let payload = json!({
        "age_estimation": { "retry_enabled": true, "retry_limit": 2 }, "doc_scan": { "preset_issuing_country": "GBR" },
        "callback": { "url": "https://shop.test/done", "auto": true }, "privacy_policy": "https://shop.test/privacy",
    });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    assert_response_snapshot!(session.end_user_call(&app, "GET", "", None).await);
}

#[tokio::test]
async fn methods_are_offered_in_the_order_of_the_payload() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    for (payload, offered) in [
        (r#"{"doc_scan":{},"ttl":60,"age_estimation":{}}"#, ["DOC_SCAN", "AGE_ESTIMATION"]),
        (r#"{"age_estimation":{},"doc_scan":{},"ttl":60}"#, ["AGE_ESTIMATION", "DOC_SCAN"]),
    ] {
        let request = axum::http::Request::builder()
            .method("POST")
            .uri(format!("{BASE}/sessions"))
            .header("Authorization", format!("Bearer {key}"))
            .header("Svc-Sdk-Id", app.app.to_string())
            .header("Content-Type", "application/json")
            .body(axum::body::Body::from(payload));
        let made = app.send(request.unwrap()).await.json();
        let id = made["id"].as_str().unwrap().to_owned();
        let session = AgeSessionFixture { id, key: key.clone(), base: BASE };
        let view = session.end_user_call(&app, "GET", "", None).await.json();
        let methods: Vec<_> =
            view["methods"].as_array().unwrap().iter().map(|one| one["method"].as_str().unwrap()).collect();
        assert_eq!(methods, offered);
    }
}

/// What the page reads of a session that it is shown.
async fn shown(app: &TestApp, session: &AgeSessionFixture) -> Value {
    let answer = session.end_user_call(app, "GET", "", None).await;
    assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
    answer.json()
}

async fn set_status(app: &TestApp, session: &AgeSessionFixture, status: &str) {
    let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
    let answer = relying_party_call(app, &session.key, "PUT", &path, Some(json!({ "status": status }))).await;
    assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
}

/// Whoever comes back after a check that took long sees that they have passed, and is led back.
#[tokio::test]
async fn a_check_is_shown_as_long_as_it_runs_and_its_outcome_for_ten_minutes() {
    let app = TestApp::start().await;
    let payload = json!({
        "ttl": 60, "resume_enabled": true, "credit_card": {},
        "callback": { "url": "https://shop.test/done", "auto": true },
    });
    for outcome in ["COMPLETE", "FAIL", "ERROR", "CANCELLED"] {
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        set_status(&app, &session, "PROCESSING").await;
        app.environment.advance(SignedDuration::from_hours(1));
        let waits = shown(&app, &session).await;
        assert_eq!((&waits["status"], &waits["seconds_left"]), (&json!("PROCESSING"), &json!(0)));

        set_status(&app, &session, outcome).await;
        app.environment.advance(SignedDuration::from_secs(599));
        let ended = shown(&app, &session).await;
        assert_eq!(ended["status"], outcome);
        assert_eq!(
            ended["callback"]["url"],
            format!("https://shop.test/done?sessionId={}", session.id),
            "{outcome}"
        );
        // Nothing is offered that would be refused.
        assert_eq!(
            (&ended["retry"], &ended["methods"][0]["available"], &ended["offers"]),
            (&json!(false), &json!(false), &json!({ "key": false, "proof": false })),
            "{outcome}"
        );
        for (rest, body) in [
            ("/cancel", json!({})),
            ("/consent", json!({ "given": true })),
            ("/attempts", json!({ "method": "CREDIT_CARD" })),
        ] {
            let refused = session.end_user_call(&app, "POST", rest, Some(body)).await;
            assert_eq!(refused.status_and_code(), "410 SESSION_EXPIRED", "{outcome} {rest}");
        }
        app.environment.advance(SignedDuration::from_secs(1));
        let late = session.end_user_call(&app, "GET", "", None).await;
        assert_eq!(late.status_and_code(), "410 SESSION_EXPIRED", "{outcome}");
    }
}

/// A page that another device went on from asks when its countdown ends, and must not take it for one that ran out.
#[tokio::test]
async fn a_session_that_ended_early_is_shown_until_ten_minutes_after_its_time() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "ttl": 900, "credit_card": {} })).await;
    set_status(&app, &session, "COMPLETE").await;
    for (seconds, left) in [(899, 1), (1, 0), (599, 0)] {
        app.environment.advance(SignedDuration::from_secs(seconds));
        let ended = shown(&app, &session).await;
        assert_eq!((&ended["status"], &ended["seconds_left"]), (&json!("COMPLETE"), &json!(left)));
    }
    app.environment.advance(SignedDuration::from_secs(1));
    let late = session.end_user_call(&app, "GET", "", None).await;
    assert_eq!(late.status_and_code(), "410 SESSION_EXPIRED");
}
