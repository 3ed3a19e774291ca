//! Content records, their profiles, reports and archive.

use super::{ModerationFixture, all};
use serde_json::json;

#[tokio::test]
async fn a_content_is_registered_seen_archived_and_restored() {
    let stage = ModerationFixture::set().await;
    let uploader = "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11";
    let body = json!({
        "url": "https://media.example.com/1.jpg", "type": "IMAGE", "title": "One", "uploader_id": uploader,
        "profile_ids": [], "unknown_member": 1,
    });
    let id = stage.make("/contents", body).await;
    let content = stage.get(&format!("/contents/{id}")).await;
    assert_eq!(content["id"], *id);
    assert_eq!(
        (content["archived"].as_bool(), content["uploader_id"].as_str()),
        (Some(false), Some(uploader))
    );
    assert_eq!(content["created_at"], "2026-01-16T14:40:00Z");

    for (method, path, body) in [
        ("POST", "/archive/contents".to_owned(), Some(json!({ "content_id": id }))),
        ("POST", "/archive/contents".to_owned(), Some(json!({ "content_id": id }))),
        ("DELETE", format!("/archive/contents/{id}"), None),
    ] {
        let answer = stage.ask(method, &path, body).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (204, 0));
        let archived = stage.get(&format!("/contents/{id}")).await["archived"].as_bool();
        assert_eq!(archived, Some(method == "POST"));
    }
    let missing = "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f12";
    for (method, path, body) in [
        ("POST", "/archive/contents".to_owned(), Some(json!({ "content_id": missing }))),
        ("DELETE", format!("/archive/contents/{missing}"), None),
        ("GET", format!("/contents/{missing}"), None),
        ("GET", "/contents/none".to_owned(), None),
        ("GET", format!("/contents/{missing}/moderations"), None),
        ("GET", format!("/contents/{missing}/reports"), None),
    ] {
        let answer = stage.ask(method, &path, body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["code"].as_str()),
            (404, Some("NOT_FOUND")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn what_cannot_be_a_content_is_refused_by_name() {
    let stage = ModerationFixture::set().await;
    let url = "https://media.example.com/1.jpg";
    for (body, property) in [
        (json!({ "type": "IMAGE" }), "url"),
        (json!({ "url": url }), "type"),
        (json!({ "url": url, "type": "PICTURE" }), "type"),
        (json!({ "url": 1, "type": "IMAGE" }), "url"),
        (json!({ "url": "http://media.example.com/1.jpg", "type": "IMAGE" }), "url"),
        (json!({ "url": "file:///etc/passwd", "type": "IMAGE" }), "url"),
        (json!({ "url": "https://192.168.0.1/1.jpg", "type": "IMAGE" }), "url"),
        (json!({ "url": format!("https://media.example.com/{}", "x".repeat(5000)), "type": "IMAGE" }), "url"),
        (json!({ "url": url, "type": "IMAGE", "title": "x".repeat(201) }), "title"),
        (json!({ "url": url, "type": "IMAGE", "uploader_id": "nobody" }), "uploader_id"),
        (json!({ "url": url, "type": "IMAGE", "profile_ids": ["none"] }), "profile_ids[0]"),
        (
            json!({ "url": url, "type": "IMAGE", "profile_ids": ["0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11"] }),
            "profile_ids[0]",
        ),
    ] {
        let answer = stage.ask("POST", "/contents", Some(body.clone())).await;
        let said = answer.json();
        assert_eq!(
            (answer.status.as_u16(), said["code"].as_str()),
            (400, Some("INVALID_REQUEST")),
            "{body:.80}"
        );
        assert_eq!(said["errors"][0]["property"], *property, "{said:.200}");
    }
    // A request with several faults gets all of them at once, each once.
    let body = json!({ "url": 1, "title": "x".repeat(201), "uploader_id": "nobody", "profile_ids": ["none", 2, "no"] });
    let answer = stage.ask("POST", "/contents", Some(body)).await;
    assert_eq!(
        all(&answer.json()["errors"], "property"),
        ["profile_ids[1]", "uploader_id", "url", "profile_ids[0]", "profile_ids[2]", "type", "title"]
    );
    let longest = "ü".repeat(200);
    stage.make("/contents", json!({ "url": url, "type": "IMAGE", "title": longest })).await;
}

#[tokio::test]
async fn the_list_has_pages_and_its_odd_status() {
    let stage = ModerationFixture::set().await;
    let empty = stage.ask("GET", "/contents", None).await;
    assert_eq!((empty.status.as_u16(), empty.json()), (201, json!({ "contents": [], "total_count": 0 })));
    for number in 0..45 {
        stage.content(&format!("https://media.example.com/{number}.jpg"), "IMAGE").await;
        stage.app.world.advance(base::SignedDuration::from_secs(1));
    }
    for (page, expected, first) in
        [("", 20, "44"), ("?page=2", 20, "24"), ("?page=3", 5, "4"), ("?page=4", 0, "")]
    {
        let list = stage.get(&format!("/contents{page}")).await;
        let urls = all(&list["contents"], "url");
        assert_eq!((urls.len(), list["total_count"].as_i64()), (expected, Some(45)));
        if expected > 0 {
            assert_eq!(urls[0], format!("https://media.example.com/{first}.jpg"));
            assert_eq!(list["id"], list["contents"][0]["id"]);
        }
    }
    for page in ["0", "-1", "x", "1.5", "99999999999999999999"] {
        let answer = stage.ask("GET", &format!("/contents?page={page}"), None).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
            (400, Some("page"))
        );
    }
}

#[tokio::test]
async fn reports_are_made_listed_and_decided() {
    let stage = ModerationFixture::set().await;
    let content = stage.content("https://media.example.com/1.jpg", "IMAGE").await;
    let path = format!("/contents/{content}/reports");
    for number in 0..21 {
        stage.app.world.advance(base::SignedDuration::from_secs(1));
        stage.make(&path, json!({ "reason": format!("reason {number}") })).await;
    }
    let list = stage.get(&path).await;
    assert_eq!((all(&list["reports"], "reason")[0], list["total_count"].as_i64()), ("reason 20", Some(21)));
    assert_eq!(all(&stage.get(&format!("{path}?page=2")).await["reports"], "reason"), ["reason 0"]);
    let first = list["reports"][0]["id"].as_str().unwrap();
    let decided =
        stage.ask("PUT", &format!("{path}/{first}"), Some(json!({ "resolution": "taken down" }))).await;
    assert_eq!(decided.status.as_u16(), 204);
    let report = stage.get(&path).await["reports"][0].clone();
    assert_eq!(
        (report["resolution"].as_str(), report["reviewed_at"].is_string()),
        (Some("taken down"), true)
    );
    for (body, property) in [
        (json!({}), "reason"),
        (json!({ "reason": " " }), "reason"),
        (json!({ "reason": "x".repeat(501) }), "reason"),
    ] {
        let answer = stage.ask("POST", &path, Some(body)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
            (400, Some(property))
        );
    }
}

#[tokio::test]
async fn a_repeated_request_makes_one_content() {
    let stage = ModerationFixture::set().await;
    let send = async |body: serde_json::Value, key: &str| {
        let request = axum::http::Request::post(format!("/accounts/{}/contents", stage.account))
            .header("authorization", format!("Bearer {}", stage.key))
            .header("svc-sdk-id", stage.app.app.to_string())
            .header("idempotency-key", key);
        stage.app.send(request.body(axum::body::Body::from(body.to_string())).unwrap()).await
    };
    let body = json!({ "url": "https://media.example.com/1.jpg", "type": "IMAGE" });
    let first = send(body.clone(), "k1").await;
    let again = send(body.clone(), "k1").await;
    assert_eq!((first.status, first.json()), (again.status, again.json()));
    assert_ne!(send(body, "k2").await.json(), first.json());
    let other = send(json!({ "url": "https://media.example.com/2.jpg", "type": "IMAGE" }), "k1").await;
    assert_eq!((other.status.as_u16(), other.json()["code"].as_str()), (409, Some("IDEMPOTENCY_KEY_REUSED")));
    assert_eq!(stage.get("/contents").await["total_count"], 2);
}
