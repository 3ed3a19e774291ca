//! `GET /accounts/{accountId}/members/{memberId}/inbox`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS};
use serde_json::json;

#[tokio::test]
async fn the_inbox_of_a_member_is_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (member, _) = fixture.add_member("ada@example.com", true, &[]).await;
    fixture.finished_moderation(json!({ "notifications": { "member_id": member } })).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/members/{member}/inbox"), None).await,
        VOLATILE_IN_NOTIFICATIONS
    );
}

/// Whoever a moderation names is told, so they can read what they are told.
#[tokio::test]
async fn members_read_their_own_inbox_without_a_scope_and_no_other() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, cookie) = fixture.add_member("ada@example.com", false, &[]).await;
    let (bob, _) = fixture.add_member("bob@example.com", false, &[]).await;
    fixture.finished_moderation(json!({ "notifications": { "member_id": ada } })).await;
    let read = async |path: String| fixture.call_console(&cookie, "GET", &fixture.path(&path), None).await;
    let own = read(format!("/members/{ada}/inbox")).await;
    assert_eq!(own.status_and_code(), "200", "{:?}", own.body);
    assert_eq!(own.json()["meta"]["total_count"], 2, "a face and an end");
    assert_eq!(read(format!("/members/{bob}/inbox")).await.status_and_code(), "401 UNAUTHORIZED");
    assert_eq!(read("/notifications".to_owned()).await.status_and_code(), "401 UNAUTHORIZED");
    let (_, viewer) = fixture.add_member("eve@example.com", false, &["notifications:view"]).await;
    let path = fixture.path(&format!("/members/{ada}/inbox"));
    let foreign = fixture.call_console(&viewer, "GET", &path, None).await;
    assert_eq!(foreign.status_and_code(), "404 NOT_FOUND", "a scope does not open another's inbox");
}
