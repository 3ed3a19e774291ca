//! `GET /age/v1/anonymity/keys`

use crate::age_verification::{
    SANDBOX,
    blind_tokens::{anonymous_call, token_issuer},
};

#[tokio::test]
async fn the_keys_of_the_issuer_are_published() {
    let app = token_issuer(&[16, 18]).await;
    let keys = anonymous_call(&app, SANDBOX, None).await;
    assert_response_snapshot!(keys, "token-keys.*.token-key");
}
