//! `POST /accounts/{accountId}/moderations/{moderationId}/stop`

use crate::content_moderation::AccountFixture;
use serde_json::json;
use testkit::media_fixtures::{face_clip, png};

#[tokio::test]
async fn a_moderation_is_stopped() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.waiting_moderation().await;
    assert_response_snapshot!(fixture.call("POST", &format!("/moderations/{moderation}/stop"), None).await);
}

#[tokio::test]
async fn a_moderation_stops_while_it_waits_and_not_once_it_has_ended() {
    let fixture = AccountFixture::start_with_media().await;
    let image =
        fixture.content(&fixture.files.put("a.png", png(&testkit::face_pictures()[6])), "IMAGE").await;
    let video = fixture.content(&fixture.files.put("b.mp4", face_clip(1.0, &[])), "VIDEO").await;
    let (first, second) = (
        fixture.start_moderation(&image, json!({})).await,
        fixture.start_moderation(&video, json!({})).await,
    );
    fixture.app.environment.advance(base::SignedDuration::from_secs(1));
    let third = fixture.start_moderation(&image, json!({})).await;
    for _ in 0..2 {
        assert_eq!(
            fixture.call("POST", &format!("/moderations/{first}/stop"), None).await.status.as_u16(),
            202
        );
        assert_eq!(fixture.moderation_state(&first).await["state"], "STOPPED");
    }
    fixture.app.run_due_jobs().await;
    let states = [&first, &second, &third].map(|id| fixture.moderation_state(id));
    let [first_state, second_state, third_state] = states;
    assert_eq!(first_state.await["state"], "STOPPED");
    assert_eq!(
        (second_state.await["state"].as_str(), third_state.await["state"].as_str()),
        (Some("DONE"), Some("DONE"))
    );
    assert_eq!(fixture.call("POST", &format!("/moderations/{third}/stop"), None).await.status.as_u16(), 202);
    assert_eq!(fixture.moderation_state(&third).await["state"], "DONE", "what has ended stays as it is");
}
