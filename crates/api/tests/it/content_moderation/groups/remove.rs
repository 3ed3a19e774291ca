//! `DELETE /accounts/{accountId}/groups/{groupId}`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_group_is_removed() {
    let fixture = AccountFixture::start().await;
    let group = fixture.create("/groups", json!({ "label": "Staff" })).await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/groups/{group}"), None).await);
}
