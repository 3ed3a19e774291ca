//! The record of a session.

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX};
use domain::age_verification;
use serde_json::{Value, json};
use testkit::TestApp;

/// The names of a record's blocks.
fn blocks(record: &Value) -> Vec<&str> {
    let named = record.as_object().unwrap().iter().filter(|(_, value)| value["allowed"].is_boolean());
    named.map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn a_record_has_the_limit_that_was_set_and_the_attempts_that_are_left() {
    let app = TestApp::start().await;
    let payload = json!({
        "age_estimation": { "retry_enabled": false, "retry_limit": 5 },
        "doc_scan": { "retry_enabled": true, "retry_limit": 4 },
        "digital_id": { "retry_enabled": true },
    });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let record = session.result(&app).await;
    let of = |block: &str| ["retry_limit", "attempts_remaining"].map(|name| record[block][name].clone());
    assert_eq!(of("age_estimation"), [json!(5), json!(1)], "it cannot be tried again");
    assert_eq!(of("doc_scan"), [json!(4), json!(4)]);
    assert_eq!(of("digital_id"), [json!(3), json!(3)], "unless it is set");
}

#[tokio::test]
async fn a_record_has_the_requested_blocks_or_those_of_all_configured_methods() {
    let app = TestApp::start().await;
    let record = AgeSessionFixture::create(&app, BASE, &json!({})).await.result(&app).await;
    assert_eq!(blocks(&record), ["age_estimation", "doc_scan"]);
    let record = AgeSessionFixture::create(&app, SANDBOX, &json!({})).await.result(&app).await;
    assert_eq!(blocks(&record).len(), 13);
    // A block of the payload is returned even if its method is not configured.
    let payload = json!({ "credit_card": { "threshold": 16 }, "doc_scan": {} });
    let record = AgeSessionFixture::create(&app, BASE, &payload).await.result(&app).await;
    assert_eq!(blocks(&record), ["credit_card", "doc_scan"]);
    assert_eq!(record["credit_card"]["threshold"], 16);
}

#[tokio::test]
async fn the_key_in_a_record_has_the_name_of_the_brand() {
    let settings = age_verification::AgeVerificationSettings {
        brand: "acme".to_owned(),
        ..age_verification::AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings(settings).await;
    for name in ["acme_key", "svc_key"] {
        let payload = json!({ name: { "authentication": true }, "age_estimation": {} });
        let record = AgeSessionFixture::create(&app, BASE, &payload).await.result(&app).await;
        assert_eq!(blocks(&record), ["acme_key", "age_estimation"], "{name}");
        assert_eq!(record["acme_key"]["authentication"], true);
    }
}
