//! `POST /accounts/{accountId}/groups/{groupId}`

use crate::content_moderation::{AccountFixture, created_id};
use serde_json::{Value, json};

#[tokio::test]
async fn a_profile_joins_a_group() {
    let fixture = AccountFixture::start().await;
    let group = fixture.create("/groups", json!({ "label": "Staff" })).await;
    let profile = json!({ "profile_id": fixture.add_profile("Ada").await });
    assert_response_snapshot!(fixture.call("POST", &format!("/groups/{group}"), Some(profile)).await);
}

#[tokio::test]
async fn profiles_join_and_leave_groups() {
    let fixture = AccountFixture::start().await;
    let id = fixture.add_profile("Ada").await;
    let group = created_id(&fixture.call("POST", "/groups", Some(json!({ "label": " Staff " }))).await);
    let same = fixture.call("POST", "/groups", Some(json!({ "label": "Staff" }))).await;
    assert_eq!(same.status_and_code(), "409 CONFLICT");
    for label in [json!(""), json!("x".repeat(101)), Value::Null] {
        let bad = fixture.call("POST", "/groups", Some(json!({ "label": label }))).await;
        assert_eq!(bad.status_and_code(), "400 INVALID_REQUEST");
    }
    let groups = json!([{ "id": group, "label": "Staff" }]);
    assert_eq!(fixture.get("/groups").await, json!({ "groups": groups }));
    let at = format!("/groups/{group}");
    for _ in 0..2 {
        assert_eq!(
            fixture.call("POST", &at, Some(json!({ "profile_id": id }))).await.status_and_code(),
            "204"
        );
    }
    assert_eq!(fixture.call("POST", &at, Some(json!({}))).await.status_and_code(), "400 INVALID_REQUEST");
    let nobody = json!({ "profile_id": "018f3c8e-0000-4000-8000-00000000000a" });
    assert_eq!(fixture.call("POST", &at, Some(nobody)).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(fixture.get(&format!("/profiles/{id}")).await["groups"], groups);
    let member = format!("{at}/profiles/{id}");
    assert_eq!(fixture.call("DELETE", &member, None).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &member, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(fixture.call("POST", &at, Some(json!({ "profile_id": id }))).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &at, None).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &at, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(fixture.get(&format!("/profiles/{id}")).await["groups"], json!([]));
}

/// On PostgreSQL, where nothing may refer to a group that is deleted.
#[tokio::test]
async fn a_group_that_is_being_deleted_is_not_found() {
    let fixture = AccountFixture::start().await;
    let group = fixture.create("/groups", json!({ "label": "Staff" })).await;
    let body = json!({ "profile_id": fixture.add_profile("Ada").await });
    let mut deleting = fixture.app.api.db.write().await.unwrap();
    let id = group.parse().unwrap();
    fixture.app.api.faces.remove_group(&mut deleting, fixture.account, id).await.unwrap();
    let path = format!("/groups/{group}");
    let (joined, ()) = tokio::join!(fixture.call("POST", &path, Some(body)), async {
        fixture.app.wait_until_blocked(1).await;
        deleting.commit().await.unwrap();
    });
    assert_eq!(joined.status_and_code(), "404 NOT_FOUND", "{}", joined.json());
}
