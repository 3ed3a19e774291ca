//! Webhooks of results: their delivery and their signatures.

use super::{BASE, SANDBOX, Session, business};
use domain::delivery::{DeliveryDispatcher, DeliverySettings as Sending};
use serde_json::{Value, json};
use std::{
    io::Write as _,
    process::{Command, Stdio},
};
use testkit::{
    TestApp, face_base64, proof_settings,
    stub_server::{self, StubReply, StubServer},
};

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
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/AGES.md");
    let document = std::fs::read_to_string(file).unwrap();
    let (_, rest) = document.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[tokio::test]
async fn each_attempt_that_ends_is_told_and_signed() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|sent| {
        StubReply::status(if sent.header("webhook-id").is_empty() { 500 } else { 200 })
    })
    .await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let sender = DeliveryDispatcher::new(
        app.api.db.clone(),
        app.world.clone(),
        app.api.document_verification.outbox().clone(),
        Sending::default(),
    );
    let sending = tokio::spawn(sender.run(stopped));

    let payload = json!({
        "notification_url": receiver.url("/hook"), "reference_id": "Bestellung \"7\" für Łódź", "resume_enabled": true,
        "block_biometric_consent": true, "age_estimation": { "threshold": 90 }, "doc_scan": {},
    });
    let session = Session::new(&app, SANDBOX, &payload).await;
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    assert_eq!(session.turn(&app, &opened, json!({ "img": face_base64() })).await.status(), "FAIL");
    let path = format!("{SANDBOX}/sessions/{}/response-config", session.id);
    let told = json!({ "status": "COMPLETE", "method": "DOC_SCAN" });
    assert_eq!(business(&app, &session.key, "PUT", &path, Some(told)).await.status_and_code(), "200");

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
        ("state", json!("FAIL")),
        ("check_type", json!("SESSION")),
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
    stop.send(true).unwrap();
    sending.await.unwrap();
}

/// The example in Rust of `docs/AGES.md`; a test keeps the two equal.
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
fn the_example_in_rust_is_the_one_that_is_tested() {
    let here = include_str!("webhook_delivery.rs");
    for line in example("rust")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("pub fn") && !line.starts_with("// rsa"))
    {
        assert!(here.contains(line), "{line}");
    }
}
