//! `POST /sandbox/idverify/v1/sessions/{sessionId}/agent`

use crate::document_verification::{BASE, DocumentSessionFixture, SANDBOX, relying_party_call};
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn the_agent_finishes_a_session() {
    let app = TestApp::start().await;
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let worker = app.spawn_worker();
    let finished = relying_party_call(&app, "POST", &session.path("/agent"), Some(json!({}))).await;
    worker.stop().await;
    assert_response_snapshot!(finished);
}

pub(super) fn full_payload() -> Value {
    json!({
        "requested_checks": [
            { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "manual_check": "fallback" } },
            { "type": "liveness", "config": { "liveness_type": "zoom", "max_retries": 2 } },
            { "type": "ID_DOCUMENT_FACE_MATCH" },
            { "type": "ID_DOCUMENT_COMPARISON" },
        ],
        "requested_tasks": [
            { "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" },
            { "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" },
        ],
        "required_documents": [{ "type": "ID_DOCUMENT" }, { "type": "SUPPLEMENTARY_DOCUMENT" }],
    })
}

pub(super) async fn run_agent(app: &TestApp, session: &DocumentSessionFixture) -> Value {
    let working = app.spawn_worker();
    let played = relying_party_call(app, "POST", &session.path("/agent"), Some(json!({}))).await;
    working.stop().await;
    assert_eq!(played.status_and_code(), "200", "{}", played.json());
    played.json()
}

#[tokio::test]
async fn an_unconfigured_sandbox_approves_every_check() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(&app, SANDBOX, &full_payload()).await;
    assert_eq!(run_agent(&app, &session).await["outcome"], "FINISHED");
    app.api.document_verification.sweep().await.unwrap();
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED");
    assert_eq!(read["checks"].as_array().unwrap().len(), 6, "{}", read["checks"]);
    for check in read["checks"].as_array().unwrap() {
        assert_eq!(
            (&check["state"], &check["report"]["recommendation"]["value"]),
            (&json!("DONE"), &json!("APPROVE"))
        );
    }
    let document = &read["resources"]["id_documents"][0];
    let fields = session.media(&app, &document["document_fields"]["media"]).await;
    assert_eq!(fields.header("content-type"), "application/json");
    assert_eq!(fields.json()["full_name"], "SANDBOX EXAMPLE");
    assert_eq!(read["resources"]["liveness_capture"][0]["frames"].as_array().unwrap().len(), 3);

    // Production does not find it, and the other way round.
    let elsewhere = relying_party_call(&app, "GET", &format!("{BASE}/sessions/{}", session.id), None).await;
    assert_eq!(elsewhere.status_and_code(), "404 SESSION_NOT_FOUND");
    let own = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let elsewhere = relying_party_call(&app, "GET", &format!("{SANDBOX}/sessions/{}", own.id), None).await;
    assert_eq!(elsewhere.status_and_code(), "404 SESSION_NOT_FOUND");
    assert_eq!(
        relying_party_call(&app, "POST", &own.path("/agent"), Some(json!({}))).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
}
