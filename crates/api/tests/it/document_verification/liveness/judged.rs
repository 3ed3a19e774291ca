//! A live face is judged while the person is there and can show it again.

use super::put_zoom_frame::{FilmedFace, detail, zoom_frames};
use crate::document_verification::{BASE, DocumentSessionFixture, check};
use domain::image_analysis::sample_faces;
use serde_json::{Value, json};
use testkit::{
    TestApp,
    head_model::{HeadStance, PhotoSurface},
};

/// A session that asks for a live face, with so many retries.
async fn session(app: &TestApp, kind: &str, max_retries: i64) -> DocumentSessionFixture {
    let payload = json!({
        "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": kind, "max_retries": max_retries } }],
    });
    DocumentSessionFixture::create(app, BASE, &payload).await
}

/// The requirement of the live face, as its person sees it.
async fn requirement(app: &TestApp, session: &DocumentSessionFixture) -> Value {
    let configuration = session.end_user_call(app, "GET", "/configuration", None).await.json();
    configuration["capture"]["required_resources"][0].clone()
}

fn advice(answer: &Value) -> (&str, &str, i64) {
    (
        answer["recommendation"]["value"].as_str().unwrap_or_default(),
        answer["recommendation"]["reason"]["detail"].as_str().unwrap_or_default(),
        answer["attempts_remaining"]["GENERIC"].as_i64().unwrap_or(-1),
    )
}

/// A picture of nobody.
pub(in crate::document_verification) fn wall() -> Vec<u8> {
    let rgb = (0..640 * 480).flat_map(|at| [150 + (at % 40) as u8; 3]).collect();
    sample_faces::encode_jpeg(&base::Picture::new(640, 480, rgb).unwrap(), 90)
}

#[tokio::test]
async fn a_face_that_is_not_to_be_seen_is_asked_for_again_and_costs_no_attempt_on_sqlite() {
    let app = TestApp::start().await;
    let session = session(&app, "STATIC", 1).await;
    let capture = session.add_liveness_capture(&app, "static").await;
    let answer = session.upload(&app, "PUT", &format!("{capture}/frames/0"), &wall()).await;
    assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
    assert_eq!(advice(&answer.json()), ("MUST_TRY_AGAIN", "FACE_NOT_FOUND", 2));
    let required = requirement(&app, &session).await;
    assert_eq!(
        (
            &required["state"],
            &required["attempts_remaining"]["GENERIC"],
            &required["recommendation"]["value"]
        ),
        (&json!("REQUIRED"), &json!(2), &json!("MUST_TRY_AGAIN")),
        "{required}"
    );
    let finished = session.end_user_call(&app, "DELETE", "/client-session-token", None).await;
    assert_eq!(finished.status_and_code(), "409 SESSION_NOT_READY");

    // Only so many of them are free.
    let mut left = Vec::new();
    for _ in 0..11 {
        let capture = session.add_liveness_capture(&app, "static").await;
        let answer = session.upload(&app, "PUT", &format!("{capture}/frames/0"), &wall()).await;
        left.push(advice(&answer.json()).2);
    }
    assert_eq!(left, [2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0]);
    let refused = session.end_user_call(&app, "POST", "/resources/liveness/static", None).await;
    assert_eq!(refused.status_and_code(), "409 RESOURCE_LOCKED");
    session.finish(&app).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    let recommendation = &check(&read, "LIVENESS")["report"]["recommendation"];
    assert_eq!(
        (&read["state"], &recommendation["value"], &recommendation["reason"]),
        (&json!("COMPLETED"), &json!("NOT_AVAILABLE"), &json!("FACE_NOT_FOUND"))
    );
}

