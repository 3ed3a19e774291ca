//! `DELETE /console/session`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn a_session_is_ended() {
    let fixture = AccountFixture::start().await;
    let (_, cookie) = fixture.add_member("ada@example.com", true, &[]).await;
    assert_response_snapshot!(fixture.call_console(&cookie, "DELETE", "/console/session", None).await);
}
