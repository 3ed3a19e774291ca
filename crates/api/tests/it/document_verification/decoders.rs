//! Clients with types read every answer of the interface: what the server answers, fresh, half done, done, failed and expired, is
//! handed to strict decoders in Node, Python and Go (`crates/api/tests/decoders`). What the tests of the pages take for the
//! server's answers is recorded here as well, and compared.

use crate::document_verification::{
    BASE, DocumentSessionFixture, SANDBOX, relying_party_call, sandbox_agent::full_payload,
    session_in_review, signed_call,
};
use base::SignedDuration;
use serde_json::{Map, Value, json};
use std::{
    collections::HashMap,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::Command,
};
use testkit::{TestApp, TestResponse};

/// Answers, each with the name of its operation and the stage of its session.
#[derive(Default)]
struct Answers(Vec<Value>);

impl Answers {
    /// Keeps an answer; returns its body.
    #[track_caller]
    fn keep(&mut self, operation: &str, stage: &str, answer: &TestResponse) -> Value {
        assert!(
            answer.status.is_success() || operation == "refuse",
            "{operation}, {stage}: {}",
            answer.json()
        );
        let body = answer.json();
        self.0.push(json!({ "operation": operation, "stage": stage, "body": body }));
        body
    }

    /// A session and its configuration as they are now.
    async fn keep_session(&mut self, app: &TestApp, session: &DocumentSessionFixture, stage: &str) {
        self.keep("read a session", stage, &relying_party_call(app, "GET", &session.path(""), None).await);
        let path = session.path("/configuration");
        let configuration = relying_party_call(app, "GET", &path, None).await;
        self.keep("read a configuration", stage, &configuration);
        let devices = relying_party_call(app, "GET", &session.path("/tracked-devices"), None).await;
        self.keep("list devices", stage, &devices);
    }
}

/// Everything that may be asked for, with what the page is told.
fn payload() -> Value {
    let mut payload = full_payload();
    let checks = payload["requested_checks"].as_array_mut().unwrap();
    checks.push(json!({ "type": "FACE_COMPARISON" }));
    payload["required_documents"] = json!([
        { "type": "ID_DOCUMENT", "filter": { "type": "DOCUMENT_RESTRICTIONS", "inclusion": "INCLUDE", "documents": [
            { "country_codes": ["DEU"], "document_types": ["PASSPORT", "NATIONAL_ID"] },
            { "country_codes": ["SWE"], "document_types": ["PASSPORT"] },
            { "country_codes": ["USA"], "document_types": ["DRIVING_LICENCE"] },
        ] } },
        { "type": "SUPPLEMENTARY_DOCUMENT" },
        {
            "type": "SUPPLEMENTARY_DOCUMENT", "objective": { "type": "PROOF_OF_ADDRESS" },
            "document_types": ["UTILITY_BILL", "PHONE_BILL"], "country_codes": ["GBR", "SWE"],
        },
    ]);
    payload["user_tracking_id"] = json!("a-person");
    payload["sdk_config"] = json!({
        "primary_colour": "#2d6cdf", "locale": "en", "dark_mode": "AUTO", "biometric_consent_flow": "EARLY",
        "attempts_configuration": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": 3, "RECLASSIFICATION": 2 } },
        "suppressed_screens": ["FLOW_COMPLETION"], "success_url": "https://shop.test/done",
    });
    payload
}

