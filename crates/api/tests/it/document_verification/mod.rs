//! `/idverify/v1`: document verification sessions.

mod auth;
mod decoders;
mod devices;
mod end_to_end;
mod face_capture;
mod fraud_list;
mod id_documents;
mod liveness;
mod media;
mod providers;
mod response_config;
mod resumable_uploads;
mod retention;
mod reviews;
mod sandbox_agent;
mod sessions;
mod supplementary_documents;
mod supported_documents;
mod upload_input;
mod webhooks;

use ::media::blobs::BlobPrefix;
use axum::{body::Body, http::Request};
use base::{Picture, SignedDuration};
use db::sql;
use domain::image_analysis::sample_faces;
use futures_util::TryStreamExt as _;
use serde_json::{Value, json};
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};
use testkit::{
    SignedCall, TestApp, TestResponse,
    specimens::{PhotoConditions, Specimen, SpecimenHolder, photograph, portrait},
};
use vision::{VisionModels, embedding_distance};

pub(crate) const BASE: &str = "/idverify/v1";

const SANDBOX: &str = "/sandbox/idverify/v1";

/// A payload that asks for a document, and for nothing to be done with it.
const DOCUMENT_WANTED: &str = r#"{"required_documents":[{"type":"ID_DOCUMENT"}]}"#;

/// A signed call of the application.
fn signed_call(app: &TestApp, method: &'static str, path: &str) -> SignedCall {
    SignedCall::new(method, path).query("sdkId", &app.app.to_string()).auth_id(None)
}

pub(crate) async fn relying_party_call(
    app: &TestApp,
    method: &'static str,
    path: &str,
    body: Option<Value>,
) -> TestResponse {
    let call = signed_call(app, method, path);
    match body {
        Some(body) => call.json(&body).send(app).await,
        None => call.send(app).await,
    }
}

/// A session, and the token of its end user.
#[derive(Clone, Debug)]
pub(crate) struct DocumentSessionFixture {
    pub(crate) id: String,
    token: String,
    base: &'static str,
}

impl DocumentSessionFixture {
    /// A session that was created elsewhere, as its end user has it.
    pub(crate) fn of_end_user(id: String, token: String, base: &'static str) -> Self {
        Self { id, token, base }
    }

    /// Supplies a document that a sandbox accepts, and has its text extracted.
    pub(crate) async fn supply_document(&self, app: &TestApp) {
        self.supply(app, "GBR", b"\xff\xd8 page").await;
    }

    /// Supplies this page of a passport, and has its text extracted.
    pub(crate) async fn supply(&self, app: &TestApp, country: &str, page: &[u8]) {
        let working = app.spawn_worker();
        let id = self.add_document(app, "PASSPORT", country, &[page]).await;
        self.extract_text(app, &id).await;
        working.stop().await;
    }

    pub(crate) async fn create(app: &TestApp, base: &'static str, payload: &Value) -> Self {
        let made = relying_party_call(app, "POST", &format!("{base}/sessions"), Some(payload.clone())).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        let text = |name: &str| made.json()[name].as_str().unwrap().to_owned();
        assert_eq!(text("sessionId"), text("session_id"));
        Self { id: text("sessionId"), token: text("client_session_token"), base }
    }

