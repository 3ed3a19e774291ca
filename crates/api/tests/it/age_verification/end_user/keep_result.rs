//! `POST /age/v1/sessions/{sessionId}/key`

use crate::age_verification::stored_results::{ORIGIN, complete_session, start_server};
use media::fetch::EgressPolicy;
use serde_json::json;
use testkit::authenticator::Authenticator;

#[tokio::test]
async fn the_browser_is_asked_for_a_passkey() {
    let app = start_server(&EgressPolicy::default()).await;
    let session = complete_session(&app, json!({})).await;
    let asked = session.end_user_call(&app, "POST", "/key", Some(json!({}))).await;
    assert_response_snapshot!(
        asked,
        "continuation",
        "options.publicKey.challenge",
        "options.publicKey.user.id"
    );
}

#[tokio::test]
async fn a_result_is_stored() {
    let app = start_server(&EgressPolicy::default()).await;
    let session = complete_session(&app, json!({})).await;
    let asked = session.end_user_call(&app, "POST", "/key", Some(json!({}))).await.json();
    let credential = Authenticator::new(ORIGIN).create(&asked["options"]);
    let body = json!({ "continuation": asked["continuation"], "credential": credential });
    assert_response_snapshot!(session.end_user_call(&app, "POST", "/key", Some(body)).await);
}
