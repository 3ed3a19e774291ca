//! `DELETE /accounts/{accountId}/admin/{memberId}`

use crate::content_moderation::AccountFixture;
use db::sql;
use serde_json::json;

#[tokio::test]
async fn an_administrator_is_demoted() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = fixture.add_member("ada@example.com", true, &[]).await;
    fixture.add_member("eve@example.com", true, &[]).await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/admin/{ada}"), None).await);
}

#[tokio::test]
async fn the_last_administrator_is_not_demoted() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = fixture.add_member("ada@example.com", true, &[]).await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/admin/{ada}"), None).await);
}

#[tokio::test]
async fn the_last_administrator_can_be_neither_demoted_nor_removed() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, _) = fixture.add_member("eve@example.com", false, &["members:manage"]).await;
    assert_eq!(
        fixture.call("DELETE", &format!("/admin/{ada}"), None).await.status_and_code(),
        "409 LAST_ADMINISTRATOR"
    );
    assert_eq!(
        fixture.call("DELETE", &format!("/members/{ada}"), None).await.status_and_code(),
        "409 LAST_ADMINISTRATOR"
    );
    assert_eq!(fixture.call("DELETE", &format!("/admin/{eve}"), None).await.status, 204, "she is none");

    let promoted = fixture.call("POST", "/admin", Some(json!({ "member_id": eve }))).await;
    assert_eq!((promoted.status.as_u16(), &promoted.json()["admin"]), (200, &json!(true)));
    assert_eq!(fixture.call("DELETE", &format!("/admin/{ada}"), None).await.status, 204);
    assert_eq!(fixture.call("GET", &format!("/members/{ada}"), None).await.json()["admin"], json!(false));
    assert_eq!(
        fixture.call("DELETE", &format!("/members/{eve}"), None).await.status_and_code(),
        "409 LAST_ADMINISTRATOR"
    );
    assert_eq!(fixture.call("DELETE", &format!("/members/{ada}"), None).await.status, 204);
    assert_eq!(
        fixture.call("DELETE", &format!("/members/{ada}"), None).await.status_and_code(),
        "404 NOT_FOUND"
    );

    for body in [json!({}), json!({ "member_id": "x" })] {
        assert_eq!(fixture.call("POST", "/admin", Some(body)).await.status_and_code(), "400 INVALID_REQUEST");
    }
    assert_eq!(
        fixture.call("POST", "/admin", Some(json!({ "member_id": ada }))).await.status_and_code(),
        "404 NOT_FOUND"
    );
}

#[tokio::test]
async fn two_administrators_cannot_demote_and_remove_each_other_at_once() {
    for _ in 0..5 {
        let fixture = AccountFixture::start().await;
        let (ada, adas) = fixture.add_member("ada@example.com", true, &[]).await;
        let (eve, eves) = fixture.add_member("eve@example.com", true, &[]).await;
        let (eves_path, adas_path) =
            (fixture.path(&format!("/admin/{eve}")), fixture.path(&format!("/members/{ada}")));
        let (one, other) = tokio::join!(
            fixture.call_console(&adas, "DELETE", &eves_path, None),
            fixture.call_console(&eves, "DELETE", &adas_path, None),
        );
        let mut lines = [one.status_and_code(), other.status_and_code()];
        lines.sort();
        assert_eq!(lines[0], "204", "{lines:?}");
        assert!(["401 UNAUTHORIZED", "409 LAST_ADMINISTRATOR"].contains(&&*lines[1]), "{lines:?}");
        assert_eq!(fixture.count(sql!("SELECT count(*) FROM members WHERE admin = TRUE")).await, 1);
    }
}