    /// The session's id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("{}/sessions/{}{rest}", self.base, self.id)
    }

    /// A call of the end user.
    pub(crate) async fn end_user_call(
        &self,
        app: &TestApp,
        method: &str,
        rest: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let request = Request::builder()
            .method(method)
            .uri(self.path(rest))
            .header("X-Svc-Auth-Token", &self.token)
            .header("Content-Type", "application/json")
            .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())));
        app.send(request.unwrap()).await
    }

    /// Uploads a file of the end user.
    pub(crate) async fn upload(&self, app: &TestApp, method: &str, rest: &str, file: &[u8]) -> TestResponse {
        let request = Request::builder()
            .method(method)
            .uri(self.path(rest))
            .header("x-svc-auth-token", &self.token)
            .header("content-type", UPLOAD_CONTENT_TYPE)
            .body(Body::from(upload_form(file)));
        app.send(request.unwrap()).await
    }

    /// The session as its relying party reads it.
    async fn read(&self, app: &TestApp) -> Value {
        let answer = relying_party_call(app, "GET", &self.path(""), None).await;
        assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
        answer.json()
    }

    /// Waits until the checks have ended, while the clock stands still; ten minutes at most.
    async fn wait_until_completed(&self, app: &TestApp) {
        let worker = app.spawn_worker();
        for _ in 0..12_000 {
            if self.read(app).await["state"] == "COMPLETED" {
                return worker.stop().await;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("the session is not completed: {}", self.read(app).await);
    }

    /// The contents of a media.
    pub(crate) async fn media(&self, app: &TestApp, media: &Value) -> TestResponse {
        let id = media["id"].as_str().unwrap();
        relying_party_call(app, "GET", &self.path(&format!("/media/{id}/content")), None).await
    }

    /// Creates an identity document and uploads its pages; returns its id.
    async fn add_document(&self, app: &TestApp, kind: &str, country: &str, pages: &[&[u8]]) -> String {
        let body = json!({ "document_type": kind, "issuing_country": country });
        let made = self.end_user_call(app, "POST", "/resources/id-documents", Some(body)).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        for (at, page) in pages.iter().enumerate() {
            let put =
                self.upload(app, "PUT", &format!("/resources/id-documents/{id}/pages/{at}"), page).await;
            assert_eq!(put.status_and_code(), "200", "{}", put.json());
        }
        id
    }

    /// Creates a supplementary document; returns its path below the session.
    async fn add_supplementary_document(&self, app: &TestApp) -> String {
        let made = self.end_user_call(app, "POST", "/resources/supplementary-documents", None).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        format!("/resources/supplementary-documents/{}", made.json()["id"].as_str().unwrap())
    }

    /// The end user consents to the use of biometric data, if they are asked.
    pub(crate) async fn consent(&self, app: &TestApp) {
        let answer = self.end_user_call(app, "POST", "/biometric-consent", None).await;
        assert!(["204", "403 INSUFFICIENT_PERMISSION"].contains(&answer.status_and_code().as_str()));
    }

    /// Creates a liveness capture of a kind; returns its path below the session.
    async fn add_liveness_capture(&self, app: &TestApp, kind: &str) -> String {
        self.consent(app).await;
        let made = self.end_user_call(app, "POST", &format!("/resources/liveness/{kind}"), None).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        format!("/resources/liveness/{kind}/{}", made.json()["id"].as_str().unwrap())
    }

    /// The id of the requirement of a type.
    async fn requirement(&self, app: &TestApp, kind: &str) -> Value {
        let configuration = relying_party_call(app, "GET", &self.path("/configuration"), None).await.json();
        let mut required = configuration["capture"]["required_resources"].as_array().unwrap().iter();
        required.find(|one| one["type"] == kind).unwrap()["id"].clone()
    }

    /// Has the text of an identity document extracted; returns the task.
    async fn extract_text(&self, app: &TestApp, document: &str) -> Value {
        let path = format!("/resources/id-documents/{document}/text-extraction");
        let task = self.end_user_call(app, "PUT", &path, None).await;
        assert_eq!(task.status_and_code(), "200", "{}", task.json());
        task.json()
    }

    /// Shows a live face in one picture.
    pub(crate) async fn capture_face(&self, app: &TestApp, face: &[u8]) {
        self.consent(app).await;
        let made = self.end_user_call(app, "POST", "/resources/liveness/static", None).await;
        assert_eq!(made.status_and_code(), "201", "{}", made.json());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let put = self.upload(app, "PUT", &format!("/resources/liveness/static/{id}/frames/0"), face).await;
        assert_eq!(put.status_and_code(), "200", "{}", put.json());
    }

    /// The end user finishes.
    pub(crate) async fn finish(&self, app: &TestApp) {
        let through = self.end_user_call(app, "DELETE", "/client-session-token", None).await;
        assert_eq!(through.status_and_code(), "204", "{}", through.json());
    }
}

const UPLOAD_CONTENT_TYPE: &str = "multipart/form-data; boundary=----a.boundary";

/// A form as browsers make it.
fn upload_form(file: &[u8]) -> Vec<u8> {
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

async fn blob_count(app: &TestApp, session: &DocumentSessionFixture) -> usize {
    let prefix = BlobPrefix::tenant(session.id.parse::<base::DocumentSessionId>().unwrap());
    app.api.blobs.list(&prefix).try_collect::<Vec<_>>().await.unwrap().len()
}

async fn row_count(app: &TestApp, query: db::Query) -> i64 {
    app.api.db.read().await.unwrap().count(query).await.unwrap()
}

/// Makes the commit of every further change of a session fail. The server is told no more than if only the answer had been
/// lost.
async fn fail_commits(app: &TestApp) {
    for statement in [
        db::sql!(
            sqlite: "CREATE TABLE failing_commits
                        (id BIGINT REFERENCES erasure_progress (id) DEFERRABLE INITIALLY DEFERRED)",
            postgres: "CREATE FUNCTION fail_commit() RETURNS TRIGGER LANGUAGE plpgsql
                       AS 'BEGIN RAISE EXCEPTION ''the commit fails''; END'",
        ),
        db::sql!(
            sqlite: "CREATE TRIGGER fail_commit AFTER UPDATE ON identity_sessions
                     BEGIN INSERT INTO failing_commits VALUES (0); END",
            postgres: "CREATE CONSTRAINT TRIGGER fail_commit AFTER UPDATE ON identity_sessions
                       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_commit()",
        ),
    ] {
        app.execute(statement).await;
    }
}

/// A session in production with an uploaded page, and nothing to check or read.
pub(crate) async fn session_with_page(app: &TestApp) -> (DocumentSessionFixture, Value) {
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session = DocumentSessionFixture::create(app, BASE, &payload).await;
    session.add_document(app, "PASSPORT", "SWE", &[testkit::face_jpeg()]).await;
    let read = session.read(app).await;
    (session, read["resources"]["id_documents"][0]["pages"][0]["media"].clone())
}

/// A specimen of Sweden whose holder is one of the sample photos.
pub(crate) fn passport_specimen() -> Specimen {
    let holder =
        SpecimenHolder { nationality: "SWE".to_owned(), portrait: FACES.2, ..SpecimenHolder::default() };
    Specimen::passport().issuer("SWE").holder(holder)
}

pub(crate) fn photo_of(specimen: &Specimen, seed: u64) -> Vec<u8> {
    photograph(&specimen.front(), &PhotoConditions::clean(seed)).jpeg
}

/// Has a worker try the job of a kind again and again, in a process without models: none of that counts as an attempt.
async fn run_without_models(app: &TestApp, kind: &str) {
    let working = app.spawn_worker();
    // More often than jobs that fail are tried.
    for _ in 0..8 {
        let began = Instant::now();
        let put_off = async || {
            let query = sql!(
                "SELECT count(*) FROM jobs WHERE kind = $1 AND state = 'WAITING' AND attempts = 0 AND run_at > $2",
                kind,
                app.api.environment.now(),
            );
            app.api.db.read().await.unwrap().count(query).await.unwrap()
        };
        while put_off().await == 0 {
            assert!(began.elapsed() < Duration::from_mins(1), "{kind} does not wait");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        app.environment.advance(SignedDuration::from_secs(6));
    }
    working.stop().await;
}

/// The sample face and the portrait that are most alike, and the face that is least like that portrait.
static FACES: LazyLock<(Vec<u8>, Vec<u8>, u8)> = LazyLock::new(|| {
    let mut vision = VisionModels::load(&testkit::pack()).unwrap();
    let mut embed = |picture: &Picture| {
        let faces = vision.detect_tiled(picture, 20.0).unwrap();
        let face = faces.into_iter().max_by(|a, b| a.width().total_cmp(&b.width()))?;
        Some(vision.embed(picture, &face).unwrap())
    };
    let faces: Vec<_> = testkit::face_pictures().iter().map(|picture| embed(picture).unwrap()).collect();
    let mut pairs = Vec::new();
    for number in 0..10 {
        let Some(own) = embed(portrait(number)) else { continue };
        pairs.extend(faces.iter().enumerate().map(|(at, face)| (embedding_distance(&own, face), number, at)));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (_, number, nearest) = pairs[0];
    let farthest = pairs.iter().rfind(|pair| pair.1 == number).unwrap().2;
    let jpeg = |at: usize| sample_faces::encode_jpeg(&testkit::face_pictures()[at], 96);
    (jpeg(nearest), jpeg(farthest), number)
});

/// A session whose liveness check waits for a reviewer; the id of the check.
pub(crate) async fn session_in_review(app: &TestApp) -> String {
    let payload =
        json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "manual_check": "ALWAYS" } }] });
    session_in_review_of(app, &payload).await
}

/// The same with another payload, which asks for such a check.
pub(crate) async fn session_in_review_of(app: &TestApp, payload: &Value) -> String {
    let session = DocumentSessionFixture::create(app, BASE, payload).await;
    session.capture_face(app, testkit::face_jpeg()).await;
    session.finish(app).await;
    app.run_due_jobs().await;
    check(&session.read(app).await, "LIVENESS")["id"].as_str().unwrap().to_owned()
}
