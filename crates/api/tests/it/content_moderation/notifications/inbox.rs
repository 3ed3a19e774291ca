//! `GET /accounts/{accountId}/members/{memberId}/inbox`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS};
use serde_json::json;

#[tokio::test]
async fn the_inbox_of_a_member_is_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (member, _) = fixture.add_member("ada@example.com", true, &[]).await;
    fixture.finished_moderation(json!({ "notifications": { "member_id": member } })).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/members/{member}/inbox"), None).await,
        VOLATILE_IN_NOTIFICATIONS
    );
}
