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
    fixture.app.world.advance(base::SignedDuration::from_secs(1));
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
