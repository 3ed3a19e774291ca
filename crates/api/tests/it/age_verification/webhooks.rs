//! Webhooks of results: their contents, their delivery and their signatures.

use crate::{
    age_verification::{
        AgeSessionFixture, BASE, SANDBOX, abuse::with_registry, relying_party_call, stored_results,
    },
    deliveries::BackgroundDispatcher,
};
use domain::{
    age_verification::{AgeVerificationSettings, AttemptLimits, WEBHOOK_KEY_OVERLAP},
    delivery::{self, DeliveryFilter, DeliveryState},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, OnceLock},
    time::Duration,
};
use testkit::{
    TestApp, face_base64, proof_settings,
    stub_server::{self, StubReply, StubServer},
};

#[tokio::test]
async fn the_keys_of_webhooks_are_published() {
    let app = TestApp::start().await;
    assert_response_snapshot!(app.get(&format!("{BASE}/webhook-keys")).await, "keys.*.kid keys.*.n");
}

/// Runs a program that reads JSON and prints `true` if the signature is valid.
fn verifies(program: &str, arguments: &[&str], input: &Value) -> bool {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"));
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{program} failed");
    String::from_utf8(output.stdout).unwrap().trim() == "true"
}

/// The example in a language, from the documentation.
fn example(language: &str) -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/AGE-VERIFICATION.md");
    let document = std::fs::read_to_string(file).unwrap();
    let (_, rest) = document.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[tokio::test]
async fn a_signed_webhook_is_sent_for_each_attempt_that_ends() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|sent| {
        StubReply::status(if sent.header("webhook-id").is_empty() { 500 } else { 200 })
    })
    .await;
    let dispatcher = BackgroundDispatcher::start(&app, app.api.document_verification.outbox());

    let payload = json!({
        "notification_url": receiver.url("/hook"), "reference_id": "Bestellung \"7\" für Łódź",
        "block_biometric_consent": true, "age_estimation": { "threshold": 90 }, "doc_scan": {},
    });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let ended = session.take_turn(&app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(ended.status(), "IN_PROGRESS");
    let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
    let outcome = json!({ "status": "COMPLETE", "method": "DOC_SCAN" });
    assert_eq!(
        relying_party_call(&app, &session.key, "PUT", &path, Some(outcome)).await.status_and_code(),
        "200"
    );

    let sent = receiver.wait_for(2).await;
    let bodies: Vec<String> =
        sent.iter().map(|sent| String::from_utf8(sent.body.to_vec()).unwrap()).collect();
    let mut bodies = bodies;
    bodies.sort_by_key(|body| serde_json::from_str::<Value>(body).unwrap()["sequence_number"].as_i64());
    let first: Value = serde_json::from_str(&bodies[0]).unwrap();
    for (member, value) in [
        ("method", json!("AGE_ESTIMATION")),
        ("result", json!(false)),
        ("age", json!(90)),
        ("session_key", json!(session.id)),
        ("reference_id", json!("Bestellung \"7\" für Łódź")),
        ("timestamp", json!(1_768_574_400)),
        ("notification_url", json!(receiver.url("/hook"))),
        ("state", json!("IN_PROGRESS")),
        ("check_type", json!("NONE")),
        ("error_code", json!("UNDER_AGE")),
        ("sequence_number", json!(1)),
    ] {
        assert_eq!(first[member], value, "{member}");
    }
    let second: Value = serde_json::from_str(&bodies[1]).unwrap();
    assert_eq!((&second["state"], &second["result"]), (&json!("COMPLETE"), &json!(true)));
    assert_eq!(second["sequence_number"], 2);
    assert!(second.get("error_code").is_none());

    // The verifiers in the documentation, in three languages.
    let keys = app.get(&format!("{BASE}/webhook-keys")).await.json();
    assert_eq!(keys["keys"][0]["alg"], "PS256");
    let (node, python) = (example("js"), example("python"));
    for body in &bodies {
        assert!(in_rust::verify(body, &keys));
        let bent = body.replacen("\"result\":", "\"result\": ", 1);
        let other = body.replacen("DOC_SCAN", "DOC_SCAM", 1).replacen("AGE_ESTIMATION", "AGE_ESTIMATIOM", 1);
        for (body, holds) in [(body, true), (&bent, false), (&other, false)] {
            let input = json!({ "body": body, "keys": keys });
            assert_eq!(verifies("node", &["--input-type=module", "-e", &node], &input), holds);
            assert_eq!(verifies("python3", &["-c", &python], &input), holds);
            assert_eq!(in_rust::verify(body, &keys), holds);
        }
    }
    dispatcher.stop().await;
}

