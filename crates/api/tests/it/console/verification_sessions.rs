//! `/console/verification-sessions`

use super::ConsoleFixture;
use crate::{
    age_verification::{AgeSessionFixture, BASE as AGES},
    content_moderation::{AccountFixture, first_error},
    document_verification::{BASE as DOCUMENTS, DocumentSessionFixture},
};
use base::{Environment as _, SignedDuration};
use db::sql;
use domain::{
    accounts::sign_in::SignInSettings,
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

pub(super) const SANDBOX_AGES: &str = "/sandbox/api/v1";
const SESSIONS: &str = "/console/verification-sessions";
/// What differs from run to run.
const VOLATILE_OF_LIST: &str =
    "**.application_id **.created_at **.ended_at **.expires_at **.deleted_at **.resources_deleted_at **.id";
const VOLATILE_OF_SESSION: &str =
    "**.application_id **.created_at **.ended_at **.expires_at **.deleted_at **.at **.delivery_id session.id";

/// A request for a session of document verification that asks for a face.
pub(super) fn liveness_session() -> Value {
    json!({ "requested_checks": [{ "type": "LIVENESS", "config": {} }] })
}

/// An integrator of the application that the sessions belong to.
pub(crate) struct Integrator {
    pub(super) fixture: AccountFixture,
    pub(super) cookie: String,
}

impl Integrator {
    pub(crate) async fn start(scopes: &[&str]) -> Self {
        Self::of(TestApp::start().await, scopes).await
    }

    pub(super) async fn of(app: TestApp, scopes: &[&str]) -> Self {
        let fixture = AccountFixture::of(app).await;
        let (member, cookie) = fixture.add_member("ada@example.com", false, &[]).await;
        let integrator = Self { fixture, cookie };
        integrator.grant(&member, json!(scopes)).await;
        integrator
    }

    async fn grant(&self, member: &str, scopes: Value) {
        let mut tx = self.app().api.db.write().await.unwrap();
        let id: base::MemberId = member.parse().unwrap();
        tx.execute(sql!("UPDATE members SET console_scopes = $2 WHERE id = $1", id, scopes)).await.unwrap();
        tx.commit().await.unwrap();
    }

    pub(crate) fn app(&self) -> &TestApp {
        &self.fixture.app
    }

    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> TestResponse {
        self.fixture.call_console(&self.cookie, method, path, body).await
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.call("GET", path, None).await
    }

    /// Moves the integrator's account to another application.
    pub(super) async fn move_elsewhere(&self) {
        let (other, _, _) = self.app().add_tenant().await;
        let mut tx = self.app().api.db.write().await.unwrap();
        tx.execute(sql!("UPDATE accounts SET app_id = $1", other)).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The ids of a list.
    async fn ids(&self, query: &str) -> Vec<String> {
        let listed = self.get(&format!("{SESSIONS}?{query}")).await;
        assert_eq!(listed.status, 200, "{}", listed.json());
        let sessions = listed.json()["sessions"].as_array().unwrap().clone();
        sessions.iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
    }

    /// What happened in a session, as `EVENT subject OUTCOME reason`.
    async fn events(&self, id: &str) -> Vec<String> {
        let read = self.get(&format!("{SESSIONS}/{id}")).await;
        assert_eq!(read.status, 200, "{}", read.json());
        let entry = |entry: &Value| {
            let words = ["event", "subject", "outcome", "reason"].iter();
            let words: Vec<_> = words.filter_map(|name| entry[name].as_str()).collect();
            words.join(" ")
        };
        read.json()["timeline"].as_array().unwrap().iter().map(entry).collect()
    }
}

/// A session whose person fails: the page is opened, the method refuses them.
pub(super) async fn failed_session(app: &TestApp, threshold: i64) -> AgeSessionFixture {
    let payload = json!({
        "reference_id": "order-7", "account_id": "user-1", "age_estimation": { "threshold": threshold },
        "notification_url": "https://shop.example.com/hook",
    });
    let session = AgeSessionFixture::create(app, AGES, &payload).await;
    session.fail_by_estimate(app).await;
    session
}

#[tokio::test]
async fn sessions_of_both_kinds_are_listed() {
    let integrator = Integrator::start(&["sessions:view"]).await;
    let app = integrator.app();
    let age = failed_session(app, 100).await;
    app.environment.advance(SignedDuration::from_secs(1));
    let payload =
        json!({ "user_tracking_id": "user-1", "requested_checks": [{ "type": "LIVENESS", "config": {} }] });
    let document = DocumentSessionFixture::create(app, DOCUMENTS, &payload).await;
    let listed = integrator.get(SESSIONS).await;
    assert_response_snapshot!(listed, VOLATILE_OF_LIST);
    let (age, document) = (age.id().to_owned(), document.id().to_owned());
    for (query, found) in [
        ("", vec![&document, &age]),
        ("kind=AGE", vec![&age]),
        ("kind=DOCUMENT", vec![&document]),
        ("state=FAIL", vec![&age]),
        ("outcome=FAILED", vec![&age]),
        ("outcome=PASSED", vec![]),
        ("step=AGE_ESTIMATION", vec![&age]),
        ("step=DOC_SCAN", vec![]),
        ("sandbox=false", vec![&document, &age]),
        ("sandbox=true", vec![]),
        ("reference=user-1", vec![&document, &age]),
        ("reference=order-7", vec![&age]),
        ("reference=order", vec![]),
        ("reference=user-1&kind=DOCUMENT", vec![&document]),
        ("created_before=2020-01-01T00:00:00Z", vec![]),
        ("created_from=2020-01-01T00:00:00Z", vec![&document, &age]),
    ] {
        assert_eq!(integrator.ids(query).await, found.into_iter().cloned().collect::<Vec<_>>(), "{query}");
    }
    for (query, property) in [
        ("kind=BOTH", "kind"),
        ("outcome=x", "outcome"),
        ("after=1", "after"),
        ("reference=", "reference"),
        ("created_from=yesterday", "created_from"),
    ] {
        let refused = integrator.get(&format!("{SESSIONS}?{query}")).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{query}");
        assert_eq!(first_error(&refused)["property"], property);
    }
    let elsewhere = format!("{SESSIONS}?application_id=018f3c8e-0000-7000-8000-00000000000a");
    assert_eq!(integrator.get(&elsewhere).await.status_and_code(), "404 NOT_FOUND");
    integrator.move_elsewhere().await;
    assert_eq!(integrator.ids("").await, Vec::<String>::new());
    for id in [age, document] {
        assert_eq!(integrator.get(&format!("{SESSIONS}/{id}")).await.status_and_code(), "404 NOT_FOUND");
    }
}

#[tokio::test]
async fn a_list_goes_on_where_the_page_before_ended() {
    let integrator = Integrator::start(&["sessions:view"]).await;
    let app = integrator.app();
    let mut created = Vec::new();
    for number in 0..53 {
        app.environment.advance(SignedDuration::from_secs(number % 2));
        let session = AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": {} })).await;
        created.push(session.id().to_owned());
    }
    let first = integrator.get(SESSIONS).await.json();
    let next = first["next"].as_str().unwrap().to_owned();
    let mut found: Vec<_> = first["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(found.len(), 50);
    let last = integrator.get(&format!("{SESSIONS}?after={next}")).await.json();
    assert!(last.get("next").is_none());
    found.extend(
        last["sessions"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()),
    );
    found.sort();
    created.sort();
    assert_eq!(found, created);
}

#[tokio::test]
async fn what_happened_in_an_age_session_is_told() {
    let integrator = Integrator::start(&["sessions:view"]).await;
    let session = failed_session(integrator.app(), 100).await;
    let read = integrator.get(&format!("{SESSIONS}/{}", session.id())).await;
    let text = String::from_utf8_lossy(&read.body).into_owned();
    assert!(!text.contains("order-7") && !text.contains("user-1"), "{text}");
    assert_response_snapshot!(read, VOLATILE_OF_SESSION);
    assert_eq!(
        integrator.events(session.id()).await,
        [
            "CREATED",
            "PAGE_OPENED PAGE PASSED",
            "CONSENT BIOMETRIC PASSED",
            "METHOD AGE_ESTIMATION UNDECIDED UNDER_AGE",
            "RESULT FAILED UNDER_AGE",
            "MESSAGE ages.result WAITING",
        ]
    );
}

#[tokio::test]
async fn a_person_who_goes_away_has_left() {
    let integrator = Integrator::start(&["sessions:view"]).await;
    let app = integrator.app();
    let session =
        AgeSessionFixture::create(app, SANDBOX_AGES, &json!({ "electronic_id": {}, "doc_scan": {} })).await;
    session.open_attempt(app, "DOC_SCAN").await;
    app.environment.advance(SignedDuration::from_secs(30));
    session.open_attempt(app, "ELECTRONIC_ID").await;
    app.environment.advance(SignedDuration::from_hours(1));
    app.api.age_verification.expire_sessions().await.unwrap();
    assert_eq!(
        integrator.events(session.id()).await,
        ["CREATED", "METHOD DOC_SCAN LEFT", "METHOD ELECTRONIC_ID LEFT", "RESULT LEFT EXPIRED",]
    );
}

#[tokio::test]
async fn what_happened_in_a_document_session_is_told() {
    let integrator = Integrator::start(&["sessions:view", "sessions:manage"]).await;
    let app = integrator.app();
    let session = DocumentSessionFixture::create(app, DOCUMENTS, &liveness_session()).await;
    session.end_user_call(app, "GET", "/configuration", None).await;
    session.end_user_call(app, "GET", "/configuration", None).await;
    session.capture_face(app, testkit::face_jpeg()).await;
    session.finish(app).await;
    app.run_due_jobs().await;
    let events = integrator.events(session.id()).await;
    assert_eq!(events.first().map(String::as_str), Some("CREATED"));
    let count = |word: &str| events.iter().filter(|event| event.starts_with(word)).count();
    assert_eq!(count("PAGE_OPENED"), 1, "{events:?}");
    assert_eq!(count("CAPTURE LIVENESS PASSED"), 1, "{events:?}");
    assert_eq!(count("SUBMITTED"), 1, "{events:?}");
    assert_eq!(count("CHECK LIVENESS"), 1, "{events:?}");
    assert_eq!(count("RESULT"), 1, "{events:?}");
    let cancelled = integrator.call("POST", &format!("{SESSIONS}/{}/cancel", session.id()), None).await;
    assert_eq!(cancelled.status_and_code(), "409 CONFLICT", "it has ended");
    // What was supplied is destroyed when its time is over, which is shown, and the references go with it.
    app.environment.advance(SignedDuration::from_secs(87_001));
    app.api.document_verification.sweep().await.unwrap();
    let mut view = app.api.db.read().await.unwrap();
    let left = sql!("SELECT count(*) FROM session_steps WHERE step = 'REDACTION' AND subject = 'RESOURCES'");
    assert_eq!(view.count(left).await.unwrap(), 1);
    assert_eq!(view.count(sql!("SELECT count(*) FROM session_references")).await.unwrap(), 0);
}

#[tokio::test]
async fn a_session_is_cancelled() {
    let integrator = Integrator::start(&["sessions:view", "sessions:manage"]).await;
    let app = integrator.app();
    let session = AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": {} })).await;
    let path = format!("{SESSIONS}/{}/cancel", session.id());
    assert_response_snapshot!(integrator.call("POST", &path, None).await);
    assert_eq!(session.result(app).await["status"], "CANCELLED");
    assert_eq!(integrator.events(session.id()).await, ["CREATED", "RESULT LEFT CANCELLED"]);
    assert_eq!(integrator.call("POST", &path, None).await.status_and_code(), "409 CONFLICT");
    let document = DocumentSessionFixture::create(app, DOCUMENTS, &liveness_session()).await;
    let path = format!("{SESSIONS}/{}/cancel", document.id());
    assert_eq!(integrator.call("POST", &path, None).await.status, 204);
    assert_eq!(integrator.events(document.id()).await, ["CREATED", "RESULT LEFT EXPIRED"]);
    integrator.move_elsewhere().await;
    for (method, path) in [("POST", path.clone()), ("DELETE", path.replace("/cancel", ""))] {
        assert_eq!(integrator.call(method, &path, None).await.status_and_code(), "404 NOT_FOUND");
    }
}

#[tokio::test]
async fn a_session_is_erased_and_counted_on() {
    let integrator = Integrator::start(&["sessions:view", "sessions:manage"]).await;
    let app = integrator.app();
    let session = failed_session(app, 100).await;
    let document = DocumentSessionFixture::create(app, DOCUMENTS, &liveness_session()).await;
    for id in [session.id(), document.id()] {
        let path = format!("{SESSIONS}/{id}");
        let erased = integrator.call("DELETE", &path, None).await;
        if id == session.id() {
            assert_response_snapshot!(erased);
        } else {
            assert_eq!(erased.status, 204);
        }
        assert_eq!(integrator.get(&path).await.status_and_code(), "404 NOT_FOUND");
    }
    let mut view = app.api.db.read().await.unwrap();
    for query in [
        sql!("SELECT count(*) FROM age_sessions"),
        sql!("SELECT count(*) FROM identity_sessions"),
        sql!("SELECT count(*) FROM session_references"),
        sql!("SELECT count(*) FROM deliveries WHERE length(sealed) > 0"),
        sql!(
            "SELECT count(*) FROM session_steps WHERE age_session_id IS NOT NULL OR document_session_id IS NOT NULL"
        ),
    ] {
        assert_eq!(view.count(query).await.unwrap(), 0);
    }
    drop(view);
    let now = app.environment.now();
    let day = SignedDuration::from_hours(24);
    let funnel = format!("{SESSIONS}/funnel?from={}&to={}", now - day, now + day);
    let steps = integrator.get(&funnel).await.json()["steps"].clone();
    assert!(steps.as_array().unwrap().iter().any(|step| step["subject"] == "AGE_ESTIMATION"), "{steps}");
    app.environment.advance(SignedDuration::from_hours(24 * 91));
    app.api.retention.enforce(&app.api.db, &*app.api.environment).await.unwrap();
    let left = sql!("SELECT count(*) FROM session_steps");
    assert_eq!(app.api.db.read().await.unwrap().count(left).await.unwrap(), 0);
}

#[tokio::test]
async fn sessions_and_steps_are_counted_with_their_times() {
    let integrator = Integrator::start(&["sessions:view"]).await;
    let app = integrator.app();
    for seconds in [1, 2, 3, 4, 100] {
        let session =
            AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": { "threshold": 100 } })).await;
        let opened = session.begin_estimate(app).await;
        app.environment.advance(SignedDuration::from_secs(seconds));
        session.finish_estimate(app, &opened).await;
    }
    let left = AgeSessionFixture::create(app, AGES, &json!({ "age_estimation": {} })).await;
    left.begin_estimate(app).await;
    left.end_user_call(app, "POST", "/cancel", None).await;
    let now = app.environment.now();
    let hour = SignedDuration::from_hours(1);
    let funnel = format!("{SESSIONS}/funnel?kind=AGE&from={}&to={}", now - hour, now + hour);
    let counted = integrator.get(&funnel).await;
    let steps = counted.json()["steps"].clone();
    let method = steps.as_array().unwrap().iter().find(|step| step["step"] == "METHOD").unwrap().clone();
    assert_eq!((&method["median_seconds"], &method["p90_seconds"]), (&json!(3.0), &json!(100.0)));
    assert_eq!(
        (&method["started"], &method["undecided"], &method["left"]),
        (&json!(6), &json!(5), &json!(1))
    );
    assert_response_snapshot!(counted);
    for (query, property) in [
        ("", "from"),
        ("?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
        ("?from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z", "to"),
    ] {
        let refused = integrator.get(&format!("{SESSIONS}/funnel{query}")).await;
        assert_eq!(first_error(&refused)["property"], property, "{}", refused.json());
    }
    integrator.move_elsewhere().await;
    assert_eq!(integrator.get(&funnel).await.json()["steps"], json!([]));
}

#[tokio::test]
async fn without_the_scopes_nothing_is_seen_or_done() {
    let integrator = Integrator::start(&["usage:view"]).await;
    let session = AgeSessionFixture::create(integrator.app(), AGES, &json!({ "age_estimation": {} })).await;
    let path = format!("{SESSIONS}/{}", session.id());
    for (method, path) in [
        ("GET", SESSIONS.to_owned()),
        ("GET", path.clone()),
        ("DELETE", path.clone()),
        ("POST", format!("{path}/cancel")),
        ("GET", format!("{SESSIONS}/funnel")),
    ] {
        let refused = integrator.call(method, &path, None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{method} {path}");
    }
}

#[tokio::test]
async fn an_operator_sees_all_applications_and_needs_a_second_one_to_erase() {
    let settings = SignInSettings {
        four_eyes: true,
        second_factor: SecondFactorPolicy::Off,
        ..SignInSettings::for_public_url(super::CONSOLE)
    };
    let fixture = ConsoleFixture::with(settings).await;
    let grant = OperatorGrant::of_role(BuiltInRole::Administrator);
    let (ada, _) = fixture.add_operator("ada@example.com", grant.clone()).await;
    let (grace, _) = fixture.add_operator("grace@example.com", grant).await;
    let (auditor, _) =
        fixture.add_operator("eve@example.com", OperatorGrant::of_role(BuiltInRole::Auditor)).await;
    let session = failed_session(&fixture.app, 100).await;
    let listed = fixture.get(&auditor, SESSIONS).await;
    assert_eq!(listed.json()["sessions"].as_array().unwrap().len(), 1);
    let reference = format!("{SESSIONS}?reference=order-7");
    assert_eq!(first_error(&fixture.get(&ada, &reference).await)["property"], "application_id");
    let reference = format!("{reference}&application_id={}", fixture.app.app);
    assert_eq!(fixture.get(&ada, &reference).await.json()["sessions"].as_array().unwrap().len(), 1);
    let path = format!("{SESSIONS}/{}", session.id());
    assert_eq!(fixture.call(&auditor, "DELETE", &path, None).await.status_and_code(), "401 UNAUTHORIZED");
    let asked = fixture.call(&ada, "DELETE", &path, None).await;
    assert_eq!(asked.status, 202, "{}", asked.json());
    let approval = format!("/console/approvals/{}/approve", asked.json()["approval_id"].as_str().unwrap());
    assert_eq!(fixture.call(&ada, "POST", &approval, None).await.status_and_code(), "409 CONFLICT");
    assert_eq!(fixture.get(&ada, &path).await.status, 200, "it is there until then");
    let shown = fixture.get(&grace, "/console/approvals").await.json()["approvals"][0].clone();
    assert_eq!((&shown["action"], &shown["session_id"]), (&json!("session.redact"), &json!(session.id())));
    assert_eq!(fixture.call(&grace, "POST", &approval, None).await.status, 204);
    assert_eq!(fixture.get(&ada, &path).await.status_and_code(), "404 NOT_FOUND");
    let audited = fixture.audited().await;
    assert!(audited.iter().any(|kind| kind == "age-session.delete"), "{audited:?}");
}