/// A session of the sandbox from its beginning to its end; with what its checks are to report.
async fn whole_session(app: &TestApp, answers: &mut Answers, stage: &str, config: Value) {
    let device =
        api::base64(json!({ "os_name": "Linux", "ip_iso_country_code": "SWE" }).to_string().as_bytes());
    let path = format!("{SANDBOX}/sessions");
    let created = signed_call(app, "POST", &path).header("X-Svc-Device-Meta", &device).json(&payload());
    let created = answers.keep("create a session", stage, &created.send(app).await);
    let text = |name: &str| created[name].as_str().unwrap().to_owned();
    let session =
        DocumentSessionFixture::of_end_user(text("session_id"), text("client_session_token"), SANDBOX);
    let set = relying_party_call(app, "PUT", &session.path("/response-config"), Some(config)).await;
    answers.keep("read responses", stage, &set);
    answers.keep_session(app, &session, &format!("{stage}, fresh")).await;
    let early = session.end_user_call(app, "GET", "/configuration", None).await;
    answers.keep("refuse", "not ready", &early);

    let post = async |path: &str, body: Option<Value>| session.end_user_call(app, "POST", path, body).await;
    let required = relying_party_call(app, "GET", &session.path("/configuration"), None).await.json();
    let required = required["capture"]["required_resources"].clone();
    let id_of = |at: usize| required[at]["id"].clone();
    let comparison =
        required.as_array().unwrap().iter().position(|one| one["type"] == "FACE_CAPTURE").unwrap();
    let path = session.path("/resources/face-capture");
    let body = json!({ "requirement_id": id_of(comparison) });
    let face =
        answers.keep("add a face capture", stage, &relying_party_call(app, "POST", &path, Some(body)).await);
    answers.keep_session(app, &session, &format!("{stage}, a face without its picture")).await;
    let path = format!("/resources/face-capture/{}/image", face["id"].as_str().unwrap());
    answers.keep("put a media", stage, &put_own_picture(app, &session, &path).await);

    answers.keep("refuse", "no consent", &post("/resources/liveness/zoom", None).await);
    assert_eq!(post("/biometric-consent", None).await.status_and_code(), "204");
    let wrong = json!({ "document_type": "DIARY", "issuing_country": "SWE" });
    answers.keep("refuse", "a wrong member", &post("/resources/id-documents", Some(wrong)).await);

    let working = app.spawn_worker();
    let described = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" });
    let document = post("/resources/id-documents", Some(described)).await;
    let document = answers.keep("add an identity document", stage, &document);
    let path = format!("/resources/id-documents/{}", document["id"].as_str().unwrap());
    let page = session.upload(app, "PUT", &format!("{path}/pages/0"), b"\xff\xd8 page").await;
    answers.keep("put a media", stage, &page);
    answers.keep_session(app, &session, &format!("{stage}, a page")).await;
    let task = session.end_user_call(app, "PUT", &format!("{path}/text-extraction"), None).await;
    answers.keep("extract text", stage, &task);
    answers.keep_session(app, &session, &format!("{stage}, a document that was read")).await;

    for (at, described) in [
        (1, json!({ "requirement_id": id_of(1) })),
        (2, json!({ "requirement_id": id_of(2), "document_type": "PHONE_BILL", "issuing_country": "GBR" })),
    ] {
        let letter = post("/resources/supplementary-documents", Some(described)).await;
        let letter = answers.keep("add a supplementary document", &format!("{stage}, {at}"), &letter);
        answers.keep_session(app, &session, &format!("{stage}, a letter without its file")).await;
        let path = format!("/resources/supplementary-documents/{}", letter["id"].as_str().unwrap());
        let file = session.upload(app, "PUT", &format!("{path}/file"), b"%PDF-1.7 a letter").await;
        answers.keep("put a media", stage, &file);
        let task = session.end_user_call(app, "PUT", &format!("{path}/text-extraction"), None).await;
        answers.keep("extract text", &format!("{stage}, a letter"), &task);
    }
    working.stop().await;

    let zoom = answers.keep("add a liveness capture", stage, &post("/resources/liveness/zoom", None).await);
    let path = format!("/resources/liveness/zoom/{}", zoom["id"].as_str().unwrap());
    for frame in 1..=3 {
        let put = session.upload(app, "PUT", &format!("{path}/frames/{frame}"), b"\xff\xd8 a face").await;
        answers.keep("put a frame", stage, &put);
    }
    let map = session.upload(app, "POST", &format!("{path}/facemap"), b"{}").await;
    answers.keep("put a media", "a face map", &map);
    answers.keep_session(app, &session, &format!("{stage}, half done")).await;
    let unfinished = session.end_user_call(app, "DELETE", "/client-session-token", None).await;
    if unfinished.status.as_u16() == 204 {
        answers.keep_session(app, &session, &format!("{stage}, checks running")).await;
        app.run_due_jobs().await;
    } else {
        answers.keep("refuse", "incomplete", &unfinished);
    }
    answers.keep_session(app, &session, &format!("{stage}, ended")).await;
    let read = session.read(app).await;
    for kind in ["id_documents", "supplementary_documents"] {
        let fields = &read["resources"][kind][0]["document_fields"]["media"];
        answers.keep("read document fields", kind, &session.media(app, fields).await);
    }
    // One picture is deleted, then everything is.
    if read["state"] == "COMPLETED" {
        for media in [
            &read["resources"]["id_documents"][0]["pages"][0]["media"],
            &read["resources"]["liveness_capture"][0]["frames"][1]["media"],
        ] {
            let path = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
            assert_eq!(relying_party_call(app, "DELETE", &path, None).await.status_and_code(), "204");
        }
        answers.keep_session(app, &session, &format!("{stage}, redacted")).await;
    }
}