#[tokio::test]
async fn a_session_that_is_cancelled_or_runs_out_is_told() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let dispatcher = BackgroundDispatcher::start(&app, app.api.document_verification.outbox());
    let create = async |payload: Value| {
        let mut payload = payload;
        payload["notification_url"] = receiver.url("/hook").into();
        AgeSessionFixture::create(&app, SANDBOX, &payload).await
    };
    let told = async |messages: usize| -> Value {
        let sent = receiver.wait_for(messages).await;
        let body = String::from_utf8(sent[messages - 1].body.to_vec()).unwrap();
        assert!(!body.contains("null"), "{body}");
        serde_json::from_str(&body).unwrap()
    };

    let session = create(json!({ "credit_card": {}, "reference_id": "r" })).await;
    session.open_attempt(&app, "CREDIT_CARD").await;
    session.end_user_call(&app, "POST", "/cancel", None).await;
    let cancelled = told(1).await;
    for (member, value) in [
        ("state", json!("CANCELLED")),
        ("result", json!(false)),
        ("method", json!("CREDIT_CARD")),
        ("age", json!(18)),
        ("reference_id", json!("r")),
        ("session_key", json!(session.id)),
        ("check_type", json!("NONE")),
        ("sequence_number", json!(1)),
    ] {
        assert_eq!(cancelled[member], value, "{member}");
    }
    assert!(cancelled.get("error_code").is_none() && cancelled.get("evidence_id").is_none());

    // One that was never opened, and one with an attempt under way.
    let untouched = create(json!({ "credit_card": {}, "ttl": 60 })).await;
    app.environment.advance(base::SignedDuration::from_secs(60));
    assert_eq!(untouched.result(&app).await["status"], "EXPIRED", "also before the job has run");
    app.api.age_verification.expire_sessions().await.unwrap();
    let expired = told(2).await;
    assert_eq!((&expired["state"], &expired["result"]), (&json!("EXPIRED"), &json!(false)));
    assert_eq!(expired["timestamp"], app.api.environment.now().as_second());
    assert!(expired.get("method").is_none() && expired.get("age").is_none(), "{expired}");
    let payload = json!({
        "block_biometric_consent": true, "ttl": 60, "age_estimation": { "threshold": 25, "level": "PASSIVE" },
    });
    let begun = create(payload).await;
    begun.open_attempt(&app, "AGE_ESTIMATION").await;
    app.environment.advance(base::SignedDuration::from_secs(60));
    app.api.age_verification.expire_sessions().await.unwrap();
    let expired = told(3).await;
    assert_eq!((&expired["state"], &expired["method"]), (&json!("EXPIRED"), &json!("AGE_ESTIMATION")));
    assert_eq!((&expired["age"], &expired["check_type"]), (&json!(25), &json!("PASSIVE")));

    // Each is told once, and a session that has a result keeps it.
    let complete = create(json!({ "credit_card": {}, "ttl": 60 })).await;
    let path = format!("{SANDBOX}/sessions/{}/response-config", complete.id);
    let outcome = json!({ "status": "COMPLETE" });
    relying_party_call(&app, &complete.key, "PUT", &path, Some(outcome)).await;
    assert_eq!(told(4).await["state"], "COMPLETE");
    app.environment.advance(base::SignedDuration::from_secs(60));
    app.api.age_verification.expire_sessions().await.unwrap();
    assert_eq!(complete.result(&app).await["status"], "COMPLETE");
    assert_eq!(receiver.captured().len(), 4);
    dispatcher.stop().await;
}

