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

#[tokio::test]
async fn destinations_are_shown_once_with_their_scheme_in_lower_case() {
    let fixture = AccountFixture::start_with_media().await;
    let urls = ["HTTPS://hooks.example.com/A", "https://hooks.example.com/A", "https://hooks.example.com/a"];
    let options = json!({ "notifications": { "web_destinations": urls, "slack_destinations": urls[..1] } });
    let (_, moderation) = fixture.finished_moderation(options).await;
    let details = fixture.get(&format!("/moderations/{moderation}/details")).await;
    let shown =
        |destination: &str, kind: &str| json!({ "destination": destination, "notification_type": kind });
    assert_eq!(
        details["contents"]["notifications"],
        json!([shown(urls[1], "HTTP"), shown(urls[2], "HTTP"), shown(urls[1], "SLACK")])
    );
}
