//! What is said of the interface holds: its document, the headers of its answers, and records that give back what was asked.

use super::{SANDBOX, Session};
use axum::{body::Body, http::Request};
use serde_json::json;
use std::{num::NonZeroU32, sync::Arc};
use testkit::{Answer, TestApp};

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
