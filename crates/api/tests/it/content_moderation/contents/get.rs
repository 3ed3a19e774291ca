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

#[tokio::test]
async fn an_address_is_shown_with_its_scheme_in_lower_case() {
    let fixture = AccountFixture::start().await;
    for (url, content_type, shown) in [
        ("HTTPS://Media.example.com/A.jpg", "IMAGE", "https://Media.example.com/A.jpg"),
        ("Rtsps://camera.example.com/Door", "LIVE_VIDEO", "rtsps://camera.example.com/Door"),
    ] {
        let id = fixture.content(url, content_type).await;
        assert_eq!(fixture.get(&format!("/contents/{id}")).await["url"], shown);
    }
}
