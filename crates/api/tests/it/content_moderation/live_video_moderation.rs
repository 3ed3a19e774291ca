//! Moderations of live video.

use crate::content_moderation::AccountFixture;
use base::SignedDuration;
use domain::content_moderation::SweepModerations;
use serde_json::{Value, json};
use std::{process::Command, time::Duration};
use testkit::{
    media_fixtures::{MovingFace, face_clip},
    stub_server::{StubReply, StubServer},
};

/// A live HLS stream: segments of one second of a clip, in a window that moves on.
struct LiveStream {
    segments: Vec<Vec<u8>>,
}

impl LiveStream {
    fn of(film: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("film.mp4"), folder.path().join("s%03d.ts"));
        std::fs::write(&file, film).unwrap();
        let cut = Command::new("ffmpeg")
            .args(["-v", "error", "-i"])
            .arg(&file)
            .args(["-c", "copy", "-f", "segment", "-segment_time", "1", "-break_non_keyframes", "0"])
            .arg(&out)
            .status();
        assert!(cut.unwrap().success());
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.retain(|name| name.extension().is_some_and(|end| end == "ts"));
        names.sort();
        Self { segments: names.iter().map(|name| std::fs::read(name).unwrap()).collect() }
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

    let at = std::sync::atomic::AtomicUsize::new(6);
    let go_on = async {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            fixture.app.environment.advance(SignedDuration::from_secs(1));
            let at = at.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
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
