//! `DELETE /accounts/{accountId}/groups/{groupId}/profiles/{profileId}`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_profile_leaves_a_group() {
    let fixture = AccountFixture::start().await;
    let group = fixture.create("/groups", json!({ "label": "Staff" })).await;
    let profile = fixture.add_profile("Ada").await;
    fixture.call("POST", &format!("/groups/{group}"), Some(json!({ "profile_id": profile }))).await;
    let left = fixture.call("DELETE", &format!("/groups/{group}/profiles/{profile}"), None).await;
    assert_response_snapshot!(left);
}