#[tokio::test]
async fn a_session_that_runs_out_and_is_not_kept_is_told() {
    let settings = AgeVerificationSettings {
        session_retention: base::SignedDuration::ZERO,
        ..AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings_and_egress(&stub_server::egress_policy(), settings).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let dispatcher = BackgroundDispatcher::start(&app, app.api.document_verification.outbox());
    let payload = json!({ "credit_card": {}, "ttl": 60, "notification_url": receiver.url("/hook") });
    let purge = async || {
        domain::age_verification::purge(&app.api.db, app.api.environment.now()).await.unwrap();
        let mut view = app.api.db.read().await.unwrap();
        let sessions = view.count(db::sql!("SELECT count(*) FROM age_sessions")).await.unwrap();
        [sessions, view.count(db::sql!("SELECT count(*) FROM erasure_keys")).await.unwrap()]
    };
    assert_eq!(purge().await, [0, 0]);
    AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    app.environment.advance(base::SignedDuration::from_secs(60));
    assert_eq!(purge().await, [1, 1], "nobody has been told yet");
    app.api.age_verification.expire_sessions().await.unwrap();
    let sent = receiver.wait_for(1).await;
    let told: Value = serde_json::from_slice(&sent[0].body).unwrap();
    assert_eq!((&told["state"], &told["result"]), (&json!("EXPIRED"), &json!(false)));
    // What the receiver answered is recorded by then.
    dispatcher.stop().await;
    assert_eq!(purge().await, [0, 0]);

    // A row that does not open can be ended by nobody, and is not kept for good.
    AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    app.execute(db::sql!("UPDATE age_sessions SET sealed = $1", vec![0_u8])).await;
    app.environment.advance(base::SignedDuration::from_hours(48));
    app.api.age_verification.expire_sessions().await.unwrap();
    assert_eq!(purge().await, [1, 1]);
    app.environment.advance(base::SignedDuration::from_secs(60));
    assert_eq!(purge().await, [0, 0]);
}

#[tokio::test]
async fn an_answer_that_comes_when_the_time_is_over_makes_no_result() {
    let clock = Arc::new(OnceLock::<Arc<base::TestEnvironment>>::new());
    let passing = clock.clone();
    // The session has a minute left when the registry is asked, and none when it answers.
    let registry = StubServer::start(move |_| {
        passing.get().unwrap().advance(base::SignedDuration::from_secs(60));
        StubReply::body("application/json", r#"{"result":"OVER"}"#)
    })
    .await;
    let settings =
        |secret: &Path| json!({ "provider": "signed", "url": registry.url("/ask"), "secret_file": secret });
    let (app, _folder) = with_registry("social_security_number", settings, AttemptLimits::default()).await;
    clock.set(app.environment.clone()).unwrap();
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let dispatcher = BackgroundDispatcher::start(&app, app.api.document_verification.outbox());
    let payload =
        json!({ "ttl": 60, "social_security_number": {}, "notification_url": receiver.url("/hook") });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let opened = session.open_attempt(&app, "SOCIAL_SECURITY_NUMBER").await;
    let person =
        json!({ "full_name": "Ada Lovelace", "date_of_birth": "1990-12-10", "number": "219-09-1234" });
    let turn = json!({ "continuation": opened.0["continuation"], "fields": person });
    let path = format!("/attempts/{}", opened.attempt());
    let late = session.end_user_call(&app, "POST", &path, Some(turn)).await;
    assert_eq!(late.status_and_code(), "410 SESSION_EXPIRED");
    assert_eq!(registry.captured().len(), 1);
    assert_eq!(session.result(&app).await["status"], "EXPIRED", "before the job has run");

    app.api.age_verification.expire_sessions().await.unwrap();
    let sent = receiver.wait_for(1).await;
    let told: Value = serde_json::from_slice(&sent[0].body).unwrap();
    assert_eq!((&told["state"], &told["result"]), (&json!("EXPIRED"), &json!(false)));
    assert_eq!((&told["method"], &told["sequence_number"]), (&json!("SOCIAL_SECURITY_NUMBER"), &json!(1)));
    let record = session.result(&app).await;
    assert_eq!(
        (&record["status"], &record["social_security_number"]["attempts"]),
        (&json!("EXPIRED"), &json!(0))
    );
    let under_way = db::sql!("SELECT count(*) FROM session_steps WHERE outcome IS NULL");
    assert_eq!(app.api.db.read().await.unwrap().count(under_way).await.unwrap(), 0);
    assert_eq!(receiver.captured().len(), 1);
    dispatcher.stop().await;
}

#[tokio::test]
async fn the_newest_key_signs_and_the_former_is_published_for_a_month() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|_| StubReply::status(200)).await;
    let dispatcher = BackgroundDispatcher::start(&app, app.api.document_verification.outbox());
    let keys = async || app.get(&format!("{BASE}/webhook-keys")).await.json();
    let kids = |keys: &Value| -> Vec<String> {
        let keys = keys["keys"].as_array().unwrap().iter();
        keys.map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
    };
    let notify = async |messages: usize| {
        let payload = json!({ "notification_url": receiver.url("/hook"), "doc_scan": {} });
        let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
        let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
        let outcome = json!({ "status": "COMPLETE", "method": "DOC_SCAN" });
        let set = relying_party_call(&app, &session.key, "PUT", &path, Some(outcome)).await;
        assert_eq!(set.status_and_code(), "200");
        let sent = receiver.wait_for(messages).await;
        String::from_utf8(sent[messages - 1].body.to_vec()).unwrap()
    };
    let kid = |body: &str| serde_json::from_str::<Value>(body).unwrap()["kid"].as_str().unwrap().to_owned();

    let before = notify(1).await;
    let former = keys().await;
    assert_eq!(kids(&former), [kid(&before)]);
    let rotated = app.api.age_verification.rotate_webhook_key(WEBHOOK_KEY_OVERLAP).await.unwrap();
    let after = notify(2).await;
    assert_eq!(kid(&after), rotated, "a process that had the former key signs with the new one");
    let both = keys().await;
    assert_eq!(kids(&both), [kid(&before), rotated.clone()]);
    for body in [&before, &after] {
        assert!(in_rust::verify(body, &both));
        assert!(!in_rust::verify(&body.replacen("\"kid\":\"", "\"kid\":\"x", 1), &both), "the id is signed");
    }
    assert!(!in_rust::verify(&after, &former), "the new key signs, and not the oldest");

    app.environment.advance(WEBHOOK_KEY_OVERLAP);
    assert_eq!(kids(&keys().await), std::slice::from_ref(&rotated));
    // Where the key leaked, the former one counts no more.
    let other = app.api.age_verification.rotate_webhook_key(base::SignedDuration::ZERO).await.unwrap();
    assert_eq!(kids(&keys().await), [other]);
    dispatcher.stop().await;
}

