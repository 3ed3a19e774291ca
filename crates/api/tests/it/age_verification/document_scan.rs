//! Document checks: which are requested, and what the session makes of their results.

use crate::{
    age_verification::{
        AgeSessionFixture, AttemptTurn, BASE, SANDBOX,
        appeals::{appeal, decide_directly},
        retries::sign_in,
    },
    console::Integrator,
    deliveries::deliver,
    document_verification::{self, DocumentSessionFixture, passport_specimen, photo_of},
};
use axum::{body::Body, http::Request};
use base::{Secret, SignedDuration};
use db::sql;
use domain::{
    age_verification::{AgeVerificationDependencies, AgeVerificationService, AgeVerificationSettings},
    tenancy::limits::LimitSettings,
};
use media::fetch::{EgressPolicy, Fetcher};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use testkit::{
    TestApp, face_base64,
    specimens::{PhotoConditions, Specimen, SpecimenHolder, photograph},
    stub_server::{self, StubReply, StubServer},
};

/// The path of document verification, in the sandbox.
const DOCUMENTS: &str = "/sandbox/idverify/v1";

/// A session with an open document attempt, and the document session's id and token.
async fn begin(
    app: &TestApp,
    base: &'static str,
    payload: &Value,
) -> (AgeSessionFixture, AttemptTurn, [String; 2]) {
    let session = AgeSessionFixture::create(app, base, payload).await;
    let (opened, document) = open_document(app, &session).await;
    (session, opened, document)
}

/// Opens a document attempt; with the document session's id and token.
async fn open_document(app: &TestApp, session: &AgeSessionFixture) -> (AttemptTurn, [String; 2]) {
    let opened = session.open_attempt(app, "DOC_SCAN").await;
    let (_, query) = opened.step()["url"].as_str().unwrap().split_once('?').unwrap();
    let part = |name: &str| {
        let mut parts = form_urlencoded::parse(query.as_bytes());
        parts.find(|(known, _)| known == name).unwrap().1.into_owned()
    };
    let named = [part("sessionID"), part("sessionToken")];
    (opened, named)
}

/// Plays the end user of a document session of the sandbox.
async fn play(app: &TestApp, document: &str) {
    let working = app.spawn_worker();
    let path = format!("{DOCUMENTS}/sessions/{document}/agent");
    let played = document_verification::relying_party_call(app, "POST", &path, Some(json!({}))).await;
    working.stop().await;
    assert_eq!(played.json()["outcome"], "FINISHED", "{}", played.json());
}

/// Configures what the sandbox answers about documents.
async fn answer(app: &TestApp, config: Value) {
    let path = format!("{DOCUMENTS}/apps/{}/response-config", app.app);
    assert_eq!(
        document_verification::relying_party_call(app, "PUT", &path, Some(config)).await.status_and_code(),
        "200"
    );
}

/// How many document sessions there are, and applications that have stored something.
async fn count_stored(app: &TestApp) -> [i64; 2] {
    let mut view = app.api.db.read().await.unwrap();
    let sessions = view.count(sql!("SELECT count(*) FROM identity_sessions")).await.unwrap();
    [sessions, view.count(sql!("SELECT count(*) FROM stored_files WHERE bytes <> 0")).await.unwrap()]
}

