//! What integrators see and do of their application: its keys, its usage, its requests, its sandbox.

use super::verification_sessions::{Integrator, SANDBOX_AGES, liveness_session};
use crate::{
    age_verification::{AgeSessionFixture, BASE as AGES},
    content_moderation::first_error,
    document_verification::DocumentSessionFixture,
};
use base::{Environment as _, SignedDuration};
use db::sql;
use domain::request_log::{RequestLog, RequestLogSettings};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::TestApp;

const SANDBOX_DOCUMENTS: &str = "/sandbox/idverify/v1";

/// A path below the integrator's application.
fn own(integrator: &Integrator, rest: &str) -> String {
    format!("/console/applications/{}{rest}", integrator.app().app)
}

#[tokio::test]
async fn an_integrator_manages_the_keys_of_their_application() {
    let integrator = Integrator::start(&["keys:manage"]).await;
    let keys = own(&integrator, "/keys");
    let body =
        json!({ "name": "Staging", "scopes": ["avs:sessions:create"], "expires_at": "2027-01-01T00:00:00Z" });
    let created = integrator.call("POST", &keys, Some(body.clone())).await;
    assert_eq!(created.status, 201, "{}", created.json());
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let listed = integrator.get(&keys).await.json();
    assert!(listed["keys"].as_array().unwrap().iter().any(|key| key["id"] == id.as_str()), "{listed}");
    let own_key = format!("{keys}/{id}");
    let session = integrator.get("/console/session").await.json();
    assert_eq!(session["application_id"], integrator.app().app.to_string());
    let (other, _, _) = integrator.app().add_tenant().await;
    for (method, path) in [
        ("GET", format!("/console/applications/{other}/keys")),
        ("POST", format!("/console/applications/{other}/keys")),
        ("DELETE", format!("/console/applications/{other}/keys/{id}")),
    ] {
        let refused = integrator.call(method, &path, Some(body.clone())).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{method} {path}");
    }
    assert_eq!(integrator.call("DELETE", &own_key, None).await.status, 204);
    let without = Integrator::start(&["usage:view"]).await;
    assert_eq!(without.get(&own(&without, "/keys")).await.status_and_code(), "401 UNAUTHORIZED");
}

/// An integrator of an application whose requests are logged.
async fn logged() -> Integrator {
    let app = TestApp::start_with(|api| {
        api.request_log = RequestLog::start(api.db.clone(), RequestLogSettings::default());
    })
    .await;
    Integrator::of(app, &["usage:view"]).await
}

