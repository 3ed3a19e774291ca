//! `DELETE /accounts/{accountId}/profiles/{profileId}`

use crate::content_moderation::{AccountFixture, another_photo, created_id, face_base64, two_people};
use db::sql;
use serde_json::{Value, json};

#[tokio::test]
async fn a_profile_is_deleted() {
    let fixture = AccountFixture::start().await;
    let id = fixture.add_profile("Ada").await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/profiles/{id}"), None).await);
}

#[tokio::test]
async fn a_profile_is_gone_when_its_deletion_is_answered() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    created_id(&fixture.add_face(&id, &another_photo(ada, 0)).await);
    let group = created_id(&fixture.call("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
    let member = json!({ "profile_id": id });
    assert_eq!(
        fixture.call("POST", &format!("/groups/{group}"), Some(member.clone())).await.status_and_code(),
        "204"
    );
    assert_eq!(fixture.picture_count().await, 2);

    let path = format!("/profiles/{id}");
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!((fixture.row_counts().await, fixture.picture_count().await), ([0; 4], 0));
    assert!(fixture.search_by_face(ada).await.is_empty());
    let left = fixture.get(&path).await;
    assert_eq!(
        [
            &left["active"],
            &left["is_active"],
            &left["is_banned"],
            &left["display_name"],
            &left["biometric_consent"]
        ],
        [&json!(false), &json!(false), &json!(false), &Value::Null, &Value::Null]
    );
    assert_eq!((&left["faces"], &left["groups"]), (&json!([]), &json!([])));
    assert_eq!(fixture.get("/profiles").await["profiles"][0]["active"], json!(false));
    let mut view = fixture.app.api.db.read().await.unwrap();
    let texts = view.count(sql!("SELECT count(*) FROM profiles WHERE details IS NOT NULL")).await.unwrap();
    assert_eq!(texts, 0);
    for (method, path, body) in [
        ("DELETE", path.clone(), None),
        ("PATCH", path.clone(), Some(json!({ "display_name": "Eve" }))),
        ("POST", format!("{path}/faces"), Some(json!({ "face": face_base64(ada) }))),
        ("POST", format!("{path}/ban"), None),
        ("POST", format!("{path}/unban"), None),
        ("POST", format!("/groups/{group}"), Some(member)),
    ] {
        assert_eq!(
            fixture.call(method, &path, body).await.status_and_code(),
            "404 NOT_FOUND",
            "{method} {path}"
        );
    }
}
