//! Which credentials open which operations: every operation of the interfaces for sessions, proofs and images, with
//! every credential that a caller may have, against what its document says. The operations of content moderation have
//! scopes; they are in `content_moderation::authorisation_matrix`.

use crate::{document_verification::relying_party_call, openapi_documents::concrete};
use axum::http::StatusCode;
use base::{AppId, Secret};
use domain::tenancy::{
    api_keys,
    applications::{self, NewApplication},
    tokens::{self, TokenScope},
};
use serde_json::{Value, json};
use testkit::{SignedCall, TestApp, TestResponse};

/// A credential of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Credential {
    /// A private key, with which it signs.
    Signature,
    /// A bearer token.
    Bearer(TokenScope),
    /// An API key without scopes.
    Key,
    /// The token of the document session in the path.
    Session,
}

const CREDENTIALS: [Credential; 6] = [
    Credential::Signature,
    Credential::Bearer(TokenScope::IdvSessions),
    Credential::Bearer(TokenScope::AvsSessionsCreate),
    Credential::Bearer(TokenScope::PoaVerify),
    Credential::Key,
    Credential::Session,
];

impl Credential {
    /// Whether it is the one that a document calls `scheme`.
    fn is(self, document: &str, scheme: &str) -> bool {
        match (document, scheme) {
            ("ai", "applicationId" | "requestSignature") | ("identity", "signature") => {
                self == Self::Signature
            }
            ("proof", "bearer") => self == Self::Bearer(TokenScope::PoaVerify),
            // The code of an invitation, which no caller has here.
            ("proof", "invitation") => false,
            ("identity", "bearer") => self == Self::Bearer(TokenScope::IdvSessions),
            ("identity", "session") => self == Self::Session,
            ("ages", "bearer") => self == Self::Bearer(TokenScope::AvsSessionsCreate),
            ("ages", "key") => self == Self::Key,
            // A caller with a token or a key names the application, too.
            ("ages", "sdk") => matches!(self, Self::Bearer(_) | Self::Key),
            other => panic!("teach this test the scheme {other:?}"),
        }
    }
}

/// An operation that requires a credential.
struct Operation {
    document: &'static str,
    method: &'static str,
    path: String,
    /// Sets of schemes; one of them opens it.
    security: Vec<Vec<String>>,
}

impl Operation {
    fn opens_with(&self, credential: Credential) -> bool {
        let holds = |schemes: &Vec<String>| schemes.iter().all(|scheme| credential.is(self.document, scheme));
        self.security.iter().any(holds)
    }
}

async fn operations(app: &TestApp) -> Vec<Operation> {
    let mut found = Vec::new();
    for document in ["ai", "proof", "identity", "ages"] {
        let json = app.get(&format!("/openapi/{document}.json")).await.json();
        for (path, methods) in json["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let sets = operation["security"].as_array().into_iter().flatten();
                let security: Vec<Vec<String>> =
                    sets.map(|set| set.as_object().unwrap().keys().cloned().collect()).collect();
                if security.iter().all(Vec::is_empty) {
                    continue;
                }
                let method = match method.as_str() {
                    "get" => "GET",
                    "head" => "HEAD",
                    "post" => "POST",
                    "put" => "PUT",
                    "patch" => "PATCH",
                    "delete" => "DELETE",
                    other => panic!("teach this test the method {other}"),
                };
                found.push(Operation { document, method, path: path.clone(), security });
            }
        }
    }
    found
}

/// An application and its credentials.
struct Holder {
    app: AppId,
    tokens: Vec<(TokenScope, String)>,
    key: String,
}

impl Holder {
    async fn of(server: &TestApp, app: AppId) -> Self {
        let mut tx = server.api.db.write().await.unwrap();
        let mut held = Vec::new();
        for scope in TokenScope::ALL {
            let issued =
                tokens::create(&mut tx, &*server.environment, app, "test", vec![scope], None).await.unwrap();
            held.push((scope, Secret::expose(&issued.token).clone()));
        }
        let (_, key) = api_keys::create(&mut tx, &*server.environment, app, "test", &[]).await.unwrap();
        tx.commit().await.unwrap();
        Self { app, tokens: held, key: key.expose().clone() }
    }

