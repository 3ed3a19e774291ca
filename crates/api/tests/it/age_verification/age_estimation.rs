//! Age estimation from a photo.

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, captured_photo, relying_party_call};
use domain::image_analysis::sample_faces;
use serde_json::json;
use testkit::{
    TestApp, face_base64,
    spoof::{DataHalf, FaceBox, PresentationSpecies, SourcePortrait, shoot},
};

#[tokio::test]
async fn a_face_proves_an_age() {
    let app = TestApp::start().await;
    let payload = json!({ "type": "AGE", "age_estimation": { "level": "NONE" }, "reference_id": "r" });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let refused =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "AGE_ESTIMATION" }))).await;
    assert_eq!(refused.status_and_code(), "409 CONSENT_REQUIRED");
    let view = session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": true }))).await;
    assert_eq!(view.json()["consent"], json!({ "required": true, "given": true, "may_give": true }));

    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    assert_eq!(opened.step()["kind"], "camera");
    assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
    let path = format!("{BASE}/sessions/{}", session.id);
    let gone = relying_party_call(&app, &session.key, "GET", &path, None).await;
    assert_eq!(gone.status_and_code(), "410 SESSION_NOT_PENDING");

    // A photo without a proof of capture is not analysed.
    let bare = session.take_turn(&app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(bare.0["problem"]["code"], "TRY_AGAIN");
    let ended = session.take_turn(&app, &bare, captured_photo(&app, &session).await).await;
    assert_eq!((ended.status(), ended.step()), ("COMPLETE", &json!(null)), "{}", ended.0);
    let result = session.result(&app).await;
    assert_eq!((&result["status"], &result["method"]), (&json!("COMPLETE"), &json!("AGE_ESTIMATION")));
    assert!(result["age"].as_i64().is_some_and(|age| (15..60).contains(&age)), "{result}");
    assert_eq!(result["biometric_consent_given_at"], "2026-01-16T14:40:00Z");
    assert_eq!(result["age_estimation"]["attempts"], 1);
    assert_eq!(ended.0["session"]["result"]["status"], "COMPLETE");
}

#[tokio::test]
async fn an_estimate_is_compared_with_the_threshold() {
    let app = TestApp::start().await;
    let consented = json!({ "block_biometric_consent": true, "type": "AGE", "age_estimation": {} });
    let session = AgeSessionFixture::create(&app, BASE, &consented).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    session.take_turn(&app, &opened, captured_photo(&app, &session).await).await;
    let age = session.result(&app).await["age"].as_i64().unwrap();

    for (kind, threshold, second, status, reason) in [
        ("OVER", age, false, "COMPLETE", ""),
        ("OVER", age + 1, false, "FAIL", "UNDER_AGE"),
        ("OVER", age + 1, true, "IN_PROGRESS", "UNDER_AGE"),
        ("UNDER", age + 1, false, "COMPLETE", ""),
        ("UNDER", age, false, "FAIL", "OVER_AGE"),
        ("UNDER", age, true, "IN_PROGRESS", "OVER_AGE"),
    ] {
        let mut payload = json!({
            "type": kind, "block_biometric_consent": true, "age_estimation": { "threshold": threshold },
        });
        if second {
            payload["doc_scan"] = json!({});
        }
        let session = AgeSessionFixture::create(&app, BASE, &payload).await;
        let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
        let ended = session.take_turn(&app, &opened, captured_photo(&app, &session).await).await;
        assert_eq!((ended.status(), ended.reason()), (status, reason), "{kind} {threshold}");
        assert!(session.result(&app).await["age_estimation"].get("confidence").is_none());
    }
}

#[tokio::test]
async fn with_a_confidence_an_estimate_near_the_threshold_is_uncertain_and_the_next_method_is_offered() {
    let app = TestApp::start().await;
    // It does not matter whose photo this is: a threshold at the estimate itself is near it.
    let block_consent = json!({ "block_biometric_consent": true, "type": "AGE", "age_estimation": {} });
    let session = AgeSessionFixture::create(&app, BASE, &block_consent).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    session.take_turn(&app, &opened, captured_photo(&app, &session).await).await;
    let age = session.result(&app).await["age"].as_i64().unwrap();

    let payload = json!({ "block_biometric_consent": true, "age_estimation": { "threshold": age, "confidence": 0.95 }, "doc_scan": {} });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let undecided = session.take_turn(&app, &opened, captured_photo(&app, &session).await).await;
    assert_eq!(undecided.status(), "IN_PROGRESS");
    assert_eq!(undecided.0["session"]["result"]["reason"], "AGE_UNCERTAIN");
    let states: Vec<_> = undecided.0["session"]["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["state"].clone())
        .collect();
    assert_eq!(states, [json!("EXHAUSTED"), json!("OPEN")]);
    let again =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "AGE_ESTIMATION" }))).await;
    assert_eq!(again.status_and_code(), "409 INVALID_STATUS");

    // Without another method, the session fails.
    let payload = json!({ "block_biometric_consent": true, "age_estimation": { "threshold": age, "confidence": 0.95 } });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    assert_eq!(session.result(&app).await["age_estimation"]["confidence"], 0.95);
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    assert_eq!(session.take_turn(&app, &opened, captured_photo(&app, &session).await).await.status(), "FAIL");

    // Far from the threshold, the estimate passes or fails.
    for (kind, threshold, status) in
        [("OVER", 3, "COMPLETE"), ("OVER", 90, "FAIL"), ("UNDER", 90, "COMPLETE"), ("UNDER", 3, "FAIL")]
    {
        let payload = json!({
            "type": kind, "block_biometric_consent": true, "age_estimation": { "threshold": threshold, "confidence": 0.95 },
            "doc_scan": {},
        });
        let session = AgeSessionFixture::create(&app, BASE, &payload).await;
        let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
        let ended = session.take_turn(&app, &opened, captured_photo(&app, &session).await).await;
        assert_eq!(ended.status(), status, "{kind} {threshold}");
        assert_eq!(session.result(&app).await["age"], threshold);
        let refused =
            session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "DOC_SCAN" }))).await;
        assert_eq!(refused.status_and_code(), "409 INVALID_STATUS", "without resume it is over");
    }
}

