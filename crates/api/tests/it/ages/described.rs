//! What is said of the interface holds: its document, the headers of its answers, and records that give back what was asked.

use super::{BASE, SANDBOX, Session};
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
