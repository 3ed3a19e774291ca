//! Media that cannot be moderated: the reason is understandable, and the next moderation is unharmed.

use crate::content_moderation::AccountFixture;
use serde_json::json;
use testkit::media_fixtures::{MovingFace, face_clip, png};

#[tokio::test]
async fn each_unusable_file_fails_with_a_reason_and_the_next_is_unharmed_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let film = face_clip(3.0, &[MovingFace { face: 6, during: (0.0, 3.0), x: "300".to_owned(), width: 420 }]);
    let picture = png(&testkit::face_pictures()[6]);
    let mut noise = vec![0_u8; 200_000];
    base::Environment::fill_random(&*fixture.app.environment, &mut noise);
    for (name, kind, bytes) in [
        ("empty-looking.mp4", "VIDEO", b"no video at all".to_vec()),
        ("noise.mp4", "VIDEO", noise.clone()),
        ("noise.png", "IMAGE", noise),
        ("cut.mp4", "VIDEO", film[..film.len() / 50].to_vec()),
        ("cut.png", "IMAGE", picture[..picture.len() / 3].to_vec()),
        ("text.jpg", "IMAGE", b"<html>not a picture</html>".to_vec()),
        ("inside.m3u8", "VIDEO", b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/s.ts\n#EXT-X-ENDLIST\n".to_vec()),
        ("file.m3u8", "VIDEO", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n".to_vec()),
    ] {
        let url = fixture.files.put(name, bytes);
        let id = fixture.moderate(&url, kind, json!({ "unknown_faces": true })).await;
        let state = fixture.moderation_state(&id).await;
        assert_eq!(state["state"], "FAILED", "{name}: {state}");
        let (code, message) = (&state["error"]["code"], state["error"]["message"].as_str().unwrap());
        assert!(code.as_str().unwrap().len() > 5 && message.len() > 20, "{name}: {state}");
        for inside in ["/etc", "passwd", "127.0.0.1", "ffmpeg", "panicked"] {
            assert!(!message.contains(inside), "{name}: {message}");
        }
    }
    // A picture with the wrong name is still a picture, and so is a film.
    for (name, kind, bytes) in [("picture.mp4", "IMAGE", picture), ("film.jpg", "VIDEO", film)] {
        let url = fixture.files.put(name, bytes);
        let id = fixture.moderate(&url, kind, json!({ "unknown_faces": true })).await;
        assert_eq!(fixture.moderation_state(&id).await["state"], "DONE", "{name}");
        assert_eq!(fixture.reasons(&id).await, ["UNKNOWN_FACE"], "{name}");
    }
}

#[tokio::test]
async fn a_content_that_disappears_before_its_moderation_is_tried_again_and_then_fails() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("here.png", png(&testkit::face_pictures()[6]));
    let content = fixture.content(&url, "IMAGE").await;
    let id = fixture.start_moderation(&content, json!({})).await;
    fixture.files.remove("here.png");
    fixture.app.run_due_jobs().await;
    let state = fixture.moderation_state(&id).await;
    assert_eq!(state["state"], "FAILED", "{state}");
    assert!(state["error"]["message"].as_str().unwrap().contains("404"), "{state}");
}

#[tokio::test]
async fn an_image_that_is_too_large_is_refused_when_its_moderation_is_asked_for() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("huge.png", vec![0; 50_000_001]);
    for (kind, expected) in [("IMAGE", "422 CONTENT_UNREACHABLE"), ("VIDEO", "201")] {
        let content = fixture.content(&url, kind).await;
        let answer = fixture.call("POST", "/moderations", Some(json!({ "content_id": content }))).await;
        assert_eq!(answer.status_and_code(), expected, "{kind}: {}", answer.json());
        if kind == "IMAGE" {
            assert!(answer.json()["message"].as_str().unwrap().contains("50000000"), "{}", answer.json());
        }
    }
}
