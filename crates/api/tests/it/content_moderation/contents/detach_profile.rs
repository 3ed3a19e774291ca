//! `DELETE /accounts/{accountId}/contents/{id}/profiles/{profileId}`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_profile_is_detached() {
    let fixture = AccountFixture::start().await;
    let id = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let profile = fixture.enrol("Ada", &testkit::face_pictures()[8]).await;
    fixture.call("POST", &format!("/contents/{id}/profiles"), Some(json!({ "profile_id": profile }))).await;
    let detached = fixture.call("DELETE", &format!("/contents/{id}/profiles/{profile}"), None).await;
    assert_response_snapshot!(detached);
}
