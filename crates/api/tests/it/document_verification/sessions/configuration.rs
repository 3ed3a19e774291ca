//! `GET /idverify/v1/sessions/{sessionId}/configuration`

use crate::document_verification::{BASE, DocumentSessionFixture};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn the_configuration_of_a_session_is_read() {
    let app = TestApp::start().await;
    let payload = json!({
        "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "ZOOM" } }],
        "required_documents": [{ "type": "ID_DOCUMENT", "filter": {
            "country_restriction": { "inclusion": "INCLUDE", "country_codes": ["SWE"] },
        } }],
        "sdk_config": { "primary_colour": "#2f6fed", "preset_issuing_country": "SWE", "success_url": "https://shop.test/done" },
    });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    assert_response_snapshot!(session.end_user_call(&app, "GET", "/configuration", None).await);
}

#[tokio::test]
async fn an_end_user_without_a_token_is_refused() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let stranger = DocumentSessionFixture { token: "none".to_owned(), ..session };
    assert_response_snapshot!(stranger.end_user_call(&app, "GET", "/configuration", None).await);
}
