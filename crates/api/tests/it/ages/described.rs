//! What is said of the interface holds: its document, the headers of its answers, and records that give back what was asked.

use super::{BASE, SANDBOX, Session, anonymity::issuing};
use axum::{body::Body, http::Request};
use domain::ages;
use serde_json::{Value, json};
use std::{num::NonZeroU32, sync::Arc};
use testkit::{Answer, TestApp};

/// The blocks of a record.
fn blocks(record: &Value) -> Vec<&str> {
    let named = record.as_object().unwrap().iter().filter(|(_, value)| value["allowed"].is_boolean());
    named.map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn everybody_is_told_how_often_he_may_call() {
    let few = NonZeroU32::new(5).unwrap();
    let app = TestApp::with(|api| api.people = Arc::new(api::Rate::new(NonZeroU32::MIN, few))).await;
    let left = |answer: &Answer| {
        ["ratelimit-limit", "ratelimit-remaining"].map(|name| answer.header(name).to_owned())
    };
    let session = Session::new(&app, SANDBOX, &json!({ "digital_id": {} })).await;

    // Whoever sits at a page of a session, and the wallet that he shows to it, which is counted with him.
    let opened = session.open(&app, "DIGITAL_ID").await;
    let seen = session.page(&app, "GET", "", None).await;
    assert_eq!((seen.line(), left(&seen)), ("200".to_owned(), ["5".to_owned(), "3".to_owned()]));
    let wallet = opened.step()["url"].as_str().unwrap();
    let wallet = app.get(&wallet[wallet.find("/sandbox/").unwrap()..]).await;
    assert_eq!((wallet.line(), left(&wallet)), ("200".to_owned(), ["5".to_owned(), "2".to_owned()]));

    // Whoever begins at the issuer, of whom nothing is known.
    let request = Request::post("/age/v1/anonymity/sessions").body(Body::from("{\"threshold\":18}"));
    let begun = app.send(request.unwrap()).await;
    assert_eq!(left(&begun), ["5", "4"]);

    // A refusal says it as well.
    for _ in 0..2 {
        session.page(&app, "GET", "", None).await;
    }
    let refused = session.page(&app, "GET", "", None).await;
    assert_eq!(
        (refused.line(), left(&refused)),
        ("429 TOO_MANY_REQUESTS".to_owned(), ["5".to_owned(), "0".to_owned()])
    );
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
}

#[tokio::test]
async fn a_limit_comes_back_as_it_was_set_and_what_is_left_is_counted() {
    let app = TestApp::start().await;
    let payload = json!({
        "age_estimation": { "retry_enabled": false, "retry_limit": 5 },
        "doc_scan": { "retry_enabled": true, "retry_limit": 4 },
        "digital_id": { "retry_enabled": true },
    });
    let session = Session::new(&app, SANDBOX, &payload).await;
    let record = session.result(&app).await;
    let of = |block: &str| ["retry_limit", "attempts_remaining"].map(|name| record[block][name].clone());
    assert_eq!(of("age_estimation"), [json!(5), json!(1)], "it cannot be tried again");
    assert_eq!(of("doc_scan"), [json!(4), json!(4)]);
    assert_eq!(of("digital_id"), [json!(3), json!(3)], "unless it is set");
}

#[tokio::test]
async fn without_a_block_what_is_set_up_comes_back() {
    let app = TestApp::start().await;
    let record = Session::new(&app, BASE, &json!({})).await.result(&app).await;
    assert_eq!(blocks(&record), ["age_estimation", "doc_scan"]);
    let record = Session::new(&app, SANDBOX, &json!({})).await.result(&app).await;
    assert_eq!(blocks(&record).len(), 12);
    // What the payload speaks of comes back though nobody set it up.
    let payload = json!({ "credit_card": { "threshold": 16 }, "doc_scan": {} });
    let record = Session::new(&app, BASE, &payload).await.result(&app).await;
    assert_eq!(blocks(&record), ["credit_card", "doc_scan"]);
    assert_eq!(record["credit_card"]["threshold"], 16);
}

#[tokio::test]
async fn the_key_is_called_by_the_brand() {
    let settings = ages::Settings { brand: "acme".to_owned(), ..ages::Settings::default() };
    let app = TestApp::asking(settings).await;
    for name in ["acme_key", "svc_key"] {
        let payload = json!({ name: { "authentication": true }, "age_estimation": {} });
        let record = Session::new(&app, BASE, &payload).await.result(&app).await;
        assert_eq!(blocks(&record), ["acme_key", "age_estimation"], "{name}");
        assert_eq!(record["acme_key"]["authentication"], true);
    }
}

/// Opens a method of the sandbox, once for each key.
async fn open_once(app: &TestApp, session: &Session, key: &str, method: &str) -> Answer {
    let request = Request::post(format!("/sandbox/age/v1/sessions/{}/attempts", session.id))
        .header("svc-sdk-id", app.app.to_string())
        .header("Idempotency-Key", key)
        .body(Body::from(json!({ "method": method }).to_string()));
    app.send(request.unwrap()).await
}

#[tokio::test]
async fn an_attempt_is_opened_once_for_each_key() {
    let app = TestApp::start().await;
    let session = Session::new(&app, SANDBOX, &json!({ "mobile": {}, "email": {} })).await;
    let open = async |session: &Session, key: &str, method: &str| open_once(&app, session, key, method).await;
    let first = open(&session, "a", "MOBILE").await;
    assert_eq!((first.line(), first.header("cache-control")), ("201".to_owned(), "no-store"));
    let again = open(&session, "a", "MOBILE").await;
    assert_eq!((again.line(), again.header("cache-control")), ("201".to_owned(), "no-store"));
    assert_eq!(again.header("content-type"), "application/json");
    assert_eq!(again.json(), first.json());
    assert_eq!(open(&session, "a", "EMAIL").await.line(), "409 IDEMPOTENCY_KEY_REUSED");
    // The attempt is still the one that is under way.
    let attempt = first.json()["attempt"].as_str().unwrap().to_owned();
    let body = json!({ "continuation": first.json()["continuation"], "fields": {} });
    let turn = session.page(&app, "POST", &format!("/attempts/{attempt}"), Some(body)).await;
    assert_eq!((turn.line(), &turn.json()["attempt"]), ("200".to_owned(), &json!(attempt)));
    // Another key opens another, and so does the same one in another session.
    assert_ne!(open(&session, "b", "MOBILE").await.json()["attempt"], attempt);
    let other = Session::new(&app, SANDBOX, &json!({ "mobile": {} })).await;
    let theirs = open(&other, "a", "MOBILE").await;
    assert_eq!((theirs.line(), &theirs.json()["session"]["id"]), ("201".to_owned(), &json!(other.id)));
    assert_eq!(open(&session, &"x".repeat(256), "MOBILE").await.line(), "400 INVALID_REQUEST");
}

#[tokio::test]
async fn of_blind_tokens_no_answer_is_kept() {
    let app = issuing(&[18]).await;
    let session = Session::new(&app, SANDBOX, &json!({ "double_blind": true })).await;
    let first = open_once(&app, &session, "a", "DOUBLE_ANONYMITY").await;
    let again = open_once(&app, &session, "a", "DOUBLE_ANONYMITY").await;
    assert_eq!([first.line(), again.line()], ["201", "201"]);
    assert_ne!(first.json()["attempt"], again.json()["attempt"]);
    let mut view = app.api.db.read().await.unwrap();
    let kept = view.count(db::sql!("SELECT count(*) FROM idempotent_answers")).await;
    assert_eq!(kept.unwrap(), 0);
}
