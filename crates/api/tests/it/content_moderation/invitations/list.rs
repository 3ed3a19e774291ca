//! `GET /accounts/{accountId}/invitations`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn invitations_are_listed() {
    let fixture = AccountFixture::start().await;
    fixture.invite(json!({ "email": "ada@example.com", "admin": true })).await;
    assert_response_snapshot!(fixture.call("GET", "/invitations", None).await);
}