#[tokio::test]
async fn an_attempt_is_a_judged_capture_and_the_last_that_fails_ends_them() {
    let app = TestApp::start().await;
    let session = session(&app, "ZOOM", 1).await;
    // Hardly nearer at the end.
    let still = zoom_frames(
        FilmedFace::Head,
        &[HeadStance::default(), HeadStance { distance: 3.9, ..HeadStance::default() }],
    );
    let film = async || {
        let capture = session.add_liveness_capture(&app, "zoom").await;
        let mut last = Value::Null;
        for (at, frame) in still.iter().enumerate() {
            let put = session.upload(&app, "PUT", &format!("{capture}/frames/{}", at + 1), frame).await;
            assert_eq!(put.status_and_code(), "200", "{}", put.json());
            assert!(
                last.is_null() || last["recommendation"].is_null(),
                "judged before it was complete: {last}"
            );
            last = put.json();
        }
        (capture, last)
    };
    // Those that were begun and left do not count.
    session.add_liveness_capture(&app, "zoom").await;
    session.add_liveness_capture(&app, "zoom").await;
    assert_eq!(requirement(&app, &session).await["attempts_remaining"]["GENERIC"], 2);

    let (capture, first) = film().await;
    assert_eq!(advice(&first), ("MUST_TRY_AGAIN", "FACE_NOT_NEARER", 1));
    assert_eq!(requirement(&app, &session).await["state"], "REQUIRED");
    // An answer that was lost is given again; it is the same attempt.
    let again = session.upload(&app, "PUT", &format!("{capture}/frames/7"), &still[6]).await;
    assert_eq!((again.status_and_code().as_str(), &again.json()), ("200", &first));
    let other = session.upload(&app, "PUT", &format!("{capture}/frames/7"), &still[0]).await;
    assert_eq!(other.status_and_code(), "409 RESOURCE_LOCKED", "it was judged");

    let (_, second) = film().await;
    assert_eq!(advice(&second), ("MUST_TRY_AGAIN", "FACE_NOT_NEARER", 0));
    let refused = session.end_user_call(&app, "POST", "/resources/liveness/zoom", None).await;
    assert_eq!(refused.status_and_code(), "409 RESOURCE_LOCKED", "no attempts are left");
    session.finish(&app).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    let report = &check(&read, "LIVENESS")["report"];
    assert_eq!(report["recommendation"]["value"], "REJECT", "{report}");
    assert!(detail(&read, "grown").parse::<f32>().unwrap() < 1.2);
}

#[tokio::test]
async fn a_capture_that_was_replaced_is_not_judged() {
    let app = TestApp::start().await;
    let session = session(&app, "STATIC", 0).await;
    let old = session.add_liveness_capture(&app, "static").await;
    session.add_liveness_capture(&app, "static").await;
    let answer = session.upload(&app, "PUT", &format!("{old}/frames/0"), &wall()).await;
    assert_eq!(answer.status_and_code(), "409 RESOURCE_LOCKED", "{}", answer.json());
    assert_eq!(requirement(&app, &session).await["attempts_remaining"]["GENERIC"], 1);
}

#[tokio::test]
async fn a_flat_photo_that_comes_nearer_has_no_depth_on_sqlite() {
    let app = TestApp::start().await;
    let nearer = |from: f32, to: f32| {
        [
            HeadStance { distance: from, ..HeadStance::default() },
            HeadStance { distance: to, ..HeadStance::default() },
        ]
    };
    let mut depths = Vec::new();
    for (surface, stances) in [
        (FilmedFace::Head, nearer(4.0, 2.6)),
        (FilmedFace::Surface(PhotoSurface::Sheet { bend: 0.0, lean: 0.0 }), nearer(3.2, 1.8)),
    ] {
        let session = session(&app, "ZOOM", 0).await;
        let capture = session.add_liveness_capture(&app, "zoom").await;
        for (at, frame) in zoom_frames(surface, &stances).iter().enumerate() {
            let put = session.upload(&app, "PUT", &format!("{capture}/frames/{}", at + 1), frame).await;
            assert_eq!(put.status_and_code(), "200", "{}", put.json());
        }
        session.finish(&app).await;
        app.run_due_jobs().await;
        let read = session.read(&app).await;
        depths.push(detail(&read, "depth").trim_end_matches(',').parse::<f32>().unwrap());
        if surface != FilmedFace::Head {
            assert_eq!(check(&read, "LIVENESS")["report"]["recommendation"]["value"], "REJECT");
        }
    }
    assert!(depths[0] > 0.5 && depths[1] < 0.2, "{depths:?}");
}