/// A live face that is judged while the person is there: nobody is in the picture.
async fn judged_face(app: &TestApp, answers: &mut Answers) {
    let payload = json!({ "requested_checks": [{ "type": "LIVENESS" }] });
    let session = DocumentSessionFixture::create(app, BASE, &payload).await;
    let capture = session.add_liveness_capture(app, "static").await;
    let wall = super::liveness::judged::wall();
    let put = session.upload(app, "PUT", &format!("{capture}/frames/0"), &wall).await;
    answers.keep("put a frame", "judged", &put);
    let read = session.end_user_call(app, "GET", "/configuration", None).await;
    answers.keep("read a configuration", "a face that was judged", &read);
}

/// The relying party's picture of a face.
async fn put_own_picture(app: &TestApp, session: &DocumentSessionFixture, path: &str) -> TestResponse {
    let form = super::upload_form(b"\xff\xd8 a face");
    let call = signed_call(app, "PUT", &session.path(path)).body(form);
    call.header("Content-Type", super::UPLOAD_CONTENT_TYPE).send(app).await
}

/// Every kind of answer of the interface.
async fn all_answers(app: &TestApp) -> Answers {
    let mut answers = Answers::default();
    let documents = app.get(&format!("{BASE}/supported-documents?includeNonLatin=true")).await;
    answers.keep("list supported documents", "all", &documents);
    let of_app = format!("{SANDBOX}/apps/{}/response-config", app.app);
    answers.keep("read responses", "none set", &relying_party_call(app, "GET", &of_app, None).await);

    whole_session(app, &mut answers, "approved", json!({})).await;
    let rejected = json!({ "result": { "report": {
        "recommendation": { "value": "REJECT", "reason": "TAMPERED", "recovery_suggestion": "USE_ANOTHER_DOCUMENT" },
        "breakdown": [{ "sub_check": "no_sign_of_tampering", "result": "FAIL", "details": [{ "name": "a", "value": null }] }],
    } } });
    let declined = json!({
        "check_reports": { "ID_DOCUMENT_AUTHENTICITY": [rejected, null], "LIVENESS": null },
        "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": {
            "document_id_photo": { "content_type": "image/png", "data": "iVBORw==" },
            "recommendation": { "value": "SHOULD_TRY_AGAIN", "reason": { "value": "QUALITY" } },
        } }] },
    });
    whole_session(app, &mut answers, "rejected", declined).await;
    let again = json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": { "recommendation": {
        "value": "MUST_TRY_AGAIN", "reason": { "value": "USER_ERROR", "detail": "INCORRECT_DOCUMENT_TYPE" },
    } } }] } });
    whole_session(app, &mut answers, "to be tried again", again).await;

    for (stage, reports) in [
        ("met", json!({})),
        (
            "not met",
            json!({ "LIVENESS": [{ "result": { "report": { "recommendation": {
            "value": "NOT_AVAILABLE", "reason": "FACE_NOT_FOUND",
        } } } }] }),
        ),
    ] {
        let payload = json!({
            "identity_profile_requirements": { "trust_framework": "UK_TFIDA", "scheme": { "type": "RTR" } },
            "subject": { "subject_id": "a-person" },
        });
        let session = DocumentSessionFixture::create(app, SANDBOX, &payload).await;
        answers.keep_session(app, &session, &format!("scheme {stage}, fresh")).await;
        let config = json!({ "check_reports": reports });
        relying_party_call(app, "PUT", &session.path("/response-config"), Some(config)).await;
        let working = app.spawn_worker();
        let played = relying_party_call(app, "POST", &session.path("/agent"), Some(json!({}))).await;
        working.stop().await;
        answers.keep("run the agent", stage, &played);
        app.run_due_jobs().await;
        answers.keep_session(app, &session, &format!("scheme {stage}, ended")).await;
    }

    judged_face(app, &mut answers).await;

    let check = session_in_review(app).await;
    let reviews = format!("{BASE}/reviews");
    let path = format!("{reviews}/{check}");
    answers.keep("list reviews", "waiting", &relying_party_call(app, "GET", &reviews, None).await);
    answers.keep("read a review", "waiting", &relying_party_call(app, "GET", &path, None).await);
    let decision = json!({ "decision": "APPROVE", "reason": "It is she.", "reviewer": "r.lind" });
    assert_eq!(relying_party_call(app, "PUT", &path, Some(decision)).await.status_and_code(), "204");
    answers.keep("read a review", "decided", &relying_party_call(app, "GET", &path, None).await);

    let list = format!("{BASE}/fraud-list");
    for (stage, expires_at) in [("for good", json!(null)), ("for a time", json!("2027-01-31T00:00:00Z"))] {
        let entry = json!({
            "type": "DOCUMENT", "issuing_country": "GBR", "document_number": stage, "reason": "stolen",
            "author": "r.lind", "expires_at": expires_at,
        });
        let added = relying_party_call(app, "POST", &list, Some(entry)).await;
        answers.keep("add to the fraud list", stage, &added);
    }
    answers.keep("list the fraud list", "two", &relying_party_call(app, "GET", &list, None).await);

    let session = DocumentSessionFixture::create(app, SANDBOX, &payload()).await;
    app.environment.advance(SignedDuration::from_hours(24 * 40));
    app.api.document_verification.sweep().await.unwrap();
    app.run_due_jobs().await;
    let gone = relying_party_call(app, "GET", &session.path(""), None).await;
    answers.keep("refuse", "gone", &gone);
    let session = DocumentSessionFixture::create(app, SANDBOX, &payload()).await;
    app.environment.advance(SignedDuration::from_mins(11));
    app.api.document_verification.sweep().await.unwrap();
    answers.keep_session(app, &session, "expired").await;
    answers.keep("refuse", "expired", &session.end_user_call(app, "GET", "/configuration", None).await);
    app.environment.advance(SignedDuration::from_hours(30));
    app.api.document_verification.sweep().await.unwrap();
    answers.keep_session(app, &session, "destroyed").await;
    let wrong = relying_party_call(app, "POST", &format!("{BASE}/sessions"), Some(json!({ "ttl": 7 }))).await;
    answers.keep("refuse", "a wrong payload", &wrong);
    answers
}

