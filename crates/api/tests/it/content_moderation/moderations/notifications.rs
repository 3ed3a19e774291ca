//! `GET /accounts/{accountId}/moderations/{moderationId}/notifications`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS};
use serde_json::json;

#[tokio::test]
async fn the_notifications_of_a_moderation_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/moderations/{moderation}/notifications"), None).await,
        VOLATILE_IN_NOTIFICATIONS
    );
}
