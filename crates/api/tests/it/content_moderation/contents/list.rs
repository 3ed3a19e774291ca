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
        fixture.app.environment.advance(base::SignedDuration::from_secs(1));
    }
    for (page, expected, first) in [
        ("", 20, "44"),
        ("?page=2", 20, "24"),
        ("?page=3", 5, "4"),
        ("?page=4", 0, ""),
        ("?page=99999999999999999999", 0, ""),
    ] {
        let list = fixture.get(&format!("/contents{page}")).await;
        let urls = text_members(&list["contents"], "url");
        assert_eq!((urls.len(), list["total_count"].as_i64()), (expected, Some(45)));
        if expected > 0 {
            assert_eq!(urls[0], format!("https://media.example.com/{first}.jpg"));
            assert_eq!(list["id"], list["contents"][0]["id"]);
        }
    }
    for page in ["0", "-1", "x", "1.5", "99999999999999999999x"] {
        let answer = fixture.call("GET", &format!("/contents?page={page}"), None).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
            (400, Some("page"))
        );
    }
}

#[tokio::test]
async fn contents_are_found_by_type_uploader_title_archive_and_date() {
    let fixture = AccountFixture::start().await;
    let uploader = "7f1b6d1e-0b5e-4d0a-9c53-0f5b1e8f2a11";
    let add = async |number: u32, more: serde_json::Value| {
        let mut content = json!({ "url": format!("https://media.example.com/{number}"), "type": "IMAGE" });
        content.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let id = fixture.create("/contents", content).await;
        fixture.app.environment.advance(base::SignedDuration::from_mins(1));
        id
    };
    let start = base::Environment::now(&*fixture.app.environment);
    let plain = add(1, json!({})).await;
    let film = add(2, json!({ "type": "VIDEO", "title": "Das große Rennen, Teil 2" })).await;
    let upload = add(3, json!({ "uploader_id": uploader, "title": "100% _real_" })).await;
    let archived = add(4, json!({ "title": "old" })).await;
    let body = json!({ "content_id": archived });
    assert_eq!(fixture.call("POST", "/archive/contents", Some(body)).await.status, 204);
    let second = start + base::SignedDuration::from_mins(1);
    let all = [&archived, &upload, &film, &plain];
    for (query, expected) in [
        (String::new(), &all[..]),
        ("?type=VIDEO".to_owned(), &[&film]),
        (format!("?uploader_id={uploader}"), &[&upload]),
        (format!("?uploader_id={}", base::Uuid::nil()), &[]),
        ("?title=rEnnen".to_owned(), &[&film]),
        ("?title=gro%C3%9Fe".to_owned(), &[&film]),
        ("?title=100%25%20_".to_owned(), &[&upload]),
        ("?title=%25".to_owned(), &[&upload]),
        ("?title=1000".to_owned(), &[]),
        ("?archived=true".to_owned(), &[&archived]),
        ("?archived=false&type=IMAGE".to_owned(), &[&upload, &plain]),
        (format!("?created_from={second}"), &all[..3]),
        (format!("?created_before={second}"), &[&plain]),
        (format!("?created_from={second}&created_before={second}"), &[]),
    ] {
        let list = fixture.get(&format!("/contents{query}")).await;
        assert_eq!(text_members(&list["contents"], "id"), expected, "{query}");
        assert_eq!(list["total_count"], expected.len(), "{query}");
    }
    let long = format!("/contents?title={}", "x".repeat(201));
    let refused = fixture.call("GET", &long, None).await.json();
    assert_eq!(
        (&refused["errors"][0]["property"], &refused["errors"][0]["measured"]),
        (&json!("title"), &json!(201.0))
    );
    let bad = "?type=FILM&uploader_id=1&archived=1&created_from=yesterday&created_before=1";
    let refused = fixture.call("GET", &format!("/contents{bad}"), None).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(
        text_members(&refused.json()["errors"], "property"),
        ["type", "uploader_id", "archived", "created_from", "created_before"]
    );
}

#[tokio::test]
async fn a_text_with_a_nul_and_a_moment_before_1970_are_refused() {
    let fixture = AccountFixture::start().await;
    fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    for (path, parameter) in [
        ("/contents?title=a%00b", "title"),
        ("/profiles?name=%00a", "name"),
        ("/moderations?unknown=%00", "unknown"),
        ("/contents?created_from=-009999-01-02T02:00:00Z", "created_from"),
        ("/contents?created_before=0000-01-01T00:00:00Z", "created_before"),
    ] {
        let refused = fixture.call("GET", path, None).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{path}");
        assert_eq!(refused.json()["errors"][0]["property"], parameter, "{path}");
    }
    for (query, expected) in [
        ("created_from=1970-01-01T00:00:00Z", 1),
        ("created_before=1970-01-01T00:00:00Z", 0),
        ("created_before=9999-12-30T00:00:00Z", 1),
    ] {
        assert_eq!(fixture.get(&format!("/contents?{query}")).await["total_count"], expected, "{query}");
    }
}
