//! `DELETE /accounts/{accountId}/profiles/{profileId}/dismissals/{dismissalId}`

use super::dismissals::dismissed_profile;
use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn a_dismissal_is_undone() {
    let fixture = AccountFixture::start_with_media().await;
    let id = dismissed_profile(&fixture).await;
    let path = format!("/profiles/{id}/dismissals");
    let dismissal = fixture.get(&path).await["dismissals"][0]["id"].as_str().unwrap().to_owned();
    assert_response_snapshot!(fixture.call("DELETE", &format!("{path}/{dismissal}"), None).await);
}
