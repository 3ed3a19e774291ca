//! `POST /accounts/{accountId}/archive/contents`

use crate::content_moderation::AccountFixture;
use base::Uuid;
use db::{FromRow, sql};
use domain::content_moderation::{ModerationInput, ModerationStartError};
use serde_json::json;

#[tokio::test]
async fn a_content_is_archived() {
    let fixture = AccountFixture::start().await;
    let id = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let archived = fixture.call("POST", "/archive/contents", Some(json!({ "content_id": id }))).await;
    assert_response_snapshot!(archived);
}

#[tokio::test]
async fn a_registered_content_is_archived_and_restored() {
    let fixture = AccountFixture::start_with_media().await;
    let uploader = "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11";
    let body = json!({
        "url": "https://media.example.com/1.jpg", "type": "IMAGE", "title": "One", "uploader_id": uploader,
        "profile_ids": [], "unknown_member": 1,
    });
    let id = fixture.create("/contents", body).await;
    let content = fixture.get(&format!("/contents/{id}")).await;
    assert_eq!(content["id"], *id);
    assert_eq!(
        (content["archived"].as_bool(), content["uploader_id"].as_str()),
        (Some(false), Some(uploader))
    );
    assert_eq!(content["created_at"], "2026-01-16T14:40:00Z");

    for (method, path, body) in [
        ("POST", "/archive/contents".to_owned(), Some(json!({ "content_id": id }))),
        ("POST", "/archive/contents".to_owned(), Some(json!({ "content_id": id }))),
        ("DELETE", format!("/archive/contents/{id}"), None),
    ] {
        let answer = fixture.call(method, &path, body).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (204, 0));
        let archived = fixture.get(&format!("/contents/{id}")).await["archived"].as_bool();
        assert_eq!(archived, Some(method == "POST"));
    }
    let missing = "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f12";
    for (method, path, body) in [
        ("POST", "/archive/contents".to_owned(), Some(json!({ "content_id": missing }))),
        ("DELETE", format!("/archive/contents/{missing}"), None),
        ("GET", format!("/contents/{missing}"), None),
        ("GET", "/contents/none".to_owned(), None),
        ("GET", format!("/contents/{missing}/moderations"), None),
        ("GET", format!("/contents/{missing}/reports"), None),
    ] {
        let answer = fixture.call(method, &path, body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["code"].as_str()),
            (404, Some("NOT_FOUND")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn moderations_of_an_archived_content_are_stopped() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, moderation) = fixture.waiting_moderation().await;
    let archived = fixture.call("POST", "/archive/contents", Some(json!({ "content_id": content }))).await;
    assert_eq!(archived.status_and_code(), "204");
    fixture.app.run_due_jobs().await;
    let details = fixture.moderation_state(&moderation).await;
    assert_eq!(details["state"], "STOPPED", "{details}");
    assert_eq!(fixture.all_reasons(&moderation).await, ["STOPPED"]);
}

/// On PostgreSQL, which would end one of two transactions that wait for each other: a run locks its job, and then the list of
/// notifications of the account.
#[tokio::test]
async fn a_content_is_archived_while_a_moderation_of_it_writes() {
    #[derive(FromRow)]
    struct JobIdRow {
        job_id: Uuid,
    }
    let fixture = AccountFixture::start_with_media().await;
    let (content, _) = fixture.finished_moderation(json!({})).await;
    let first = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let second = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    // As if the one that is stopped last ran.
    let last: Option<JobIdRow> = {
        let mut view = fixture.app.api.db.read().await.unwrap();
        view.fetch_optional(sql!("SELECT job_id FROM moderations ORDER BY job_id DESC LIMIT 1"))
            .await
            .unwrap()
    };
    let JobIdRow { job_id } = last.unwrap();
    let mut run = fixture.app.api.db.write().await.unwrap();
    run.execute(sql!("UPDATE jobs SET worker = worker WHERE id = $1", job_id)).await.unwrap();
    let body = json!({ "content_id": content });
    let (archived, ()) = tokio::join!(fixture.call("POST", "/archive/contents", Some(body)), async {
        fixture.app.wait_until_blocked(1).await;
        let lock = sql!("UPDATE notification_lists SET gaps = gaps WHERE list_id = $1", fixture.account);
        run.execute(lock).await.unwrap();
        run.commit().await.unwrap();
    });
    assert_eq!(archived.status_and_code(), "204");
    for moderation in [&first, &second] {
        assert_eq!(fixture.moderation_state(moderation).await["state"], "STOPPED");
    }
}

#[tokio::test]
async fn no_moderation_is_begun_for_a_content_that_is_archived_while_it_is_looked_at() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, _) = fixture.waiting_moderation().await;
    let moderations = &fixture.app.api.content_moderation;
    let input = ModerationInput { content_id: content.parse().ok(), ..ModerationInput::default() };
    let request = moderations.validate(input).unwrap();
    let prepared = moderations.prepare(fixture.account, request).await.unwrap();
    fixture.call("POST", "/archive/contents", Some(json!({ "content_id": content }))).await;
    let mut tx = fixture.app.api.db.write().await.unwrap();
    let refused = moderations.start(&mut tx, prepared).await;
    assert!(matches!(refused, Err(ModerationStartError::Invalid(_))), "{refused:?}");
}
