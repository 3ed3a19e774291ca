//! `POST /accounts/{accountId}/profiles/{profileId}/ban`

use crate::content_moderation::{AccountFixture, face_base64, two_people};
use serde_json::json;

#[tokio::test]
async fn a_profile_is_banned() {
    let fixture = AccountFixture::start().await;
    let id = fixture.add_profile("Ada").await;
    assert_response_snapshot!(fixture.call("POST", &format!("/profiles/{id}/ban"), None).await);
}

#[tokio::test]
async fn a_profile_is_banned_and_unbanned() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    for (action, banned) in [("ban", true), ("ban", true), ("unban", false)] {
        assert_eq!(
            fixture.call("POST", &format!("/profiles/{id}/{action}"), None).await.status_and_code(),
            "204"
        );
        assert_eq!(fixture.get(&format!("/profiles/{id}")).await["is_banned"], json!(banned));
        let found =
            fixture.call("POST", "/profiles/search", Some(json!({ "face": face_base64(ada) }))).await.json();
        assert_eq!(found["profiles"][0]["is_banned"], json!(banned));
    }
}
