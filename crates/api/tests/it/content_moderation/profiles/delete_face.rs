//! `DELETE /accounts/{accountId}/profiles/{profileId}/faces/{faceId}`

use crate::content_moderation::{AccountFixture, two_people};

#[tokio::test]
async fn a_face_is_deleted() {
    let fixture = AccountFixture::start().await;
    let id = fixture.enrol("Ada", two_people().0).await;
    let face = fixture.get(&format!("/profiles/{id}")).await["faces"][0]["id"].as_str().unwrap().to_owned();
    let deleted = fixture.call("DELETE", &format!("/profiles/{id}/faces/{face}"), None).await;
    assert_response_snapshot!(deleted);
}
