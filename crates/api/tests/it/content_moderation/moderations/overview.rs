//! `GET /accounts/{accountId}/moderations/{moderationId}`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn the_overview_of_a_moderation_is_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/moderations/{moderation}"), None).await,
        "moderation.started_at moderation.ended_at"
    );
}
