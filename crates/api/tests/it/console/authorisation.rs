//! Who may do what: every operation of the console's document, by everybody who may not.

use super::{CONSOLE, ConsoleFixture};
use crate::{content_moderation::AccountFixture, openapi_documents::concrete};
use axum::{body::Body, http::Request};
use domain::{
    accounts::sign_in::SignInSettings,
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::Value;

/// An operation, and the tag that says whom it is for.
struct Operation {
    method: String,
    path: String,
    tag: String,
    needs_session: bool,
}

impl Operation {
    /// Whether it needs a scope that only operators have, or that they have beside members.
    fn is_of_operators(&self) -> bool {
        matches!(
            self.tag.as_str(),
            "operators" | "tenants" | "approvals" | "deliveries" | "jobs" | "audit" | "health"
        )
    }
}

async fn operations(fixture: &ConsoleFixture) -> Vec<Operation> {
    let document = fixture.app.get("/openapi/console.json").await.json();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let needs_session = operation["security"][0].get("session").is_some();
            let tag = operation["tags"][0].as_str().unwrap().to_owned();
            found.push(Operation { method: method.to_uppercase(), path: concrete(path), tag, needs_session });
        }
    }
    found
}

async fn start(second_factor: SecondFactorPolicy) -> ConsoleFixture {
    let settings = SignInSettings { second_factor, ..SignInSettings::for_public_url(CONSOLE) };
    ConsoleFixture::with(settings).await
}

/// A form of another site cannot send the header of the console's pages, and the cookie alone opens nothing.
#[tokio::test]
async fn a_cookie_without_the_consoles_header_opens_nothing() {
    let fixture = start(SecondFactorPolicy::Off).await;
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let mut tried = 0;
    for operation in operations(&fixture).await {
        if operation.path == "/console/oidc/callback" {
            continue;
        }
        let request = Request::builder().method(&*operation.method).uri(&operation.path);
        let request = request.header("Cookie", &cookie).body(Body::from("{}")).unwrap();
        let answer = fixture.app.send(request).await;
        assert_eq!(answer.status, 401, "{} {}", operation.method, operation.path);
        tried += 1;
    }
    assert!(tried > 35, "{tried}");
    assert_eq!(fixture.get(&cookie, "/console/session").await.status, 200, "and it still works");
}

#[tokio::test]
async fn an_operator_without_scopes_does_nothing_that_needs_one() {
    let fixture = start(SecondFactorPolicy::Off).await;
    fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let (cookie, _) = fixture.add_operator("eve@example.com", OperatorGrant::default()).await;
    let mut tried = 0;
    for operation in operations(&fixture).await {
        let is_scoped = operation.is_of_operators();
        // Which roles there are, and what was asked for, is no secret among operators.
        let is_shared = matches!(operation.path.as_str(), "/console/operator-roles" | "/console/approvals");
        if !is_scoped || (operation.method == "GET" && is_shared) {
            continue;
        }
        let answer = fixture.call(&cookie, &operation.method, &operation.path, Some(Value::Null)).await;
        assert_eq!(answer.status, 401, "{} {}", operation.method, operation.path);
        tried += 1;
    }
    assert!(tried >= 35, "{tried}");
}

#[tokio::test]
async fn an_administrator_of_an_account_is_no_operator() {
    let account = AccountFixture::of(start(SecondFactorPolicy::Off).await.app).await;
    let (_, cookie) = account.add_member("ada@example.com", true, &[]).await;
    let fixture = ConsoleFixture { app: account.app };
    let mut tried = 0;
    for operation in operations(&fixture).await {
        // Administrators of an account see the audit trail of it.
        if operation.is_of_operators() && !operation.path.starts_with("/console/audit-records") {
            let answer = fixture.call(&cookie, &operation.method, &operation.path, Some(Value::Null)).await;
            assert_eq!(answer.status, 401, "{} {}", operation.method, operation.path);
            tried += 1;
        }
    }
    assert!(tried >= 35, "{tried}");
}

#[tokio::test]
async fn an_operator_is_no_member() {
    let account = AccountFixture::of(start(SecondFactorPolicy::Off).await.app).await;
    let (path, member) = (account.path(""), account.add_member("eve@example.com", false, &[]).await.0);
    let fixture = ConsoleFixture { app: account.app };
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    for path in [path, format!("/console/members/{member}/sessions")] {
        assert_eq!(fixture.get(&cookie, &path).await.status_and_code(), "401 UNAUTHORIZED", "{path}");
    }
}

/// What a session may do that has no second factor yet, where one is needed.
const OPEN_BEFORE_SECOND_FACTOR: [&str; 8] = [
    "GET /console/session",
    "DELETE /console/session",
    "POST /console/session/second-factor",
    "GET /console/credentials",
    "POST /console/passkeys",
    "POST /console/passkeys/challenge",
    "POST /console/totp",
    "POST /console/totp/confirmation",
];

#[tokio::test]
async fn before_the_second_factor_only_the_way_to_one_is_open() {
    let fixture = start(SecondFactorPolicy::Operators).await;
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let mut open = Vec::new();
    for operation in operations(&fixture).await {
        let name = format!("{} {}", operation.method, operation.path);
        if !operation.needs_session || name == "DELETE /console/session" {
            continue;
        }
        let answer = fixture.call(&cookie, &operation.method, &operation.path, Some(Value::Null)).await;
        if answer.status != 401 {
            open.push(name);
        }
    }
    for name in &open {
        assert!(OPEN_BEFORE_SECOND_FACTOR.contains(&name.as_str()), "{name}");
    }
    assert!(open.len() >= 6, "{open:?}");
}
