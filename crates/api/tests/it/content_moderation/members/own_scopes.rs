//! `GET /accounts/{accountId}/scopes`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn the_scopes_of_the_caller_are_read() {
    let fixture = AccountFixture::start().await;
    let key = fixture.app.api_key(&["contents:list", "members:manage"]).await;
    let scopes = fixture.app.call_moderation("GET", &fixture.path("/scopes"), &key, None).await;
    assert_response_snapshot!(scopes);
}
