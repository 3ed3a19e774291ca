//! Moderations of stored videos, from start to notifications.

use crate::content_moderation::AccountFixture;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use testkit::{
    media_fixtures::{MovingFace, face_clip, segments, slide_show},
    stub_server::{StubReply, StubServer},
};

fn shows(face: usize, from: f64, to: f64, x: &str) -> MovingFace {
    MovingFace { face, during: (from, to), x: x.to_owned(), width: 420 }
}

/// The appearances in a report: when, and of which profile.
fn appearances(report: &Value) -> Vec<(f64, Option<&str>)> {
    let faces = report["face_check_results"].as_array().unwrap().iter();
    faces.map(|face| (face["frame_time"].as_f64().unwrap(), face["profile_id"].as_str())).collect()
}

#[tokio::test]
async fn each_appearance_in_a_video_is_one_finding_and_one_notification_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let known = fixture.enrol_with_reference(&testkit::face_pictures()[6], "known").await;
    // One person is there throughout, another goes and comes back.
    let film = face_clip(
        10.0,
        &[shows(6, 0.0, 10.0, "40+20*t"), shows(8, 0.0, 3.0, "800-10*t"), shows(8, 7.0, 10.0, "700+10*t")],
    );
    let url = fixture.files.put("film.mp4", film);
    let id = fixture.moderate(&url, "VIDEO", json!({ "unknown_faces": true })).await;
    let state = fixture.moderation_state(&id).await;
    assert_eq!(state["state"], "DONE", "{state}");
    let report = fixture.report(&id).await;
    let found = appearances(&report);
    assert_eq!(found.iter().filter(|(_, whose)| *whose == Some(&known)).count(), 1, "{found:?}");
    let strangers: Vec<f64> =
        found.iter().filter(|(_, whose)| whose.is_none()).map(|(when, _)| *when).collect();
    assert_eq!(strangers.len(), 2, "{found:?}");
    assert!(strangers[0] <= 3.0 && strangers[1] >= 7.0, "{strangers:?}");
    assert_eq!(fixture.reasons(&id).await, ["UNKNOWN_FACE"; 2]);
    let position = fixture.moderation_state(&id).await["position"].as_f64().unwrap();
    assert!((9.0..10.5).contains(&position), "{position}");
}

#[tokio::test]
async fn a_banned_person_in_a_video_is_reported_and_a_video_without_faces_finds_none_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let banned = fixture.enrol_with_reference(&testkit::face_pictures()[6], "banned").await;
    fixture.call("POST", &format!("/profiles/{banned}/ban"), None).await;
    let url = fixture.files.put("film.mp4", face_clip(4.0, &[shows(6, 0.0, 4.0, "300+30*t")]));
    let id = fixture.moderate(&url, "VIDEO", json!({ "unknown_faces": true, "age_estimation": 100 })).await;
    assert_eq!(fixture.reasons(&id).await, ["BANNED_PROFILE"]);
    assert_eq!(fixture.report(&id).await["banned_faces"], true);

    let url = fixture.files.put("empty.mp4", face_clip(4.0, &[]));
    let id = fixture.moderate(&url, "VIDEO", json!({ "unknown_faces": true, "age_estimation": 100 })).await;
    let (state, report) = (fixture.moderation_state(&id).await, fixture.report(&id).await);
    assert_eq!((state["state"].as_str(), appearances(&report).len()), (Some("DONE"), 0));
    assert!(state["position"].as_f64().unwrap() >= 3.0, "it was looked at to its end: {state}");
    assert_eq!((report["unknown_faces"].as_bool(), report["age_groups"].clone()), (Some(false), json!([])));
}

#[tokio::test]
async fn somebody_on_slides_that_follow_each_other_is_one_appearance_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let banned = fixture.enrol_with_reference(&testkit::face_pictures()[6], "banned").await;
    fixture.call("POST", &format!("/profiles/{banned}/ban"), None).await;
    let url = fixture.files.put("slides.mp4", slide_show(&testkit::face_pictures()[6], 3, 3));
    let id = fixture.moderate(&url, "VIDEO", json!({ "unknown_faces": true })).await;
    let (state, report) = (fixture.moderation_state(&id).await, fixture.report(&id).await);
    assert_eq!(state["state"], "DONE", "{state}");
    assert_eq!(appearances(&report).len(), 1, "{report}");
    assert_eq!(fixture.reasons(&id).await, ["BANNED_PROFILE"]);
    let position = state["position"].as_f64().unwrap();
    assert!((8.0..9.1).contains(&position), "the last slide is shown until the end: {position}");
}

/// Each run that gets further has all attempts.
#[tokio::test]
async fn a_source_that_breaks_off_again_and_again_is_looked_at_to_its_end_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let film = segments(&face_clip(16.0, &[shows(6, 0.0, 16.0, "300")]));
    let mut playlist =
        "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n".to_owned();
    for number in 0..film.len() {
        playlist.extend(["#EXTINF:1.0,\ns", &number.to_string(), ".ts\n"]);
    }
    playlist += "#EXT-X-ENDLIST\n";
    // It breaks off before each further eighth of the film, once.
    let there = Arc::new(AtomicUsize::new(6));
    let counted = there.clone();
    let server = StubServer::start(move |request| {
        let name = request.uri.path().strip_prefix("/s").and_then(|rest| rest.strip_suffix(".ts"));
        let Some(number) = name.and_then(|number| number.parse::<usize>().ok()) else {
            return StubReply::body("application/vnd.apple.mpegurl", playlist.clone());
        };
        if number < counted.load(Ordering::SeqCst) {
            return StubReply::body("video/mp2t", film[number].clone());
        }
        counted.fetch_add(2, Ordering::SeqCst);
        StubReply::status(503)
    })
    .await;
    let id = fixture.moderate(&server.url("/film.m3u8"), "VIDEO", json!({ "unknown_faces": true })).await;
    let state = fixture.moderation_state(&id).await;
    assert_eq!(state["state"], "DONE", "{state}");
    assert!(there.load(Ordering::SeqCst) >= 16, "it broke off at least five times");
    assert!(state["position"].as_f64().unwrap() > 14.0, "{state}");
    assert_eq!(fixture.reasons(&id).await, ["UNKNOWN_FACE"]);
}

