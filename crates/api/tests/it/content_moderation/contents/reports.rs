//! `GET /accounts/{accountId}/contents/{id}/reports`

use crate::content_moderation::{AccountFixture, text_members};
use serde_json::json;

#[tokio::test]
async fn the_reports_of_a_content_are_listed() {
    let fixture = AccountFixture::start().await;
    let id = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let path = format!("/contents/{id}/reports");
    let first = fixture.create(&path, json!({ "reason": "it shows a neighbour" })).await;
    fixture.call("PUT", &format!("{path}/{first}"), Some(json!({ "resolution": "taken down" }))).await;
    fixture.app.environment.advance(base::SignedDuration::from_secs(1));
    fixture.create(&path, json!({ "reason": "it is a copy" })).await;
    assert_response_snapshot!(fixture.call("GET", &path, None).await);
}

#[tokio::test]
async fn reports_are_made_listed_and_resolved() {
    let fixture = AccountFixture::start_with_media().await;
    let content = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let path = format!("/contents/{content}/reports");
    for number in 0..21 {
        fixture.app.environment.advance(base::SignedDuration::from_secs(1));
        fixture.create(&path, json!({ "reason": format!("reason {number}") })).await;
    }
    let list = fixture.get(&path).await;
    assert_eq!(
        (text_members(&list["reports"], "reason")[0], list["total_count"].as_i64()),
        ("reason 20", Some(21))
    );
    assert_eq!(
        text_members(&fixture.get(&format!("{path}?page=2")).await["reports"], "reason"),
        ["reason 0"]
    );
    let first = list["reports"][0]["id"].as_str().unwrap();
    let decided =
        fixture.call("PUT", &format!("{path}/{first}"), Some(json!({ "resolution": "taken down" }))).await;
    assert_eq!(decided.status.as_u16(), 204);
    let report = fixture.get(&path).await["reports"][0].clone();
    assert_eq!(
        (report["resolution"].as_str(), report["reviewed_at"].is_string()),
        (Some("taken down"), true)
    );
    for (body, property) in [
        (json!({}), "reason"),
        (json!({ "reason": " " }), "reason"),
        (json!({ "reason": "x".repeat(501) }), "reason"),
    ] {
        let answer = fixture.call("POST", &path, Some(body)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
            (400, Some(property))
        );
    }
}
