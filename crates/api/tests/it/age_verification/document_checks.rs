//! Document checks: which are requested, and what the session makes of their results.

use super::{BASE, SANDBOX, Session, Turn};
use crate::document_verification;
use base::SignedDuration;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{
    TestApp,
    specimens::{PhotoConditions, Specimen, SpecimenHolder, photograph},
};

/// The path of document verification, in the sandbox.
const DOCUMENTS: &str = "/sandbox/idverify/v1";

/// A session with an open document attempt, and the document session's id and token.
async fn begin(app: &TestApp, base: &'static str, payload: &Value) -> (Session, Turn, [String; 2]) {
    let session = Session::new(app, base, payload).await;
    let opened = session.open(app, "DOC_SCAN").await;
    let (_, query) = opened.step()["url"].as_str().unwrap().split_once('?').unwrap();
    let part = |name: &str| {
        let mut parts = form_urlencoded::parse(query.as_bytes());
        parts.find(|(known, _)| known == name).unwrap().1.into_owned()
    };
    let named = [part("sessionID"), part("sessionToken")];
    (session, opened, named)
}

/// Plays the end user of a document session of the sandbox.
async fn play(app: &TestApp, document: &str) {
    let working = app.spawn_worker();
    let path = format!("{DOCUMENTS}/sessions/{document}/agent");
    let played = document_verification::business(app, "POST", &path, Some(json!({}))).await;
    working.stop().await;
    assert_eq!(played.json()["outcome"], "FINISHED", "{}", played.json());
}

/// Configures what the sandbox answers about documents.
async fn answer(app: &TestApp, config: Value) {
    let path = format!("{DOCUMENTS}/apps/{}/response-config", app.app);
    assert_eq!(
        document_verification::business(app, "PUT", &path, Some(config)).await.status_and_code(),
        "200"
    );
}