/// Polls until the checks have ended.
async fn ended(app: &TestApp, session: &AgeSessionFixture, opened: &AttemptTurn) -> AttemptTurn {
    let working = app.spawn_worker();
    for _ in 0..12_000 {
        let turn = session.take_turn(app, opened, json!({})).await;
        if turn.status() != "PROCESSING" {
            working.stop().await;
            return turn;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the checks do not end");
}

#[tokio::test]
async fn checks_continue_without_the_end_user() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    let payload = json!({ "resume_enabled": true, "doc_scan": {} });
    let (session, opened, [document, _]) = begin(&app, SANDBOX, &payload).await;
    play(&app, &document).await;
    let through = session.take_turn(&app, &opened, json!({})).await;
    assert_eq!((through.status(), through.step()), ("PROCESSING", &json!(null)));
    assert_eq!(session.result(&app).await["status"], "PROCESSING");
    let again = session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "DOC_SCAN" }))).await;
    assert_eq!(again.status_and_code(), "409 INVALID_STATUS");
    assert_eq!(
        session.end_user_call(&app, "POST", "/cancel", None).await.status_and_code(),
        "409 INVALID_STATUS"
    );
    app.run_due_jobs().await;
    assert_eq!(session.result(&app).await["status"], "COMPLETE");

    // The same if the page is closed before it polls.
    let (session, _, [document, _]) = begin(&app, SANDBOX, &payload).await;
    play(&app, &document).await;
    assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
    app.environment.advance(SignedDuration::from_secs(21));
    let working = app.spawn_worker();
    for _ in 0..12_000 {
        if session.result(&app).await["status"] == "PROCESSING" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    working.stop().await;
    assert_eq!(session.result(&app).await["status"], "PROCESSING");
    app.run_due_jobs().await;
    assert_eq!(session.result(&app).await["status"], "COMPLETE");
}

#[tokio::test]
async fn a_check_that_outlasts_the_session_ends_it_and_the_page_learns_how() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 61 })).await;
    let (session, opened, [document, _]) = begin(&app, SANDBOX, &json!({ "ttl": 60, "doc_scan": {} })).await;
    play(&app, &document).await;
    assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "PROCESSING");
    let seen = async || session.end_user_call(&app, "GET", "", None).await.json()["status"].clone();
    app.environment.advance(SignedDuration::from_secs(60));
    assert_eq!(seen().await, "PROCESSING");
    // A page that still asks for its step is told to read the session.
    let path = format!("/attempts/{}", opened.attempt());
    let poll = json!({ "continuation": opened.0["continuation"] });
    let polled = session.end_user_call(&app, "POST", &path, Some(poll.clone())).await;
    assert_eq!(polled.status_and_code(), "409 STALE_CONTINUATION");
    app.run_due_jobs().await;
    assert_eq!(seen().await, "COMPLETE");
    let polled = session.end_user_call(&app, "POST", &path, Some(poll)).await;
    assert_eq!(polled.status_and_code(), "409 STALE_CONTINUATION");
}

#[tokio::test]
async fn a_check_that_outlasts_a_session_that_is_not_kept_is_told() {
    let settings = AgeVerificationSettings {
        session_retention: SignedDuration::ZERO,
        ..AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings_and_egress(&stub_server::egress_policy(), settings).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    answer(&app, json!({ "async_report_delay": 61 })).await;
    let payload = json!({ "ttl": 60, "doc_scan": {}, "notification_url": receiver.url("/hook") });
    let (session, opened, [document, _]) = begin(&app, SANDBOX, &payload).await;
    play(&app, &document).await;
    assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "PROCESSING");
    let purge = async || {
        let now = app.api.environment.now();
        domain::age_verification::purge(&app.api.db, now).await.unwrap();
        let mut view = app.api.db.read().await.unwrap();
        view.count(sql!("SELECT count(*) FROM age_sessions")).await.unwrap()
    };
    app.environment.advance(SignedDuration::from_secs(60));
    assert_eq!(purge().await, 1, "it is not judged yet");
    app.run_due_jobs().await;
    let sent = deliver(&app, app.api.document_verification.outbox(), &receiver, 1).await;
    let told: Value = serde_json::from_slice(&sent[0].body).unwrap();
    assert_eq!((&told["state"], &told["result"]), (&json!("COMPLETE"), &json!(true)), "{told}");
    assert_eq!(purge().await, 0);
    assert_eq!(count_stored(&app).await, [0, 0]);
}

