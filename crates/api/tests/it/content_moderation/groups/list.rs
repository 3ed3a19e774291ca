//! `GET /accounts/{accountId}/groups`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn groups_are_listed() {
    let fixture = AccountFixture::start().await;
    fixture.create("/groups", json!({ "label": "Staff" })).await;
    assert_response_snapshot!(fixture.call("GET", "/groups", None).await);
}