/// Polls until the checks have ended.
async fn ended(app: &TestApp, session: &Session, opened: &Turn) -> Turn {
    let working = app.spawn_worker();
    for _ in 0..60_000 {
        let turn = session.turn(app, opened, json!({})).await;
        if turn.status() != "PROCESSING" {
            working.stop().await;
            return turn;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the checks do not end");
}

#[tokio::test]
async fn checks_run_on_without_the_person() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    let payload = json!({ "resume_enabled": true, "doc_scan": {} });
    let (session, opened, [document, _]) = begin(&app, SANDBOX, &payload).await;
    play(&app, &document).await;
    let through = session.turn(&app, &opened, json!({})).await;
    assert_eq!((through.status(), through.step()), ("PROCESSING", &json!(null)));
    assert_eq!(session.result(&app).await["status"], "PROCESSING");
    let again = session.page(&app, "POST", "/attempts", Some(json!({ "method": "DOC_SCAN" }))).await;
    assert_eq!(again.status_and_code(), "409 INVALID_STATUS");
    assert_eq!(session.page(&app, "POST", "/cancel", None).await.status_and_code(), "409 INVALID_STATUS");
    app.run_due_jobs().await;
    assert_eq!(session.result(&app).await["status"], "COMPLETE");

    // The same if the page is closed before it polls.
    let (session, _, [document, _]) = begin(&app, SANDBOX, &payload).await;
    play(&app, &document).await;
    assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
    app.world.advance(SignedDuration::from_secs(21));
    let working = app.spawn_worker();
    for _ in 0..60_000 {
        if session.result(&app).await["status"] == "PROCESSING" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    working.stop().await;
    assert_eq!(session.result(&app).await["status"], "PROCESSING");
    app.run_due_jobs().await;
    assert_eq!(session.result(&app).await["status"], "COMPLETE");
}

#[tokio::test]
async fn whoever_asks_for_synchronous_checks_has_the_person_wait() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    for payload in [
        json!({ "synchronous_checks": true, "doc_scan": {} }),
        json!({ "doc_scan": { "synchronous_checks": true } }),
    ] {
        let (session, opened, [document, _]) = begin(&app, SANDBOX, &payload).await;
        play(&app, &document).await;
        for _ in 0..2 {
            let waiting = session.turn(&app, &opened, json!({})).await;
            assert_eq!(waiting.step(), &json!({ "kind": "wait", "poll_ms": 2000 }), "{payload}");
            assert_eq!(waiting.status(), "IN_PROGRESS");
        }
        app.run_due_jobs().await;
        assert_eq!(session.turn(&app, &opened, json!({})).await.status(), "COMPLETE", "{payload}");
    }
}

#[tokio::test]
async fn a_document_that_does_not_do_says_why() {
    let app = TestApp::start().await;
    let advice = |check: &str, value: &str, reason: &str| {
        let advice =
            json!({ "value": value, "reason": reason, "recovery_suggestion": "USE_ANOTHER_DOCUMENT" });
        let report = json!({ "recommendation": advice, "breakdown": [] });
        json!({ "check_reports": { check: [{ "result": { "report": report } }] } })
    };
    let born = |text: &str| {
        let result = json!({ "document_fields": { "date_of_birth": text } });
        json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": result }] } })
    };
    let genuine = |value: &str, reason: &str| advice("ID_DOCUMENT_AUTHENTICITY", value, reason);
    for (config, scan, came) in [
        (genuine("REJECT", "EXPIRED_DOCUMENT"), json!({}), ("FAIL", "EXPIRED_DOCUMENT")),
        (genuine("CONSIDER", "TAMPERED"), json!({}), ("FAIL", "TAMPERED")),
        // A reason that only a developer understands is replaced by a general one.
        (genuine("NOT_AVAILABLE", "PHOTO_TOO_DARK"), json!({}), ("FAIL", "DOCUMENT_NOT_ACCEPTED")),
        (genuine("REJECT", "TAMPERED"), json!({ "authenticity": "OFF" }), ("COMPLETE", "")),
        (
            advice("LIVENESS", "REJECT", "LIVENESS_NOT_PROVEN"),
            json!({ "level": "PASSIVE" }),
            ("FAIL", "LIVENESS_NOT_PROVEN"),
        ),
        (
            advice("ID_DOCUMENT_FACE_MATCH", "REJECT", "DIFFERENT_PERSON"),
            json!({ "level": "ACTIVE" }),
            ("FAIL", "DIFFERENT_PERSON"),
        ),
        (advice("LIVENESS", "REJECT", "LIVENESS_NOT_PROVEN"), json!({}), ("COMPLETE", "")),
        (born("unknown"), json!({}), ("FAIL", "NO_DATE_OF_BIRTH")),
        (born("2010-01-17"), json!({ "threshold": 16 }), ("FAIL", "UNDER_AGE")),
        (born("2010-01-16"), json!({ "threshold": 16 }), ("COMPLETE", "")),
    ] {
        answer(&app, config.clone()).await;
        let payload = json!({ "block_biometric_consent": true, "doc_scan": scan });
        let (session, opened, [document, _]) = begin(&app, SANDBOX, &payload).await;
        play(&app, &document).await;
        let ended = ended(&app, &session, &opened).await;
        assert_eq!((ended.status(), ended.reason()), came, "{scan} {config}");
    }
}

#[tokio::test]
async fn the_document_session_is_asked_for_what_the_block_says() {
    let app = TestApp::start().await;
    let (genuine, alive, same) = ("ID_DOCUMENT_AUTHENTICITY", "LIVENESS", "ID_DOCUMENT_FACE_MATCH");
    for (scan, checks, liveness, hand_off) in [
        (json!({}), &[genuine][..], json!(null), true),
        (json!({ "authenticity": "manual" }), &[genuine][..], json!(null), true),
        (json!({ "authenticity": "OFF" }), &[][..], json!(null), true),
        (json!({ "level": "PASSIVE" }), &[genuine, alive, same][..], json!("STATIC"), true),
        (
            json!({ "level": "ACTIVE", "authenticity": "OFF", "disable_mobile_hand_off": true }),
            &[alive, same][..],
            json!("ZOOM"),
            false,
        ),
    ] {
        let mut payload = json!({ "block_biometric_consent": true, "privacy_policy": "https://shop.test/privacy", "doc_scan": scan });
        payload["doc_scan"]["preset_issuing_country"] = "gbr".into();
        let (session, _, [document, _]) = begin(&app, SANDBOX, &payload).await;
        let path = format!("{DOCUMENTS}/sessions/{document}/configuration");
        let asked = document_verification::business(&app, "GET", &path, None).await.json();
        assert_eq!(asked["requested_checks"], json!(checks), "{scan}");
        let required = asked["capture"]["required_resources"].as_array().unwrap();
        let kind = required.iter().find_map(|one| one.get("liveness_type")).cloned();
        assert_eq!(kind.unwrap_or_default(), liveness, "{scan}");
        let told = &asked["sdk_config"];
        assert_eq!(told["allow_handoff"], hand_off, "{scan}");
        assert_eq!(told["preset_issuing_country"], "GBR");
        assert_eq!(told["privacy_policy_url"], "https://shop.test/privacy");
        assert_eq!(asked["capture"]["biometric_consent"], "NOT_ALLOWED", "it was asked for before");
        let view = session.page(&app, "GET", "", None).await.json();
        let method = &view["methods"][0];
        assert_eq!(
            (&method["hand_off"], &method["preset_issuing_country"]),
            (&json!(hand_off), &json!("GBR"))
        );
    }
}

#[tokio::test]
async fn a_reviewer_says_whether_a_document_is_genuine() {
    let app = TestApp::start().await;
    let payload = json!({ "doc_scan": { "authenticity": "MANUAL" } });
    let holder = SpecimenHolder { nationality: "SWE".to_owned(), ..SpecimenHolder::default() };
    let passport = Specimen::passport().issuer("SWE").holder(holder);
    let page = photograph(&passport.front(), &PhotoConditions::clean(4)).jpeg;
    let (session, opened, [id, token]) = begin(&app, BASE, &payload).await;
    let document = document_verification::Session::of_person(id, token, "/idverify/v1");
    document.supply(&app, "SWE", &page).await;
    document.finish(&app).await;

    let working = app.spawn_worker();
    let mut review = Value::Null;
    for _ in 0..60_000 {
        let reviews = document_verification::business(&app, "GET", "/idverify/v1/reviews", None).await.json();
        review = reviews["reviews"][0].clone();
        if !review.is_null() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(review["kind"], "ID_DOCUMENT_AUTHENTICITY", "{review}");
    assert_eq!(session.turn(&app, &opened, json!({})).await.status(), "PROCESSING");
    let path = format!("/idverify/v1/reviews/{}", review["check_id"].as_str().unwrap());
    let decision = json!({ "decision": "APPROVE", "reason": "it is genuine", "reviewer": "ada" });
    assert_eq!(
        document_verification::business(&app, "PUT", &path, Some(decision)).await.status_and_code(),
        "204"
    );
    working.stop().await;
    let ended = ended(&app, &session, &opened).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
}
