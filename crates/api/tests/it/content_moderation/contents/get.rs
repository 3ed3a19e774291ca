//! `GET /accounts/{accountId}/contents/{id}`

use crate::content_moderation::{AccountFixture, two_people};
use serde_json::json;

#[tokio::test]
async fn a_content_is_read() {
    let fixture = AccountFixture::start().await;
    let body = json!({
        "url": "https://media.example.com/1.jpg", "type": "IMAGE", "title": "One",
        "uploader_id": "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11", "profile_ids": [fixture.enrol("Ada", two_people().0).await],
    });
    let id = fixture.create("/contents", body).await;
    assert_response_snapshot!(fixture.call("GET", &format!("/contents/{id}"), None).await);
}
