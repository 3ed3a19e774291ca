//! A stand-in for a provider that speaks the signed protocol. It holds every question, and every answer that it gives, to
//! `docs/signed-protocol.schema.json`, verifies the question's signature, and signs its answers.

use crate::stub_server::{CapturedRequest, StubReply, StubServer};
use aws_lc_rs::hmac;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tempfile::TempDir;

const KEY: [u8; 32] = [7; 32];

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../docs/signed-protocol.schema.json")).expect("the schema is JSON")
});

/// What a provider answers to a question; `None` is an outage.
type Answer = dyn Fn(&Value) -> Option<Value> + Send + Sync;

/// A provider, until it is dropped.
#[derive(Debug)]
pub struct SignedSource {
    server: StubServer,
    folder: TempDir,
    problems: Arc<Mutex<Vec<String>>>,
}

impl SignedSource {
    /// Starts a provider that answers as a test says.
    ///
    /// # Panics
    /// When there is no temporary folder.
    pub async fn start(answer: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let secret = format!("whsec_{}", base64_simd::STANDARD.encode_to_string(KEY));
        std::fs::write(folder.path().join("secret"), secret).expect("a file");
        let problems = Arc::new(Mutex::new(Vec::new()));
        let (told, answer): (_, Arc<Answer>) = (problems.clone(), Arc::new(answer));
        let server = StubServer::start(move |sent| match reply(sent, &*answer) {
            Ok(reply) => reply,
            Err(problem) => {
                told.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
                StubReply::status(400)
            }
        })
        .await;
        Self { server, folder, problems }
    }

    /// Its section of the configuration, with signed answers.
    pub fn settings(&self) -> Value {
        json!({
            "provider": "signed",
            "url": self.server.url("/checks"),
            "secret_file": self.folder.path().join("secret"),
            "signed_answers": true,
        })
    }

    /// The questions so far.
    ///
    /// # Panics
    /// When one of them, or an answer, was not as the protocol has it.
    pub fn questions(&self) -> Vec<Value> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(problems.is_empty(), "{problems:?}");
        let captured = self.server.captured();
        captured.iter().map(|sent| serde_json::from_slice(&sent.body).expect("JSON")).collect()
    }

    /// The `webhook-id` of each question.
    pub fn ids(&self) -> Vec<String> {
        self.server.captured().iter().map(|sent| sent.header("webhook-id").to_owned()).collect()
    }
}

/// An answer in which every sub-check of the question has one result.
pub fn answer_all(question: &Value, result: &str) -> Value {
    let names = question["sub_checks"].as_array().into_iter().flatten();
    let told: Vec<Value> = names.map(|name| json!({ "sub_check": name, "result": result })).collect();
    json!({ "sub_checks": told, "evidence_id": "e-1" })
}

/// The reply to a question, or what is wrong with the question or the answer.
fn reply(sent: &CapturedRequest, answer: &Answer) -> Result<StubReply, String> {
    let (id, seconds) = (sent.header("webhook-id"), sent.header("webhook-timestamp"));
    if sent.header("webhook-signature") != sign(id, seconds, &sent.body) {
        return Err("the question is not signed".to_owned());
    }
    let question: Value = serde_json::from_slice(&sent.body).map_err(|error| error.to_string())?;
    validate("question", &question)?;
    let Some(answered) = answer(&question) else { return Ok(StubReply::status(503)) };
    validate(if question["threshold"].is_null() { "check_answer" } else { "age_answer" }, &answered)?;
    let body = answered.to_string();
    Ok(StubReply::body("application/json", body.clone())
        .header("webhook-id", id)
        .header("webhook-timestamp", seconds)
        .header("webhook-signature", &sign(id, seconds, body.as_bytes())))
}

/// Whether a body is as a definition of the schema has it.
fn validate(definition: &str, body: &Value) -> Result<(), String> {
    let mut schema = SCHEMA.clone();
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    let validator = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
    validator.validate(body).map_err(|error| format!("{definition}: {error} in {body}"))
}

fn sign(id: &str, seconds: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &KEY);
    let text = [id.as_bytes(), b".", seconds.as_bytes(), b".", body].concat();
    format!("v1,{}", base64_simd::STANDARD.encode_to_string(hmac::sign(&key, &text)))
}
