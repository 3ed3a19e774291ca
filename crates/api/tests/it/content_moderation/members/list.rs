//! `GET /accounts/{accountId}/members`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn members_are_listed() {
    let fixture = AccountFixture::start().await;
    fixture.add_member("ada@example.com", true, &[]).await;
    assert_response_snapshot!(fixture.call("GET", "/members", None).await, "members.*.created_at");
}
