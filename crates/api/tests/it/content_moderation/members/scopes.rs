//! `GET /accounts/{accountId}/scopes`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn all_scopes_are_listed_and_those_of_the_caller() {
    let fixture = AccountFixture::start().await;
    let key = fixture.app.api_key(&["contents:list", "members:manage"]).await;
    let scopes = fixture.app.call_moderation("GET", &fixture.path("/scopes"), &key, None).await;
    assert_response_snapshot!(scopes);
}
