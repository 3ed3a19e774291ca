//! `GET /accounts/{accountId}/moderations/{moderationId}/report`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_FOUND_FACES};
use serde_json::json;

#[tokio::test]
async fn the_report_of_a_moderation_is_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/moderations/{moderation}/report"), None).await,
        VOLATILE_IN_FOUND_FACES,
        "age_groups.*"
    );
}
