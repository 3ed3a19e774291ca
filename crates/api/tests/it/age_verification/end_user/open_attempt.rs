//! `POST /age/v1/sessions/{sessionId}/attempts`

use crate::age_verification::{AgeSessionFixture, SANDBOX, blind_tokens::token_issuer};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

/// Opens a method in a new session of the sandbox.
async fn open_attempt(method: &str, payload: Value) -> TestResponse {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": method }))).await
}

#[tokio::test]
async fn an_attempt_opens_with_a_camera_step() {
    let opened =
        open_attempt("AGE_ESTIMATION", json!({ "age_estimation": {}, "block_biometric_consent": true }))
            .await;
    assert_response_snapshot!(opened, "continuation");
}

#[tokio::test]
async fn an_attempt_opens_with_a_form_step() {
    let opened = open_attempt("CREDIT_CARD", json!({ "credit_card": {} })).await;
    assert_response_snapshot!(opened, "continuation");
}

#[tokio::test]
async fn an_attempt_opens_with_a_choice_step() {
    let opened = open_attempt("ELECTRONIC_ID", json!({ "electronic_id": {} })).await;
    assert_response_snapshot!(opened, "continuation");
}

#[tokio::test]
async fn an_attempt_opens_with_a_redirect_step() {
    let opened = open_attempt("SINGPASS", json!({ "singpass": {} })).await;
    let url = opened.json()["step"]["url"].as_str().unwrap().to_owned();
    assert_response_snapshot!(opened, "continuation", (url.split_once("state=").unwrap().1, "state"));
}

#[tokio::test]
async fn an_attempt_opens_with_a_document_step() {
    let opened = open_attempt("DOC_SCAN", json!({ "doc_scan": {} })).await;
    assert_response_snapshot!(opened, "continuation");
}

#[tokio::test]
async fn an_attempt_opens_with_a_wallet_step() {
    let opened = open_attempt("DIGITAL_ID", json!({ "digital_id": {} })).await;
    let step = opened.json()["step"].clone();
    let request = |url: &Value| {
        let (_, rest) = url.as_str().unwrap().split_once("/wallet/").unwrap();
        rest.split('/').next().unwrap().to_owned()
    };
    let (shown, linked) = (request(&step["url"]), request(&step["links"][0]));
    assert_ne!(shown, linked, "what comes back from this device is told from what another device sends");
    assert_response_snapshot!(
        opened,
        "continuation",
        (shown.as_str(), "request for another device"),
        (linked.as_str(), "request for this device"),
    );
}

#[tokio::test]
async fn an_attempt_without_consent_is_refused() {
    let opened = open_attempt("AGE_ESTIMATION", json!({ "age_estimation": {} })).await;
    assert_response_snapshot!(opened);
}

/// Opens a method of the sandbox, once for each key.
async fn open_once(app: &TestApp, session: &AgeSessionFixture, key: &str, method: &str) -> TestResponse {
    let request = Request::post(format!("/sandbox/age/v1/sessions/{}/attempts", session.id))
        .header("svc-sdk-id", app.app.to_string())
        .header("Idempotency-Key", key)
        .body(Body::from(json!({ "method": method }).to_string()));
    app.send(request.unwrap()).await
}

#[tokio::test]
async fn an_attempt_is_opened_once_for_each_idempotency_key() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "mobile": {}, "email": {} })).await;
    let open = async |session: &AgeSessionFixture, key: &str, method: &str| {
        open_once(&app, session, key, method).await
    };
    let first = open(&session, "a", "MOBILE").await;
    assert_eq!((first.status_and_code(), first.header("cache-control")), ("201".to_owned(), "no-store"));
    let again = open(&session, "a", "MOBILE").await;
    assert_eq!((again.status_and_code(), again.header("cache-control")), ("201".to_owned(), "no-store"));
    assert_eq!(again.header("content-type"), "application/json");
    assert_eq!(again.json(), first.json());
    assert_eq!(open(&session, "a", "EMAIL").await.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");
    // The attempt is still the current one.
    let attempt = first.json()["attempt"].as_str().unwrap().to_owned();
    let body = json!({ "continuation": first.json()["continuation"], "fields": {} });
    let turn = session.end_user_call(&app, "POST", &format!("/attempts/{attempt}"), Some(body)).await;
    assert_eq!((turn.status_and_code(), &turn.json()["attempt"]), ("200".to_owned(), &json!(attempt)));
    // Another key opens another attempt, and so does the same key in another session.
    assert_ne!(open(&session, "b", "MOBILE").await.json()["attempt"], attempt);
    let other = AgeSessionFixture::create(&app, SANDBOX, &json!({ "mobile": {} })).await;
    let others = open(&other, "a", "MOBILE").await;
    assert_eq!(
        (others.status_and_code(), &others.json()["session"]["id"]),
        ("201".to_owned(), &json!(other.id))
    );
    assert_eq!(open(&session, &"x".repeat(256), "MOBILE").await.status_and_code(), "400 INVALID_REQUEST");
}

#[tokio::test]
async fn answers_about_blind_tokens_are_not_stored_for_repeats() {
    let app = token_issuer(&[18]).await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "double_blind": true })).await;
    let first = open_once(&app, &session, "a", "DOUBLE_ANONYMITY").await;
    let again = open_once(&app, &session, "a", "DOUBLE_ANONYMITY").await;
    assert_eq!([first.status_and_code(), again.status_and_code()], ["201", "201"]);
    assert_ne!(first.json()["attempt"], again.json()["attempt"]);
    let mut view = app.api.db.read().await.unwrap();
    let stored = view.count(db::sql!("SELECT count(*) FROM idempotent_answers")).await;
    assert_eq!(stored.unwrap(), 0);
}