/// A run that is interrupted repeatedly continues where it was, and notifies about everything once.
#[tokio::test]
async fn a_moderation_interrupted_in_the_middle_repeats_nothing() {
    let fixture = AccountFixture::start_with_media().await;
    let seconds = 40.0;
    // A new appearance every four seconds, of two people in turn.
    let parts: Vec<MovingFace> = (0..10)
        .map(|at| {
            shows(if at % 2 == 0 { 6 } else { 8 }, f64::from(at) * 4.0, f64::from(at) * 4.0 + 2.0, "200+10*t")
        })
        .collect();
    let url = fixture.files.put("film.mp4", face_clip(seconds, &parts));
    let content = fixture.content(&url, "VIDEO").await;
    let whole = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    fixture.app.run_due_jobs().await;
    let expected = fixture.report(&whole).await;
    assert_eq!(appearances(&expected).len(), 10, "{expected}");

    let broken = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let mut interruptions = 0;
    while fixture.moderation_state(&broken).await["state"] != "DONE" {
        // The process disappears in the middle; what it left running has lost its lease, and must not count any more.
        let reported_before = fixture.reasons(&broken).await.len();
        let working = fixture.app.spawn_worker();
        while fixture.moderation_state(&broken).await["state"] != "DONE"
            && fixture.reasons(&broken).await.len() == reported_before
        {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        working.abandon();
        fixture.app.environment.advance(base::SignedDuration::from_secs(400));
        interruptions += 1;
    }
    assert!(interruptions >= 3, "{interruptions}");
    let found = fixture.report(&broken).await;
    assert_eq!(
        appearances(&found).len(),
        10,
        "after {interruptions} interruptions: {:?}",
        appearances(&found)
    );
    assert_eq!(fixture.reasons(&broken).await.len(), 10);
}

#[tokio::test]
async fn a_video_whose_time_is_over_fails_and_what_it_found_stays() {
    let fixture = AccountFixture::start_with_media().await;
    let parts: Vec<MovingFace> = (0..5)
        .map(|at| {
            shows(if at % 2 == 0 { 6 } else { 8 }, f64::from(at) * 4.0, f64::from(at) * 4.0 + 2.0, "200+10*t")
        })
        .collect();
    let url = fixture.files.put("film.mp4", face_clip(20.0, &parts));
    let content = fixture.content(&url, "VIDEO").await;
    let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let working = fixture.app.spawn_worker();
    while fixture.reasons(&id).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    working.abandon();
    let found = fixture.reasons(&id).await.len();
    assert!((1..5).contains(&found), "{found}");
    // Turns of others, restarts, whatever it was: a day has gone by since its first run.
    fixture.app.environment.advance(base::SignedDuration::from_hours(25));
    fixture.app.run_due_jobs().await;
    let state = fixture.moderation_state(&id).await;
    assert_eq!(state["state"], "FAILED", "{state}");
    assert_eq!(state["error"]["code"], "CONTENT_TAKES_TOO_LONG");
    assert!(
        state["error"]["message"].as_str().unwrap().contains("at most 86400 are spent on one"),
        "{state}"
    );
    // What was found stays, with the appearance that was open then; the rest is not looked at.
    let kept = fixture.reasons(&id).await.len();
    assert!((found..=found + 1).contains(&kept), "{found}, then {kept}");
}

/// As far as it was looked at, whenever that was written last.
#[tokio::test]
async fn a_video_that_fails_in_the_middle_says_how_far_it_was_looked_at() {
    let fixture = AccountFixture::start_with_media().await;
    let film = segments(&face_clip(8.0, &[]));
    let names = (0..film.len()).map(|number| format!("#EXTINF:1.0,\ns{number}.ts\n"));
    let playlist = format!(
        "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n{}#EXT-X-ENDLIST\n",
        names.collect::<String>()
    );
    let server = StubServer::start(move |request| {
        let name = request.uri.path().strip_prefix("/s").and_then(|rest| rest.strip_suffix(".ts"));
        match name.and_then(|number| number.parse::<usize>().ok()) {
            None => StubReply::body("application/vnd.apple.mpegurl", playlist.clone()),
            Some(number) if number < 5 => StubReply::body("video/mp2t", film[number].clone()),
            Some(_) => StubReply::status(403),
        }
    })
    .await;
    let id = fixture.moderate(&server.url("/film.m3u8"), "VIDEO", json!({})).await;
    let state = fixture.moderation_state(&id).await;
    assert_eq!((&state["state"], &state["error"]["code"]), (&json!("FAILED"), &json!("CONTENT_UNREACHABLE")));
    assert!(state["position"].as_f64().unwrap() > 2.0, "{state}");
}