/// The example in Rust of `docs/AGE-VERIFICATION.md`; a test keeps the two equal.
mod in_rust {
    use base64_simd::{STANDARD, URL_SAFE_NO_PAD};
    use rsa::{
        BigUint, RsaPublicKey,
        pss::{Signature, VerifyingKey},
        signature::Verifier as _,
    };
    use serde_json::Value;
    use sha2::Sha256;

    /// Whether `body`, as it was received, was signed by the holder of one of `keys`, a JWK Set.
    pub(super) fn verify(body: &str, keys: &Value) -> bool {
        let message: Value = serde_json::from_str(body).unwrap_or_default();
        let signature = message["signature"].as_str().and_then(|text| STANDARD.decode_to_vec(text).ok());
        let signature = signature.and_then(|bytes| Signature::try_from(bytes.as_slice()).ok());
        let (Some((signed, _)), Some(signature)) = (body.rsplit_once(",\"sequence_number\":"), signature)
        else {
            return false;
        };
        let signed = format!("{signed}}}");
        keys["keys"].as_array().into_iter().flatten().any(|key| {
            let bytes = |name: &str| URL_SAFE_NO_PAD.decode_to_vec(key[name].as_str()?).ok();
            let (Some(n), Some(e)) = (bytes("n"), bytes("e")) else { return false };
            let key = RsaPublicKey::new(BigUint::from_bytes_be(&n), BigUint::from_bytes_be(&e));
            let Ok(key) = key else { return false };
            VerifyingKey::<Sha256>::new_with_salt_len(key, 222).verify(signed.as_bytes(), &signature).is_ok()
        })
    }
}

#[test]
fn the_rust_example_in_the_documentation_is_the_code_tested_here() {
    let here = include_str!("webhooks.rs");
    for line in example("rust")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("pub fn") && !line.starts_with("// rsa"))
    {
        assert!(here.contains(line), "{line}");
    }
}

