//! `GET /accounts/{accountId}/moderations`

use crate::content_moderation::{AccountFixture, text_members};
use serde_json::json;
use testkit::media_fixtures::png;

#[tokio::test]
async fn moderations_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    fixture.waiting_moderation().await;
    assert_response_snapshot!(fixture.call("GET", "/moderations", None).await);
}

#[tokio::test]
async fn moderations_are_listed_by_type_and_content() {
    let fixture = AccountFixture::start_with_media().await;
    let image =
        fixture.content(&fixture.files.put("a.png", png(&testkit::face_pictures()[6])), "IMAGE").await;
    let video = fixture
        .content(&fixture.files.put("b.mp4", testkit::media_fixtures::face_clip(1.0, &[])), "VIDEO")
        .await;
    let (first, second) = (
        fixture.start_moderation(&image, json!({})).await,
        fixture.start_moderation(&video, json!({})).await,
    );
    fixture.app.environment.advance(base::SignedDuration::from_secs(1));
    let third = fixture.start_moderation(&image, json!({})).await;
    assert_eq!(
        text_members(&fixture.get("/moderations?type=VIDEO").await["contents"], "id"),
        [second.as_str()]
    );
    assert_eq!(
        text_members(&fixture.get(&format!("/contents/{image}/moderations")).await["contents"], "id"),
        [third.as_str(), &first]
    );
    assert_eq!(fixture.get("/moderations?page=2").await["contents"], json!([]));
    assert_eq!(fixture.call("GET", "/moderations?type=FILM", None).await.status.as_u16(), 400);
}

#[tokio::test]
async fn moderations_are_found_by_state_and_date() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, done) = fixture.finished_moderation(json!({})).await;
    fixture.app.environment.advance(base::SignedDuration::from_mins(1));
    let then = base::Environment::now(&*fixture.app.environment);
    let (_, waiting) = fixture.waiting_moderation().await;
    for (query, expected) in [
        ("?state=DONE".to_owned(), &[&done][..]),
        ("?state=QUEUED&type=IMAGE".to_owned(), &[&waiting]),
        ("?state=FAILED".to_owned(), &[]),
        (format!("?created_from={then}"), &[&waiting]),
        (format!("?created_before={then}"), &[&done]),
    ] {
        let list = fixture.get(&format!("/moderations{query}")).await;
        assert_eq!(text_members(&list["contents"], "id"), expected, "{query}");
    }
    let refused = fixture.call("GET", "/moderations?state=done&created_from=1", None).await;
    assert_eq!(text_members(&refused.json()["errors"], "property"), ["state", "created_from"]);
}
