//! What one application may take, and how each interface says that it has taken it.

use crate::{
    content_moderation::{AccountFixture, another_photo, face_base64, two_people},
    deliveries::BackgroundDispatcher,
    document_verification::{DocumentSessionFixture, relying_party_call, session_with_page},
    http::call,
    proof_of_age::{ALL_SCOPES, Issuer, scan, server_trusting, verify},
};
use base::SignedDuration;
use credentials::proof::StatusReference;
use db::sql;
use domain::{
    delivery::{SuccessCriterion, WebhookMessage, WebhookMethod},
    tenancy::limits::{self, LimitKind},
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{
    TestApp, TestResponse, face_pictures,
    media_fixtures::png,
    stub_server::{StubReply, StubServer},
};

async fn limit(app: &TestApp, kind: LimitKind, value: Option<i64>) {
    let mut tx = app.api.db.write().await.unwrap();
    limits::set(&mut tx, app.app, &[(kind, value)]).await.unwrap();
    tx.commit().await.unwrap();
}

async fn usage(app: &TestApp) -> limits::Usage {
    limits::usage(&mut app.api.db.read().await.unwrap(), app.app).await.unwrap().unwrap()
}

/// The stored bytes as they are counted, which must be those of the rows.
async fn stored_bytes(app: &TestApp) -> i64 {
    let counted = usage(app).await.stored_bytes;
    let mut tx = app.api.db.write().await.unwrap();
    limits::recount(&mut tx, app.app).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(usage(app).await.stored_bytes, counted, "the count is not what there is");
    counted
}

fn assert_refused(answer: &TestResponse, kind: LimitKind, message: &str, retry_after: &str) {
    let body = answer.json();
    assert_eq!(answer.status.as_u16(), 429, "{body}");
    assert_eq!(answer.header("retry-after"), retry_after);
    let code = ["error_code", "code", "error"].iter().find_map(|member| body.get(member)?.as_str());
    assert_eq!(code, Some("TOO_MANY_REQUESTS"), "{body}");
    let told = body.get("error_message").or_else(|| body.get("message")).and_then(Value::as_str).unwrap();
    assert_eq!(told, format!("the application has reached its limit {kind}: {message}"));
    let (measured, _) = message.split_once(" of at most ").unwrap();
    assert_eq!(body["measured"].as_f64(), measured.parse().ok(), "{body}");
    assert!(body["limit"].as_str().is_some_and(|limit| limit.contains(kind.as_str())), "{body}");
    assert_eq!(body["hint"], "wait as long as Retry-After says", "{body}");
}

#[tokio::test]
async fn the_calls_of_an_application_are_limited_by_an_operator_with_immediate_effect() {
    let app = TestApp::start().await;
    assert_eq!(call().send(&app).await.status_and_code(), "400 IMAGE_NOT_PROVIDED");
    limit(&app, LimitKind::CallsPerMinute, Some(2)).await;
    for remaining in ["1", "0"] {
        let answer = call().send(&app).await;
        assert_eq!(
            (answer.header("ratelimit-limit"), answer.header("ratelimit-remaining")),
            ("2", remaining)
        );
    }
    let refused = call().send(&app).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert_eq!((refused.json()["measured"].clone(), refused.header("retry-after")), (json!(2.0), "60"));
    let kind = LimitKind::CallsPerMinute;
    assert_refused(&refused, kind, "2 of at most 2 calls until the next window", "60");
    assert_eq!(
        refused.json()["limit"],
        "at most 2 calls until the next window (calls_per_minute of the application)"
    );
    limit(&app, LimitKind::CallsPerMinute, Some(3)).await;
    assert_eq!(call().send(&app).await.status_and_code(), "400 IMAGE_NOT_PROVIDED", "two of three were made");
    assert_eq!(call().send(&app).await.status_and_code(), "429 TOO_MANY_REQUESTS");
    app.environment.advance(SignedDuration::from_mins(1));
    assert_eq!(call().send(&app).await.status_and_code(), "400 IMAGE_NOT_PROVIDED");
    limit(&app, LimitKind::CallsPerMinute, Some(0)).await;
    assert_eq!(call().send(&app).await.header("ratelimit-limit"), "");
}

#[tokio::test]
async fn one_more_live_stream_than_may_be_open_is_refused_until_one_ends() {
    let fixture = AccountFixture::start_with_media().await;
    limit(&fixture.app, LimitKind::LiveStreams, Some(2)).await;
    let url = fixture.files.put("live.m3u8", "#EXTM3U\n");
    let content = fixture.content(&url, "LIVE_VIDEO").await;
    let start = async || fixture.call("POST", "/moderations", Some(json!({ "content_id": content }))).await;
    let first = start().await.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(start().await.status_and_code(), "201");
    assert_refused(&start().await, LimitKind::LiveStreams, "2 of at most 2", "60");
    assert_eq!(usage(&fixture.app).await.live_streams, 2, "nothing of the refused one is there");
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM moderations")).await, 2);
    fixture.call("POST", &format!("/moderations/{first}/stop"), None).await;
    assert_eq!(start().await.status_and_code(), "201");
    // Other work has a limit of its own.
    fixture.waiting_moderation().await;
}

#[tokio::test]
async fn work_is_refused_while_much_of_it_waits() {
    let fixture = AccountFixture::start_with_media().await;
    limit(&fixture.app, LimitKind::WaitingJobs, Some(2)).await;
    let (content, _) = fixture.waiting_moderation().await;
    let start = async || fixture.call("POST", "/moderations", Some(json!({ "content_id": content }))).await;
    assert_eq!(start().await.status_and_code(), "201");
    assert_refused(&start().await, LimitKind::WaitingJobs, "2 of at most 2", "5");
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session =
        relying_party_call(&fixture.app, "POST", "/idverify/v1/sessions", Some(payload.clone())).await;
    assert_refused(&session, LimitKind::WaitingJobs, "2 of at most 2", "5");
    fixture.app.run_due_jobs().await;
    assert_eq!(start().await.status_and_code(), "201");
    let session = relying_party_call(&fixture.app, "POST", "/idverify/v1/sessions", Some(payload)).await;
    assert_eq!(session.status_and_code(), "201");
}

#[tokio::test]
async fn a_proof_whose_issuer_must_be_asked_is_refused_while_much_work_waits() {
    let environment = base::TestEnvironment::at("2026-01-16T14:40:00Z");
    let issuer = Issuer::new(&environment, "https://pass.example");
    let entry = issuer.entry(&json!({ "status_hosts": ["localhost"] }));
    let (app, _file) = server_trusting(json!([entry])).await;
    limit(&app, LimitKind::WaitingJobs, Some(1)).await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let reference = || Some(StatusReference { uri: "https://localhost:1/status".to_owned(), index: 3 });
    let ask = async |code: String| verify(&app, &token, &scan(&app, &code)).await;
    assert_eq!(ask(issuer.code(&app, reference())).await.status_and_code(), "202");
    let code = issuer.code(&app, reference());
    let refused = ask(code.clone()).await;
    assert_refused(&refused, LimitKind::WaitingJobs, "1 of at most 1", "5");
    assert_eq!(
        (refused.json()["measured"].clone(), refused.json()["status"].clone()),
        (json!(1.0), json!(429))
    );
    assert_eq!(ask(issuer.code(&app, None)).await.status_and_code(), "200", "no work waits for it");
    limit(&app, LimitKind::WaitingJobs, None).await;
    assert_eq!(ask(code).await.status_and_code(), "202", "the refusal has not used up the proof");
}

#[tokio::test]
async fn pictures_of_faces_count_as_stored_for_as_long_as_they_are_there() {
    let fixture = AccountFixture::start().await;
    let app = &fixture.app;
    let (ada, bob) = two_people();
    let first = fixture.enrol("Ada", ada).await;
    let one = stored_bytes(app).await;
    assert!(one > 1000, "{one}");
    limit(app, LimitKind::StoredBytes, Some(one)).await;
    let new = json!({ "display_name": "Bob", "biometric_consent": "form 7", "face": face_base64(bob) });
    let refused = fixture.call("POST", "/profiles", Some(new.clone())).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS", "{}", refused.json());
    assert_eq!(refused.header("retry-after"), "600");
    assert_eq!((fixture.picture_count().await, stored_bytes(app).await), (1, one), "nothing of it is stored");
    assert_eq!(fixture.row_counts().await, [1, 0, 0, 0]);
    fixture.call("DELETE", &format!("/profiles/{first}"), None).await;
    assert_eq!(stored_bytes(app).await, 0);
    limit(app, LimitKind::StoredBytes, None).await;
    let second = fixture.create("/profiles", new).await;
    let added = fixture.add_face(&second, bob).await.json();
    let two = stored_bytes(app).await;
    let face = added["id"].as_str().unwrap_or_else(|| panic!("{added}"));
    fixture.call("DELETE", &format!("/profiles/{second}/faces/{face}"), None).await;
    assert_eq!(2 * stored_bytes(app).await, two, "the same picture was there twice");
    app.api.account_deletion.delete(Some(app.app), fixture.account, "operator").await.unwrap();
    assert_eq!(stored_bytes(app).await, 0);
}

#[tokio::test]
async fn a_repeat_gets_its_answer_though_there_is_no_room_for_its_picture_any_more() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let send = async |path: &str, body: &Value, once: &str| {
        let request = axum::http::Request::post(fixture.path(path))
            .header("Authorization", &fixture.key)
            .header("Svc-Sdk-Id", fixture.app.app.to_string())
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", once);
        fixture.app.send(request.body(body.to_string().into()).unwrap()).await
    };
    let profile = json!({ "biometric_consent": "form 7", "face": face_base64(ada) });
    let enrolled = send("/profiles", &profile, "a").await;
    let faces = format!("/profiles/{}/faces", enrolled.json()["id"].as_str().unwrap());
    let face = json!({ "face": face_base64(&another_photo(ada, 0)) });
    let added = send(&faces, &face, "a").await;
    assert_eq!(added.status_and_code(), "201", "{}", added.json());
    let full = stored_bytes(&fixture.app).await;
    limit(&fixture.app, LimitKind::StoredBytes, Some(full)).await;
    for (path, body, answer) in [("/profiles", &profile, &enrolled), (faces.as_str(), &face, &added)] {
        let again = send(path, body, "a").await;
        assert_eq!((again.status, &again.body), (answer.status, &answer.body), "{path}");
        assert_eq!(send(path, body, "b").await.status_and_code(), "429 TOO_MANY_REQUESTS", "{path}");
    }
    assert_eq!(stored_bytes(&fixture.app).await, full);
}