/// A server whose webhooks are delivered, and their receiver.
struct WebhookFixture {
    app: TestApp,
    receiver: StubServer,
    dispatcher: BackgroundDispatcher,
}

impl WebhookFixture {
    async fn start(answer: fn(&stub_server::CapturedRequest) -> StubReply) -> Self {
        let app = stored_results::start_server(&stub_server::egress_policy()).await;
        let dispatcher = BackgroundDispatcher::start(&app, app.api.document_verification.outbox());
        Self { app, receiver: StubServer::start(answer).await, dispatcher }
    }

    /// Shows a face in a sandbox, which estimates it to be thirty.
    async fn show_face(&self, mut payload: Value) -> AgeSessionFixture {
        payload["block_biometric_consent"] = true.into();
        payload["age_estimation"] = json!({});
        let session = AgeSessionFixture::create(&self.app, SANDBOX, &payload).await;
        let opened = session.open_attempt(&self.app, "AGE_ESTIMATION").await;
        let ended = session.take_turn(&self.app, &opened, json!({ "img": face_base64() })).await;
        assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
        session
    }

    /// The outcomes of the deliveries, once so many have been tried.
    async fn tried(&self, many: usize) -> Vec<(Option<u16>, DeliveryState)> {
        for _ in 0..60_000 {
            let mut view = self.app.api.db.read().await.unwrap();
            let records = delivery::list(&mut view, DeliveryFilter::default(), None, 200).await.unwrap();
            drop(view);
            let ended = records.iter().filter(|record| record.state != DeliveryState::Running);
            let tried: Vec<_> =
                ended.filter_map(|record| Some((record.attempts.first()?.status, record.state))).collect();
            if tried.len() >= many {
                return tried;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{many} deliveries were not tried");
    }

    async fn stop(self) {
        self.dispatcher.stop().await;
    }
}

#[tokio::test]
async fn a_kept_answer_of_a_wallet_has_no_check_of_liveness_behind_it() {
    let fixture = WebhookFixture::start(|_| StubReply::status(200)).await;
    let app = &fixture.app;
    // The level is for the photo that may stand in for a wallet's answer; the wallet did answer.
    let wallet = json!({ "level": "PASSIVE", "age_estimation_allowed": true });
    let mut device = stored_results::store_wallet_result(app, wallet.clone()).await;
    let payload =
        json!({ "notification_url": fixture.receiver.url("/hook"), "digital_id": wallet, "svc_key": {} });
    let (_, ended) = stored_results::present_result(app, &mut device, SANDBOX, &payload).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
    let sent = fixture.receiver.wait_for(1).await;
    let message: Value = serde_json::from_slice(&sent[0].body).unwrap();
    assert_eq!((&message["method"], &message["check_type"]), (&json!("SVC_KEY"), &json!("NONE")));
    fixture.stop().await;
}

#[tokio::test]
async fn a_webhook_has_its_members_in_the_order_of_the_signature() {
    let fixture = WebhookFixture::start(|_| StubReply::status(200)).await;
    let (app, url) = (&fixture.app, fixture.receiver.url("/hook"));
    let by_face =
        fixture.show_face(json!({ "type": "AGE", "notification_url": url, "reference_id": "r \"7\"" })).await;

    let mut device = stored_results::store_result(app, json!({})).await;
    let payload = json!({ "notification_url": url, "age_estimation": {}, "svc_key": {} });
    let (by_key, _) = stored_results::present_result(app, &mut device, SANDBOX, &payload).await;

    // A verified email address is judged, and reported, when the session is created.
    let data = json!({ "verified_email": "minor@example.com" });
    let payload = json!({ "notification_url": url, "email": { "data": data, "threshold": 21 } });
    let path = format!("{SANDBOX}/sessions");
    let made = relying_party_call(app, &by_face.key, "POST", &path, Some(payload)).await.json();
    assert_eq!(made["status"], "FAIL");
    let id = made["id"].as_str().unwrap().to_owned();
    let by_email = AgeSessionFixture { id, key: by_face.key.clone(), base: SANDBOX };
    let evidence = by_email.result(app).await["evidence_id"].to_string();
    assert!(evidence.starts_with("\"sandbox-"), "{evidence}");

    // If an age was asked for and none was determined, there is none in the message.
    let mut without = Vec::new();
    for outcome in ["declined", "unavailable"] {
        let payload = json!({
            "type": "AGE", "notification_url": url, "electronic_id": { "sub_methods": [outcome], "threshold": 18 },
        });
        let session = AgeSessionFixture::create(app, SANDBOX, &payload).await;
        let opened = session.open_attempt(app, "ELECTRONIC_ID").await;
        assert_eq!(session.return_from_provider(app, &opened).await.status(), "ERROR", "{outcome}");
        let result = session.result(app).await;
        assert_eq!((result.get("age"), &result["method"]), (None, &json!("ELECTRONIC_ID")));
        without.push(session);
    }

    let nothing = "";
    let mut ids = BTreeSet::new();
    let sent = fixture.receiver.wait_for(5).await;
    for (session, method, reference, evidence, state) in [
        (
            &by_face,
            r#""method":"AGE_ESTIMATION","result":true,"age":30"#,
            r#""r \"7\"""#,
            "",
            r#""state":"COMPLETE","check_type":"NONE""#,
        ),
        (
            &by_key,
            r#""method":"SVC_KEY","result":true,"age":18"#,
            nothing,
            "",
            r#""state":"COMPLETE","check_type":"NONE""#,
        ),
        (
            &by_email,
            r#""method":"EMAIL","result":false,"age":21"#,
            nothing,
            evidence.as_str(),
            r#""state":"FAIL","check_type":"NONE","error_code":"UNDER_AGE""#,
        ),
        (
            &without[0],
            r#""method":"ELECTRONIC_ID","result":false"#,
            nothing,
            "",
            r#""state":"ERROR","check_type":"NONE","error_code":"NOT_FOUND""#,
        ),
        (
            &without[1],
            r#""method":"ELECTRONIC_ID","result":false"#,
            nothing,
            "",
            r#""state":"ERROR","check_type":"NONE","error_code":"PROVIDER_UNAVAILABLE""#,
        ),
    ] {
        let bodies = sent.iter().map(|sent| String::from_utf8(sent.body.to_vec()).unwrap());
        let own: Vec<_> = bodies.filter(|body| body.contains(&session.id)).collect();
        assert_eq!(own.len(), 1, "one for each attempt: {own:?}");
        let message: Value = serde_json::from_str(&own[0]).unwrap();
        let (id, kid, signature) = (&message["id"], &message["kid"], &message["signature"]);
        // If a method keeps no evidence, the id of the attempt stands for it.
        let tried = message["evidence_id"].to_string();
        let evidence = if evidence.is_empty() { &tried } else { evidence };
        assert_eq!(session.result(app).await["evidence_id"], message["evidence_id"]);
        assert!(evidence.len() > 8, "{evidence}");
        // What has no value is left out.
        let reference =
            if reference.is_empty() { String::new() } else { format!(r#""reference_id":{reference},"#) };
        let expected = format!(
            r#"{{{method},"session_key":"{}",{reference}"id":{id},"timestamp":1768574400,"notification_url":"{url}","evidence_id":{evidence},{state},"kid":{kid},"sequence_number":1,"signature":{signature}}}"#,
            session.id,
        );
        assert_eq!(own[0], expected);
        assert!(id.as_str().unwrap().parse::<base::Uuid>().is_ok(), "{id}");
        assert!(ids.insert(id.to_string()), "each has an id of its own");
    }
    fixture.stop().await;
}

#[tokio::test]
async fn only_the_status_200_accepts_a_webhook() {
    let fixture =
        WebhookFixture::start(|sent| StubReply::status(if sent.uri.path() == "/taken" { 200 } else { 204 }))
            .await;
    fixture.show_face(json!({ "notification_url": fixture.receiver.url("/taken") })).await;
    assert_eq!(fixture.tried(1).await, [(Some(200), DeliveryState::Delivered)]);
    fixture.show_face(json!({ "notification_url": fixture.receiver.url("/accepted") })).await;
    let tried = fixture.tried(2).await;
    assert!(tried.contains(&(Some(204), DeliveryState::Waiting)), "it is tried again: {tried:?}");
    fixture.stop().await;
}
