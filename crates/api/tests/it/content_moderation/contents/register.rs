//! `POST /accounts/{accountId}/contents`

use crate::content_moderation::{AccountFixture, created_id, text_members, two_people};
use db::sql;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_content_is_registered() {
    let fixture = AccountFixture::start().await;
    let body = json!({ "url": "https://media.example.com/1.jpg", "type": "IMAGE", "title": "One" });
    assert_response_snapshot!(fixture.call("POST", "/contents", Some(body)).await);
}

#[tokio::test]
async fn a_content_with_several_faults_is_refused() {
    let fixture = AccountFixture::start().await;
    let body =
        json!({ "url": 1, "title": "x".repeat(201), "uploader_id": "nobody", "profile_ids": ["none", 2] });
    assert_response_snapshot!(fixture.call("POST", "/contents", Some(body)).await);
}

#[tokio::test]
async fn an_unusable_content_is_refused_with_the_property() {
    let fixture = AccountFixture::start_with_media().await;
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
        let answer = fixture.call("POST", "/contents", Some(body.clone())).await;
        let refusal = answer.json();
        assert_eq!(
            (answer.status.as_u16(), refusal["code"].as_str()),
            (400, Some("INVALID_REQUEST")),
            "{body:.80}"
        );
        assert_eq!(refusal["errors"][0]["property"], *property, "{refusal:.200}");
    }
    // A request with several faults gets all of them at once, each once.
    let body = json!({ "url": 1, "title": "x".repeat(201), "uploader_id": "nobody", "profile_ids": ["none", 2, "no"] });
    let answer = fixture.call("POST", "/contents", Some(body)).await;
    assert_eq!(
        text_members(&answer.json()["errors"], "property"),
        ["profile_ids[1]", "uploader_id", "url", "profile_ids[0]", "profile_ids[2]", "type", "title"]
    );
    let longest = "ü".repeat(200);
    fixture.create("/contents", json!({ "url": url, "type": "IMAGE", "title": longest })).await;
}

#[tokio::test]
async fn a_content_repeated_with_its_idempotency_key_is_registered_once() {
    let fixture = AccountFixture::start_with_media().await;
    let send = async |body: serde_json::Value, key: &str| {
        let request = axum::http::Request::post(format!("/accounts/{}/contents", fixture.account))
            .header("authorization", format!("Bearer {}", fixture.key))
            .header("svc-sdk-id", fixture.app.app.to_string())
            .header("idempotency-key", key);
        fixture.app.send(request.body(axum::body::Body::from(body.to_string())).unwrap()).await
    };
    let body = json!({ "url": "https://media.example.com/1.jpg", "type": "IMAGE" });
    let first = send(body.clone(), "k1").await;
    let again = send(body.clone(), "k1").await;
    assert_eq!((first.status, first.json()), (again.status, again.json()));
    assert_ne!(send(body, "k2").await.json(), first.json());
    let other = send(json!({ "url": "https://media.example.com/2.jpg", "type": "IMAGE" }), "k1").await;
    assert_eq!((other.status.as_u16(), other.json()["code"].as_str()), (409, Some("IDEMPOTENCY_KEY_REUSED")));
    assert_eq!(fixture.get("/contents").await["total_count"], 2);
}

/// A deletion takes a person out of the contents that it sees: none may name them afterwards.
#[tokio::test]
async fn somebody_who_is_deleted_at_the_same_moment_is_in_no_content() {
    let fixture = AccountFixture::start().await;
    let ada = fixture.enrol("Ada", two_people().0).await;
    let url = "https://media.example.com/1.jpg";
    let attach = format!("/contents/{}/profiles", fixture.content(url, "IMAGE").await);
    let mut tx = fixture.app.api.db.write().await.unwrap();
    fixture.app.api.faces.delete_profile(&mut tx, fixture.account, ada.parse().unwrap()).await.unwrap();
    let body = json!({ "url": url, "type": "IMAGE", "profile_ids": [ada] });
    let (registered, attached, ()) = tokio::join!(
        fixture.call("POST", "/contents", Some(body)),
        fixture.call("POST", &attach, Some(json!({ "profile_id": ada }))),
        async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            tx.commit().await.unwrap();
        }
    );
    assert_eq!(registered.status_and_code(), "400 INVALID_REQUEST", "{}", registered.json());
    assert_eq!(registered.json()["errors"][0]["property"], "profile_ids[0]");
    assert_eq!(attached.status_and_code(), "404 NOT_FOUND", "{}", attached.json());
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM content_profiles")).await, 0);
}

/// An application names uploaders by ids of its own. One that is a profile's is not known any more once that is deleted.
#[tokio::test]
async fn somebody_who_was_deleted_is_no_uploader() {
    let fixture = AccountFixture::start().await;
    let (ada, bob) = (fixture.add_profile("Ada").await, fixture.add_profile("Bob").await);
    let body = |uploader: &str| json!({ "url": "https://media.example.com/1.jpg", "type": "IMAGE", "uploader_id": uploader });
    let mut deleting = fixture.app.api.db.write().await.unwrap();
    let id = ada.parse().unwrap();
    fixture.app.api.faces.delete_profile(&mut deleting, fixture.account, id).await.unwrap();
    let (registered, ()) = tokio::join!(fixture.call("POST", "/contents", Some(body(&ada))), async {
        fixture.app.wait_until_blocked(1).await;
        deleting.commit().await.unwrap();
    });
    let uploader =
        async |content: &str| fixture.get(&format!("/contents/{content}")).await["uploader_id"].clone();
    assert_eq!(uploader(&created_id(&registered)).await, json!(null), "it was waited for");
    assert_eq!(uploader(&fixture.create("/contents", body(&ada)).await).await, json!(null));
    for other in [bob.as_str(), "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11"] {
        assert_eq!(uploader(&fixture.create("/contents", body(other)).await).await, other);
    }
    let elsewhere = format!("/accounts/{}/contents", fixture.app.open_account().await);
    let registered = fixture.app.call_moderation("POST", &elsewhere, &fixture.key, Some(body(&ada))).await;
    let path = format!("{elsewhere}/{}", created_id(&registered));
    let content = fixture.app.call_moderation("GET", &path, &fixture.key, None).await.json();
    assert_eq!(content["uploader_id"], ada.as_str(), "that account has no such profile");
    assert_eq!(fixture.app.api.account_deletion.find_orphans().await.unwrap(), []);
}
