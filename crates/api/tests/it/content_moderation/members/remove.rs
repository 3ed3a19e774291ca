//! `DELETE /accounts/{accountId}/members/{memberId}`

use crate::{content_moderation::AccountFixture, erasure::assert_erased_from_files};
use db::sql;
use serde_json::json;

#[tokio::test]
async fn a_member_is_removed() {
    let fixture = AccountFixture::start().await;
    let (id, _) = fixture.add_member("ada@example.com", false, &[]).await;
    let path = format!("/members/{id}");
    let removing = fixture.call("DELETE", &path, None);
    assert_response_snapshot!(assert_erased_from_files(&fixture.app, b"ada@example.com", removing).await);
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
    let left = sql!("SELECT (SELECT count(*) FROM console_sessions) + (SELECT count(*) FROM sign_in_links)");
    assert_eq!(fixture.count(left).await, 0);
    assert_eq!(
        fixture.invite(json!({ "email": "ada@example.com" })).await.status,
        201,
        "they may be invited again"
    );
}

#[tokio::test]
async fn the_inbox_of_a_removed_member_goes_with_them_and_does_not_come_back() {
    let fixture = AccountFixture::start_with_media().await;
    let (member, _) = fixture.add_member("ada@example.com", false, &[]).await;
    let to_member = json!({ "notifications": { "member_id": member }, "unknown_faces": true });
    fixture.finished_moderation(to_member.clone()).await;
    let (content, _) = fixture.waiting_moderation().await;
    fixture.start_moderation(&content, to_member).await;
    let id: base::MemberId = member.parse().unwrap();
    let places = || sql!("SELECT count(*) FROM notification_places WHERE list_id = $1", id);
    let lists = || sql!("SELECT count(*) FROM notification_lists WHERE list_id = $1", id);
    assert!(fixture.count(places()).await > 0);
    assert_eq!(fixture.call("DELETE", &format!("/members/{member}"), None).await.status, 204);
    assert_eq!((fixture.count(places()).await, fixture.count(lists()).await), (0, 0));
    fixture.app.run_due_jobs().await;
    assert_eq!((fixture.count(places()).await, fixture.count(lists()).await), (0, 0));
}
