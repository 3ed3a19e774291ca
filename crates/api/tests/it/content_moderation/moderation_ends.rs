//! However a moderation ends, its destinations are told: servers, Slack, a member's inbox and the lists.

use crate::content_moderation::AccountFixture;
use db::sql;
use domain::content_moderation::SweepModerations;
use jobs::JobState;
use serde_json::{Value, json};
use testkit::{
    face_pictures,
    media_fixtures::png,
    stub_server::{StubReply, StubServer},
};

#[tokio::test]
async fn the_end_of_a_moderation_reaches_servers_slack_and_the_inbox() {
    let fixture = AccountFixture::start_with_media().await;
    let (member, _) = fixture.add_member("ada@example.com", false, &["notifications:view"]).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let mut options = json!({
        "unknown_faces": true, "member_id": member,
        "notifications": {
            "web_destinations": [receiver.url("/web")], "slack_destinations": [receiver.url("/slack")],
        },
    });
    let picture = png(&face_pictures()[6]);
    let good = fixture.files.put("good.png", picture.clone());
    let done = fixture.moderate(&good, "IMAGE", options.clone()).await;
    assert_eq!(fixture.all_reasons(&done).await, ["UNKNOWN_FACE", "DONE"]);
    let told = fixture.deliver(&receiver, 4).await;
    let bodies = |path: &str| -> Vec<Value> {
        let there = told.iter().filter(|request| request.uri.path() == path);
        there.map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
    };
    let web: Vec<Value> = bodies("/web").iter().map(|body| body["data"]["reasons"][0].clone()).collect();
    assert_eq!(web.iter().filter(|reason| *reason == "DONE").count(), 1, "{web:?}");
    assert!(bodies("/slack").iter().any(|body| body["text"] == "A moderation is done"), "{told:?}");

    let bad = fixture.files.put("bad.png", picture[..picture.len() / 3].to_vec());
    let failed = fixture.moderate(&bad, "IMAGE", options.clone()).await;
    assert_eq!(fixture.all_reasons(&failed).await, ["FAILED"]);
    let inbox = fixture.get(&format!("/members/{member}/inbox")).await;
    let newest = &inbox["notifications"][0];
    assert_eq!(newest["data"]["error"], fixture.moderation_state(&failed).await["error"]);
    assert_eq!((&newest["type"], &newest["data"]["reasons"]), (&json!("ACTION"), &json!(["FAILED"])));
    assert_eq!(inbox["meta"]["total_count"], 3, "an unknown face, an end and a failure");
    let one = fixture.get(&format!("/notifications/{}", newest["id"].as_str().unwrap())).await;
    assert_eq!(one["data"], newest["data"]);

    options["member_id"].take();
    let content = fixture.content(&good, "IMAGE").await;
    let stopped = fixture.start_moderation(&content, json!({})).await;
    for _ in 0..2 {
        let answer = fixture.call("POST", &format!("/moderations/{stopped}/stop"), None).await;
        assert_eq!(answer.status, 202);
    }
    assert_eq!(fixture.all_reasons(&stopped).await, ["STOPPED"], "once, however often it is stopped");

    let archived = fixture.start_moderation(&content, json!({})).await;
    fixture.call("POST", "/archive/contents", Some(json!({ "content_id": content }))).await;
    assert_eq!(fixture.all_reasons(&archived).await, ["STOPPED"]);
}

#[tokio::test]
async fn a_moderation_that_is_given_up_is_told_as_failed() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, id) = fixture.waiting_moderation().await;
    fixture.app.execute(sql!("UPDATE jobs SET state = 'PARKED'")).await;
    for _ in 0..2 {
        fixture.app.api.content_moderation.sweep(SweepModerations {}).await.unwrap();
    }
    assert_eq!(fixture.all_reasons(&id).await, ["FAILED"]);
    assert_eq!(fixture.moderation_state(&id).await["error"]["code"], "GIVEN_UP");
}