#[tokio::test]
async fn a_check_that_no_session_waits_for_ends_none_that_ran_out() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 61 })).await;
    for payload in [
        // The page was closed before it asked, and the job has not looked.
        json!({ "ttl": 60, "doc_scan": {} }),
        json!({ "ttl": 60, "synchronous_checks": true, "doc_scan": {} }),
    ] {
        let (session, _, [document, _]) = begin(&app, SANDBOX, &payload).await;
        play(&app, &document).await;
        assert_eq!(count_stored(&app).await, [1, 1], "{payload}");
        app.environment.advance(SignedDuration::from_secs(60));
        assert_eq!(session.result(&app).await["status"], "EXPIRED", "{payload}");
        app.run_due_jobs().await;
        assert_eq!(session.result(&app).await["status"], "EXPIRED", "{payload}");
        assert_eq!(count_stored(&app).await, [0, 0], "{payload}");
        let jobs = sql!("SELECT count(*) FROM jobs");
        assert_eq!(app.api.db.read().await.unwrap().count(jobs).await.unwrap(), 0, "none is given up");
    }
}

#[tokio::test]
async fn with_synchronous_checks_the_end_user_waits_for_them() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    for payload in [
        json!({ "synchronous_checks": true, "doc_scan": {} }),
        json!({ "doc_scan": { "synchronous_checks": true } }),
    ] {
        let (session, opened, [document, _]) = begin(&app, SANDBOX, &payload).await;
        play(&app, &document).await;
        for _ in 0..2 {
            let waiting = session.take_turn(&app, &opened, json!({})).await;
            assert_eq!(waiting.step(), &json!({ "kind": "wait", "poll_ms": 2000 }), "{payload}");
            assert_eq!(waiting.status(), "IN_PROGRESS");
        }
        app.run_due_jobs().await;
        assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "COMPLETE", "{payload}");
    }
}

#[tokio::test]
async fn a_document_goes_with_its_attempt_although_its_checks_run() {
    let integrator = Integrator::start(&["sessions:view", "sessions:manage"]).await;
    let app = integrator.app();
    answer(app, json!({ "async_report_delay": 30 })).await;
    let payload = json!({ "synchronous_checks": true, "doc_scan": {}, "credit_card": {} });
    for way in ["another method", "cancelled", "erased"] {
        let (session, opened, [document, _]) = begin(app, SANDBOX, &payload).await;
        play(app, &document).await;
        assert_eq!(session.take_turn(app, &opened, json!({})).await.step()["kind"], "wait", "{way}");
        assert_eq!(count_stored(app).await, [1, 1], "{way}");
        let status = match way {
            "another method" => {
                let body = json!({ "method": "CREDIT_CARD" });
                session.end_user_call(app, "POST", "/attempts", Some(body)).await.status
            }
            "cancelled" => session.end_user_call(app, "POST", "/cancel", None).await.status,
            _ => {
                let path = format!("/console/verification-sessions/{}", session.id);
                integrator.call("DELETE", &path, None).await.status
            }
        };
        assert!(status.is_success(), "{way}: {status}");
        assert_eq!(count_stored(app).await, [0, 0], "{way}");
    }
    app.run_due_jobs().await;
    let jobs = sql!("SELECT count(*) FROM jobs");
    assert_eq!(app.api.db.read().await.unwrap().count(jobs).await.unwrap(), 0, "none is given up");
}

#[tokio::test]
async fn a_document_goes_with_its_erased_session_although_the_process_was_killed() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    let (session, _, [document, _]) = begin(&app, SANDBOX, &json!({ "doc_scan": {} })).await;
    play(&app, &document).await;
    // The transaction, and not what comes after it.
    let mut tx = app.api.db.write().await.unwrap();
    let erased = app.api.age_verification.erase_in(&mut tx, app.app, session.id.parse().unwrap()).await;
    assert_eq!(erased.unwrap().id.to_string(), session.id);
    tx.commit().await.unwrap();
    assert_eq!(count_stored(&app).await, [1, 1]);
    app.run_due_jobs().await;
    assert_eq!(count_stored(&app).await, [0, 0]);
}