    fn token(&self, scope: TokenScope) -> &str {
        self.tokens.iter().find(|(held, _)| *held == scope).map(|(_, token)| token).unwrap()
    }

    /// Tries an operation; in document verification, with a session of the application in its path.
    async fn tries(&self, server: &TestApp, operation: &Operation, credential: Credential) -> TestResponse {
        let (mut path, mut token) = (operation.path.replace("{sdkId}", &self.app.to_string()), None);
        if operation.document == "identity" {
            let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
            let made = relying_party_call(server, "POST", "/idverify/v1/sessions", Some(payload)).await;
            assert_eq!(made.status_and_code(), "201", "{}", made.json());
            let made: Value = made.json();
            path = path.replace("{sessionId}", made["sessionId"].as_str().unwrap());
            token = made["client_session_token"].as_str().map(str::to_owned);
        }
        let call =
            SignedCall::new(operation.method, &concrete(&path)).header("Content-Type", "application/json");
        let unsigned = |call: SignedCall| call.auth_id(None).digest(None);
        let named = |call: SignedCall| unsigned(call).header("Svc-Sdk-Id", &self.app.to_string());
        let call = match credential {
            Credential::Signature => call,
            Credential::Bearer(scope) => {
                named(call).header("Authorization", &format!("Bearer {}", self.token(scope)))
            }
            Credential::Key => named(call).header("Authorization", &format!("Bearer {}", self.key)),
            Credential::Session => {
                unsigned(call).header("X-Svc-Auth-Token", token.as_deref().unwrap_or("none"))
            }
        };
        call.send(server).await
    }
}

fn is_let_in(answer: &TestResponse) -> bool {
    !matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

#[tokio::test]
async fn each_operation_accepts_the_credentials_of_its_document_and_no_others() {
    let app = TestApp::start().await;
    let holder = Holder::of(&app, app.app).await;
    let operations = operations(&app).await;
    assert!(operations.len() >= 60, "{} operations ask for something", operations.len());
    for operation in &operations {
        for credential in CREDENTIALS {
            let answer = holder.tries(&app, operation, credential).await;
            let what =
                format!("{} {} with {credential:?}: {}", operation.method, operation.path, answer.status);
            // An invitation is redeemed together with its keys: if these are missing, it is not checked.
            if operation.path == "/poa/v1/holder/credentials" && answer.status == 400 {
                continue;
            }
            // Production refuses whoever configures its answers, after it has looked at who that is.
            if operation.path.starts_with("/idverify/v1/")
                && operation.path.ends_with("/response-config")
                && operation.method == "PUT"
                && operation.opens_with(credential)
            {
                assert_eq!(answer.status, 403, "{what}");
                continue;
            }
            assert_eq!(is_let_in(&answer), operation.opens_with(credential), "{what}");
            assert!(answer.status.as_u16() < 500, "{what}");
        }
    }
}

#[tokio::test]
async fn an_application_without_features_is_refused_by_every_operation() {
    let app = TestApp::start().await;
    let mut tx = app.api.db.write().await.unwrap();
    let new = NewApplication {
        name: "Nothing allowed",
        organisation: Some(app.org),
        billing_source: Some("test"),
        features: &[],
    };
    let id = applications::create(&mut tx, &*app.environment, &new).await.unwrap();
    tx.commit().await.unwrap();
    let holder = Holder::of(&app, id).await;
    let tries = [
        Credential::Bearer(TokenScope::IdvSessions),
        Credential::Bearer(TokenScope::AvsSessionsCreate),
        Credential::Bearer(TokenScope::PoaVerify),
        Credential::Key,
    ];
    let mut refused = 0;
    for operation in operations(&app).await {
        // An end user's operation requires no feature before the session is found.
        let for_people = operation.security.iter().any(|set| *set == ["sdk"]);
        for credential in
            tries.into_iter().filter(|credential| !for_people && operation.opens_with(*credential))
        {
            let answer = holder.tries(&app, &operation, credential).await;
            let what = format!("{} {} with {credential:?}", operation.method, operation.path);
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{what}");
            refused += 1;
        }
    }
    assert!(refused > 20, "{refused}");
}