/// Hands the answers to a decoder; `None` if the machine does not have what runs it.
fn decode(answers: &Answers, program: &str, arguments: &[&str]) -> Option<()> {
    let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    file.write_all(Value::from(answers.0.clone()).to_string().as_bytes()).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/decoders");
    let ran = Command::new(program).args(arguments).arg(file.path()).current_dir(folder).output();
    let ran = match ran {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        ran => ran.unwrap(),
    };
    assert!(ran.status.success(), "{program}: {}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), answers.0.len().to_string(), "{program}");
    Some(())
}

#[tokio::test]
async fn strict_clients_read_every_answer_on_sqlite() {
    let app = TestApp::start().await;
    let answers = all_answers(&app).await;
    decode(&answers, "node", &["decode.mjs"]).expect("node is there");
    decode(&answers, "python3", &["decode.py"]).expect("python3 is there");
    if decode(&answers, "go", &["run", "decode.go"]).is_none() {
        // Written past the test's capture, so that nobody takes this for a test that ran.
        let words = "NOT RUN: the decoder in Go, as there is no `go` here; scripts/system-packages.sh tests installs it\n";
        std::io::stderr().write_all(words.as_bytes()).unwrap();
    }
    // A decoder that takes everything would prove nothing.
    for (at, path) in [(0, "/supported_countries/0/code"), (2, "/session_deadline")] {
        let mut spoiled = Answers(vec![answers.0[at].clone()]);
        *spoiled.0[0]["body"].pointer_mut(path).unwrap() = Value::Null;
        for (program, decoder) in
            [("node", &["decode.mjs"][..]), ("python3", &["decode.py"]), ("go", &["run", "decode.go"])]
        {
            let read = std::panic::catch_unwind(|| decode(&Answers(spoiled.0.clone()), program, decoder));
            assert!(!matches!(read, Ok(Some(()))), "{program} reads null at {path}");
        }
    }
}

/// The same answer on every run: ids by their order, one time for all.
fn settle(value: &Value, ids: &mut HashMap<String, usize>) -> Value {
    match value {
        Value::String(text) if text.parse::<base::Uuid>().is_ok() => {
            let next = ids.len() + 1;
            let number = *ids.entry(text.clone()).or_insert(next);
            format!("11111111-0000-4000-8000-{number:012}").into()
        }
        Value::String(text) if text.parse::<base::Timestamp>().is_ok() => "2026-01-16T14:40:00Z".into(),
        Value::Array(items) => items.iter().map(|item| settle(item, ids)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), settle(value, ids)))
            .collect::<Map<_, _>>()
            .into(),
        value => value.clone(),
    }
}

