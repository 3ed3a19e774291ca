//! `DELETE /accounts/{accountId}/archive/contents/{id}`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_content_is_restored() {
    let fixture = AccountFixture::start().await;
    let id = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    fixture.call("POST", "/archive/contents", Some(json!({ "content_id": id }))).await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/archive/contents/{id}"), None).await);
}
