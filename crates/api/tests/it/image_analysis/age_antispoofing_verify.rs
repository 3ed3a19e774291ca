//! `POST /ai/v1/age-antispoofing-verify`

use crate::image_analysis::{assert_members, call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_age_is_verified_and_liveness_predicted() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age-antispoofing-verify", json!({ "threshold": 1 })).send(&app).await;
    assert_response_snapshot!(answer, "antispoofing.prediction");
}

#[tokio::test]
async fn a_face_passes_a_threshold_and_gets_a_prediction() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age-antispoofing-verify", json!({ "threshold": 1 })).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    assert_members(&answer.json(), &["age", "antispoofing"]);
    assert_eq!(answer.json()["age"], json!({ "age_check": "pass" }));
    assert_members(&answer.json()["antispoofing"], &["prediction"]);
}
