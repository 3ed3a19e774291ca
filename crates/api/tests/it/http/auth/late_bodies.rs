//! Whoever sends a request decides for how long its body is waited for: long enough for a credential to be taken away.

use crate::{
    age_verification, content_moderation::AccountFixture, document_verification, proof_of_age::scan,
};
use axum::{
    body::Body,
    http::{Request, request::Builder},
};
use base::SignedDuration;
use db::{Query, sql};
use domain::tenancy::{
    limits::{self, LimitKind},
    tokens::TokenScope,
};
use futures_util::stream;
use serde_json::{Value, json};
use testkit::TestApp;

/// A body that arrives so many seconds after its request, once this statement has run.
pub(crate) fn late_body(app: &TestApp, text: String, seconds: i64, meanwhile: Query) -> Body {
    let (environment, db) = (app.environment.clone(), app.api.db.clone());
    let arrives = async move {
        environment.advance(SignedDuration::from_secs(seconds));
        let mut tx = db.write().await.unwrap();
        tx.execute(meanwhile).await.unwrap();
        tx.commit().await.unwrap();
        Ok::<_, std::io::Error>(text)
    };
    Body::from_stream(stream::once(arrives))
}

/// The status of a request whose body arrives after two seconds.
async fn send_late(app: &TestApp, request: Builder, body: &Value, meanwhile: Query) -> u16 {
    let request = request.header("Content-Type", "application/json");
    let request = request.body(late_body(app, body.to_string(), 2, meanwhile));
    app.send(request.unwrap()).await.status.as_u16()
}

#[tokio::test]
async fn a_credential_that_is_revoked_while_the_body_arrives_opens_nothing() {
    let fixture = AccountFixture::start().await;
    let app = &fixture.app;
    let mut tx = app.api.db.write().await.unwrap();
    limits::set(&mut tx, app.app, &[(LimitKind::CallsPerMinute, Some(1))]).await.unwrap();
    tx.commit().await.unwrap();
    let age = json!({ "age_estimation": {} });
    let document = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    for (path, body, scope) in [
        (format!("{}/sessions", document_verification::BASE), document, Some(TokenScope::IdvSessions)),
        ("/poa/v1/verify".to_owned(), scan(app, "POA1:0"), Some(TokenScope::PoaVerify)),
        (format!("{}/sessions", age_verification::BASE), age.clone(), Some(TokenScope::AvsSessionsCreate)),
        (format!("{}/sessions", age_verification::BASE), age, None),
        ("/accounts".to_owned(), json!({ "name": "Shop" }), None),
        (fixture.path("/profiles"), json!({ "display_name": "Ada" }), None),
    ] {
        let credential = match scope {
            Some(scope) => app.bearer_token(&[scope]).await,
            None => app.api_key(&[]).await,
        };
        let send = async |meanwhile: Query| {
            // The only call of its minute.
            app.environment.advance(SignedDuration::from_mins(2));
            let request = Request::post(&path)
                .header("Authorization", format!("Bearer {credential}"))
                .header(app.api.brand.sdk_id(), app.app.to_string());
            send_late(app, request, &body, meanwhile).await
        };
        let (unchanged, revoked) = match scope {
            Some(_) => (sql!("UPDATE access_tokens SET name = name"), sql!("DELETE FROM access_tokens")),
            None => (
                sql!("UPDATE api_keys SET name = name"),
                sql!("UPDATE api_keys SET revoked_at = created_at WHERE revoked_at IS NULL"),
            ),
        };
        let answered = send(unchanged).await;
        assert!([200, 201].contains(&answered), "{path} as {scope:?}: it counts once, {answered}");
        assert_eq!(send(revoked).await, 401, "{path} as {scope:?}");
    }
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM profiles")).await, 1);
}

#[tokio::test]
async fn a_member_who_is_signed_out_while_the_body_arrives_does_nothing() {
    let fixture = AccountFixture::start().await;
    for (email, path, body) in [
        ("ada@example.com", "/console/cases/claim".to_owned(), json!({ "count": 1 })),
        ("eve@example.com", fixture.path("/profiles"), json!({ "display_name": "Bob" })),
    ] {
        let (_, cookie) = fixture.add_member(email, true, &[]).await;
        let send = async |meanwhile: Query| {
            let request = Request::post(&path).header("X-Assay-Console", "1").header("Cookie", &cookie);
            send_late(&fixture.app, request, &body, meanwhile).await
        };
        let answered = send(sql!("UPDATE console_sessions SET method = method")).await;
        assert!([200, 201].contains(&answered), "{path}: {answered}");
        assert_eq!(send(sql!("DELETE FROM console_sessions")).await, 401, "{path}");
    }
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM profiles")).await, 1);
}
