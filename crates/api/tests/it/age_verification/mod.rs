//! `/api/v1` and `/age/v1`: age verification sessions.

mod abuse;
mod age_estimation;
mod appeals;
mod auth;
mod blind_tokens;
mod blocked_locations;
mod body;
mod device_signal;
mod document_scan;
mod end_user;
mod head_movements;
mod openapi_contract;
mod policies;
mod provider_methods;
mod retention;
mod retries;
mod rules;
mod sessions;
mod stored_results;
mod tokens;
mod unlinkability;
mod wallet;
mod webhooks;

use crate::image_analysis::secure_token::capture_for;
use axum::{body::Body, http::Request};
use serde_json::{Map, Value, json};
use testkit::{TestApp, TestResponse, face_base64, face_jpeg};

pub(crate) const BASE: &str = "/api/v1";

const SANDBOX: &str = "/sandbox/api/v1";

/// A call of the application, with one of its keys.
async fn relying_party_call(
    app: &TestApp,
    key: &str,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> TestResponse {
    app.call_moderation(method, path, &format!("Bearer {key}"), body).await
}

/// A session, and the path of its interface.
#[derive(Clone, Debug)]
pub(crate) struct AgeSessionFixture {
    id: String,
    key: String,
    base: &'static str,
}

impl AgeSessionFixture {
    pub(crate) async fn create(app: &TestApp, base: &'static str, payload: &Value) -> Self {
        Self::create_with_key(app, app.api_key(&[]).await, base, payload).await
    }

    async fn create_with_key(app: &TestApp, key: String, base: &'static str, payload: &Value) -> Self {
        let made =
            relying_party_call(app, &key, "POST", &format!("{base}/sessions"), Some(payload.clone())).await;
        assert_eq!(made.status_and_code(), "200", "{}", made.json());
        assert_eq!(made.json()["status"], "PENDING");
        Self { id: made.json()["id"].as_str().unwrap().to_owned(), key, base }
    }

    /// The session's id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The page is opened, its person consents, and estimation is opened.
    pub(crate) async fn begin_estimate(&self, app: &TestApp) -> AttemptTurn {
        assert_eq!(self.end_user_call(app, "GET", "", None).await.status, 200);
        let consented = self.end_user_call(app, "POST", "/consent", Some(json!({ "given": true }))).await;
        assert_eq!(consented.status, 200, "{}", consented.json());
        self.open_attempt(app, "AGE_ESTIMATION").await
    }

    /// Its person shows their face.
    pub(crate) async fn finish_estimate(&self, app: &TestApp, opened: &AttemptTurn) {
        self.take_turn(app, opened, captured_photo(app, self).await).await;
    }

    /// Goes through a session whose threshold nobody reaches.
    pub(crate) async fn fail_by_estimate(&self, app: &TestApp) {
        let opened = self.begin_estimate(app).await;
        self.finish_estimate(app, &opened).await;
        assert_eq!(self.result(app).await["status"], "FAIL");
    }

    /// The record of its result.
    pub(crate) async fn result(&self, app: &TestApp) -> Value {
        let path = format!("{}/sessions/{}/result", self.base, self.id);
        let answer = relying_party_call(app, &self.key, "GET", &path, None).await;
        assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
        answer.json()
    }

    /// A call of the hosted page.
    pub(crate) async fn end_user_call(
        &self,
        app: &TestApp,
        method: &str,
        rest: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let sandbox = self.base.strip_suffix(BASE).unwrap();
        let request = Request::builder()
            .method(method)
            .uri(format!("{sandbox}/age/v1/sessions/{}{rest}", self.id))
            .header(app.api.brand.sdk_id(), app.app.to_string())
            .header("Content-Type", "application/json")
            .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())));
        app.send(request.unwrap()).await
    }

    pub(crate) async fn open_attempt(&self, app: &TestApp, method: &str) -> AttemptTurn {
        let opened = self.end_user_call(app, "POST", "/attempts", Some(json!({ "method": method }))).await;
        assert_eq!(opened.status_and_code(), "201", "{}", opened.json());
        AttemptTurn(opened.json())
    }

    async fn take_turn(&self, app: &TestApp, turn: &AttemptTurn, input: Value) -> AttemptTurn {
        let mut body = input;
        body["continuation"] = turn.0["continuation"].clone();
        let taken =
            self.end_user_call(app, "POST", &format!("/attempts/{}", turn.attempt()), Some(body)).await;
        assert_eq!(taken.status_and_code(), "200", "{}", taken.json());
        AttemptTurn(taken.json())
    }

    /// The proof of capture of a photo that is taken on the page.
    async fn capture(&self, app: &TestApp, image: &[u8], multiframe: bool) -> Value {
        capture_for(app, app.app, Some(&self.id), image, multiframe).await
    }

    /// Follows the redirect of a step, and returns with the parameters of its address.
    async fn return_from_provider(&self, app: &TestApp, turn: &AttemptTurn) -> AttemptTurn {
        let (_, query) = turn.step()["url"].as_str().unwrap().split_once('?').unwrap();
        let given = form_urlencoded::parse(query.as_bytes()).into_owned();
        let returned: Map<String, Value> = given.map(|(name, value)| (name, value.into())).collect();
        self.take_turn(app, turn, json!({ "returned": returned })).await
    }
}

/// The id of a new session in production, for tests of its page.
pub(crate) async fn hosted_session(app: &TestApp, payload: &Value) -> String {
    AgeSessionFixture::create(app, BASE, payload).await.id
}

/// The answer that the page got.
#[derive(Clone, Debug)]
pub(crate) struct AttemptTurn(Value);

impl AttemptTurn {
    fn attempt(&self) -> String {
        self.0["attempt"].as_str().unwrap().to_owned()
    }

    fn status(&self) -> &str {
        self.0["session"]["status"].as_str().unwrap()
    }

    fn step(&self) -> &Value {
        &self.0["step"]
    }

    /// Why the last attempt did not pass; empty if it passed.
    fn reason(&self) -> &str {
        self.0["session"]["result"]["reason"].as_str().unwrap_or_default()
    }
}

/// A photo with its proof of capture, as the page of a session sends it.
async fn captured_photo(app: &TestApp, session: &AgeSessionFixture) -> Value {
    json!({ "img": face_base64(), "secure": session.capture(app, face_jpeg(), false).await })
}
