//! Document verification sessions on the wire.

mod end_to_end;
mod errors;
mod resumable_uploads;
mod retention;
mod sandbox;

use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use testkit::{SignedCall, TestApp, TestResponse};

const BASE: &str = "/idverify/v1";
const SANDBOX: &str = "/sandbox/idverify/v1";

/// A signed call of the application.
fn signed(app: &TestApp, method: &'static str, path: &str) -> SignedCall {
    SignedCall::new(method, path).query("sdkId", &app.app.to_string()).auth_id(None)
}

pub(crate) async fn business(
    app: &TestApp,
    method: &'static str,
    path: &str,
    body: Option<Value>,
) -> TestResponse {
    let call = signed(app, method, path);
    match body {
        Some(body) => call.json(&body).send(app).await,
        None => call.send(app).await,
    }
}

/// A session, and the token of its end user.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    id: String,
    token: String,
    base: &'static str,
}

impl Session {
    /// A session that was created elsewhere, as its end user has it.
    pub(crate) fn of_person(id: String, token: String, base: &'static str) -> Self {
        Self { id, token, base }
    }

    /// Supplies a document that a sandbox accepts, and has its text extracted.
    pub(crate) async fn supply_document(&self, app: &TestApp) {
        self.supply(app, "GBR", b"\xff\xd8 page").await;
    }

    /// Supplies this page of a passport, and has its text extracted.
    pub(crate) async fn supply(&self, app: &TestApp, country: &str, page: &[u8]) {
        let working = app.spawn_worker();
        let id = self.document(app, "PASSPORT", country, &[page]).await;
        self.extract(app, &id).await;
        working.stop().await;
    }

    async fn new(app: &TestApp, base: &'static str, payload: &Value) -> Self {
        let made = business(app, "POST", &format!("{base}/sessions"), Some(payload.clone())).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        let text = |name: &str| made.json()[name].as_str().unwrap().to_owned();
        assert_eq!(text("sessionId"), text("session_id"));
        Self { id: text("sessionId"), token: text("client_session_token"), base }
    }

    fn path(&self, rest: &str) -> String {
        format!("{}/sessions/{}{rest}", self.base, self.id)
    }

    /// A call of the end user.
    async fn call(&self, app: &TestApp, method: &str, rest: &str, body: Option<Value>) -> TestResponse {
        let request = Request::builder()
            .method(method)
            .uri(self.path(rest))
            .header("X-Svc-Auth-Token", &self.token)
            .header("Content-Type", "application/json")
            .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())));
        app.send(request.unwrap()).await
    }

    /// Uploads a file of the end user.
    async fn put(&self, app: &TestApp, method: &str, rest: &str, file: &[u8]) -> TestResponse {
        let request = Request::builder()
            .method(method)
            .uri(self.path(rest))
            .header("x-svc-auth-token", &self.token)
            .header("content-type", FORM)
            .body(Body::from(form(file)));
        app.send(request.unwrap()).await
    }

    /// The session as its relying party reads it.
    async fn read(&self, app: &TestApp) -> Value {
        let answer = business(app, "GET", &self.path(""), None).await;
        assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
        answer.json()
    }

    /// The contents of a media.
    async fn media(&self, app: &TestApp, media: &Value) -> TestResponse {
        let id = media["id"].as_str().unwrap();
        business(app, "GET", &self.path(&format!("/media/{id}/content")), None).await
    }

    /// Creates an identity document and uploads its pages; returns its id.
    async fn document(&self, app: &TestApp, kind: &str, country: &str, pages: &[&[u8]]) -> String {
        let body = json!({ "document_type": kind, "issuing_country": country });
        let made = self.call(app, "POST", "/resources/id-documents", Some(body)).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        for (at, page) in pages.iter().enumerate() {
            let put = self.put(app, "PUT", &format!("/resources/id-documents/{id}/pages/{at}"), page).await;
            assert_eq!(put.status_and_code(), "200", "{}", put.json());
        }
        id
    }

    /// Has the text of an identity document extracted; returns the task.
    async fn extract(&self, app: &TestApp, document: &str) -> Value {
        let path = format!("/resources/id-documents/{document}/text-extraction");
        let task = self.call(app, "PUT", &path, None).await;
        assert_eq!(task.status_and_code(), "200", "{}", task.json());
        task.json()
    }

    /// Shows a live face in one picture.
    async fn show_face(&self, app: &TestApp, face: &[u8]) {
        let made = self.call(app, "POST", "/resources/liveness/static", None).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let put = self.put(app, "PUT", &format!("/resources/liveness/static/{id}/frames/0"), face).await;
        assert_eq!(put.status_and_code(), "200", "{}", put.json());
    }

    /// The end user finishes.
    pub(crate) async fn finish(&self, app: &TestApp) {
        let through = self.call(app, "DELETE", "/client-session-token", None).await;
        assert_eq!(through.status_and_code(), "204", "{}", through.json());
    }
}

const FORM: &str = "multipart/form-data; boundary=----a.boundary";

/// A form as browsers make it.
fn form(file: &[u8]) -> Vec<u8> {
    let mut body = b"------a.boundary\r\nContent-Disposition: form-data; name=\"descriptor\"\r\n\
        Content-Type: application/json\r\n\r\n{\"capture_method\":\"camera\"}\r\n------a.boundary\r\n\
        Content-Disposition: form-data; name=\"binary-content\"; filename=\"picture\"\r\n\
        Content-Type: image/jpeg\r\n\r\n"
        .to_vec();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n------a.boundary--\r\n");
    body
}

/// The check of a type.
#[track_caller]
fn check<'a>(session: &'a Value, kind: &str) -> &'a Value {
    let mut checks = session["checks"].as_array().unwrap().iter();
    checks.find(|check| check["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {}", session["checks"]))
}

fn sub_check<'a>(check: &'a Value, name: &str) -> &'a Value {
    let found = check["report"]["breakdown"]
        .as_array()
        .and_then(|all| all.iter().find(|sub| sub["sub_check"] == name));
    found.unwrap_or(&Value::Null)
}
