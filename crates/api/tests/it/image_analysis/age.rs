//! `POST /ai/v1/age`

use crate::image_analysis::{assert_adult_age, assert_members, call};
use serde_json::json;
use testkit::{SignedCall, TestApp, face_base64};

#[tokio::test]
async fn an_age_is_estimated() {
    let app = TestApp::start().await;
    assert_response_snapshot!(call("/ai/v1/age", json!({})).send(&app).await, "age st_dev");
}

#[tokio::test]
async fn a_face_gets_an_age_with_its_deviation() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age", json!({})).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    assert_members(&answer.json(), &["age", "st_dev"]);
    assert_adult_age(&answer.json());

    let prefixed = json!({ "img": format!("data:image/jpeg;base64,{}", face_base64()) });
    let again = SignedCall::post("/ai/v1/age").json(&prefixed).send(&app).await;
    assert_eq!(
        again.json(),
        answer.json(),
        "a data: prefix changes nothing, and the same image gives the same answer"
    );
}

#[tokio::test]
async fn unknown_members_and_any_content_type_are_accepted() {
    let app = TestApp::start().await;
    let answer =
        call("/ai/v1/age", json!({ "colour": "blue" })).header("content-type", "text/plain").send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
}
