//! `DELETE /accounts/{accountId}/members/{memberId}`

use crate::content_moderation::AccountFixture;
use db::sql;
use serde_json::json;

#[tokio::test]
async fn a_member_is_removed() {
    let fixture = AccountFixture::start().await;
    let (id, _) = fixture.add_member("ada@example.com", false, &[]).await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/members/{id}"), None).await);
}

#[tokio::test]
async fn a_removed_member_is_signed_out_at_once() {
    let fixture = AccountFixture::start().await;
    let (id, cookie) = fixture.add_member("ada@example.com", false, &["members:manage"]).await;
    assert_eq!(fixture.call_console(&cookie, "GET", &fixture.path("/members"), None).await.status, 200);
    assert_eq!(fixture.call("DELETE", &format!("/members/{id}"), None).await.status, 204);
    assert_eq!(
        fixture.call_console(&cookie, "GET", &fixture.path("/members"), None).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    let left = sql!("SELECT (SELECT count(*) FROM member_sessions) + (SELECT count(*) FROM sign_in_links)");
    assert_eq!(fixture.count(left).await, 0);
    assert_eq!(
        fixture.invite(json!({ "email": "ada@example.com" })).await.status,
        201,
        "they may be invited again"
    );
}