impl AccountFixture {
    /// Discards the job of a moderation that waits for a worker, as an operator does.
    async fn discard_run(&self) {
        let mut view = self.app.api.db.read().await.unwrap();
        let waiting = jobs::list(&mut view, Some(JobState::Waiting), Some("run-moderation")).await.unwrap();
        drop(view);
        assert_eq!(waiting.len(), 1);
        let mut tx = self.app.api.db.write().await.unwrap();
        jobs::discard(&mut tx, waiting[0].id).await.unwrap();
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn a_moderation_whose_job_is_discarded_is_told_as_failed() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, id) = fixture.waiting_moderation().await;
    let sweep = async || fixture.app.api.content_moderation.sweep(SweepModerations {}).await.unwrap();
    sweep().await;
    assert_eq!(fixture.all_reasons(&id).await, [""; 0], "it waits for a worker");
    fixture.discard_run().await;
    for _ in 0..2 {
        sweep().await;
    }
    assert_eq!(fixture.all_reasons(&id).await, ["FAILED"]);
    assert_eq!(fixture.moderation_state(&id).await["error"]["code"], "GIVEN_UP");
    let ended = sql!("SELECT count(*) FROM moderations WHERE ended_at IS NOT NULL");
    assert_eq!(fixture.count(ended).await, 1, "so what it knows of faces is erased in time");
}

/// Whoever was told that it is watched waits for nothing any more.
#[tokio::test]
async fn a_live_video_that_is_given_up_is_told_as_watched_no_more() {
    let fixture = AccountFixture::start_with_media().await;
    let content = fixture.content(&fixture.files.put("live.m3u8", "#EXTM3U\n"), "LIVE_VIDEO").await;
    let [watched, waiting] = [
        fixture.start_moderation(&content, json!({})).await,
        fixture.start_moderation(&content, json!({})).await,
    ];
    let id: base::Uuid = watched.parse().unwrap();
    fixture
        .app
        .execute(sql!(
            "INSERT INTO notifications (id, account_id, moderation_id, subject, type, reason, content_id, content_type, url,
                                        observed_at, created_at)
             SELECT id, account_id, id, 'STARTED', 'ACTION', 'STARTED', content_id, content_type, url, 0.0, created_at
               FROM moderations WHERE id = $1",
            id,
        ))
        .await;
    fixture.app.execute(sql!("UPDATE jobs SET state = 'PARKED'")).await;
    for _ in 0..2 {
        fixture.app.api.content_moderation.sweep(SweepModerations {}).await.unwrap();
    }
    assert_eq!(fixture.all_reasons(&watched).await, ["STOPPED", "FAILED"], "after what was told before");
    assert_eq!(fixture.all_reasons(&waiting).await, ["FAILED"]);
}

/// A run that waits for its next attempt would have seen that it is to stop.
#[tokio::test]
async fn a_moderation_whose_job_is_discarded_after_it_was_stopped_is_told_as_stopped() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, id) = fixture.waiting_moderation().await;
    fixture.app.execute(sql!("UPDATE moderations SET state = 'RUNNING'")).await;
    let answer = fixture.call("POST", &format!("/moderations/{id}/stop"), None).await;
    assert_eq!(answer.status, 202);
    assert_eq!(fixture.moderation_state(&id).await["state"], "STOPPING");
    fixture.discard_run().await;
    fixture.app.api.content_moderation.sweep(SweepModerations {}).await.unwrap();
    assert_eq!(fixture.all_reasons(&id).await, ["STOPPED"]);
    assert_eq!(fixture.moderation_state(&id).await["state"], "STOPPED");
}

/// An older build, which runs again after a roll-back, knows none of the newer reasons.
#[tokio::test]
async fn what_an_older_build_reads_is_a_reason_that_it_knows() {
    let fixture = AccountFixture::start_with_media().await;
    fixture.finished_moderation(json!({})).await;
    let unknown = sql!("SELECT count(*) FROM notifications WHERE reason NOT IN ('UNKNOWN_FACE', 'STOPPED')");
    assert_eq!(fixture.count(unknown).await, 0);
}

/// A row that an older version queued must still be readable.
#[test]
fn old_payloads_still_parse() {
    assert_eq!(serde_json::from_str::<SweepModerations>("{}").unwrap(), SweepModerations {});
}
