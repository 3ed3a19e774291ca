//! `POST /accounts/{accountId}/groups`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_group_is_made() {
    let fixture = AccountFixture::start().await;
    assert_response_snapshot!(fixture.call("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
}
