//! `DELETE /accounts/{accountId}/contents/{id}`

use crate::content_moderation::AccountFixture;
use base::Uuid;
use db::{FromRow, sql};
use serde_json::json;

#[tokio::test]
async fn a_content_is_deleted() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, _) = fixture.waiting_moderation().await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/contents/{content}"), None).await);
}

#[tokio::test]
async fn a_deleted_content_takes_its_moderations_reports_and_profiles_with_it() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, moderation) = fixture.finished_moderation(json!({})).await;
    let profile = fixture.enrol("Bob", &testkit::face_pictures()[8]).await;
    let body = json!({ "profile_id": profile });
    fixture.call("POST", &format!("/contents/{content}/profiles"), Some(body)).await;
    let waiting = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;

    let path = format!("/contents/{content}");
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &path, None).await.status, 404);
    assert_eq!(fixture.call("GET", &path, None).await.status, 404);
    for id in [&moderation, &waiting] {
        assert_eq!(fixture.call("GET", &format!("/moderations/{id}/details"), None).await.status, 404);
    }
    for query in [
        sql!("SELECT count(*) FROM contents"),
        sql!("SELECT count(*) FROM content_profiles"),
        sql!("SELECT count(*) FROM content_reports"),
        sql!("SELECT count(*) FROM moderations"),
        sql!("SELECT count(*) FROM findings"),
        sql!("SELECT count(*) FROM notifications"),
        sql!("SELECT count(*) FROM jobs WHERE kind = 'run-moderation'"),
    ] {
        let what = format!("{query:?}");
        assert_eq!(fixture.count(query).await, 0, "{what}");
    }
    assert_eq!(fixture.get(&format!("/profiles/{profile}")).await["profile_id"], profile.as_str());
}

/// On PostgreSQL, which would end one of two transactions that wait for each other: a run locks its job, and then the list of
/// notifications of the account.
#[tokio::test]
async fn a_content_is_deleted_while_a_moderation_of_it_writes() {
    #[derive(FromRow)]
    struct JobIdRow {
        job_id: Uuid,
    }
    let fixture = AccountFixture::start_with_media().await;
    let (content, _) = fixture.finished_moderation(json!({})).await;
    fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    fixture.app.run_due_jobs().await;
    // As if the one that is deleted last ran on.
    let last: Option<JobIdRow> = {
        let mut view = fixture.app.api.db.read().await.unwrap();
        view.fetch_optional(sql!("SELECT job_id FROM moderations ORDER BY job_id DESC LIMIT 1"))
            .await
            .unwrap()
    };
    let JobIdRow { job_id } = last.unwrap();
    fixture
        .app
        .execute(sql!(
            "INSERT INTO jobs (id, kind, lane, payload, state, attempts, run_at, created_at)
             VALUES ($1, 'run-moderation', 'heavy', $2, 'WAITING', 0, $3, $3)",
            job_id,
            json!({}),
            fixture.app.api.environment.now(),
        ))
        .await;
    let mut run = fixture.app.api.db.write().await.unwrap();
    run.execute(sql!("UPDATE jobs SET worker = worker WHERE id = $1", job_id)).await.unwrap();
    let path = format!("/contents/{content}");
    let (deleted, ()) = tokio::join!(fixture.call("DELETE", &path, None), async {
        fixture.app.wait_until_blocked(1).await;
        let lock = sql!("UPDATE notification_lists SET gaps = gaps WHERE list_id = $1", fixture.account);
        run.execute(lock).await.unwrap();
        run.commit().await.unwrap();
    });
    assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM moderations")).await, 0);
    let left = sql!("SELECT count(*) FROM jobs WHERE kind = 'run-moderation'");
    assert_eq!(fixture.count(left).await, 0);
}

/// On PostgreSQL, which would end one of two transactions that wait for each other: whoever erases the embeddings of a moderation
/// changes its findings, and then counts the erasure.
#[tokio::test]
async fn a_content_is_deleted_while_the_embeddings_of_one_of_its_moderations_are_erased() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, _) = fixture.finished_moderation(json!({})).await;
    fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    fixture.app.run_due_jobs().await;
    let mut erasing = fixture.app.api.db.write().await.unwrap();
    // Those of the one that is deleted last.
    let erased = sql!(
        "UPDATE findings SET sealed_embedding = NULL
          WHERE moderation_id = (SELECT id FROM moderations ORDER BY job_id DESC LIMIT 1)"
    );
    assert!(erasing.execute(erased).await.unwrap() > 0);
    let path = format!("/contents/{content}");
    let (deleted, ()) = tokio::join!(fixture.call("DELETE", &path, None), async {
        fixture.app.wait_until_blocked(1).await;
        erasing.execute(sql!("UPDATE erasure_progress SET erased = erased + 1 WHERE id = 1")).await.unwrap();
        erasing.commit().await.unwrap();
    });
    assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM moderations")).await, 0);
    assert_eq!(
        fixture.count(sql!("SELECT count(*) FROM erasure_keys")).await,
        0,
        "their keys went with them"
    );
}

/// On PostgreSQL, where nothing may refer to a content that is deleted.
#[tokio::test]
async fn a_content_that_is_being_deleted_is_not_found() {
    let fixture = AccountFixture::start().await;
    let content = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let profile = fixture.enrol("Bob", &testkit::face_pictures()[8]).await;
    let (api, account) = (&fixture.app.api, fixture.account);
    let mut deleting = api.db.write().await.unwrap();
    let id = content.parse().unwrap();
    assert!(api.content_moderation.delete_content(&mut deleting, account, id).await.unwrap());
    let path = |below: &str| format!("/contents/{content}/{below}");
    let (profiles, reports) = (path("profiles"), path("reports"));
    let (attached, reported, ()) = tokio::join!(
        fixture.call("POST", &profiles, Some(json!({ "profile_id": profile }))),
        fixture.call("POST", &reports, Some(json!({ "reason": "it shows a neighbour" }))),
        async {
            fixture.app.wait_until_blocked(2).await;
            deleting.commit().await.unwrap();
        }
    );
    assert_eq!(attached.status_and_code(), "404 NOT_FOUND", "{}", attached.json());
    assert_eq!(reported.status_and_code(), "404 NOT_FOUND", "{}", reported.json());
}