#[tokio::test]
async fn checks_of_a_face_end_when_its_person_takes_back_their_consent() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    let payload = json!({ "doc_scan": { "level": "PASSIVE" }, "credit_card": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let consent = async |given: bool| {
        session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": given }))).await
    };
    assert_eq!(consent(true).await.status, 200);
    let (opened, [document, _]) = open_document(&app, &session).await;
    play(&app, &document).await;
    assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "PROCESSING");
    let refused = consent(false).await.json();
    assert_eq!(refused["status"], "IN_PROGRESS");
    let states: Vec<_> =
        refused["methods"].as_array().unwrap().iter().map(|method| &method["state"]).collect();
    // The card, and the document whose holder's face is compared.
    assert_eq!(states, ["OPEN", "DECLINED"]);
    assert_eq!(refused["result"]["reason"], "DECLINED");
    assert_eq!(count_stored(&app).await, [0, 0]);
    app.run_due_jobs().await;
    assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
}

#[tokio::test]
async fn consent_is_taken_back_from_a_check_that_runs_on_beyond_the_time_of_its_session() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    for (payload, status, later) in [
        // Another method is left, and no time for it.
        (
            json!({ "ttl": 900, "doc_scan": { "level": "PASSIVE" }, "credit_card": {} }),
            "EXPIRED",
            "410 SESSION_EXPIRED",
        ),
        (json!({ "ttl": 900, "doc_scan": { "level": "PASSIVE" } }), "FAIL", "200"),
    ] {
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let consent = async |given: bool| {
            session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": given }))).await
        };
        assert_eq!(consent(true).await.status, 200);
        let (opened, [document, _]) = open_document(&app, &session).await;
        play(&app, &document).await;
        assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "PROCESSING");
        assert_eq!(count_stored(&app).await, [1, 1], "{status}");
        app.environment.advance(SignedDuration::from_mins(15));
        assert_eq!(consent(true).await.status_and_code(), "410 SESSION_EXPIRED", "{status}");
        let refused = consent(false).await;
        assert_eq!(refused.status_and_code(), "200", "{status}: {}", refused.json());
        let refused = refused.json();
        assert_eq!((&refused["status"], &refused["result"]["reason"]), (&json!(status), &json!("DECLINED")));
        assert_eq!(count_stored(&app).await, [0, 0], "{status}");
        assert_eq!(consent(false).await.status_and_code(), "410 SESSION_EXPIRED", "once, {status}");
        let shown = session.end_user_call(&app, "GET", "", None).await;
        assert_eq!(shown.status_and_code(), later, "{status}");
        app.run_due_jobs().await;
        assert_eq!(session.result(&app).await["status"], status);
    }
}

