//! `POST /accounts/{accountId}/notifications/{id}/dismiss`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS, two_people};
use db::sql;
use serde_json::json;
use std::time::Duration;
use testkit::media_fixtures::png;

/// A moderation that has found a banned person, and the notification that says so.
async fn banned_person_found(fixture: &AccountFixture) -> (String, String) {
    let ada = two_people().0;
    let id = fixture.enrol("Ada", ada).await;
    fixture.call("POST", &format!("/profiles/{id}/ban"), None).await;
    let moderation = fixture.moderate(&fixture.files.put("ada.png", png(ada)), "IMAGE", json!({})).await;
    let notification = fixture.first_notification(&moderation).await;
    (moderation, notification)
}

#[tokio::test]
async fn a_notification_is_dismissed() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    let body = json!({ "comment": "not them" });
    assert_response_snapshot!(
        fixture.call("POST", &format!("/notifications/{id}/dismiss"), Some(body)).await,
        VOLATILE_IN_NOTIFICATIONS
    );
}

/// An embedding says nothing to the faces of another model.
#[tokio::test]
async fn a_face_that_another_model_found_teaches_nothing() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, notification) = banned_person_found(&fixture).await;
    let model = fixture.app.api.faces.model_digest().await.unwrap();
    fixture
        .app
        .execute(sql!(
            sqlite: "UPDATE findings SET measurements = replace(measurements, $1, $2)",
            postgres: "UPDATE findings SET measurements = CAST(replace(CAST(measurements AS TEXT), $1, $2) AS JSONB)",
            model,
            "01".repeat(32),
        ))
        .await;
    let dismissed = fixture.call("POST", &format!("/notifications/{notification}/dismiss"), None).await;
    assert_eq!(dismissed.status_and_code(), "200", "{}", dismissed.json());
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM negative_labels")).await, 0);
}

/// On PostgreSQL, where the deletion would otherwise look for labels before there is this one.
#[tokio::test]
async fn what_is_dismissed_while_its_moderation_is_deleted_teaches_nothing() {
    let fixture = AccountFixture::start_with_media().await;
    let (moderation, notification) = banned_person_found(&fixture).await;
    // The deletion waits for a list of notifications, having begun.
    let mut tx = fixture.app.api.db.write().await.unwrap();
    let lock = sql!("UPDATE notification_lists SET gaps = gaps WHERE list_id = $1", fixture.account);
    tx.execute(lock).await.unwrap();
    let (deleted, _, ()) = tokio::join!(
        async { fixture.call("DELETE", &format!("/moderations/{moderation}"), None).await },
        async {
            fixture.app.wait_until_blocked(1).await;
            fixture.call("POST", &format!("/notifications/{notification}/dismiss"), None).await
        },
        async {
            fixture.app.wait_until_blocked(1).await;
            tokio::time::sleep(Duration::from_millis(300)).await;
            tx.commit().await.unwrap();
        }
    );
    assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM negative_labels")).await, 0);
}