#[tokio::test]
async fn liveness_is_judged_on_images_within_the_strict_limits_alone() {
    let app = TestApp::start().await;
    let picture = &testkit::face_pictures()[6];
    // A third of the light: enough to find the face, too little to judge it.
    let dim: Vec<u8> = picture.rgb().iter().map(|value| value / 5).collect();
    let dim = base::Picture::new(picture.width(), picture.height(), dim).unwrap();
    let bright: Vec<u8> = picture.rgb().iter().map(|value| 255 - (255 - value) / 8).collect();
    let bright = base::Picture::new(picture.width(), picture.height(), bright).unwrap();
    for (image, level, problem) in [
        (sample_faces::encode_jpeg(&dim, 100), "PASSIVE", json!("TOO_DARK")),
        (sample_faces::encode_jpeg(&bright, 100), "PASSIVE", json!("TOO_BRIGHT")),
        (sample_faces::encode_jpeg(picture, 80), "PASSIVE", json!("UNUSABLE_IMAGE")),
        (sample_faces::encode_jpeg(picture, 80), "NONE", json!(null)),
    ] {
        let payload =
            json!({ "type": "AGE", "block_biometric_consent": true, "age_estimation": { "level": level } });
        let session = AgeSessionFixture::create(&app, BASE, &payload).await;
        let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
        let sent =
            json!({ "img": api::base64(&image), "secure": session.capture(&app, &image, false).await });
        let turn = session.take_turn(&app, &opened, sent).await;
        assert_eq!(turn.0["problem"].get("code").unwrap_or(&json!(null)), &problem, "{level}");
    }
}

#[tokio::test]
async fn an_estimate_of_the_sandbox_is_judged_like_any_other() {
    let app = TestApp::start().await;
    for (kind, block, second, status, reason) in [
        ("OVER", json!({ "threshold": 30 }), true, "COMPLETE", ""),
        ("OVER", json!({ "threshold": 35 }), true, "IN_PROGRESS", "UNDER_AGE"),
        ("OVER", json!({ "threshold": 35 }), false, "FAIL", "UNDER_AGE"),
        ("UNDER", json!({ "threshold": 18 }), true, "IN_PROGRESS", "OVER_AGE"),
        ("AGE", json!({}), true, "COMPLETE", ""),
        ("OVER", json!({ "threshold": 25, "confidence": 0.95 }), true, "COMPLETE", ""),
        ("OVER", json!({ "threshold": 30, "confidence": 0.95 }), true, "IN_PROGRESS", "AGE_UNCERTAIN"),
        ("OVER", json!({ "threshold": 35, "confidence": 0.95 }), true, "FAIL", "UNDER_AGE"),
    ] {
        let mut payload = json!({ "type": kind, "block_biometric_consent": true, "age_estimation": block });
        if second {
            payload["doc_scan"] = json!({});
        }
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
        let ended = session.take_turn(&app, &opened, json!({ "img": face_base64() })).await;
        assert_eq!((ended.status(), ended.reason()), (status, reason), "{payload}");
        let age = if kind == "AGE" { json!(30) } else { payload["age_estimation"]["threshold"].clone() };
        assert_eq!(session.result(&app).await["age"], age, "{payload}");
    }
}

#[tokio::test]
async fn a_print_of_a_face_proves_no_age_if_a_live_one_is_required_on_sqlite() {
    let app = TestApp::start().await;
    let picture = testkit::face_pictures()[6].clone();
    let live = sample_faces::encode_jpeg(&picture, 96);
    let face = FaceBox { left: 209.0, top: 249.0, right: 511.0, bottom: 551.0 };
    let portrait = SourcePortrait { name: "face6".to_owned(), picture, face };
    let shot = shoot(&portrait, PresentationSpecies::HalftoneCoarse, DataHalf::Report, 7).unwrap();
    let print = sample_faces::encode_jpeg(&shot.picture, 98);
    for (image, level, came, reason) in [
        (&live, "PASSIVE", "COMPLETE", ""),
        (&print, "NONE", "COMPLETE", ""),
        (&print, "PASSIVE", "IN_PROGRESS", "LIVENESS_NOT_PROVEN"),
    ] {
        let payload = json!({
            "type": "AGE", "block_biometric_consent": true, "age_estimation": { "level": level }, "doc_scan": {},
        });
        let session = AgeSessionFixture::create(&app, BASE, &payload).await;
        let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
        assert_eq!((&opened.step()["kind"], &opened.step()["level"]), (&json!("camera"), &json!(level)));
        let sent = json!({ "img": api::base64(image), "secure": session.capture(&app, image, false).await });
        let ended = session.take_turn(&app, &opened, sent).await;
        assert_eq!((ended.status(), ended.reason()), (came, reason), "{level}");
        assert_eq!(
            session.result(&app).await["age"].is_i64(),
            came == "COMPLETE",
            "what failed names no age"
        );
    }
}
