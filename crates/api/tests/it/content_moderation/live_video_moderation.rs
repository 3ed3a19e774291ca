//! Moderations of live video.

use crate::content_moderation::AccountFixture;
use base::{SignedDuration, Uuid};
use db::sql;
use domain::content_moderation::SweepModerations;
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};
use testkit::{
    media_fixtures::{MovingFace, face_clip, segments},
    stub_server::{StubReply, StubServer},
};

/// A live HLS stream: segments of one second of a clip, in a window that moves on.
struct LiveStream {
    segments: Vec<Vec<u8>>,
}

impl LiveStream {
    fn of(film: &[u8]) -> Self {
        Self { segments: segments(film) }
    }

    /// The playlist after `at` segments; it has the last six.
    fn playlist(&self, fixture: &AccountFixture, at: usize, over: bool) {
        let first = at.saturating_sub(6);
        let mut text =
            format!("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:{first}\n");
        for number in first..at {
            let name = format!("s{number}.ts");
            fixture.files.put(&name, self.segments[number % self.segments.len()].clone());
            if number > 0 && number % self.segments.len() == 0 {
                text += "#EXT-X-DISCONTINUITY\n";
            }
            text.extend(["#EXTINF:1.0,\n", &name, "\n"]);
        }
        if over {
            text += "#EXT-X-ENDLIST\n";
        }
        fixture.files.put("live.m3u8", text);
    }
}

