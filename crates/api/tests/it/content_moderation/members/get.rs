//! `GET /accounts/{accountId}/members/{memberId}`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn a_member_is_read() {
    let fixture = AccountFixture::start().await;
    let (id, _) = fixture.add_member("ada@example.com", false, &["contents:list"]).await;
    assert_response_snapshot!(fixture.call("GET", &format!("/members/{id}"), None).await, "created_at");
}
