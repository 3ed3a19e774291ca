//! `PUT /idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}`

use crate::document_verification::{BASE, DocumentSessionFixture, check, sub_check};
use domain::image_analysis::sample_faces;
use serde_json::{Value, json};
use testkit::{
    TestApp,
    composite_scene::CompositeScene,
    head_model::{HeadModel, HeadStance, PhotoSurface, stance_path},
};
use vision::VisionModels;

#[tokio::test]
async fn a_zoom_frame_is_put() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "ZOOM" } }] }),
    )
    .await;
    let resource = session.add_liveness_capture(&app, "zoom").await;
    let put = async |frame: &str| {
        session.upload(&app, "PUT", &format!("{resource}/frames/{frame}"), testkit::face_jpeg()).await
    };
    let missing = put("first").await;
    assert_eq!(missing.status_and_code(), "404 RESOURCE_NOT_FOUND");
    assert_eq!(missing.json()["message"], "there is no such frame");
    assert_response_snapshot!(put("1").await);
}

/// What is before the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FilmedFace {
    Head,
    Surface(PhotoSurface),
}

/// Seven frames of a face that goes through these stances.
pub(super) fn zoom_frames(filmed: FilmedFace, stances: &[HeadStance]) -> Vec<Vec<u8>> {
    let person = &testkit::face_pictures()[6];
    let found = VisionModels::load(&testkit::pack()).unwrap().detect_tiled(person, 40.0).unwrap();
    let face = found.first().unwrap();
    let surface = match filmed {
        FilmedFace::Head => PhotoSurface::Head,
        FilmedFace::Surface(surface) => surface,
    };
    let model = HeadModel::new(person, [face.left, face.top, face.right, face.bottom], surface);
    let room = CompositeScene::draw(480, 640, 3, 3.0).picture();
    let way = stance_path(stances, 6);
    way[5..].iter().map(|stance| sample_faces::encode_jpeg(&model.render(*stance, &room), 92)).collect()
}

/// The liveness check of a face in seven frames, which ends in this stance.
async fn zoom_session(app: &TestApp, ends: HeadStance) -> (DocumentSessionFixture, Value) {
    let payload = json!({
        "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "ZOOM", "max_retries": 0 } }],
    });
    let session = DocumentSessionFixture::create(app, BASE, &payload).await;
    let resource = session.add_liveness_capture(app, "zoom").await;
    for (at, frame) in zoom_frames(FilmedFace::Head, &[HeadStance::default(), ends]).iter().enumerate() {
        let put = session.upload(app, "PUT", &format!("{resource}/frames/{}", at + 1), frame).await;
        assert_eq!(put.status_and_code(), "200", "{}", put.json());
    }
    session.finish(app).await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    assert_eq!(read["state"], "COMPLETED");
    (session, read)
}

/// The first word of a detail in a zoom's check.
pub(super) fn detail(read: &Value, name: &str) -> String {
    let details = sub_check(check(read, "LIVENESS"), "liveness_auth")["details"].as_array().unwrap().clone();
    let found = details.iter().find(|detail| detail["name"] == name).unwrap_or_else(|| panic!("{details:?}"));
    found["value"].as_str().unwrap().split(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_face_that_comes_nearer_is_distinguished_from_one_that_stays_and_one_that_turns_on_sqlite() {
    let app = TestApp::start().await;
    let (session, read) = zoom_session(&app, HeadStance { distance: 2.6, ..HeadStance::default() }).await;
    let grown: f32 = detail(&read, "grown").parse().unwrap();
    assert!((1.2..2.0).contains(&grown), "{grown}");
    assert_eq!(detail(&read, "steady"), "true");
    assert!(detail(&read, "turned_aside").parse::<f32>().unwrap() < 18.0);
    // The map of the face's points: one entry for each frame, and the first frames are kept.
    let capture = &read["resources"]["liveness_capture"][0];
    let map = session.media(&app, &capture["facemap"]["media"]).await.json();
    assert_eq!(map["frames"].as_array().map(Vec::len), Some(7), "{map}");
    assert!(capture["frames"].as_array().unwrap()[..3].iter().all(|frame| frame["media"].is_object()));

    let (_, read) = zoom_session(&app, HeadStance { distance: 3.9, ..HeadStance::default() }).await;
    assert_eq!(check(&read, "LIVENESS")["report"]["recommendation"]["value"], "REJECT");
    assert!(detail(&read, "grown").parse::<f32>().unwrap() < 1.2);
    let (_, read) = zoom_session(&app, HeadStance { distance: 2.8, yaw: 0.6, ..HeadStance::default() }).await;
    assert_eq!(check(&read, "LIVENESS")["report"]["recommendation"]["value"], "REJECT");
    assert!(detail(&read, "turned_aside").parse::<f32>().unwrap() > 18.0);
}