#[tokio::test]
async fn pictures_of_what_was_found_count_as_stored_until_the_account_is_closed() {
    let fixture = AccountFixture::start_with_media().await;
    let app = &fixture.app;
    fixture.finished_moderation(json!({})).await;
    let pictures = sql!("SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM finding_pictures");
    let pictures = fixture.count(pictures).await;
    assert!(pictures > 1000, "{pictures}");
    assert_eq!(stored_bytes(app).await, pictures);
    app.api.account_deletion.delete(Some(app.app), fixture.account, "operator").await.unwrap();
    assert_eq!(stored_bytes(app).await, 0);
}

#[tokio::test]
async fn media_of_document_sessions_count_as_stored_for_as_long_as_they_are_there() {
    let app = TestApp::start().await;
    let (session, _media) = session_with_page(&app).await;
    let page = testkit::face_jpeg().len() as i64;
    assert_eq!(stored_bytes(&app).await, page);
    limit(&app, LimitKind::StoredBytes, Some(page + 10)).await;
    let full = try_session_with_page(&app).await;
    assert_eq!(full.status_and_code(), "429 TOO_MANY_REQUESTS", "{}", full.json());
    assert_eq!(full.header("retry-after"), "600");
    assert_eq!(stored_bytes(&app).await, page, "nothing of it is stored");
    app.environment.advance(SignedDuration::from_hours(24 * 40));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(stored_bytes(&app).await, 0, "{}", session.path(""));
    assert_eq!(try_session_with_page(&app).await.status_and_code(), "200");
}

