//! `POST /age/v1/sessions/{sessionId}/token`

use crate::age_verification::{
    AgeSessionFixture, SANDBOX,
    blind_tokens::{Browser, GOOD_CARD, IssuerSession, token_issuer},
};
use serde_json::json;

#[tokio::test]
async fn a_token_is_signed() {
    let app = token_issuer(&[18]).await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "double_blind": true })).await;
    let (_, request) = Browser::for_step(&session.open_attempt(&app, "DOUBLE_ANONYMITY").await);
    let issuer_session = IssuerSession::begin(&app, SANDBOX, 18).await;
    assert_eq!(issuer_session.card(&app, GOOD_CARD).await, "COMPLETE");
    assert_response_snapshot!(issuer_session.token(&app, &request).await, "token_response");
}
