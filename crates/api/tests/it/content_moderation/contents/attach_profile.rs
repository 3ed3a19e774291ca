//! `POST /accounts/{accountId}/contents/{id}/profiles`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_profile_is_attached() {
    let fixture = AccountFixture::start().await;
    let id = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    fixture.create(&format!("/contents/{id}/reports"), json!({ "reason": "it shows a neighbour" })).await;
    let profile = json!({ "profile_id": fixture.enrol("Ada", &testkit::face_pictures()[8]).await });
    assert_response_snapshot!(fixture.call("POST", &format!("/contents/{id}/profiles"), Some(profile)).await);
}
