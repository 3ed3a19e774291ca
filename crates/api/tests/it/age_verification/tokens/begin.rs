//! `POST /age/v1/anonymity/sessions`

use crate::age_verification::{
    SANDBOX,
    blind_tokens::{anonymous_call, token_issuer},
};
use serde_json::json;

#[tokio::test]
async fn a_session_of_the_issuer_begins() {
    let app = token_issuer(&[18]).await;
    let begun = anonymous_call(&app, SANDBOX, Some(json!({ "threshold": 18 }))).await;
    assert_response_snapshot!(begun, "key");
}
