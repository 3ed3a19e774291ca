//! `POST /accounts/{accountId}/admin`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_member_is_promoted() {
    let fixture = AccountFixture::start().await;
    let (id, _) = fixture.add_member("ada@example.com", false, &["contents:list"]).await;
    let promoted = fixture.call("POST", "/admin", Some(json!({ "member_id": id }))).await;
    assert_response_snapshot!(promoted, "created_at");
}

#[tokio::test]
async fn only_administrators_make_and_remove_administrators() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = fixture.add_member("ada@example.com", true, &[]).await;
    let (_, _second) = fixture.add_member("second@example.com", true, &[]).await;
    let (eve, eves) = fixture.add_member("eve@example.com", false, &["members:manage"]).await;
    let call = async |method: &str, below: &str, body| {
        fixture.call_console(&eves, method, &fixture.path(below), body).await.status_and_code()
    };
    assert_eq!(call("POST", "/admin", Some(json!({ "member_id": eve }))).await, "401 UNAUTHORIZED");
    assert_eq!(call("DELETE", &format!("/admin/{ada}"), None).await, "401 UNAUTHORIZED");
    assert_eq!(call("DELETE", &format!("/members/{ada}"), None).await, "401 UNAUTHORIZED");
    assert_eq!(call("DELETE", "", None).await, "401 UNAUTHORIZED");
    let admin = json!({ "email": "mallory@example.com", "admin": true });
    assert_eq!(call("POST", "/invitations", Some(admin)).await, "401 UNAUTHORIZED");
    assert_eq!(call("POST", "/invitations", Some(json!({ "email": "bob@example.com" }))).await, "201");
    let key = fixture.app.api_key(&["members:manage", "admin"]).await;
    let promoted = fixture
        .app
        .call_moderation("POST", &fixture.path("/admin"), &key, Some(json!({ "member_id": eve })))
        .await;
    assert_eq!(promoted.status, 200, "a key with the word admin is one");
}