#[tokio::test]
async fn an_appeal_that_is_granted_ends_a_check_that_runs_on() {
    let app = TestApp::start().await;
    answer(&app, json!({ "async_report_delay": 30 })).await;
    let payload = json!({ "resume_enabled": true, "electronic_id": {}, "doc_scan": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(sign_in(&app, &session, "under").await.status(), "FAIL");
    assert_eq!(appeal(&app, &session, json!({})).await.status, 201);
    let (opened, [document, _]) = open_document(&app, &session).await;
    play(&app, &document).await;
    assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "PROCESSING");
    decide_directly(&app, &session, true).await;
    let granted = session.result(&app).await;
    assert_eq!((&granted["status"], &granted["method"]), (&json!("COMPLETE"), &json!("ELECTRONIC_ID")));
    app.run_due_jobs().await;
    assert_eq!(count_stored(&app).await, [0, 0]);
    assert_eq!(session.result(&app).await, granted);
}

#[tokio::test]
async fn an_unaccepted_document_has_a_reason() {
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
async fn the_document_session_requests_what_the_block_says() {
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
        let asked = document_verification::relying_party_call(&app, "GET", &path, None).await.json();
        assert_eq!(asked["requested_checks"], json!(checks), "{scan}");
        let required = asked["capture"]["required_resources"].as_array().unwrap();
        let kind = required.iter().find_map(|one| one.get("liveness_type")).cloned();
        assert_eq!(kind.unwrap_or_default(), liveness, "{scan}");
        let sdk_config = &asked["sdk_config"];
        assert_eq!(sdk_config["allow_handoff"], hand_off, "{scan}");
        assert_eq!(sdk_config["preset_issuing_country"], "GBR");
        assert_eq!(sdk_config["privacy_policy_url"], "https://shop.test/privacy");
        assert_eq!(asked["capture"]["biometric_consent"], "NOT_ALLOWED", "it was asked for before");
        let view = session.end_user_call(&app, "GET", "", None).await.json();
        let method = &view["methods"][0];
        assert_eq!(
            (&method["hand_off"], &method["preset_issuing_country"]),
            (&json!(hand_off), &json!("GBR"))
        );
    }
}

#[tokio::test]
async fn a_reviewer_decides_whether_a_document_is_genuine() {
    let app = TestApp::start().await;
    let payload = json!({ "doc_scan": { "authenticity": "MANUAL" } });
    let holder = SpecimenHolder { nationality: "SWE".to_owned(), ..SpecimenHolder::default() };
    let passport = Specimen::passport().issuer("SWE").holder(holder);
    let page = photograph(&passport.front(), &PhotoConditions::clean(4)).jpeg;
    let (session, opened, [id, token]) = begin(&app, BASE, &payload).await;
    let document = document_verification::DocumentSessionFixture::of_end_user(id, token, "/idverify/v1");
    document.supply(&app, "SWE", &page).await;
    document.finish(&app).await;

    let working = app.spawn_worker();
    let mut review = Value::Null;
    for _ in 0..12_000 {
        let reviews =
            document_verification::relying_party_call(&app, "GET", "/idverify/v1/reviews", None).await.json();
        review = reviews["reviews"][0].clone();
        if !review.is_null() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(review["kind"], "ID_DOCUMENT_AUTHENTICITY", "{review}");
    assert_eq!(session.take_turn(&app, &opened, json!({})).await.status(), "PROCESSING");
    let path = format!("/idverify/v1/reviews/{}", review["check_id"].as_str().unwrap());
    let decision = json!({ "decision": "APPROVE", "reason": "it is genuine", "reviewer": "ada" });
    assert_eq!(
        document_verification::relying_party_call(&app, "PUT", &path, Some(decision)).await.status_and_code(),
        "204"
    );
    working.stop().await;
    let ended = ended(&app, &session, &opened).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
}

#[tokio::test]
async fn the_business_cannot_reach_the_document_that_a_person_shows() {
    let app = TestApp::start().await;
    let (_, _, [id, token]) = begin(&app, BASE, &json!({ "doc_scan": {} })).await;
    let document = DocumentSessionFixture::of_end_user(id, token, document_verification::BASE);
    document.supply(&app, "SWE", &photo_of(&passport_specimen(), 4)).await;
    let id = document.id().parse().unwrap();
    let mut view = app.api.db.read().await.unwrap();
    let stored = app.api.document_verification.find(&mut view, app.app, id).await.unwrap().unwrap();
    drop(view);
    let page = format!("/media/{}/content", stored.session.media[0].id);
    for (method, rest) in [
        ("GET", ""),
        ("GET", "/configuration"),
        ("GET", page.as_str()),
        ("DELETE", page.as_str()),
        ("GET", "/tracked-devices"),
        ("DELETE", "/tracked-devices"),
        ("GET", "/response-config"),
        ("POST", "/resources/face-capture"),
        ("DELETE", ""),
    ] {
        let refused =
            document_verification::relying_party_call(&app, method, &document.path(rest), None).await;
        assert_eq!(refused.status_and_code(), "404 SESSION_NOT_FOUND", "{method} {rest}");
    }
    let own = document.end_user_call(&app, "GET", "/configuration", None).await;
    assert_eq!(own.status_and_code(), "200");
}

#[tokio::test]
async fn a_portrait_is_made_into_numbers_only_with_consent_to_that_on_sqlite() {
    let app = TestApp::start().await;
    let page = photo_of(&passport_specimen(), 4);
    let is_embedded = async |payload: Value, consent: Option<bool>| {
        let session = AgeSessionFixture::create(&app, BASE, &payload).await;
        if let Some(given) = consent {
            let answer = Some(json!({ "given": given }));
            assert_eq!(session.end_user_call(&app, "POST", "/consent", answer).await.status, 200);
        }
        let (_, [id, token]) = open_document(&app, &session).await;
        let document = DocumentSessionFixture::of_end_user(id, token, document_verification::BASE);
        document.supply(&app, "SWE", &page).await;
        let id = document.id().parse().unwrap();
        let mut view = app.api.db.read().await.unwrap();
        let stored = app.api.document_verification.find(&mut view, app.app, id).await.unwrap().unwrap();
        let findings = stored.session.resources[0].findings.clone().unwrap();
        !findings.portrait.expect("there is one").embedding.is_empty()
    };
    // Of a document alone nobody is asked, and consent to an estimate says that the face is compared with nobody.
    let beside_an_estimate = json!({ "age_estimation": {}, "doc_scan": {} });
    assert!(!is_embedded(json!({ "doc_scan": {} }), None).await);
    assert!(!is_embedded(beside_an_estimate.clone(), Some(false)).await);
    assert!(!is_embedded(beside_an_estimate, Some(true)).await);
    assert!(is_embedded(json!({ "doc_scan": { "level": "PASSIVE" } }), Some(true)).await);
    assert!(is_embedded(json!({ "block_biometric_consent": true, "doc_scan": {} }), None).await);
}

#[tokio::test]
async fn documents_in_other_letters_are_accepted_where_the_business_says_so() {
    let app = TestApp::start().await;
    let countries = async |block: Value| {
        let session = AgeSessionFixture::create(&app, BASE, &json!({ "doc_scan": block })).await;
        let opened = session.open_attempt(&app, "DOC_SCAN").await;
        let url = opened.step()["url"].as_str().unwrap().to_owned();
        let query = url.split_once('?').unwrap().1;
        let part =
            |name: &str| form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).unwrap().1;
        let path = format!("/idverify/v1/sessions/{}/configuration", part("sessionID"));
        let request = Request::get(path).header("x-svc-auth-token", part("sessionToken").as_ref());
        let told = app.send(request.body(Body::empty()).unwrap()).await.json();
        let listed = &told["capture"]["required_resources"][0]["supported_countries"];
        listed.as_array().unwrap_or_else(|| panic!("{told}")).len()
    };
    let usual = countries(json!({})).await;
    let latin = countries(json!({ "allow_non_latin_documents": false })).await;
    let all = countries(json!({ "allow_non_latin_documents": true })).await;
    assert!(latin > 0 && usual >= latin + 50 && all >= usual, "{latin} {usual} {all}");
}

#[tokio::test]
async fn a_document_session_is_followed_after_the_page_is_closed() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "doc_scan": { "threshold": 40 } })).await;
    let opened = session.open_attempt(&app, "DOC_SCAN").await;
    go_through_document(&app, opened.step()["url"].as_str().unwrap()).await;
    app.environment.advance(SignedDuration::from_secs(10));
    app.run_due_jobs().await;
    let result = session.result(&app).await;
    assert_eq!((&result["status"], &result["method"]), (&json!("FAIL"), &json!("DOC_SCAN")), "{result}");
}

