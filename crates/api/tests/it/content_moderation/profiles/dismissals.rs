//! `GET /accounts/{accountId}/profiles/{profileId}/dismissals`

use crate::content_moderation::{AccountFixture, two_people};
use db::sql;
use serde_json::json;

/// Enrols a banned person, moderates a picture of them, and dismisses the notification; returns the profile's id.
pub(super) async fn dismissed_profile(fixture: &AccountFixture) -> String {
    let ada = two_people().0;
    let id = fixture.enrol("Ada", ada).await;
    fixture.call("POST", &format!("/profiles/{id}/ban"), None).await;
    let url = fixture.files.put("ada.png", testkit::media_fixtures::png(ada));
    let moderation = fixture.moderate(&url, "IMAGE", json!({ "profile_ids": [id] })).await;
    let notification = fixture.first_notification(&moderation).await;
    let path = format!("/notifications/{notification}/dismiss");
    let dismissed = fixture.call("POST", &path, Some(json!({ "comment": "not them" }))).await;
    assert_eq!(dismissed.status_and_code(), "200", "{}", dismissed.json());
    id
}

#[tokio::test]
async fn dismissals_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    let id = dismissed_profile(&fixture).await;
    // The distance of two decodings of one picture is rounding.
    fixture.app.execute(sql!("UPDATE negative_labels SET distance = 0.25")).await;
    // How far the clock of the test went depends on how often the database was asked for work.
    let listed = fixture.call("GET", &format!("/profiles/{id}/dismissals"), None).await;
    assert_response_snapshot!(listed, "dismissals.*.created_at");
    // One that is older than these records.
    fixture
        .app
        .execute(sql!(
            "UPDATE negative_labels SET notification_id = NULL, content_id = NULL, user_id = NULL, distance = NULL"
        ))
        .await;
    let listed = fixture.get(&format!("/profiles/{id}/dismissals")).await["dismissals"][0].clone();
    let members: Vec<_> = listed.as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["created_at", "id", "this_content_only"]);
    assert_eq!(listed["this_content_only"], false);
}
