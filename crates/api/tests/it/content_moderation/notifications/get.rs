//! `GET /accounts/{accountId}/notifications/{id}`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS};
use serde_json::json;

#[tokio::test]
async fn a_notification_is_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/notifications/{id}"), None).await,
        VOLATILE_IN_NOTIFICATIONS
    );
}

#[tokio::test]
async fn a_notification_names_its_line_of_the_report() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let notification = fixture.face_notifications(&moderation).await[0].clone();
    let line = fixture.report(&moderation).await["face_check_results"][0].clone();
    assert!(line["id"].is_string());
    assert_eq!(notification["data"]["finding_id"], line["id"]);
    let list = fixture.get(&format!("/moderations/{moderation}/notifications")).await;
    let end = &list["notifications"][0];
    assert_eq!((&end["type"], end["data"].get("finding_id")), (&json!("ACTION"), None));
}
