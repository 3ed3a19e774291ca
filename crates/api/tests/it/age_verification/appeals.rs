//! `/api/v1/sessions/{sessionId}/appeal`, and what reviewers decide about it.

use super::{AgeSessionFixture, BASE, SANDBOX, relying_party_call, retries::sign_in};
use crate::{
    console::Integrator,
    content_moderation::AccountFixture,
    deliveries::deliver,
    erasure::{assert_erased_from_files, stored_needle},
};
use base::{AgeSessionId, SignedDuration};
use db::sql;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{
    TestApp, TestResponse, face_base64, proof_settings,
    stub_server::{self, StubReply, StubServer},
};

/// What differs from run to run, in an appeal and in the case of one.
const VOLATILE_OF_APPEAL: &str = "session_id created_at deleted_at picture_deleted_at";
const VOLATILE_OF_CASE: &str = "**.id **.session_id **.due_at **.created_at **.refused_at **.appealed_at **.lease_until \
                                **.held_by **.deletes_at **.years **.low **.high";

/// A session that nobody passes, with an address for webhooks.
async fn refused_session(app: &TestApp) -> AgeSessionFixture {
    let payload = json!({
        "age_estimation": { "threshold": 100 }, "notification_url": "https://shop.example.com/hook",
    });
    let session = AgeSessionFixture::create(app, BASE, &payload).await;
    session.fail_by_estimate(app).await;
    session
}

pub(super) async fn appeal(app: &TestApp, session: &AgeSessionFixture, body: Value) -> TestResponse {
    let path = format!("{}/sessions/{}/appeal", session.base, session.id);
    relying_party_call(app, &session.key, "POST", &path, Some(body)).await
}

async fn read_appeal(app: &TestApp, session: &AgeSessionFixture) -> TestResponse {
    let path = format!("{}/sessions/{}/appeal", session.base, session.id);
    relying_party_call(app, &session.key, "GET", &path, None).await
}

/// A reviewer of appeals.
async fn reviewer() -> Integrator {
    Integrator::start(&["ages:review", "sessions:view"]).await
}

/// Claims the case of an appeal; its path.
async fn claim(reviewer: &Integrator) -> String {
    let claimed = reviewer.call("POST", "/console/cases/claim", Some(json!({ "count": 1 }))).await;
    assert_eq!(claimed.status, 200, "{}", claimed.json());
    let case = claimed.json()["cases"][0]["id"].as_str().expect("a case").to_owned();
    format!("/console/cases/{case}")
}

/// Decides an appeal; the decision is to settle.
async fn decide_unsettled(reviewer: &Integrator, case: &str, decision: &str) {
    let body = json!({ "decision": decision, "exposure_seconds": 1.0 });
    let decided = reviewer.call("PUT", &format!("{case}/decision"), Some(body)).await;
    assert_eq!(decided.status, 200, "{}", decided.json());
    reviewer.app().environment.advance(SignedDuration::from_secs(11));
}

/// Decides an appeal, and lets the decision settle.
async fn decide(reviewer: &Integrator, case: &str, decision: &str) {
    decide_unsettled(reviewer, case, decision).await;
    reviewer.app().run_due_jobs().await;
}

/// Decides an appeal without its case and reviewer.
pub(super) async fn decide_directly(app: &TestApp, session: &AgeSessionFixture, overturn: bool) {
    assert!(try_to_decide(app, session, overturn).await);
}

/// [`decide_directly`], if there is anything to decide; returns whether there was.
async fn try_to_decide(app: &TestApp, session: &AgeSessionFixture, overturn: bool) -> bool {
    let (ages, id) = (&app.api.age_verification, session.id.parse::<AgeSessionId>().unwrap());
    ages.prepare_decision().await.unwrap();
    let mut tx = app.api.db.write().await.unwrap();
    let decided = ages.decide_appeal(&mut tx, app.app, id, overturn).await.unwrap();
    tx.commit().await.unwrap();
    decided
}

/// Sends an appeal with an `Idempotency-Key`.
async fn appeal_with_key(
    app: &TestApp,
    session: &AgeSessionFixture,
    key: &str,
    body: &Value,
) -> TestResponse {
    let request = axum::http::Request::post(format!("{}/sessions/{}/appeal", session.base, session.id))
        .header("Authorization", format!("Bearer {}", session.key))
        .header(app.api.brand.sdk_id(), app.app.to_string())
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", key)
        .body(axum::body::Body::from(body.to_string()));
    app.send(request.unwrap()).await
}

/// How many messages of a topic there are.
async fn messages(app: &TestApp, topic: &'static str) -> i64 {
    let query = sql!("SELECT count(*) FROM deliveries WHERE topic = $1", topic);
    app.api.db.read().await.unwrap().count(query).await.unwrap()
}

