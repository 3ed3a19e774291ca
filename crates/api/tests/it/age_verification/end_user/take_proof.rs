//! `POST /age/v1/sessions/{sessionId}/proof`

use crate::age_verification::{AgeSessionFixture, BASE, captured_photo};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_proof_is_taken_along() {
    let app = TestApp::start().await;
    let payload = json!({ "block_biometric_consent": true, "age_estimation": { "threshold": 3 } });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let ended = session.take_turn(&app, &opened, captured_photo(&app, &session).await).await;
    assert_eq!(ended.0["session"]["offers"]["proof"], true, "{}", ended.0);
    let taken = session.end_user_call(&app, "POST", "/proof", None).await;
    let url = taken.json()["url"].as_str().unwrap().to_owned();
    assert_response_snapshot!(taken, (url.split_once('#').unwrap().1, "invitation"));
    let again = session.end_user_call(&app, "POST", "/proof", None).await;
    assert_eq!(again.status_and_code(), "409 INVALID_STATUS", "one proof for each session");
}
