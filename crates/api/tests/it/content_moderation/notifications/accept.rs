//! `POST /accounts/{accountId}/notifications/{id}/accept`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS};
use serde_json::json;

#[tokio::test]
async fn a_notification_is_accepted() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    let body = json!({ "comment": "seen" });
    assert_response_snapshot!(
        fixture.call("POST", &format!("/notifications/{id}/accept"), Some(body)).await,
        VOLATILE_IN_NOTIFICATIONS
    );
}
