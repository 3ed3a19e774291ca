//! `/poa/v1`: proofs of age that are scanned at a till.

mod auth;
mod error;
mod fetch;
mod issuer;
mod pending_verifications;
mod verify;
mod webhooks;

use axum::{body::Body, http::Request};
use base::{Environment as _, SignedDuration};
use credentials::{
    issue::{self, AgeAttestation, IssuingKey},
    proof::StatusReference,
};
use domain::{proof_of_age::ProofOfAgeSettings, tenancy::tokens::TokenScope};
use serde_json::{Value, json};
use std::io::Write as _;
use testkit::{TestApp, TestResponse, proof_settings, stub_server};

pub(crate) const ALL_SCOPES: [TokenScope; 3] = TokenScope::ALL;

/// An issuer that the operator trusts, beside this server.
pub(crate) struct Issuer {
    id: String,
    key: IssuingKey,
}

impl Issuer {
    pub(crate) fn new(environment: &dyn base::Environment, id: &str) -> Self {
        Self { id: id.to_owned(), key: IssuingKey::generate(environment) }
    }

    pub(crate) fn entry(&self, more: &Value) -> Value {
        let mut entry =
            json!({ "id": self.id, "provider": "PASS", "formats": ["cwt", "jwt"], "keys": [self.key.jwk()] });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry
    }

    pub(crate) fn code(&self, app: &TestApp, status: Option<StatusReference>) -> String {
        let grant = AgeAttestation {
            issuer: self.id.clone(),
            age_over: vec![18, 21],
            holder: None,
            status,
            lifetime: SignedDuration::from_secs(60),
        };
        issue::issue_code(&self.key, &grant, app.environment.now(), random_id(app)).unwrap()
    }

    /// A JWS of a type, signed with the issuer's key.
    pub(crate) fn jws(&self, kind: &str, claims: &Value) -> String {
        let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::ES256);
        header.typ = Some(kind.to_owned());
        header.kid = self.key.jwk()["kid"].as_str().map(str::to_owned);
        let key = jsonwebtoken::EncodingKey::from_ec_der(self.key.to_pkcs8_der().expose());
        jsonwebtoken::encode(&header, claims, &key).unwrap()
    }
}

fn random_id(app: &TestApp) -> [u8; 16] {
    let mut id = [0; 16];
    app.environment.fill_random(&mut id);
    id
}

/// A server that trusts these entries.
pub(crate) async fn server_trusting(entries: Value) -> (TestApp, tempfile::NamedTempFile) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(json!({ "issuers": entries }).to_string().as_bytes()).unwrap();
    let rules = ProofOfAgeSettings { trust_list: Some(file.path().to_owned()), ..proof_settings() };
    (TestApp::start_with_egress(&stub_server::egress_policy(), rules).await, file)
}

pub(crate) fn scan(app: &TestApp, value: &str) -> Value {
    let scanned_at = app.environment.now().to_string();
    json!({ "qr": { "value": value, "scanned_at": scanned_at }, "terminal": { "id": "till-4", "store_id": "12" } })
}

pub(crate) async fn verify(app: &TestApp, token: &str, body: &Value) -> TestResponse {
    verify_with_headers(app, &[("authorization", &format!("Bearer {token}"))], body.to_string()).await
}

async fn verify_with_headers(app: &TestApp, headers: &[(&str, &str)], body: String) -> TestResponse {
    let request = headers
        .iter()
        .fold(Request::post("/poa/v1/verify"), |request, (name, value)| request.header(*name, *value));
    app.send(request.body(Body::from(body)).unwrap()).await
}

async fn fetch(app: &TestApp, token: &str, id: &str) -> TestResponse {
    let request =
        Request::get(format!("/poa/v1/verify/{id}")).header("authorization", format!("Bearer {token}"));
    app.send(request.body(Body::empty()).unwrap()).await
}

fn outcome(answer: &TestResponse) -> String {
    let json = answer.json();
    format!(
        "{} {} {}",
        answer.status.as_u16(),
        json["status"].as_str().unwrap_or("-"),
        json["failure"]["reason"].as_str().unwrap_or("-")
    )
}
