//! `GET /accounts/{accountId}/contents`

use crate::content_moderation::{AccountFixture, text_members};
use serde_json::json;

#[tokio::test]
async fn contents_are_listed() {
    let fixture = AccountFixture::start().await;
    fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    assert_response_snapshot!(fixture.call("GET", "/contents", None).await);
}

#[tokio::test]
async fn contents_are_listed_in_pages_with_the_status_201() {
    let fixture = AccountFixture::start_with_media().await;
    let empty = fixture.call("GET", "/contents", None).await;
    assert_eq!((empty.status.as_u16(), empty.json()), (201, json!({ "contents": [], "total_count": 0 })));
    for number in 0..45 {
        fixture.content(&format!("https://media.example.com/{number}.jpg"), "IMAGE").await;
        fixture.app.world.advance(base::SignedDuration::from_secs(1));
    }
    for (page, expected, first) in
        [("", 20, "44"), ("?page=2", 20, "24"), ("?page=3", 5, "4"), ("?page=4", 0, "")]
    {
        let list = fixture.get(&format!("/contents{page}")).await;
        let urls = text_members(&list["contents"], "url");
        assert_eq!((urls.len(), list["total_count"].as_i64()), (expected, Some(45)));
        if expected > 0 {
            assert_eq!(urls[0], format!("https://media.example.com/{first}.jpg"));
            assert_eq!(list["id"], list["contents"][0]["id"]);
        }
    }
    for page in ["0", "-1", "x", "1.5", "99999999999999999999"] {
        let answer = fixture.call("GET", &format!("/contents?page={page}"), None).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
            (400, Some("page"))
        );
    }
}
