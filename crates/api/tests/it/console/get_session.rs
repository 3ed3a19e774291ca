//! `GET /console/session`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn a_session_is_read() {
    let fixture = AccountFixture::start().await;
    let (_, cookie) = fixture.add_member("ada@example.com", true, &[]).await;
    let name = fixture.get("").await["name"].clone();
    let read = fixture.call_console(&cookie, "GET", "/console/session", None).await;
    assert_response_snapshot!(read, (&name, "account name"), "member.created_at");
}
