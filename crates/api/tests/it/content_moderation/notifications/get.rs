//! `GET /accounts/{accountId}/notifications/{id}`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS};
use serde_json::json;

#[tokio::test]
async fn a_notification_is_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/notifications/{id}"), None).await,
        VOLATILE_IN_NOTIFICATIONS
    );
}
