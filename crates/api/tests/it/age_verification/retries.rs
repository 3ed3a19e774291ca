//! Sessions that ended: retried, resumed or cancelled, and those that cannot be continued.

use super::{BASE, SANDBOX, Session, Turn};
use crate::secure_capture::capture;
use domain::image_analysis::sample_faces;
use serde_json::{Value, json};
use testkit::{
    TestApp,
    spoof::{DataHalf, FaceBox, PresentationSpecies, SourcePortrait, shoot},
};

/// Signs in at an identity provider of the sandbox, and returns.
async fn sign_in(app: &TestApp, session: &Session, choice: &str) -> Turn {
    let opened = session.open(app, "ELECTRONIC_ID").await;
    assert_eq!((opened.status(), &opened.step()["kind"]), ("IN_PROGRESS", &json!("choose")));
    let sent = session.turn(app, &opened, json!({ "choice": choice })).await;
    session.come_back(app, &sent).await
}

async fn status(app: &TestApp, session: &Session) -> Value {
    session.result(app).await["status"].clone()
}

#[tokio::test]
async fn what_failed_or_broke_goes_on_where_the_session_says_so() {
    let app = TestApp::start().await;
    for (payload, choice, came) in [
        (json!({ "electronic_id": { "retry_enabled": true, "retry_limit": 2 } }), "under", "FAIL"),
        (json!({ "retry_enabled": true, "electronic_id": {} }), "under", "FAIL"),
        // `resume_enabled` suffices, although the method has no attempt left.
        (json!({ "resume_enabled": true, "electronic_id": {} }), "unavailable", "ERROR"),
    ] {
        let session = Session::new(&app, SANDBOX, &payload).await;
        let ended = sign_in(&app, &session, choice).await;
        assert_eq!((ended.status(), &ended.0["session"]["retry"]), (came, &json!(true)), "{payload}");
        assert_eq!(status(&app, &session).await, came);
        let ended = sign_in(&app, &session, "over").await;
        assert_eq!(ended.status(), "COMPLETE", "{payload}: {}", ended.reason());
        assert_eq!(session.result(&app).await["age"], 18);
    }

    let payload = json!({ "resume_enabled": true, "electronic_id": {}, "credit_card": {} });
    let session = Session::new(&app, SANDBOX, &payload).await;
    assert_eq!(sign_in(&app, &session, "under").await.status(), "FAIL");
    let other = session.open(&app, "CREDIT_CARD").await;
    assert_eq!((other.status(), &other.step()["kind"]), ("IN_PROGRESS", &json!("form")));

    // An error that was set in the sandbox can be continued from like any other.
    for (payload, line) in [
        (json!({ "electronic_id": { "retry_enabled": true } }), "201"),
        (json!({ "resume_enabled": true, "electronic_id": {} }), "201"),
        (json!({ "electronic_id": {} }), "409 INVALID_STATUS"),
    ] {
        let session = Session::new(&app, SANDBOX, &payload).await;
        let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
        let told = json!({ "status": "ERROR", "method": "ELECTRONIC_ID" });
        assert_eq!(
            super::business(&app, &session.key, "PUT", &path, Some(told)).await.status_and_code(),
            "200"
        );
        let again = session.page(&app, "POST", "/attempts", Some(json!({ "method": "ELECTRONIC_ID" }))).await;
        assert_eq!(again.status_and_code(), line, "{payload}");
        let now = if line == "201" { "IN_PROGRESS" } else { "ERROR" };
        assert_eq!(status(&app, &session).await, now, "{payload}");
    }
}

#[tokio::test]
async fn only_what_may_go_on_is_called_off() {
    let app = TestApp::start().await;
    let (gone, refused) = ("200", "409 INVALID_STATUS");
    for (payload, choice, came, line) in [
        (json!({ "electronic_id": { "retry_enabled": true } }), "under", "FAIL", gone),
        (json!({ "resume_enabled": true, "electronic_id": {}, "credit_card": {} }), "under", "FAIL", gone),
        (json!({ "resume_enabled": true, "electronic_id": {} }), "unavailable", "ERROR", gone),
        (json!({ "electronic_id": {} }), "under", "FAIL", refused),
        (json!({ "electronic_id": {}, "credit_card": {} }), "under", "FAIL", refused),
        (json!({ "electronic_id": {} }), "unavailable", "ERROR", refused),
        (json!({ "resume_enabled": true, "electronic_id": {} }), "over", "COMPLETE", refused),
    ] {
        let session = Session::new(&app, SANDBOX, &payload).await;
        assert_eq!(sign_in(&app, &session, choice).await.status(), came, "{payload}");
        let cancelled = session.page(&app, "POST", "/cancel", None).await;
        assert_eq!(cancelled.status_and_code(), line, "{payload} {choice}");
        let stands = if line == gone { "CANCELLED" } else { came };
        assert_eq!(status(&app, &session).await, stands, "{payload}");
        if line == gone {
            for (rest, body) in [("/cancel", json!({})), ("/attempts", json!({ "method": "ELECTRONIC_ID" }))]
            {
                let refusal = session.page(&app, "POST", rest, Some(body)).await;
                assert_eq!(refusal.status_and_code(), "409 INVALID_STATUS", "{rest}");
            }
            let view = session.page(&app, "GET", "", None).await.json();
            assert_eq!((&view["status"], &view["retry"]), (&json!("CANCELLED"), &json!(false)));
        }
    }
}

#[tokio::test]
async fn an_attempt_has_so_many_turns() {
    let app = TestApp::start().await;
    let session = Session::new(&app, SANDBOX, &json!({ "credit_card": {} })).await;
    let mut turn = session.open(&app, "CREDIT_CARD").await;
    let wrong = json!({ "fields": { "number": "4242 4242 4242 4243", "expiry": "12/30", "code": "123" } });
    for _ in 0..60 {
        turn = session.turn(&app, &turn, wrong.clone()).await;
        assert_eq!(turn.0["problem"], json!({ "code": "INVALID", "field": "number" }));
    }
    let right = json!({ "fields": { "number": "4242 4242 4242 4242", "expiry": "12/30", "code": "123" } });
    let over = session.turn(&app, &turn, right).await;
    assert_eq!((over.status(), over.reason()), ("FAIL", "TOO_MANY_TURNS"));
}

#[tokio::test]
async fn a_print_of_a_face_shows_no_age_where_a_live_one_is_asked_for() {
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
        let session = Session::new(&app, BASE, &payload).await;
        let opened = session.open(&app, "AGE_ESTIMATION").await;
        assert_eq!((&opened.step()["kind"], &opened.step()["level"]), (&json!("camera"), &json!(level)));
        let sent = json!({ "img": api::base64(image), "secure": capture(&app, image, false).await });
        let ended = session.turn(&app, &opened, sent).await;
        assert_eq!((ended.status(), ended.reason()), (came, reason), "{level}");
        assert_eq!(
            session.result(&app).await["age"].is_i64(),
            came == "COMPLETE",
            "what failed names no age"
        );
    }
}
