//! `GET /accounts/{accountId}/moderations/{moderationId}/details`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn the_details_of_a_moderation_are_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/moderations/{moderation}/details"), None).await,
        "contents.started_at contents.ended_at"
    );
}
