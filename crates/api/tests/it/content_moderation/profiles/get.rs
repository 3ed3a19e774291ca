//! `GET /accounts/{accountId}/profiles/{profileId}`

use crate::content_moderation::{AccountFixture, face_base64, two_people};
use serde_json::json;

#[tokio::test]
async fn a_profile_is_read() {
    let fixture = AccountFixture::start().await;
    let body = json!({
        "profile_type": 1, "display_name": "Ada", "reference": "u-1", "biometric_consent": "form 7",
        "consent_link": "https://example.com/consent/7", "id_verification": "v-9", "is_id_verified": true,
        "face": face_base64(two_people().0),
    });
    let id = fixture.create("/profiles", body).await;
    let group = fixture.create("/groups", json!({ "label": "Staff" })).await;
    fixture.call("POST", &format!("/groups/{group}"), Some(json!({ "profile_id": id }))).await;
    let read = fixture.call("GET", &format!("/profiles/{id}"), None).await;
    assert_response_snapshot!(read, "faces.*.quality");
}

#[tokio::test]
async fn what_is_not_known_of_a_person_is_absent_and_never_null() {
    let fixture = AccountFixture::start().await;
    let id = fixture.create("/profiles", json!({})).await;
    for path in [format!("/profiles/{id}"), "/profiles".to_owned()] {
        let answer = fixture.get(&path).await.to_string();
        assert!(answer.contains(&id) && !answer.contains("null"), "{answer}");
    }
}
