//! `POST /accounts/{accountId}/profiles/{profileId}/unban`

use crate::content_moderation::{AccountFixture, two_people};

#[tokio::test]
async fn a_profile_is_unbanned() {
    let fixture = AccountFixture::start().await;
    let id = fixture.enrol("Ada", two_people().0).await;
    fixture.call("POST", &format!("/profiles/{id}/ban"), None).await;
    assert_response_snapshot!(fixture.call("POST", &format!("/profiles/{id}/unban"), None).await);
}
