//! `GET /accounts/{accountId}`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn an_account_is_read() {
    let fixture = AccountFixture::start().await;
    let name = fixture.get("").await["name"].clone();
    assert_response_snapshot!(fixture.call("GET", "", None).await, (&name, "name"));
}

#[tokio::test]
async fn a_missing_account_is_refused() {
    let fixture = AccountFixture::start().await;
    let missing = "/accounts/018f3c8e-0000-4000-8000-00000000000a";
    assert_response_snapshot!(fixture.app.call_moderation("GET", missing, &fixture.key, None).await);
}

#[tokio::test]
async fn a_caller_without_a_key_is_refused() {
    let fixture = AccountFixture::start().await;
    assert_response_snapshot!(fixture.app.get(&fixture.path("")).await);
}
