//! `POST /ai/v1/self-checkout/age-antispoofing`

use crate::image_analysis::{assert_members, call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_age_is_estimated_at_a_till() {
    let app = TestApp::start().await;
    let at_till = call("/ai/v1/self-checkout/age-antispoofing", json!({})).header("terminal-id", "till 7");
    assert_response_snapshot!(at_till.send(&app).await, "age.age age.st_dev antispoofing.prediction");
}

#[tokio::test]
async fn self_checkout_needs_a_terminal_or_a_browser() {
    let app = TestApp::start().await;
    let path = "/ai/v1/self-checkout/age-antispoofing";
    let refused = call(path, json!({})).send(&app).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST_BODY");
    assert!(refused.json()["error_message"].as_str().unwrap().contains("Terminal-Id"));
    for (name, value) in [("terminal-id", "till 7"), ("origin", "https://shop.example")] {
        let answer =
            call(path, json!({})).header(name, value).header("session-id", "basket 3").send(&app).await;
        assert_eq!(answer.status_and_code(), "200");
        assert_members(&answer.json(), &["age", "antispoofing"]);
    }
}
