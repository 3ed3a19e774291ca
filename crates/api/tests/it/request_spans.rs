//! What the span of a request says, and with it every line of its log.

use axum::{body::Body, http::Request};
use base::Environment as _;
use serde_json::{Value, json};
use std::{
    io::Write,
    sync::{Arc, Mutex},
};
use testkit::TestApp;
use tracing_subscriber::fmt::MakeWriter;

/// What is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// What was logged since the last call.
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }

    /// The span of the one request that was answered since the last call.
    fn span(&self) -> Value {
        let text = self.take();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let answered: Vec<_> = lines.filter(|line| line["message"] == "answered").collect();
        assert_eq!(answered.len(), 1, "{text}");
        answered[0]["span"].clone()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Begins to log in this thread.
fn logging() -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::default();
    let lines = tracing_subscriber::fmt().json().flatten_event(true).with_writer(log.clone()).finish();
    (log, tracing::subscriber::set_default(lines))
}

#[tokio::test]
async fn it_names_the_operation_the_caller_and_the_ids_of_the_path() {
    let app = TestApp::start().await;
    let (account, key) = (app.open_account().await, app.api_key(&[]).await);
    let (log, _logging) = logging();
    let content = app.world.uuid_v4();
    let path = format!("/accounts/{account}/contents/{content}");
    let answer = app.call_moderation("GET", &path, &key, None).await;
    assert_eq!(answer.status, 404);
    let expected = json!({
        "name": "request",
        "request.id": answer.header("x-request-id"),
        "http.method": "GET",
        "http.route": "/accounts/{accountId}/contents/{id}",
        "interface": "moderation",
        "operation": "get_content",
        "app.id": app.app,
        "account.id": account,
        "content.id": content,
    });
    assert_eq!(log.span(), expected);

    // Nobody is authenticated, and what is no id could be anything.
    let answer = app.get("/accounts/Ada%20Lovelace/contents/ada@example.com").await;
    assert_eq!(answer.status, 401);
    let span = log.span();
    assert_eq!(span["operation"], "get_content");
    let fields: Vec<_> =
        span.as_object().unwrap().keys().filter(|field| field.rsplit('.').next() == Some("id")).collect();
    assert_eq!(fields, ["request.id"]);

    let session = app.world.uuid_v7();
    app.get(&format!("/idverify/v1/sessions/{session}")).await;
    let span = log.span();
    assert_eq!((&span["interface"], &span["session.id"]), (&json!("identity"), &json!(session)));

    app.get("/poa/v1/verify/AAECAwQFBgcICQoLDA0ODw").await;
    assert_eq!(log.span()["proof.id"], "AAECAwQFBgcICQoLDA0ODw");
    app.get("/healthz").await;
    assert_eq!(log.span()["interface"], Value::Null);
}

/// The id of an age verification session, with that of its application, is what its end user is known by; and
/// docs/ANONYMITY.md promises that calls do not name the issuer's sessions.
#[tokio::test]
async fn it_does_not_name_age_verification_sessions() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let (log, _logging) = logging();
    let payload = json!({ "age_estimation": {} });
    let made = app.call_moderation("POST", "/api/v1/sessions", &format!("Bearer {key}"), Some(payload)).await;
    assert_eq!(made.status, 200, "{}", made.json());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    log.take();
    for path in [format!("/api/v1/sessions/{id}"), format!("/age/v1/sessions/{id}")] {
        let request = Request::get(&path)
            .header("authorization", format!("Bearer {key}"))
            .header(app.api.brand.sdk_id(), app.app.to_string());
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        let text = log.take();
        assert!(text.contains(&app.app.to_string()) && text.contains("ages"), "{text}");
        assert!(!text.contains(&id), "{text}");
    }
}