/// Uploads a page to a new session; returns the answer to the upload.
async fn try_session_with_page(app: &TestApp) -> TestResponse {
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session = DocumentSessionFixture::create(app, "/idverify/v1", &payload).await;
    let body = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" });
    let made = session.end_user_call(app, "POST", "/resources/id-documents", Some(body)).await;
    let path = format!("/resources/id-documents/{}/pages/0", made.json()["id"].as_str().unwrap());
    session.upload(app, "PUT", &path, testkit::face_jpeg()).await
}

/// A tenant floods the server with calls over its limit, with images, and with messages to a slow receiver. What a quiet one
/// wants comes before nearly all of it.
#[tokio::test]
async fn a_quiet_tenant_is_served_in_the_flood_of_another() {
    const FLOOD: usize = 40;
    let fixture = AccountFixture::start_with_media().await;
    let app = &fixture.app;
    let (flood, account, key) = app.add_tenant().await;
    let ask = async |method: &str, below: &str, body: Option<Value>| {
        let path = format!("/accounts/{account}{below}");
        app.call_moderation_as(&flood.to_string(), method, &path, &key, body).await
    };
    let url = fixture.files.put("face.png", png(&face_pictures()[6]));
    let content = ask("POST", "/contents", Some(json!({ "url": url, "type": "IMAGE" }))).await.json();
    for _ in 0..FLOOD {
        let started = ask("POST", "/moderations", Some(json!({ "content_id": content["id"] }))).await;
        assert_eq!(started.status_and_code(), "201", "{}", started.json());
    }
    let slow = StubServer::start(|_| StubReply::status(204).after(Duration::from_secs(2))).await;
    let quick = StubServer::start(|_| StubReply::status(204)).await;
    let outbox = app.api.content_moderation.outbox();
    let mut tx = app.api.db.write().await.unwrap();
    for (owner, url) in
        std::iter::repeat_n((flood, slow.url("/hook")), 300).chain([(app.app, quick.url("/hook"))])
    {
        let message = WebhookMessage {
            url,
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body: "{}".to_owned(),
            verify_tls: true,
            success: SuccessCriterion::Any2xx,
        };
        outbox.enqueue(&mut tx, &*app.environment, owner, "test", &message).await.unwrap();
    }
    limits::set(&mut tx, flood, &[(LimitKind::CallsPerMinute, Some(5))]).await.unwrap();
    tx.commit().await.unwrap();

    let (_, moderation) = fixture.waiting_moderation().await;
    let (working, delivering) = (app.spawn_worker(), BackgroundDispatcher::start(app, outbox));
    let (mut refused, mut came_first) = (0, None);
    for _ in 0..6000 {
        if came_first.is_none() && !quick.captured().is_empty() {
            came_first = Some(slow.captured().len());
        }
        refused += usize::from(ask("GET", "/contents", None).await.status.as_u16() == 429);
        // The quiet one's own call, which is always answered.
        if fixture.moderation_state(&moderation).await["state"] == "DONE" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let done = fixture.count(sql!("SELECT count(*) FROM moderations WHERE state = 'DONE'")).await;
    assert_eq!(fixture.moderation_state(&moderation).await["state"], "DONE");
    assert!(done <= FLOOD as i64 / 2, "{done} moderations were done when the quiet one's was");
    assert_eq!(quick.wait_for(1).await.len(), 1);
    let came_first = came_first.unwrap_or_else(|| slow.captured().len());
    assert!(came_first < 100, "{came_first} messages of the other one came first");
    while refused == 0 {
        refused += usize::from(ask("GET", "/contents", None).await.status.as_u16() == 429);
    }
    delivering.stop().await;
    working.stop().await;
}
