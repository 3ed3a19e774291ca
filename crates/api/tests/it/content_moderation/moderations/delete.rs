//! `DELETE /accounts/{accountId}/moderations/{moderationId}`

use crate::content_moderation::AccountFixture;
use base::Uuid;
use db::sql;
use serde_json::json;
use testkit::{face_pictures, group_photo, media_fixtures::png};

#[tokio::test]
async fn a_moderation_is_deleted() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.waiting_moderation().await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/moderations/{moderation}"), None).await);
}

#[tokio::test]
async fn a_deleted_moderation_leaves_no_finding_notification_or_review() {
    let fixture = AccountFixture::start_with_media().await;
    let (member, _) = fixture.add_member("mod@example.com", false, &["notifications:view"]).await;
    let (content, moderation) = fixture.finished_moderation(json!({ "member_id": member })).await;
    let notification = fixture.first_notification(&moderation).await;
    let body = json!({ "comment": "seen" });
    let review = fixture.call("POST", &format!("/notifications/{notification}/accept"), Some(body)).await;
    assert!(review.status.is_success(), "{}", review.json());

    let path = format!("/moderations/{moderation}");
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &path, None).await.status, 404);
    assert_eq!(fixture.call("GET", &format!("{path}/details"), None).await.status, 404);
    for query in [
        sql!("SELECT count(*) FROM findings"),
        sql!("SELECT count(*) FROM notifications"),
        sql!("SELECT count(*) FROM notification_places"),
        sql!("SELECT count(*) FROM reviews"),
        sql!("SELECT count(*) FROM erasure_keys"),
        sql!("SELECT count(*) FROM moderations"),
    ] {
        let what = format!("{query:?}");
        assert_eq!(fixture.count(query).await, 0, "{what}");
    }
    assert_eq!(
        fixture.get(&format!("/contents/{content}")).await["id"],
        content.as_str(),
        "the content stays"
    );
}

#[tokio::test]
async fn one_that_waits_is_deleted_with_its_job_and_one_of_another_account_is_not_found() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.waiting_moderation().await;
    let other = fixture.app.open_account().await;
    let path = format!("/accounts/{other}/moderations/{moderation}");
    let answer = fixture.app.call_moderation("DELETE", &path, &fixture.key, None).await;
    assert_eq!(answer.status, 404, "{}", answer.json());
    let answer = fixture.call("DELETE", &format!("/moderations/{moderation}"), None).await;
    assert_eq!(answer.status_and_code(), "204");
    let waiting = sql!("SELECT count(*) FROM jobs WHERE kind = 'run-moderation'");
    assert_eq!(fixture.count(waiting).await, 0);
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM findings")).await, 0);
}

/// Pages of a list from which a moderation was deleted have no holes and repeat nothing.
#[tokio::test]
async fn the_lists_of_others_close_up() {
    let fixture = AccountFixture::start_with_media().await;
    let mut moderations = Vec::new();
    for number in 0..3 {
        let url = fixture.files.put(&format!("{number}.png"), png(&group_photo(3)));
        moderations.push(fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true })).await);
    }
    let ids = async |page: usize| -> (Vec<String>, u64) {
        let list = fixture.get(&format!("/notifications?page={page}")).await;
        let ids =
            list["notifications"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned());
        (ids.collect(), list["meta"]["total_count"].as_u64().unwrap())
    };
    let (all, total) = ids(1).await;
    assert_eq!(all.len() as u64, total);
    let of_middle: Vec<String> = {
        let list = fixture.get(&format!("/moderations/{}/notifications", moderations[1])).await;
        list["notifications"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(of_middle.len() >= 3);
    let answer = fixture.call("DELETE", &format!("/moderations/{}", moderations[1]), None).await;
    assert_eq!(answer.status_and_code(), "204");
    let expected: Vec<String> = all.into_iter().filter(|id| !of_middle.contains(id)).collect();
    assert_eq!(ids(1).await, (expected.clone(), expected.len() as u64));
    // What is added later is in front.
    let url = fixture.files.put("later.png", png(&face_pictures()[8]));
    fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true })).await;
    let (later, total) = ids(1).await;
    assert_eq!((total as usize, &later[2..]), (expected.len() + 2, &expected[..]), "a face, and the end");
}

/// On PostgreSQL, which would end one of two transactions that wait for each other: whatever writes a notification locks the
/// account's list before all others.
#[tokio::test]
async fn a_moderation_is_deleted_while_notifications_are_written() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    // An inbox whose id comes before the account's.
    let (id, inbox): (Uuid, Uuid) = (moderation.parse().unwrap(), Uuid::from_u128(1));
    for query in [
        sql!("UPDATE notification_lists SET list_id = $2 WHERE list_id = $1", id, inbox),
        sql!("UPDATE notification_places SET list_id = $2 WHERE list_id = $1", id, inbox),
    ] {
        fixture.app.execute(query).await;
    }
    let lock = |list: Uuid| sql!("UPDATE notification_lists SET gaps = gaps WHERE list_id = $1", list);
    let mut writing = fixture.app.api.db.write().await.unwrap();
    writing.execute(lock(fixture.account.into())).await.unwrap();
    let path = format!("/moderations/{moderation}");
    let (deleted, ()) = tokio::join!(fixture.call("DELETE", &path, None), async {
        fixture.app.wait_until_blocked(1).await;
        writing.execute(lock(inbox)).await.unwrap();
        writing.commit().await.unwrap();
    });
    assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM notification_places")).await, 0);
}
