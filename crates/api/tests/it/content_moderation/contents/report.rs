//! `POST /accounts/{accountId}/contents/{id}/reports`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_content_is_reported() {
    let fixture = AccountFixture::start().await;
    let id = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let report = json!({ "reason": "it shows a neighbour" });
    assert_response_snapshot!(fixture.call("POST", &format!("/contents/{id}/reports"), Some(report)).await);
}