/// What the tests of the page take for answers of the server. `UPDATE_RECORDED=1` writes it anew.
#[tokio::test]
async fn the_answers_that_the_pages_are_tested_with_are_the_servers() {
    let app = TestApp::start().await;
    let mut answers = Answers::default();
    whole_session(&app, &mut answers, "approved", json!({})).await;
    judged_face(&app, &mut answers).await;
    let mut recorded = Map::new();
    let mut ids = HashMap::new();
    for (operation, stage, name) in [
        ("read a configuration", "approved, fresh", "configuration"),
        ("read a configuration", "approved, ended", "configurationOfTheEnd"),
        ("add an identity document", "approved", "idDocument"),
        ("add a supplementary document", "approved, 1", "supplementaryDocument"),
        ("add a liveness capture", "approved", "livenessCapture"),
        ("add a face capture", "approved", "faceCapture"),
        ("put a media", "approved", "media"),
        ("put a frame", "judged", "judgedFrame"),
        ("extract text", "approved", "task"),
        ("refuse", "no consent", "refusal"),
    ] {
        let found = answers.0.iter().find(|one| one["operation"] == operation && one["stage"] == stage);
        let mut body = found.unwrap_or_else(|| panic!("{operation}, {stage}"))["body"].clone();
        if let Some(left) = body.get_mut("client_session_token_ttl") {
            *left = json!(600);
        }
        recorded.insert(name.to_owned(), settle(&body, &mut ids));
    }
    let recorded = Value::from(recorded);
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/recorded/identity.json");
    if std::env::var_os("UPDATE_RECORDED").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("{recorded:#}\n")).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    let known: Value = serde_json::from_str(&known).unwrap_or_default();
    assert!(
        known == recorded,
        "{} is not what the server answers; UPDATE_RECORDED=1 writes it anew",
        file.display()
    );
}
