//! `POST /accounts/{accountId}/profiles/search`

use crate::content_moderation::{AccountFixture, face_base64, two_people};
use serde_json::json;

#[tokio::test]
async fn a_face_is_searched_for() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    fixture.enrol("Ada", ada).await;
    let found = fixture.call("POST", "/profiles/search", Some(json!({ "face": face_base64(ada) }))).await;
    assert_response_snapshot!(found, "profiles.*.similarity profiles.*.distance");
}
