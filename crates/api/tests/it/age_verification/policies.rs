//! Policies: `GET /api/v1/policies`, and sessions that name one.

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, relying_party_call};
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn the_policies_are_listed() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let listed = relying_party_call(&app, &key, "GET", &format!("{BASE}/policies"), None).await;
    assert_response_snapshot!(listed);
    let listed = listed.json();
    let ids: Vec<_> =
        listed["policies"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    for id in ["au", "au-social", "br", "eu", "gb", "us-fl", "us-la", "us-tx"] {
        assert!(ids.contains(&id), "{id}: {ids:?}");
    }
    for policy in listed["policies"].as_array().unwrap() {
        assert!(!policy["sources"].as_array().unwrap().is_empty() && policy["origin"] == "PROGRAM");
    }
}

#[tokio::test]
async fn a_policy_is_read_with_its_file_and_signature() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let read = |id: &str| {
        let (app, key, path) = (&app, &key, format!("{BASE}/policies/{id}"));
        async move { relying_party_call(app, key, "GET", &path, None).await }
    };
    assert_response_snapshot!(read("gb@1").await);
    let file = include_str!("../../../../domain/policies/gb.toml");
    assert_eq!(read("gb").await.json()["text"], file);
    for (id, words) in
        [("gb@9", "the policy `gb` is version 1 here"), ("moon", "there is no policy `moon`; there are: ")]
    {
        let refused = read(id).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND");
        assert!(refused.json()["error_message"].as_str().unwrap().starts_with(words));
    }
}

#[tokio::test]
async fn a_session_names_a_policy_and_says_so() {
    let app = TestApp::start().await;
    let payload =
        json!({ "policy": "gb", "doc_scan": { "preset_issuing_country": "GBR", "retry_enabled": true } });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let record = session.result(&app).await;
    assert_eq!((&record["policy"], &record["type"]), (&json!("gb@1"), &json!("OVER")));
    assert_eq!(record["age_estimation"]["threshold"], 25);
    assert_eq!(record["age_estimation"]["level"], "ACTIVE");
    assert_eq!(record["doc_scan"]["preset_issuing_country"], "GBR");
    assert_eq!(record["cpf"], Value::Null);
    // The page offers them in the order of the policy.
    let page = session.end_user_call(&app, "GET", "", None).await.json();
    let offered: Vec<_> =
        page["methods"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(
        offered,
        ["digital_id", "age_estimation", "doc_scan", "mobile", "credit_card", "email", "electronic_id"]
    );
}

#[tokio::test]
async fn what_contradicts_a_policy_is_refused_by_name() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    for (base, path) in [(BASE, "sessions"), (SANDBOX, "sessions"), (BASE, "rules")] {
        for (payload, words) in [
            (json!({ "policy": "moon" }), "policy: there is no policy `moon`"),
            (
                json!({ "policy": "gb", "doc_scan": { "threshold": 16 } }),
                "doc_scan.threshold: the policy gb says what it is",
            ),
            (json!({ "policy": "gb", "type": "UNDER" }), "type: it is UNDER; the policy gb says OVER"),
            (json!({ "policy": "gb", "cpf": {} }), "cpf: the policy gb does not accept this method"),
            (json!({ "policy": 7 }), "policy: "),
        ] {
            let refused =
                relying_party_call(&app, &key, "POST", &format!("{base}/{path}"), Some(payload)).await;
            assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{base}/{path} {words}");
            let message = refused.json()["error_message"].as_str().unwrap().to_owned();
            assert!(message.starts_with(words), "{message}");
        }
    }
}