/// Waits until a moderation has the notifications that are wanted; ten minutes at most.
async fn wait_for_reasons(
    fixture: &AccountFixture,
    id: &str,
    what: impl Fn(&[String]) -> bool,
) -> Vec<String> {
    for _ in 0..6000 {
        let reasons = fixture.all_reasons(id).await;
        if what(&reasons) {
            return reasons;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{:?} {}", fixture.all_reasons(id).await, fixture.moderation_state(id).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_video_is_watched_through_an_outage_and_a_restart_until_it_is_stopped() {
    let fixture = AccountFixture::start_with_media().await;
    let there = MovingFace { face: 6, during: (0.0, 12.0), x: "300+20*t".to_owned(), width: 420 };
    let stream = LiveStream::of(&face_clip(12.0, &[there]));
    stream.playlist(&fixture, 6, false);
    let url = fixture.files.url("live.m3u8");
    let content = fixture.content(&url, "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;

    let at = AtomicUsize::new(6);
    let go_on = async {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            fixture.app.environment.advance(SignedDuration::from_secs(1));
            let at = at.fetch_add(1, Ordering::SeqCst) + 1;
            stream.playlist(&fixture, at, false);
        }
    };
    let watched = async {
        let working = fixture.app.spawn_worker();
        let reasons = wait_for_reasons(&fixture, &id, |reasons| reasons.len() >= 2).await;
        assert_eq!(reasons, ["STARTED", "UNKNOWN_FACE"]);
        // This process stops; another continues, and repeats no notification.
        working.stop().await;
        assert_eq!(fixture.moderation_state(&id).await["state"], "RUNNING");
        let position = fixture.moderation_state(&id).await["position"].as_f64().unwrap();
        let working = fixture.app.spawn_worker();
        for _ in 0..6000 {
            if fixture.moderation_state(&id).await["position"].as_f64().unwrap() > position + 2.0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let stopped = fixture.call("POST", &format!("/moderations/{id}/stop"), None).await;
        assert_eq!(stopped.status.as_u16(), 202);
        let reasons =
            wait_for_reasons(&fixture, &id, |reasons| reasons.last().is_some_and(|last| last == "STOPPED"))
                .await;
        assert_eq!(reasons.iter().filter(|word| *word == "STARTED").count(), 1, "{reasons:?}");
        for _ in 0..6000 {
            if fixture.moderation_state(&id).await["state"] == "STOPPED" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(fixture.moderation_state(&id).await["state"], "STOPPED");
        working.stop().await;
    };
    tokio::select! {
        () = go_on => {}
        () = watched => {}
    }
    let list = fixture.get("/notifications").await;
    let actions = list["notifications"].as_array().unwrap().iter().filter(|n| n["type"] == "ACTION");
    for action in actions {
        assert!(action["data"].get("frame_time").is_none() && action["data"]["observed_at"].is_number());
        assert_eq!(action["data"]["content_type"], "LIVE_VIDEO");
    }
}

/// While its publisher connects again, a server answers 404, with nothing, or with a page.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_video_that_is_not_there_for_a_moment_is_watched_again_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let stream = LiveStream::of(&face_clip(5.0, &[]));
    stream.playlist(&fixture, 6, false);
    let content = fixture.content(&fixture.files.url("live.m3u8"), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let is_there = AtomicBool::new(true);
    let go_on = async {
        for at in 7.. {
            tokio::time::sleep(Duration::from_secs(1)).await;
            fixture.app.environment.advance(SignedDuration::from_secs(1));
            if is_there.load(Ordering::SeqCst) {
                stream.playlist(&fixture, at, false);
            }
        }
    };
    let watched = async {
        let working = fixture.app.spawn_worker();
        wait_for_reasons(&fixture, &id, |reasons| !reasons.is_empty()).await;
        let position = async || {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let state = fixture.moderation_state(&id).await;
            assert_eq!(state["state"], "RUNNING", "{state}");
            state["position"].as_f64().unwrap()
        };
        while position().await <= 0.0 {}
        for instead in [None, Some(""), Some("<html>Back in a moment</html>")] {
            is_there.store(false, Ordering::SeqCst);
            match instead {
                None => fixture.files.remove("live.m3u8"),
                Some(text) => drop(fixture.files.put("live.m3u8", text)),
            }
            let asked = fixture.files.requests_for("live.m3u8");
            // The decoder misses it, and then whoever opens it again.
            while fixture.files.requests_for("live.m3u8") < asked + 2 {
                position().await;
            }
            let before = position().await;
            is_there.store(true, Ordering::SeqCst);
            while position().await <= before {}
        }
        assert_eq!(fixture.all_reasons(&id).await, ["STARTED"]);
        working.stop().await;
    };
    tokio::select! {
        () = go_on => {}
        () = watched => {}
    }
}

/// A roll-back to an older build may leave a checkpoint that nobody can read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_appears_after_a_checkpoint_was_lost_is_told() {
    let fixture = AccountFixture::start_with_media().await;
    let showing = |face| {
        let there = MovingFace { face, during: (0.0, 12.0), x: "300".to_owned(), width: 420 };
        LiveStream::of(&face_clip(12.0, &[there]))
    };
    let streams = [showing(6), showing(8)];
    let (at, shown) = (AtomicUsize::new(6), AtomicUsize::new(0));
    let show = || {
        let stream = &streams[shown.load(Ordering::SeqCst)];
        stream.playlist(&fixture, at.load(Ordering::SeqCst), false);
    };
    show();
    let content = fixture.content(&fixture.files.url("live.m3u8"), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let go_on = async {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            fixture.app.environment.advance(SignedDuration::from_secs(1));
            at.fetch_add(1, Ordering::SeqCst);
            show();
        }
    };
    let watched = async {
        let working = fixture.app.spawn_worker();
        wait_for_reasons(&fixture, &id, |reasons| reasons.len() >= 2).await;
        working.stop().await;
        let first = fixture.report(&id).await["face_check_results"][0].clone();
        fixture.app.execute(sql!("UPDATE moderations SET checkpoint = $1", b"junk".to_vec())).await;
        shown.store(1, Ordering::SeqCst);
        show();
        let working = fixture.app.spawn_worker();
        let reasons = wait_for_reasons(&fixture, &id, |reasons| reasons.len() >= 3).await;
        working.stop().await;
        assert_eq!(reasons, ["STARTED", "UNKNOWN_FACE", "UNKNOWN_FACE"]);
        let report = fixture.report(&id).await;
        let found = report["face_check_results"].as_array().unwrap();
        assert_eq!(found.len(), 2, "{report}");
        assert!(found.contains(&first), "the first is as it was: {first} {report}");
    };
    tokio::select! {
        () = go_on => {}
        () = watched => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_video_whose_playlist_ends_is_done_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let stream = LiveStream::of(&face_clip(5.0, &[]));
    stream.playlist(&fixture, 5, true);
    let content = fixture.content(&fixture.files.url("live.m3u8"), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let working = fixture.app.spawn_worker();
    let reasons = wait_for_reasons(&fixture, &id, |reasons| reasons.len() >= 3).await;
    assert_eq!(reasons, ["STARTED", "STOPPED", "DONE"]);
    working.stop().await;
    assert_eq!(fixture.moderation_state(&id).await["state"], "DONE");
}

#[tokio::test]
async fn a_live_video_that_waits_for_a_place_or_never_opens_is_told() {
    let fixture = AccountFixture::start_with_media().await;
    let stream = LiveStream::of(&face_clip(5.0, &[]));
    stream.playlist(&fixture, 5, false);
    let content = fixture.content(&fixture.files.url("live.m3u8"), "LIVE_VIDEO").await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let destinations = json!({ "notifications": { "web_destinations": [receiver.url("/told")] } });
    let id = fixture.start_moderation(&content, destinations).await;
    let moderations = &fixture.app.api.content_moderation;
    let sweep = async || moderations.sweep(SweepModerations {}).await.unwrap();
    sweep().await;
    assert_eq!(fixture.all_reasons(&id).await, Vec::<String>::new(), "it has only just begun to wait");
    fixture.app.environment.advance(SignedDuration::from_secs(31));
    sweep().await;
    sweep().await;
    assert_eq!(fixture.all_reasons(&id).await, ["WAITING"], "told once");

    // The stream is gone when its turn comes, and does not come back.
    fixture.files.remove("live.m3u8");
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.all_reasons(&id).await, ["WAITING", "FAILED"]);
    let told = fixture.deliver(&receiver, 2).await;
    // Both were waiting, and arrive in any order.
    let told: Vec<Value> = told.iter().map(|sent| serde_json::from_slice(&sent.body).unwrap()).collect();
    let failed = told.iter().find(|sent| sent["data"]["reasons"] == json!(["FAILED"])).expect("told");
    assert_eq!(failed["data"]["error"], fixture.moderation_state(&id).await["error"]);
    assert_eq!(failed["type"], "ACTION");
}

/// On PostgreSQL, where it would be told of a moderation that ended while the list of notifications was waited for.
#[tokio::test]
async fn a_live_video_that_is_stopped_meanwhile_is_not_told_as_waiting() {
    let fixture = AccountFixture::start_with_media().await;
    // So that there is a list of notifications.
    fixture.finished_moderation(json!({})).await;
    let stream = LiveStream::of(&face_clip(5.0, &[]));
    stream.playlist(&fixture, 5, false);
    let content = fixture.content(&fixture.files.url("live.m3u8"), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({})).await;
    fixture.app.environment.advance(SignedDuration::from_secs(31));
    let mut stopping = fixture.app.api.db.write().await.unwrap();
    let lock = sql!("UPDATE notification_lists SET gaps = gaps WHERE list_id = $1", fixture.account);
    stopping.execute(lock).await.unwrap();
    let (swept, ()) = tokio::join!(fixture.app.api.content_moderation.sweep(SweepModerations {}), async {
        fixture.app.wait_until_blocked(1).await;
        let id: Uuid = id.parse().unwrap();
        let stop = sql!("UPDATE moderations SET state = 'STOPPED' WHERE id = $1", id);
        stopping.execute(stop).await.unwrap();
        stopping.commit().await.unwrap();
    });
    swept.unwrap();
    assert_eq!(fixture.all_reasons(&id).await, [""; 0]);
}

/// Somebody may be banned, or seen better, while they are in view; nobody waits until they leave.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_who_is_banned_while_they_are_in_view_is_told() {
    let fixture = AccountFixture::start_with_media().await;
    let there = MovingFace { face: 6, during: (0.0, 60.0), x: "300".to_owned(), width: 420 };
    let stream = LiveStream::of(&face_clip(60.0, &[there]));
    stream.playlist(&fixture, 6, false);
    let profile = fixture.enrol("Ada", &testkit::face_pictures()[6]).await;
    let content = fixture.content(&fixture.files.url("live.m3u8"), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let go_on = async {
        let position = async || fixture.moderation_state(&id).await["position"].as_f64();
        for at in 7..60 {
            // As fast as they are looked at, however busy the machine is: seen too rarely, they would appear twice.
            let before = position().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            for _ in 0..40 {
                if position().await > before {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            fixture.app.environment.advance(SignedDuration::from_secs(1));
            stream.playlist(&fixture, at, false);
        }
        panic!("{:?} {}", fixture.all_reasons(&id).await, fixture.report(&id).await);
    };
    let watched = async {
        let working = fixture.app.spawn_worker();
        while fixture.report(&id).await["face_check_results"][0]["profile_id"] != profile {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(fixture.all_reasons(&id).await, ["STARTED"], "they are known");
        fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
        wait_for_reasons(&fixture, &id, |reasons| {
            reasons.last().is_some_and(|last| last == "BANNED_PROFILE")
        })
        .await;
        // The search of past findings may have told it before the video's own next look.
        while fixture.report(&id).await["face_check_results"][0]["is_banned"] != true {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let report = fixture.report(&id).await;
        assert_eq!(report["face_check_results"].as_array().unwrap().len(), 1, "one appearance: {report}");
        working.stop().await;
    };
    tokio::select! {
        () = go_on => {}
        () = watched => {}
    }
}
