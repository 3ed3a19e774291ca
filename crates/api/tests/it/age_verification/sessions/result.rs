//! `GET /api/v1/sessions/{sessionId}/result`

use crate::age_verification::{AgeSessionFixture, SANDBOX, relying_party_call};
use serde_json::json;
use testkit::{TestApp, face_base64};

#[tokio::test]
async fn the_result_of_a_complete_session_is_read() {
    let app = TestApp::start().await;
    let payload = json!({ "block_biometric_consent": true, "age_estimation": {}, "reference_id": "order 7" });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    session.take_turn(&app, &opened, json!({ "img": face_base64() })).await;
    let path = format!("{SANDBOX}/sessions/{}/result", session.id);
    assert_response_snapshot!(relying_party_call(&app, &session.key, "GET", &path, None).await);
}
