//! Moderations of live video from cameras, by RTSP.

use crate::content_moderation::{AccountFixture, first_error};
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{
    TestApp, face_pictures,
    media_fixtures::{MovingFace, face_clip},
    rtsp_server::{Camera, CameraBehaviour},
    stub_server,
};

async fn wait_for(fixture: &AccountFixture, id: &str, done: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..1200 {
        let state = fixture.moderation_state(id).await;
        if done(&state) {
            return state;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{} {:?}", fixture.moderation_state(id).await, fixture.all_reasons(id).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_face_is_found_by_a_camera() {
    let fixture = AccountFixture::start_with_media().await;
    let profile = fixture.enrol("Alice", &face_pictures()[6]).await;
    fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    let there = MovingFace { face: 6, during: (0.0, 12.0), x: "300+20*t".to_owned(), width: 420 };
    let camera = Camera::start(CameraBehaviour::plays(&face_clip(12.0, &[there]))).await;
    let content = fixture.content(&camera.url(), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({})).await;
    let working = fixture.app.spawn_worker();
    for _ in 0..600 {
        if fixture.all_reasons(&id).await.len() >= 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(fixture.all_reasons(&id).await, ["STARTED", "BANNED_PROFILE"], "{:?}", camera.requests());
    fixture.call("POST", &format!("/moderations/{id}/stop"), None).await;
    wait_for(&fixture, &id, |state| state["state"] == "STOPPED").await;
    working.stop().await;
    let asked = camera.requests();
    assert!(asked.contains(&format!("DESCRIBE {} RTSP/1.0", camera.url())), "{asked:?}");
    let track = camera.url().replace("/live?channel=1", "/live/track1");
    assert!(asked.contains(&format!("SETUP {track} RTSP/1.0")), "{asked:?}");
}

#[tokio::test]
async fn addresses_of_cameras_are_checked_like_others() {
    let fixture = AccountFixture::start().await;
    for (url, content_type, words) in [
        ("rtsp://192.168.0.7/live", "LIVE_VIDEO", "not on the public internet"),
        ("rtsp://127.0.0.1:8554/live", "LIVE_VIDEO", "not on the public internet"),
        ("rtsp://0x7f.1/live", "LIVE_VIDEO", "not on the public internet"),
        ("rtsps://[fd00::1]/live", "LIVE_VIDEO", "not on the public internet"),
        ("rtsp://camera.local/live", "LIVE_VIDEO", "not on the public internet"),
        ("rtsp://camera.example.com:22/live", "LIVE_VIDEO", "port"),
        ("rtsp://a:b@camera.example.com/live", "LIVE_VIDEO", "user name"),
        ("rtsp://camera.example.com/live", "VIDEO", "only a live video"),
        ("rtsp://camera.example.com/live", "IMAGE", "only a live video"),
    ] {
        let answer =
            fixture.call("POST", "/contents", Some(json!({ "url": url, "type": content_type }))).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST", "{url}");
        let error = first_error(&answer);
        assert!(
            error["property"] == "url" && error["message"].as_str().unwrap().contains(words),
            "{url}: {error}"
        );
    }
    let body = json!({ "url": "rtsps://camera.example.com/live", "type": "LIVE_VIDEO" });
    fixture.create("/contents", body).await;
}

#[tokio::test]
async fn a_camera_that_does_not_answer_or_leads_elsewhere_is_unreachable_on_sqlite() {
    let fixture = AccountFixture::of(
        TestApp::start_with_egress(&stub_server::egress_policy(), testkit::proof_settings()).await,
    )
    .await;
    for behaviour in [
        CameraBehaviour::Redirects("rtsp://10.0.0.1/".to_owned()),
        CameraBehaviour::EndlessHeaders,
        CameraBehaviour::HugeFrames,
        CameraBehaviour::Silent,
    ] {
        let camera = Camera::start(behaviour.clone()).await;
        let content = fixture.content(&camera.url(), "LIVE_VIDEO").await;
        let answer = fixture.call("POST", "/moderations", Some(json!({ "content_id": content }))).await;
        assert_eq!(answer.status_and_code(), "422 CONTENT_UNREACHABLE", "{behaviour:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_camera_that_speaks_tls_is_watched_and_its_certificate_is_verified_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let there = MovingFace { face: 6, during: (0.0, 6.0), x: "300".to_owned(), width: 420 };
    let camera = Camera::start_tls(CameraBehaviour::plays(&face_clip(6.0, &[there]))).await;
    let content = fixture.content(&camera.url(), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let working = fixture.app.spawn_worker();
    for _ in 0..600 {
        if fixture.all_reasons(&id).await.len() >= 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(fixture.all_reasons(&id).await[..2], ["STARTED", "UNKNOWN_FACE"], "{:?}", camera.requests());
    fixture.call("POST", &format!("/moderations/{id}/stop"), None).await;
    wait_for(&fixture, &id, |state| state["state"] == "STOPPED").await;
    working.stop().await;

    let policy = EgressPolicy { roots: Vec::new(), ..stub_server::egress_policy() };
    let wary = AccountFixture::of(TestApp::start_with_egress(&policy, testkit::proof_settings()).await).await;
    let content = wary.content(&camera.url(), "LIVE_VIDEO").await;
    let answer = wary.call("POST", "/moderations", Some(json!({ "content_id": content }))).await;
    assert_eq!(answer.status_and_code(), "422 CONTENT_UNREACHABLE", "nobody vouches for it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_camera_is_watched_with_its_password_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let there = MovingFace { face: 6, during: (0.0, 6.0), x: "300".to_owned(), width: 420 };
    let film = CameraBehaviour::film(&face_clip(6.0, &[there]));
    let guarded = |basic| CameraBehaviour::Guarded {
        film: film.clone(),
        username: "watch",
        password: "pass \"word\" ä",
        basic,
    };
    let (digest, basic) = (Camera::start(guarded(false)).await, Camera::start(guarded(true)).await);
    let encrypted = Camera::start_tls(guarded(true)).await;
    let password = "pass \"word\" ä";
    let working = fixture.app.spawn_worker();
    for (camera, password, ends) in [
        (&digest, password, None),
        (&encrypted, password, None),
        (&digest, "wrong", Some(("CONTENT_UNREACHABLE", "401"))),
        (&basic, password, Some(("CONTENT_UNRELIABLE", "clear text"))),
    ] {
        let body = json!({
            "url": camera.url(), "type": "LIVE_VIDEO", "credentials": { "username": "watch", "password": password },
        });
        let content = fixture.create("/contents", body).await;
        let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
        if let Some((code, words)) = ends {
            let state = wait_for(&fixture, &id, |state| state["state"] == "FAILED").await;
            let said = state["error"]["message"].as_str().unwrap();
            assert!(state["error"]["code"] == code && said.contains(words), "{state}");
            assert!(!state.to_string().contains("watch"), "{state}");
            continue;
        }
        for _ in 0..600 {
            if fixture.all_reasons(&id).await.len() >= 2 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let reasons = fixture.all_reasons(&id).await;
        assert_eq!(reasons[..2], ["STARTED", "UNKNOWN_FACE"], "{:?}", camera.requests());
        fixture.call("POST", &format!("/moderations/{id}/stop"), None).await;
        wait_for(&fixture, &id, |state| state["state"] == "STOPPED").await;
        let shown = fixture.get(&format!("/contents/{content}")).await;
        assert!(shown.get("credentials").is_none() && !shown.to_string().contains("watch"), "{shown}");
    }
    working.stop().await;
}

#[tokio::test]
async fn credentials_are_a_cameras_and_bounded() {
    let fixture = AccountFixture::start().await;
    let rtsp = "rtsps://camera.example.com/live";
    for (url, content_type, credentials, path) in [
        (
            "https://a.example.com/1.m3u8",
            "LIVE_VIDEO",
            json!({ "username": "a", "password": "b" }),
            "credentials",
        ),
        (rtsp, "LIVE_VIDEO", json!({ "username": "", "password": "b" }), "credentials.username"),
        (rtsp, "LIVE_VIDEO", json!({ "username": "a:b", "password": "b" }), "credentials.username"),
        (rtsp, "LIVE_VIDEO", json!({ "username": "a", "password": "b\r\nc" }), "credentials.password"),
        (rtsp, "LIVE_VIDEO", json!({ "username": "a", "password": "b".repeat(256) }), "credentials.password"),
    ] {
        let body = json!({ "url": url, "type": content_type, "credentials": credentials });
        let answer = fixture.call("POST", "/contents", Some(body)).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST", "{credentials}");
        assert_eq!(first_error(&answer)["property"], path, "{credentials}");
    }
    for credentials in [json!("a:b"), json!(["a", "b"]), json!({ "username": "a" })] {
        let body = json!({ "url": rtsp, "type": "LIVE_VIDEO", "credentials": credentials });
        let answer = fixture.call("POST", "/contents", Some(body)).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST", "{credentials}");
    }
    let with_more = json!({ "username": "a", "password": "b", "realm": "c" });
    let body = json!({ "url": rtsp, "type": "LIVE_VIDEO", "credentials": with_more });
    let answer = fixture.call("POST", "/contents", Some(body)).await;
    assert_eq!(answer.status_and_code(), "201", "members that are unknown are ignored: {}", answer.json());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_camera_that_demands_a_password_fails_its_moderation() {
    let fixture = AccountFixture::start_with_media().await;
    let camera = Camera::start(CameraBehaviour::Locked).await;
    let content = fixture.content(&camera.url(), "LIVE_VIDEO").await;
    let id = fixture.start_moderation(&content, json!({})).await;
    let working = fixture.app.spawn_worker();
    let state = wait_for(&fixture, &id, |state| state["state"] == "FAILED").await;
    working.stop().await;
    assert_eq!(state["error"]["code"], "CONTENT_UNREACHABLE", "{state}");
    assert!(state["error"]["message"].as_str().unwrap().contains("401"), "{state}");
}
