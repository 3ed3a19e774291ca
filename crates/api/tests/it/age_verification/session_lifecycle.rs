//! The life of a session: creation, attempts, outcome, reading.

use super::{BASE, SANDBOX, Session, business};
use crate::secure_capture::capture;
use base::SignedDuration;
use serde_json::json;
use testkit::{TestApp, face_base64, face_jpeg};

async fn photo(app: &TestApp) -> serde_json::Value {
    json!({ "img": face_base64(), "secure": capture(app, face_jpeg(), false).await })
}

#[tokio::test]
async fn a_session_echoes_what_was_asked_for() {
    let app = TestApp::start().await;
    let payload = json!({
        "type": "over", "ttl": 120, "reference_id": "order 7", "account_id": "a-1",
        "callback": { "url": "https://shop.test/done?x=1#top", "auto": true },
        "cancel_url": "https://shop.test/no", "privacy_policy": "https://shop.test/privacy",
        "terms_and_conditions": "https://shop.test/terms", "target_origin_url": "https://shop.test",
        "blocked_locations": ["us-ut"], "resume_enabled": true, "synchronous_checks": true,
        "doc_scan": { "threshold": 21, "authenticity": "AUTO", "preset_issuing_country": "gbr", "level": "passive" },
        "age_estimation": { "threshold": 25, "retry_enabled": true, "retry_limit": 2, "level": "ACTIVE" },
        "unknown_member": { "is": "ignored" },
    });
    let session = Session::new(&app, BASE, &payload).await;
    let path = format!("{BASE}/sessions/{}", session.id);
    let read = business(&app, &session.key, "GET", &path, None).await;
    assert_eq!((read.status_and_code(), read.header("cache-control")), ("200".to_owned(), "no-store"));
    let record = read.json();
    assert_eq!(record, session.result(&app).await);
    for (member, value) in [
        ("id", json!(session.id)),
        ("sdk_id", json!(app.app)),
        ("type", json!("OVER")),
        ("status", json!("PENDING")),
        ("expires_at", json!("2026-01-16T14:42:00Z")),
        ("created_at", json!("2026-01-16T14:40:00Z")),
        ("reference_id", json!("order 7")),
        ("callback", json!({ "url": "https://shop.test/done?x=1#top", "auto": true })),
        ("biometric_consent_required", json!(true)),
        ("biometric_consent_given_at", json!(null)),
        ("retry_enabled", json!(false)),
        ("resume_enabled", json!(true)),
        ("double_blind", json!(false)),
        ("blocked_locations", json!(["US-UT"])),
        ("rule_id", json!(null)),
    ] {
        assert_eq!(record[member], value, "{member}");
    }
    assert_eq!(
        record["age_estimation"],
        json!({
            "allowed": true, "threshold": 25, "level": "ACTIVE", "authenticity": "OFF", "retry_enabled": true,
            "retry_limit": 2, "attempts": 0, "attempts_remaining": 2,
        })
    );
    assert_eq!(record["doc_scan"]["preset_issuing_country"], "GBR");
    assert!(record.get("age").is_none() && record.get("credit_card").is_none());

    // The page knows where to send the end user.
    let view = session.page(&app, "GET", "", None).await.json();
    let back = format!("https://shop.test/done?x=1&sessionId={}#top", session.id);
    assert_eq!(view["callback"], json!({ "url": back, "auto": true }));
    assert_eq!((&view["business"], &view["seconds_left"]), (&json!("Test application"), &json!(120)));
}

#[tokio::test]
async fn creating_a_session_answers_with_the_address_of_its_page() {
    let app = TestApp::start().await;
    let settings = domain::age_verification::AgeVerificationSettings {
        public_url: "https://ages.test".to_owned(),
        ..domain::age_verification::AgeVerificationSettings::default()
    };
    let elsewhere = TestApp::start_with_age_settings(settings).await;
    for (app, base, page) in [
        (&app, BASE, "http://127.0.0.1:8080/age"),
        (&app, SANDBOX, "http://127.0.0.1:8080/sandbox/age"),
        (&elsewhere, BASE, "https://ages.test/age"),
    ] {
        let key = app.api_key(&[]).await;
        let path = format!("{base}/sessions");
        let made = business(app, &key, "POST", &path, Some(json!({ "age_estimation": {} }))).await.json();
        let id = made["id"].as_str().unwrap();
        assert_eq!(made["url"], format!("{page}?sessionId={id}&sdkId={}", app.app));
    }
}