/// Age verification as another process on the same database has it, which has signed nothing yet.
fn of_another_process(app: &TestApp) -> AgeVerificationService {
    let services = &app.api.services;
    let parts = AgeVerificationDependencies {
        db: services.db.clone(),
        environment: services.environment.clone(),
        vault: services.vault.clone(),
        counter_key: Secret::new([0; 32]),
        outbox: services.outbox.clone(),
        estimator: services.image_analyser.clone(),
        secure_capture: services.secure_capture.clone(),
        identities: services.document_verification.clone(),
        issuer: services.proof_issuer.clone(),
        mail: services.mailer.clone(),
        fetcher: Fetcher::new(&EgressPolicy::default()).unwrap(),
        limits: LimitSettings::default(),
        webhooks: Arc::new(api::WebhookFormatter),
    };
    AgeVerificationService::new(parts, services.age_verification.settings().clone()).unwrap()
}

#[tokio::test]
async fn a_process_that_only_runs_jobs_signs_with_the_newest_key() {
    let settings = AgeVerificationSettings::default();
    let mut app = TestApp::start_with_age_settings_and_egress(&stub_server::egress_policy(), settings).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    // The interfaces go on with what they were started with, and the jobs run with what another process has.
    let of_interfaces = app.api.age_verification.clone();
    let of_jobs = of_another_process(&app);
    app.api.age_verification = of_jobs;
    let payload = json!({ "doc_scan": {}, "notification_url": receiver.url("/hook") });
    let told = async |messages: usize| -> Value {
        let (session, _, [document, _]) = begin(&app, SANDBOX, &payload).await;
        play(&app, &document).await;
        assert_eq!(session.result(&app).await["status"], "IN_PROGRESS", "the page does not ask");
        app.run_due_jobs().await;
        assert_eq!(session.result(&app).await["status"], "COMPLETE");
        let sent = deliver(&app, app.api.document_verification.outbox(), &receiver, messages).await;
        assert_eq!(sent.len(), messages);
        serde_json::from_slice(&sent[messages - 1].body).unwrap()
    };
    let before = told(1).await;
    assert_eq!(of_interfaces.webhook_public_keys().await.unwrap()[0].kid, before["kid"]);

    let newest = of_interfaces.rotate_webhook_key(SignedDuration::ZERO).await.unwrap();
    assert_eq!(told(2).await["kid"], newest);
}

