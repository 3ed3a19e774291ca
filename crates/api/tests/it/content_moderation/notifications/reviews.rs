//! `GET /accounts/{accountId}/notifications/{id}/reviews`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn the_reviews_of_a_notification_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    fixture.call("POST", &format!("/notifications/{id}/accept"), Some(json!({ "comment": "seen" }))).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/notifications/{id}/reviews"), None).await,
        "reviews.*.created_at"
    );
}