#[tokio::test]
async fn methods_are_offered_in_the_order_of_the_payload() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    for (payload, offered) in [
        (r#"{"doc_scan":{},"ttl":60,"age_estimation":{}}"#, ["DOC_SCAN", "AGE_ESTIMATION"]),
        (r#"{"age_estimation":{},"doc_scan":{},"ttl":60}"#, ["AGE_ESTIMATION", "DOC_SCAN"]),
    ] {
        let request = axum::http::Request::builder()
            .method("POST")
            .uri(format!("{BASE}/sessions"))
            .header("Authorization", format!("Bearer {key}"))
            .header("Svc-Sdk-Id", app.app.to_string())
            .header("Content-Type", "application/json")
            .body(axum::body::Body::from(payload));
        let made = app.send(request.unwrap()).await.json();
        let id = made["id"].as_str().unwrap().to_owned();
        let session = Session { id, key: key.clone(), base: BASE };
        let view = session.page(&app, "GET", "", None).await.json();
        let methods: Vec<_> =
            view["methods"].as_array().unwrap().iter().map(|one| one["method"].as_str().unwrap()).collect();
        assert_eq!(methods, offered);
    }
}

#[tokio::test]
async fn a_face_shows_an_age() {
    let app = TestApp::start().await;
    let payload = json!({ "type": "AGE", "age_estimation": { "level": "NONE" }, "reference_id": "r" });
    let session = Session::new(&app, BASE, &payload).await;
    let refused = session.page(&app, "POST", "/attempts", Some(json!({ "method": "AGE_ESTIMATION" }))).await;
    assert_eq!(refused.status_and_code(), "409 CONSENT_REQUIRED");
    let view = session.page(&app, "POST", "/consent", Some(json!({ "given": true }))).await;
    assert_eq!(view.json()["consent"], json!({ "required": true, "given": true }));

    let opened = session.open(&app, "AGE_ESTIMATION").await;
    assert_eq!(opened.step()["kind"], "camera");
    assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
    let path = format!("{BASE}/sessions/{}", session.id);
    let gone = business(&app, &session.key, "GET", &path, None).await;
    assert_eq!(gone.status_and_code(), "410 SESSION_NOT_PENDING");

    // A photo without a proof of capture is not analysed.
    let bare = session.turn(&app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(bare.0["problem"]["code"], "TRY_AGAIN");
    let ended = session.turn(&app, &bare, photo(&app).await).await;
    assert_eq!((ended.status(), ended.step()), ("COMPLETE", &json!(null)), "{}", ended.0);
    let result = session.result(&app).await;
    assert_eq!((&result["status"], &result["method"]), (&json!("COMPLETE"), &json!("AGE_ESTIMATION")));
    assert!(result["age"].as_i64().is_some_and(|age| (15..60).contains(&age)), "{result}");
    assert_eq!(result["biometric_consent_given_at"], "2026-01-16T14:40:00Z");
    assert_eq!(result["age_estimation"]["attempts"], 1);
    assert_eq!(ended.0["session"]["result"]["status"], "COMPLETE");
}

#[tokio::test]
async fn an_estimate_near_the_threshold_goes_to_the_next_method() {
    let app = TestApp::start().await;
    // It does not matter whose photo this is: a threshold at the estimate itself is near it.
    let block_consent = json!({ "block_biometric_consent": true, "type": "AGE", "age_estimation": {} });
    let session = Session::new(&app, BASE, &block_consent).await;
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    session.turn(&app, &opened, photo(&app).await).await;
    let age = session.result(&app).await["age"].as_i64().unwrap();

    let payload =
        json!({ "block_biometric_consent": true, "age_estimation": { "threshold": age }, "doc_scan": {} });
    let session = Session::new(&app, BASE, &payload).await;
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    let undecided = session.turn(&app, &opened, photo(&app).await).await;
    assert_eq!(undecided.status(), "IN_PROGRESS");
    assert_eq!(undecided.0["session"]["result"]["reason"], "AGE_UNCERTAIN");
    let states: Vec<_> = undecided.0["session"]["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["state"].clone())
        .collect();
    assert_eq!(states, [json!("EXHAUSTED"), json!("OPEN")]);
    let again = session.page(&app, "POST", "/attempts", Some(json!({ "method": "AGE_ESTIMATION" }))).await;
    assert_eq!(again.status_and_code(), "409 INVALID_STATUS");

    // Without another method, the session fails.
    let payload = json!({ "block_biometric_consent": true, "age_estimation": { "threshold": age } });
    let session = Session::new(&app, BASE, &payload).await;
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    assert_eq!(session.turn(&app, &opened, photo(&app).await).await.status(), "FAIL");

    // Far from the threshold, the estimate passes or fails.
    for (kind, threshold, status) in
        [("OVER", 3, "COMPLETE"), ("OVER", 90, "FAIL"), ("UNDER", 90, "COMPLETE"), ("UNDER", 3, "FAIL")]
    {
        let payload = json!({
            "type": kind, "block_biometric_consent": true, "age_estimation": { "threshold": threshold }, "doc_scan": {},
        });
        let session = Session::new(&app, BASE, &payload).await;
        let opened = session.open(&app, "AGE_ESTIMATION").await;
        let ended = session.turn(&app, &opened, photo(&app).await).await;
        assert_eq!(ended.status(), status, "{kind} {threshold}");
        assert_eq!(session.result(&app).await["age"], threshold);
        let refused = session.page(&app, "POST", "/attempts", Some(json!({ "method": "DOC_SCAN" }))).await;
        assert_eq!(refused.status_and_code(), "409 INVALID_STATUS", "without resume it is over");
    }
}

#[tokio::test]
async fn what_failed_may_be_tried_again_where_the_session_says_so() {
    let app = TestApp::start().await;
    let estimation = |more: serde_json::Value| {
        let mut block = json!({ "threshold": 90 });
        block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        block
    };
    let retry = json!({
        "block_biometric_consent": true,
        "age_estimation": estimation(json!({ "retry_enabled": true, "retry_limit": 2 })),
        "doc_scan": {},
    });
    let session = Session::new(&app, BASE, &retry).await;
    for left in [1, 0] {
        let opened = session.open(&app, "AGE_ESTIMATION").await;
        let ended = session.turn(&app, &opened, photo(&app).await).await;
        assert_eq!(ended.status(), "FAIL");
        assert_eq!(ended.0["session"]["retry"], left == 1);
        assert_eq!(session.result(&app).await["age_estimation"]["attempts_remaining"], left);
    }
    for method in ["AGE_ESTIMATION", "DOC_SCAN"] {
        let refused = session.page(&app, "POST", "/attempts", Some(json!({ "method": method }))).await;
        assert_eq!(refused.status_and_code(), "409 INVALID_STATUS", "{method}");
    }

    let resume = json!({
        "block_biometric_consent": true, "resume_enabled": true, "age_estimation": estimation(json!({})), "doc_scan": {},
    });
    let session = Session::new(&app, BASE, &resume).await;
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    assert_eq!(session.turn(&app, &opened, photo(&app).await).await.status(), "FAIL");
    let document = session.open(&app, "DOC_SCAN").await;
    assert_eq!((document.status(), &document.step()["kind"]), ("IN_PROGRESS", &json!("document")));
}

#[tokio::test]
async fn an_answer_counts_once_and_for_its_own_question() {
    let app = TestApp::start().await;
    let payload = json!({ "block_biometric_consent": true, "retry_enabled": true, "age_estimation": { "threshold": 3 } });
    let session = Session::new(&app, BASE, &payload).await;
    let first = session.open(&app, "AGE_ESTIMATION").await;
    let second = session.open(&app, "AGE_ESTIMATION").await;
    let mut body = photo(&app).await;
    body["continuation"] = first.0["continuation"].clone();
    let path = format!("/attempts/{}", first.attempt());
    let stale = session.page(&app, "POST", &path, Some(body.clone())).await;
    assert_eq!(stale.status_and_code(), "409 STALE_CONTINUATION", "another attempt was opened meanwhile");
    let path = format!("/attempts/{}", second.attempt());
    let crossed = session.page(&app, "POST", &path, Some(body.clone())).await;
    assert_eq!(crossed.status_and_code(), "409 STALE_CONTINUATION", "sealed for another attempt");
    body["continuation"] = second.0["continuation"].clone();
    // Input that cannot be read uses nothing up.
    let unread = json!({ "continuation": body["continuation"], "img": 7 });
    assert_eq!(
        session.page(&app, "POST", &path, Some(unread)).await.status_and_code(),
        "400 INVALID_REQUEST"
    );
    // Of two concurrent turns, one counts.
    let both = tokio::join!(
        session.page(&app, "POST", &path, Some(body.clone())),
        session.page(&app, "POST", &path, Some(body.clone())),
    );
    let mut lines = [both.0.status_and_code(), both.1.status_and_code()];
    lines.sort();
    assert_eq!(lines, ["200", "409 STALE_CONTINUATION"]);
    assert_eq!(session.result(&app).await["age_estimation"]["attempts"], 1);
    let repeated = session.page(&app, "POST", &path, Some(body)).await;
    assert_eq!(repeated.status_and_code(), "409 STALE_CONTINUATION");
}

#[tokio::test]
async fn who_declines_may_use_another_method() {
    let app = TestApp::start().await;
    let session = Session::new(&app, SANDBOX, &json!({ "age_estimation": {}, "doc_scan": {} })).await;
    let view = session.page(&app, "POST", "/consent", Some(json!({ "given": false }))).await.json();
    assert_eq!(
        (&view["methods"][0]["state"], &view["methods"][1]["state"]),
        (&json!("DECLINED"), &json!("OPEN"))
    );
    let refused = session.page(&app, "POST", "/attempts", Some(json!({ "method": "AGE_ESTIMATION" }))).await;
    assert_eq!(refused.status_and_code(), "409 CONSENT_REQUIRED");
    assert_eq!(session.open(&app, "DOC_SCAN").await.step()["kind"], "document");
}

#[tokio::test]
async fn a_session_is_called_off_once() {
    let app = TestApp::start().await;
    let session = Session::new(&app, BASE, &json!({ "doc_scan": {} })).await;
    let cancelled = session.page(&app, "POST", "/cancel", None).await;
    assert_eq!(cancelled.json()["status"], "CANCELLED");
    assert_eq!(session.page(&app, "POST", "/cancel", None).await.status_and_code(), "409 INVALID_STATUS");
    let refused = session.page(&app, "POST", "/attempts", Some(json!({ "method": "DOC_SCAN" }))).await;
    assert_eq!(refused.status_and_code(), "409 INVALID_STATUS");
    assert_eq!(session.result(&app).await["status"], "CANCELLED");
}

#[tokio::test]
async fn time_runs_out_for_everybody_but_whoever_reads_the_result() {
    let app = TestApp::start().await;
    let session = Session::new(
        &app,
        SANDBOX,
        &json!({ "ttl": 60, "age_estimation": {}, "block_biometric_consent": true }),
    )
    .await;
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    app.world.advance(SignedDuration::from_secs(60));
    let path = format!("/attempts/{}", opened.attempt());
    let body = json!({ "img": face_base64(), "continuation": opened.0["continuation"] });
    for answer in [
        session.page(&app, "GET", "", None).await,
        session.page(&app, "POST", &path, Some(body)).await,
        session.page(&app, "POST", "/cancel", None).await,
        business(&app, &session.key, "GET", &format!("{SANDBOX}/sessions/{}", session.id), None).await,
    ] {
        assert_eq!(answer.status_and_code(), "410 SESSION_EXPIRED");
    }
    assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
    app.world.advance(SignedDuration::from_hours(24 * 30));
    domain::age_verification::purge(&app.api.db, app.api.environment.now()).await.unwrap();
    let path = format!("{SANDBOX}/sessions/{}/result", session.id);
    assert_eq!(
        business(&app, &session.key, "GET", &path, None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
}

#[tokio::test]
async fn a_sandbox_comes_to_what_it_is_told() {
    let app = TestApp::start().await;
    let session = Session::new(&app, SANDBOX, &json!({ "type": "AGE", "age_estimation": {} })).await;
    let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
    let told = json!({ "status": "complete", "age": 25, "method": "AGE_ESTIMATION" });
    let answer = business(&app, &session.key, "PUT", &path, Some(told)).await;
    assert_eq!(answer.status_and_code(), "200");
    let result = session.result(&app).await;
    assert_eq!(
        (&result["status"], &result["age"], &result["method"]),
        (&json!("COMPLETE"), &json!(25), &json!("AGE_ESTIMATION"))
    );
    let wrong = json!({ "status": "DONE", "age": 200, "method": "MAGIC" });
    assert_eq!(
        business(&app, &session.key, "PUT", &path, Some(wrong)).await.status_and_code(),
        "400 INVALID_REQUEST"
    );

    // Production has no such operation, and does not find the sandbox's sessions.
    let real = Session::new(&app, BASE, &json!({ "age_estimation": {} })).await;
    let path = format!("{BASE}/sessions/{}/response-config", real.id);
    let body = json!({ "status": "COMPLETE" });
    assert_eq!(business(&app, &real.key, "PUT", &path, Some(body)).await.status_and_code(), "404 NOT_FOUND");
    for (base, id) in [(BASE, &session.id), (SANDBOX, &real.id)] {
        let path = format!("{base}/sessions/{id}/result");
        assert_eq!(
            business(&app, &real.key, "GET", &path, None).await.status_and_code(),
            "404 SESSION_NOT_FOUND"
        );
    }
}

#[tokio::test]
async fn a_sandbox_needs_neither_models_nor_documents() {
    let app = TestApp::start().await;
    let payload = json!({ "block_biometric_consent": true, "age_estimation": { "threshold": 18 } });
    let session = Session::new(&app, SANDBOX, &payload).await;
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    let ended = session.turn(&app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(ended.status(), "COMPLETE");

    let session = Session::new(&app, SANDBOX, &json!({ "doc_scan": { "threshold": 18 } })).await;
    let opened = session.open(&app, "DOC_SCAN").await;
    let url = opened.step()["url"].as_str().unwrap().to_owned();
    assert!(url.starts_with("http://127.0.0.1:8080/sandbox/idverify/v1/web/index.html?sessionID="), "{url}");
    // Nothing has happened yet, and polling costs nothing.
    for _ in 0..3 {
        let same = session.turn(&app, &opened, json!({})).await;
        assert_eq!(same.step()["kind"], "document");
    }
    go_through_document(&app, &url).await;
    let ended = session.turn(&app, &opened, json!({})).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
    let result = session.result(&app).await;
    assert_eq!((&result["method"], &result["age"]), (&json!("DOC_SCAN"), &json!(18)));
    // The document session is deleted with everything in it.
    let count =
        app.api.db.read().await.unwrap().count(db::sql!("SELECT count(*) FROM identity_sessions")).await;
    assert_eq!(count.unwrap(), 0);
}

#[tokio::test]
async fn a_document_is_followed_though_the_page_is_closed() {
    let app = TestApp::start().await;
    let session = Session::new(&app, SANDBOX, &json!({ "doc_scan": { "threshold": 40 } })).await;
    let opened = session.open(&app, "DOC_SCAN").await;
    go_through_document(&app, opened.step()["url"].as_str().unwrap()).await;
    app.world.advance(SignedDuration::from_secs(10));
    app.run_due_jobs().await;
    let result = session.result(&app).await;
    assert_eq!((&result["status"], &result["method"]), (&json!("FAIL"), &json!("DOC_SCAN")), "{result}");
}

/// Does what the document's page does, in a sandbox.
async fn go_through_document(app: &TestApp, url: &str) {
    let query = url.split_once('?').unwrap().1;
    let part = |name: &str| {
        query.split('&').find_map(|part| part.strip_prefix(name)).unwrap().trim_start_matches('=').to_owned()
    };
    let (id, token) = (part("sessionID"), part("sessionToken"));
    let document = crate::document_verification::Session::of_person(id, token, "/sandbox/idverify/v1");
    document.supply_document(app).await;
    document.finish(app).await;
    app.run_due_jobs().await;
}
