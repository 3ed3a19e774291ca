//! `POST /ai/v1/age-verify`

use crate::image_analysis::call;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_age_is_verified() {
    let app = TestApp::start().await;
    assert_response_snapshot!(call("/ai/v1/age-verify", json!({ "threshold": 1 })).send(&app).await);
}

#[tokio::test]
async fn a_face_passes_or_fails_a_threshold() {
    let app = TestApp::start().await;
    for (threshold, operator, outcome) in [
        (1, None, "pass"),
        (1, Some("UNDER"), "fail"),
        (120, Some("OVER"), "fail"),
        (120, Some("UNDER"), "pass"),
    ] {
        let mut body = json!({ "threshold": threshold });
        if let Some(operator) = operator {
            body["operator"] = operator.into();
        }
        let answer = call("/ai/v1/age-verify", body).send(&app).await;
        assert_eq!(
            (answer.status_and_code().as_str(), answer.json()),
            ("200", json!({ "age_check": outcome }))
        );
    }
}