/// Does what the document's page does, in a sandbox.
pub(super) async fn go_through_document(app: &TestApp, url: &str) {
    let query = url.split_once('?').unwrap().1;
    let part = |name: &str| {
        query.split('&').find_map(|part| part.strip_prefix(name)).unwrap().trim_start_matches('=').to_owned()
    };
    let (id, token) = (part("sessionID"), part("sessionToken"));
    let document =
        crate::document_verification::DocumentSessionFixture::of_end_user(id, token, "/sandbox/idverify/v1");
    document.supply_document(app).await;
    document.finish(app).await;
    app.run_due_jobs().await;
}

#[tokio::test]
async fn a_sandbox_needs_neither_models_nor_documents() {
    let app = TestApp::start().await;
    let payload = json!({ "block_biometric_consent": true, "age_estimation": { "threshold": 18 } });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let ended = session.take_turn(&app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(ended.status(), "COMPLETE");

    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "doc_scan": { "threshold": 18 } })).await;
    let opened = session.open_attempt(&app, "DOC_SCAN").await;
    let url = opened.step()["url"].as_str().unwrap().to_owned();
    assert!(url.starts_with("http://127.0.0.1:8080/sandbox/idverify/v1/web/index.html?sessionID="), "{url}");
    // Nothing has happened yet, and polling costs nothing.
    for _ in 0..3 {
        let same = session.take_turn(&app, &opened, json!({})).await;
        assert_eq!(same.step()["kind"], "document");
    }
    go_through_document(&app, &url).await;
    let ended = session.take_turn(&app, &opened, json!({})).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
    let result = session.result(&app).await;
    assert_eq!((&result["method"], &result["age"]), (&json!("DOC_SCAN"), &json!(18)));
    // The document session is deleted with everything in it.
    let count =
        app.api.db.read().await.unwrap().count(db::sql!("SELECT count(*) FROM identity_sessions")).await;
    assert_eq!(count.unwrap(), 0);
}