#[tokio::test]
async fn an_appeal_repeated_with_its_idempotency_key_is_answered_alike() {
    let app = TestApp::start().await;
    let session = refused_session(&app).await;
    let body = json!({ "statement": "I am 34." });
    let made = appeal_with_key(&app, &session, "appeal 7", &body).await;
    assert_eq!(made.status_and_code(), "201", "{}", made.json());
    let again = appeal_with_key(&app, &session, "appeal 7", &body).await;
    assert_eq!((again.status_and_code().as_str(), &again.body), ("201", &made.body));
    assert_eq!(again.header("cache-control"), "no-store");
    let other = appeal_with_key(&app, &session, "appeal 7", &json!({})).await;
    assert_eq!(other.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");
    assert_eq!(
        appeal_with_key(&app, &session, "appeal 8", &body).await.status_and_code(),
        "409 INVALID_STATUS"
    );
}

#[tokio::test]
async fn an_appeal_is_made_once() {
    let reviewer = reviewer().await;
    let app = reviewer.app();
    let session = refused_session(app).await;
    assert_eq!(read_appeal(app, &session).await.status_and_code(), "404 NOT_FOUND");
    let body = json!({
        "statement": "I am 34.", "language": "de", "picture": face_base64(), "picture_consent": true,
    });
    let made = appeal(app, &session, body).await;
    assert_response_snapshot!(made, VOLATILE_OF_APPEAL);
    assert_eq!(appeal(app, &session, json!({})).await.status_and_code(), "409 INVALID_STATUS");
    assert_response_snapshot!(read_appeal(app, &session).await, VOLATILE_OF_APPEAL);
    let stored = sql!("SELECT count(*) FROM stored_files WHERE bytes > 0");
    assert_eq!(app.api.db.read().await.unwrap().count(stored).await.unwrap(), 1, "the picture is counted");
}

#[tokio::test]
async fn a_refusal_that_is_overturned_is_corrected_by_a_message() {
    let reviewer = reviewer().await;
    let app = reviewer.app();
    let session = refused_session(app).await;
    let body = json!({ "statement": "I am 34.", "picture": face_base64(), "picture_consent": true });
    assert_eq!(appeal(app, &session, body).await.status, 201);
    let case = claim(&reviewer).await;
    let shown = reviewer.get(&case).await;
    assert_eq!(shown.json()["age_appeal"]["threshold"], 100);
    assert!(shown.json()["age_appeal"]["estimate"]["years"].as_f64().unwrap() < 100.0);
    assert_response_snapshot!(shown, VOLATILE_OF_CASE);
    let picture = reviewer.get(&format!("{case}/pictures/capture")).await;
    assert_eq!((picture.status.as_u16(), picture.header("content-type")), (200, "image/jpeg"));
    assert_eq!(reviewer.get(&format!("{case}/pictures/other")).await.status_and_code(), "404 NOT_FOUND");

    decide(&reviewer, &case, "OVERTURN").await;
    let result = session.result(app).await;
    assert_eq!((&result["status"], &result["method"]), (&json!("COMPLETE"), &json!("AGE_ESTIMATION")));
    assert_eq!(read_appeal(app, &session).await.json()["status"], "OVERTURNED");
    assert_eq!(messages(app, "ages.appeal").await, 1);
    let mut view = app.api.db.read().await.unwrap();
    let pictures = sql!("SELECT count(*) FROM age_appeal_pictures");
    assert_eq!(view.count(pictures).await.unwrap(), 0, "it goes with the decision");
    let stored = sql!("SELECT count(*) FROM stored_files WHERE bytes <> 0");
    assert_eq!(view.count(stored).await.unwrap(), 0);
    drop(view);
    let history = reviewer.get(&format!("/console/verification-sessions/{}", session.id)).await.json();
    let told: Vec<_> = history["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| ["APPEAL", "RESULT"].contains(&entry["event"].as_str().unwrap()))
        .map(|entry| format!("{} {}", entry["event"].as_str().unwrap(), entry["outcome"].as_str().unwrap()))
        .collect();
    assert_eq!(told, ["APPEAL PASSED", "RESULT PASSED"]);
}

#[tokio::test]
async fn a_refusal_that_is_upheld_stays_and_is_told() {
    let reviewer = reviewer().await;
    let app = reviewer.app();
    let session = refused_session(app).await;
    assert_eq!(appeal(app, &session, json!({})).await.status, 201);
    let case = claim(&reviewer).await;
    decide(&reviewer, &case, "UPHOLD").await;
    assert_eq!(session.result(app).await["status"], "FAIL");
    assert_eq!(read_appeal(app, &session).await.json()["status"], "UPHELD");
    assert_eq!(messages(app, "ages.appeal").await, 1);
}

/// On PostgreSQL, which would end one of two transactions that wait for each other, and not always the one that is tried again.
#[tokio::test]
async fn an_appeal_is_settled_while_its_session_is_erased() {
    let reviewer = reviewer().await;
    let app = reviewer.app();
    let session = refused_session(app).await;
    assert_eq!(appeal(app, &session, json!({})).await.status, 201);
    let case = claim(&reviewer).await;
    decide_unsettled(&reviewer, &case, "UPHOLD").await;
    // The erasure has locked the session, and nothing else yet.
    let id = session.id.parse::<AgeSessionId>().unwrap();
    let mut tx = app.api.db.write().await.unwrap();
    tx.execute(sql!("UPDATE age_sessions SET version = version WHERE id = $1", id)).await.unwrap();
    let working = app.spawn_worker();
    app.wait_until_blocked(1).await;
    // Longer than PostgreSQL waits until it looks for who waits for whom.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    app.api.age_verification.erase_in(&mut tx, app.app, id).await.unwrap();
    tx.commit().await.unwrap();
    working.stop().await;
    app.run_due_jobs().await;
    let mut view = app.api.db.read().await.unwrap();
    for query in [sql!("SELECT count(*) FROM age_sessions"), sql!("SELECT count(*) FROM cases")] {
        assert_eq!(view.count(query).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn no_golden_case_is_made_of_an_appeal_whose_picture_has_gone() {
    let reviewer = Integrator::start(&["ages:review", "queues:manage"]).await;
    let app = reviewer.app();
    let session = refused_session(app).await;
    let body = json!({ "picture": face_base64(), "picture_consent": true });
    assert_eq!(appeal(app, &session, body).await.status, 201);
    let case = claim(&reviewer).await;
    decide(&reviewer, &case, "UPHOLD").await;
    let answer = json!({ "decision": "UPHOLD" });
    let refused = reviewer.call("POST", &format!("{case}/golden"), Some(answer)).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT");
    let cases = sql!("SELECT count(*) FROM cases");
    assert_eq!(app.api.db.read().await.unwrap().count(cases).await.unwrap(), 1);
}

#[tokio::test]
async fn a_decision_is_about_the_attempt_that_was_appealed_against() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let payload = json!({
        "resume_enabled": true, "notification_url": receiver.url("/hook"),
        "electronic_id": { "threshold": 16 }, "credit_card": {},
    });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(sign_in(&app, &session, "under").await.reason(), "UNDER_AGE");
    let evidence = session.result(&app).await["evidence_id"].clone();
    assert_eq!(appeal(&app, &session, json!({})).await.status, 201);
    // They try something else meanwhile, in vain.
    let opened = session.open_attempt(&app, "CREDIT_CARD").await;
    let card = json!({ "number": "4000 0000 0000 0002", "expiry": "12/30", "code": "123" });
    let tried = session.take_turn(&app, &opened, json!({ "fields": card })).await;
    assert_eq!(tried.reason(), "NOT_FOUND");
    let last = session.result(&app).await;
    assert_eq!(last["method"], "CREDIT_CARD");
    assert_ne!(last["evidence_id"], evidence);

    decide_directly(&app, &session, false).await;
    assert_eq!(session.result(&app).await["method"], "CREDIT_CARD", "what is upheld changes nothing");
    decide_directly(&app, &session, true).await;
    let result = session.result(&app).await;
    for (member, value) in [
        ("status", &json!("COMPLETE")),
        ("method", &json!("ELECTRONIC_ID")),
        ("age", &json!(16)),
        ("evidence_id", &evidence),
    ] {
        assert_eq!(&result[member], value, "{member}");
    }

    let sent = deliver(&app, app.api.document_verification.outbox(), &receiver, 4).await;
    let mut told: Vec<Value> = sent.iter().map(|sent| serde_json::from_slice(&sent.body).unwrap()).collect();
    told.sort_by_key(|told| told["sequence_number"].as_i64());
    for (told, decision, reason) in
        [(&told[2], "UPHELD", json!("UNDER_AGE")), (&told[3], "OVERTURNED", Value::Null)]
    {
        assert_eq!((&told["appeal"], &told["result"]), (&json!(decision), &json!(decision == "OVERTURNED")));
        assert_eq!((&told["method"], &told["age"]), (&json!("ELECTRONIC_ID"), &json!(16)), "{decision}");
        assert_eq!((&told["evidence_id"], &told["error_code"]), (&evidence, &reason), "{decision}");
    }
}

#[tokio::test]
async fn a_document_that_is_being_shown_goes_once_the_appeal_is_decided() {
    let app = TestApp::start().await;
    let payload = json!({ "resume_enabled": true, "electronic_id": {}, "doc_scan": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    sign_in(&app, &session, "under").await;
    assert_eq!(appeal(&app, &session, json!({})).await.status, 201);
    session.open_attempt(&app, "DOC_SCAN").await;
    decide_directly(&app, &session, true).await;
    app.environment.advance(SignedDuration::from_secs(20));
    app.run_due_jobs().await;
    let documents = sql!("SELECT count(*) FROM identity_sessions");
    assert_eq!(app.api.db.read().await.unwrap().count(documents).await.unwrap(), 0);
    assert_eq!(session.result(&app).await["status"], "COMPLETE");
}

#[tokio::test]
async fn only_who_was_refused_for_their_age_can_appeal_and_not_for_ever() {
    let reviewer = reviewer().await;
    let app = reviewer.app();
    let pending = AgeSessionFixture::create(app, BASE, &json!({ "age_estimation": {} })).await;
    assert_eq!(appeal(app, &pending, json!({})).await.status_and_code(), "409 INVALID_STATUS");
    let payload = json!({ "age_estimation": { "threshold": 1 } });
    let passed = AgeSessionFixture::create(app, BASE, &payload).await;
    let opened = passed.begin_estimate(app).await;
    passed.finish_estimate(app, &opened).await;
    assert_eq!(appeal(app, &passed, json!({})).await.status_and_code(), "409 INVALID_STATUS");
    let session = refused_session(app).await;
    for body in [
        json!({ "statement": "x".repeat(2001) }),
        json!({ "language": "ö" }),
        json!({ "picture": face_base64() }),
        json!({ "picture": "????", "picture_consent": true }),
        json!({ "picture": "aGVsbG8=", "picture_consent": true }),
    ] {
        let refused = appeal(app, &session, body.clone()).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{body}");
    }
    let nobody =
        AgeSessionFixture { id: "018f3c8e-0000-7000-8000-00000000000a".to_owned(), ..session.clone() };
    assert_eq!(appeal(app, &nobody, json!({})).await.status_and_code(), "404 SESSION_NOT_FOUND");
    app.environment.advance(SignedDuration::from_hours(24 * 15));
    assert_eq!(appeal(app, &session, json!({})).await.status_and_code(), "409 INVALID_STATUS");
}

#[tokio::test]
async fn the_picture_of_an_appeal_nobody_decides_goes_with_the_session() {
    let reviewer = reviewer().await;
    let app = reviewer.app();
    let session = refused_session(app).await;
    let body = json!({ "picture": face_base64(), "picture_consent": true });
    assert_eq!(appeal(app, &session, body).await.status, 201);
    app.environment.advance(SignedDuration::from_hours(24 * 32));
    app.api.retention.enforce(&app.api.db, &*app.api.environment).await.unwrap();
    let mut view = app.api.db.read().await.unwrap();
    for query in [
        sql!("SELECT count(*) FROM age_appeal_pictures"),
        sql!("SELECT count(*) FROM age_appeals"),
        sql!("SELECT count(*) FROM cases"),
        sql!("SELECT count(*) FROM stored_files WHERE bytes <> 0"),
    ] {
        assert_eq!(view.count(query).await.unwrap(), 0);
    }
}

/// Whatever becomes of the appeal: it is decided, or the person has passed meanwhile.
#[tokio::test]
async fn the_picture_of_an_appeal_that_is_over_is_in_no_file() {
    let app = TestApp::start().await;
    for has_passed in [false, true] {
        let payload = json!({ "retry_enabled": true, "electronic_id": {} });
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        assert_eq!(sign_in(&app, &session, "under").await.status(), "FAIL");
        let body = json!({ "picture": face_base64(), "picture_consent": true });
        assert_eq!(appeal(&app, &session, body).await.status, 201);
        if has_passed {
            assert_eq!(sign_in(&app, &session, "over").await.status(), "COMPLETE");
        }
        let picture = stored_needle(&app, sql!("SELECT sealed AS bytes FROM age_appeal_pictures")).await;
        let decided = assert_erased_from_files(&app, &picture, try_to_decide(&app, &session, false)).await;
        assert_eq!(decided, !has_passed);
    }
}

#[tokio::test]
async fn who_may_not_review_ages_sees_no_appeal() {
    let app = TestApp::start().await;
    let session = refused_session(&app).await;
    assert_eq!(appeal(&app, &session, json!({})).await.status, 201);
    let account = AccountFixture::of(app).await;
    let (_, cookie) = account.add_member("eve@example.com", false, &["notifications:manage"]).await;
    let claimed =
        account.call_console(&cookie, "POST", "/console/cases/claim", Some(json!({ "count": 1 }))).await;
    assert_eq!(claimed.json()["cases"], json!([]));
}