/// The requests that are listed, once there are so many.
async fn requests(integrator: &Integrator, query: &str, many: usize) -> Value {
    let path = own(integrator, &format!("/requests{query}"));
    for _ in 0..100 {
        let listed = integrator.get(&path).await;
        assert_eq!(listed.status, 200, "{}", listed.json());
        if listed.json()["requests"].as_array().unwrap().len() >= many {
            return listed.json();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{many} requests were not listed within ten seconds");
}

#[tokio::test]
async fn requests_of_an_application_are_listed_without_those_of_people() {
    let integrator = logged().await;
    let app = integrator.app();
    let session = AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": {} })).await;
    // A person's page, and a page of the console.
    assert_eq!(session.end_user_call(app, "GET", "", None).await.status, 200);
    let key = app.api_key(&[]).await;
    let path = format!("{AGES}/sessions/018f3c8e-0000-7000-8000-00000000000a/result");
    let refused = app.call_moderation("GET", &path, &format!("Bearer {key}"), None).await;
    assert_eq!(refused.status, 404);
    let id = refused.header("x-request-id").to_owned();
    requests(&integrator, "?interface=ages", 2).await;
    let found = requests(&integrator, &format!("?id={id}"), 1).await["requests"][0].clone();
    assert_eq!(
        (&found["operation"], &found["status"], &found["error_code"]),
        (&json!("get_age_result"), &json!(404), &json!("SESSION_NOT_FOUND"))
    );
    let all = requests(&integrator, "", 3).await["requests"].clone();
    let operations: Vec<_> =
        all.as_array().unwrap().iter().map(|one| one["operation"].as_str().unwrap()).collect();
    assert!(
        !operations.iter().any(|name| name.starts_with("see_") || name.starts_with("list_req")),
        "{operations:?}"
    );
    assert_eq!(
        requests(&integrator, "?refused=true&interface=ages", 1).await["requests"].as_array().unwrap().len(),
        1
    );
    let listed = integrator.get(&own(&integrator, &format!("/requests?id={id}"))).await;
    assert_response_snapshot!(listed, (&id[..], "request"), "**.received_at **.milliseconds");
    for (query, property) in [("?id=x", "id"), ("?after=x", "after"), ("?refused=x", "refused")] {
        let refused = integrator.get(&own(&integrator, &format!("/requests{query}"))).await;
        assert_eq!(first_error(&refused)["property"], property);
    }
}

#[tokio::test]
async fn usage_is_shown_by_interface_and_day_with_what_is_left() {
    let integrator = logged().await;
    let app = integrator.app();
    AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": {} })).await;
    requests(&integrator, "?interface=ages", 1).await;
    let mut tx = app.api.db.write().await.unwrap();
    tx.execute(sql!("UPDATE applications SET calls_per_minute = 600, burst = 100 WHERE id = $1", app.app))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let day = SignedDuration::from_hours(24);
    let now = app.environment.now();
    let usage = own(&integrator, &format!("/usage?from={}&to={}", now - day, now + day));
    let shown = integrator.get(&usage).await;
    let days = shown.json()["days"].as_array().unwrap().clone();
    let ages = days.iter().find(|day| day["interface"] == "ages").unwrap();
    assert_eq!((&ages["calls"], &ages["refused"]), (&json!(1), &json!(0)));
    // How far the clock is in the window depends on how long the sign-in took.
    let burst = shown.json()["limits"][1].clone();
    assert!(burst["reset_seconds"].as_u64().unwrap() <= 10, "100 calls at 600 a minute: {burst}");
    assert_response_snapshot!(shown, "days", "limits.*.reset_seconds");
    for query in [
        "",
        "?from=2026-01-01T00:00:00Z&to=2025-01-01T00:00:00Z",
        "?from=2026-01-01T00:00:00Z&to=2028-01-01T00:00:00Z",
    ] {
        let refused = integrator.get(&own(&integrator, &format!("/usage{query}"))).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{query}");
    }
    let (other, _, _) = app.add_tenant().await;
    for rest in ["requests", "usage?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"] {
        let refused = integrator.get(&format!("/console/applications/{other}/{rest}")).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{rest}");
    }
    let without = Integrator::start(&["sandbox:manage"]).await;
    for rest in ["/requests", "/usage"] {
        assert_eq!(without.get(&own(&without, rest)).await.status_and_code(), "401 UNAUTHORIZED");
    }
}

#[tokio::test]
async fn what_the_sandbox_answers_about_documents_is_set_and_read() {
    let integrator = Integrator::start(&["sandbox:manage"]).await;
    let path = "/console/sandbox/document-responses";
    assert_response_snapshot!(integrator.get(path).await);
    let config = json!({ "check_reports": { "LIVENESS": [{ "result": { "report_template": "SUCCESS" } }] } });
    let set = integrator.call("PUT", path, Some(json!({ "config": config }))).await;
    assert_response_snapshot!(set);
    assert_eq!(integrator.get(path).await.json()["config"], config);
    for (body, property) in [
        (json!({}), "config"),
        (json!({ "config": 1 }), "config"),
        (json!({ "config": { "async_report_delay": -1 } }), "config.async_report_delay"),
    ] {
        let refused = integrator.call("PUT", path, Some(body)).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
        assert_eq!(first_error(&refused)["property"], property);
    }
    let without = Integrator::start(&["usage:view"]).await;
    for (method, path) in [("GET", path), ("PUT", path), ("POST", "/console/sandbox/clock")] {
        let refused = without.call(method, path, Some(json!({}))).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{method} {path}");
    }
    // What cannot be recorded is not done.
    integrator.app().execute(sql!("DROP TABLE audit_records")).await;
    let unrecorded = integrator.call("PUT", path, Some(json!({ "config": {} }))).await;
    assert!(unrecorded.status.is_server_error(), "{}", unrecorded.status);
    assert_eq!(integrator.get(path).await.json()["config"], config);
}

#[tokio::test]
async fn the_outcome_of_an_age_session_of_the_sandbox_is_set() {
    let integrator = Integrator::start(&["sandbox:manage"]).await;
    let app = integrator.app();
    let session = AgeSessionFixture::create(app, SANDBOX_AGES, &json!({ "age_estimation": {} })).await;
    let path = format!("/console/sandbox/age-sessions/{}/response", session.id());
    let set = integrator.call("PUT", &path, Some(json!({ "status": "FAIL" }))).await;
    assert_response_snapshot!(set);
    assert_eq!(session.result(app).await["status"], "FAIL");
    for (body, property) in [
        (json!({}), "status"),
        (json!({ "status": "x" }), "status"),
        (json!({ "status": "COMPLETE", "age": 200 }), "age"),
    ] {
        let refused = integrator.call("PUT", &path, Some(body)).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
        assert_eq!(first_error(&refused)["property"], property);
    }
    let real = AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": {} })).await;
    let real = format!("/console/sandbox/age-sessions/{}/response", real.id());
    let refused = integrator.call("PUT", &real, Some(json!({ "status": "FAIL" }))).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "sessions of people have their own outcome");
    integrator.move_elsewhere().await;
    let refused = integrator.call("PUT", &path, Some(json!({ "status": "FAIL" }))).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn the_clock_of_the_sandbox_is_put_forward_and_no_other() {
    let integrator = Integrator::start(&["sandbox:manage", "sessions:view"]).await;
    let app = integrator.app();
    let age = AgeSessionFixture::create(app, SANDBOX_AGES, &json!({ "age_estimation": {} })).await;
    let document = DocumentSessionFixture::create(app, SANDBOX_DOCUMENTS, &liveness_session()).await;
    let real = AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": {} })).await;
    let clock = "/console/sandbox/clock";
    let advanced = integrator.call("POST", clock, Some(json!({ "seconds": 3600 }))).await;
    assert_response_snapshot!(advanced);
    app.api.age_verification.expire_sessions().await.unwrap();
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(age.result(app).await["status"], "EXPIRED");
    assert_eq!(real.result(app).await["status"], "PENDING", "the clock of the others stays");
    let read = async |id: &str| integrator.get(&format!("/console/verification-sessions/{id}")).await.json();
    let shown = read(document.id()).await;
    assert_eq!(shown["session"]["state"], "EXPIRED");
    let timeline = shown["timeline"].as_array().unwrap();
    assert!(
        timeline.iter().any(|entry| entry["event"] == "CLOCK_ADVANCED" && entry["subject"] == "PT1H"),
        "{shown}"
    );

    // Further on, nothing is left of one of them.
    let month = json!({ "seconds": 31 * 86_400, "session_id": age.id() });
    assert_eq!(integrator.call("POST", clock, Some(month)).await.json()["sessions"], 1);
    app.api.retention.enforce(&app.api.db, &*app.api.environment).await.unwrap();
    let gone = integrator.get(&format!("/console/verification-sessions/{}", age.id())).await;
    assert_eq!(gone.status_and_code(), "404 NOT_FOUND");
    assert_eq!(read(document.id()).await["session"]["state"], "EXPIRED");

    let refused =
        integrator.call("POST", clock, Some(json!({ "seconds": 60, "session_id": real.id() }))).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND");
    for (body, property) in [
        (json!({}), "seconds"),
        (json!({ "seconds": 0 }), "seconds"),
        (json!({ "seconds": 31_622_401 }), "seconds"),
    ] {
        let refused = integrator.call("POST", clock, Some(body)).await;
        assert_eq!(first_error(&refused)["property"], property, "{}", refused.json());
    }
    integrator.move_elsewhere().await;
    let elsewhere = json!({ "seconds": 60, "session_id": document.id() });
    assert_eq!(integrator.call("POST", clock, Some(elsewhere)).await.status_and_code(), "404 NOT_FOUND");
}
