//! `POST /ai/v1/age-antispoofing`

use crate::image_analysis::{assert_adult_age, assert_members, call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_age_is_estimated_and_liveness_predicted() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age-antispoofing", json!({})).send(&app).await;
    assert_response_snapshot!(answer, "age.age age.st_dev antispoofing.prediction");
}

#[tokio::test]
async fn a_face_gets_an_age_and_a_prediction() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age-antispoofing", json!({})).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    assert_members(&answer.json(), &["age", "antispoofing"]);
    assert_members(&answer.json()["antispoofing"], &["prediction"]);
    assert_members(&answer.json()["age"], &["age", "st_dev"]);
    assert_adult_age(&answer.json()["age"]);
}
