//! `POST /accounts/{accountId}/contents/bulk`

use crate::content_moderation::AccountFixture;
use axum::{body::Body, http::Request};
use serde_json::{Value, json};

#[tokio::test]
async fn each_of_many_contents_is_registered_or_refused() {
    let fixture = AccountFixture::start().await;
    let contents = json!([
        { "url": "https://media.example.com/1.jpg", "type": "IMAGE" },
        { "url": "http://media.example.com/2.jpg" },
        { "url": "https://media.example.com/3.jpg", "type": "IMAGE", "title": 7, "profile_ids": ["x"] },
        7,
        { "url": "https://media.example.com/4.mp4", "type": "VIDEO", "title": "Trailer" },
    ]);
    let answer = fixture.call("POST", "/contents/bulk", Some(json!({ "contents": contents }))).await;
    assert_response_snapshot!(answer);
    let list = fixture.get("/contents").await;
    assert_eq!(list["total_count"], 2);
}

#[tokio::test]
async fn a_thousand_contents_are_registered_at_once_and_no_more() {
    let fixture = AccountFixture::start().await;
    let contents = |many: usize| -> Value {
        let content = |at| json!({ "url": format!("https://media.example.com/{at}.jpg"), "type": "IMAGE" });
        json!({ "contents": (0..many).map(content).collect::<Vec<_>>() })
    };
    let key = "8e03978e-40d5-43dd-bc93-6894a57f9324";
    for _ in 0..2 {
        let request = Request::post(fixture.path("/contents/bulk"))
            .header("authorization", &fixture.key)
            .header("svc-sdk-id", fixture.app.app.to_string())
            .header("idempotency-key", key);
        let answer = fixture.app.send(request.body(Body::from(contents(1000).to_string())).unwrap()).await;
        assert_eq!(answer.status_and_code(), "200");
        assert_eq!((&answer.json()["created"], &answer.json()["refused"]), (&json!(1000), &json!(0)));
    }
    assert_eq!(fixture.get("/contents").await["total_count"], 1000, "once");
    for (body, path) in [(contents(1001), "contents"), (contents(0), "contents"), (json!({}), "contents")] {
        let refused = fixture.call("POST", "/contents/bulk", Some(body)).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
        assert_eq!(refused.json()["errors"][0]["property"], path);
    }
}
