//! Who may call: relying parties, end users and strangers.

use crate::document_verification::{
    BASE, DOCUMENT_WANTED, DocumentSessionFixture, SANDBOX, relying_party_call, signed_call,
};
use axum::{body::Body, http::Request};
use base::{Environment as _, SignedDuration};
use domain::tenancy::{
    ApplicationState, Feature, OrganisationStatus, applications, organisations, tokens::TokenScope,
};
use serde_json::json;
use std::{num::NonZeroU32, sync::Arc};
use testkit::{SignedCall, TestApp};

#[tokio::test]
async fn a_relying_party_is_authenticated_by_signature_or_bearer_token() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/sessions");
    let id = app.app.to_string();
    for name in ["sdkId", "sdkID"] {
        for signed_path in ["/sessions", "/v1/sessions", "/idverify/v1/sessions"] {
            let call = SignedCall::post(&path)
                .query(name, &id)
                .auth_id(None)
                .sign_path(signed_path)
                .body(DOCUMENT_WANTED);
            assert_eq!(call.send(&app).await.status_and_code(), "201", "{name} {signed_path}");
        }
    }
    let whole = SignedCall::post(&format!("{SANDBOX}/sessions"))
        .query("sdkId", &id)
        .auth_id(None)
        .body(DOCUMENT_WANTED);
    assert_eq!(whole.sign_path("/sandbox/idverify/v1/sessions").send(&app).await.status_and_code(), "201");

    let bare = Request::post(&path).body(Body::empty()).unwrap();
    assert_eq!(app.send(bare).await.status_and_code(), "401 MESSAGE_SIGNING");
    assert_eq!(
        SignedCall::post(&path).auth_id(None).send(&app).await.status_and_code(),
        "400 MALFORMED_REQUEST"
    );
    let nobody = testkit::unknown_app_id(&*app.environment);
    assert_eq!(
        SignedCall::post(&path).query("sdkId", &nobody).auth_id(None).send(&app).await.status_and_code(),
        "404 APP_NOT_FOUND"
    );
    assert_eq!(
        signed_call(&app, "POST", &path)
            .body(DOCUMENT_WANTED)
            .send_body("{ }")
            .send(&app)
            .await
            .status_and_code(),
        "401 MESSAGE_SIGNING"
    );
    assert_eq!(
        signed_call(&app, "POST", &path).without("nonce").send(&app).await.status_and_code(),
        "401 MESSAGE_SIGNING"
    );
    assert_eq!(
        signed_call(&app, "POST", &path).query("timestamp", "17").send(&app).await.status_and_code(),
        "401 MESSAGE_SIGNING"
    );

    let bearer = |token: String| {
        Request::post(&path)
            .header("Authorization", format!("Bearer {token}"))
            .body(Body::from(DOCUMENT_WANTED))
            .unwrap()
    };
    let token = app.bearer_token(&[TokenScope::IdvSessions]).await;
    assert_eq!(app.send(bearer(token)).await.status_and_code(), "201");
    let other = app.bearer_token(&[TokenScope::PoaVerify]).await;
    assert_eq!(app.send(bearer(other)).await.status_and_code(), "403 INSUFFICIENT_PERMISSION");
    assert_eq!(app.send(bearer("none".to_owned())).await.status_and_code(), "401 BAD_TOKEN");

    for meta in ["e30=", "bm9uZQ==", "{}"] {
        let call = signed_call(&app, "POST", &path).body(DOCUMENT_WANTED);
        let answer = call.header("X-Svc-Device-Meta", meta).send(&app).await;
        let line = if meta == "e30=" { "201" } else { "400 MALFORMED_REQUEST" };
        assert_eq!(answer.status_and_code(), line, "{meta}");
    }

    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Disabled).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        relying_party_call(&app, "POST", &path, None).await.status_and_code(),
        "403 INSUFFICIENT_PERMISSION"
    );
}

#[tokio::test]
async fn an_end_user_is_authenticated_by_the_token_of_their_session() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    let (own, other) = (
        DocumentSessionFixture::create(&app, BASE, &payload).await,
        DocumentSessionFixture::create(&app, BASE, &payload).await,
    );
    assert_eq!(own.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(), "200");
    let stranger = DocumentSessionFixture { token: other.token.clone(), ..own.clone() };
    assert_eq!(
        stranger.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    for token in ["", "none", "018f3c8e-0000-4000-8000-00000000000a"] {
        let nobody = DocumentSessionFixture { token: token.to_owned(), ..own.clone() };
        assert_eq!(
            nobody.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(),
            "401 BAD_TOKEN",
            "{token}"
        );
        assert_eq!(
            nobody.end_user_call(&app, "DELETE", "/client-session-token", None).await.status_and_code(),
            "401 BAD_TOKEN"
        );
    }
    // An end user cannot act as the relying party.
    assert_eq!(own.end_user_call(&app, "GET", "", None).await.status_and_code(), "401 MESSAGE_SIGNING");
    assert_eq!(
        own.end_user_call(&app, "DELETE", "/client-session-token", None).await.status_and_code(),
        "409 SESSION_NOT_READY"
    );

    app.environment.advance(SignedDuration::from_secs(600));
    assert_eq!(
        own.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(),
        "409 SESSION_EXPIRED"
    );
    assert_eq!(own.read(&app).await["state"], "EXPIRED", "though nobody has swept yet");
}

#[tokio::test]
async fn an_end_user_has_a_rate_limit_and_is_served_while_the_application_is_enabled() {
    let few = NonZeroU32::new(3).unwrap();
    let app =
        TestApp::start_with(|api| api.end_user_rate_limit = Arc::new(api::RateLimit::new(few, few))).await;
    let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    let (own, other) = (
        DocumentSessionFixture::create(&app, BASE, &payload).await,
        DocumentSessionFixture::create(&app, BASE, &payload).await,
    );
    for _ in 0..3 {
        assert_eq!(own.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(), "200");
    }
    let refused = own.end_user_call(&app, "GET", "/configuration", None).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(
        other.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(),
        "200",
        "each has their own"
    );

    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Disabled).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        other.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(),
        "403 INSUFFICIENT_PERMISSION"
    );
}

#[tokio::test]
async fn an_end_user_of_an_application_without_keys_is_served_while_the_application_is() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let ask = async || session.end_user_call(&app, "GET", "/configuration", None).await.status_and_code();
    // From now on the relying party can only call with bearer tokens.
    app.execute(db::sql!("UPDATE public_keys SET revoked_at = $1", app.environment.now())).await;
    assert_eq!(
        relying_party_call(&app, "GET", &session.path(""), None).await.status_and_code(),
        "401 MESSAGE_SIGNING"
    );
    assert_eq!(ask().await, "200");
    for (status, line) in
        [(OrganisationStatus::Suspended, "403 INSUFFICIENT_PERMISSION"), (OrganisationStatus::Active, "200")]
    {
        let mut tx = app.api.db.write().await.unwrap();
        organisations::set_status(&mut tx, app.org, status).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(ask().await, line, "{status:?}");
    }
    for (feature, line) in [(Feature::Ages, "403 INSUFFICIENT_PERMISSION"), (Feature::Identity, "200")] {
        let mut tx = app.api.db.write().await.unwrap();
        applications::set_features(&mut tx, app.app, &[feature]).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(ask().await, line, "{feature:?}");
    }
    app.execute(db::sql!("UPDATE applications SET organisation_id = NULL")).await;
    assert_eq!(ask().await, "403 INSUFFICIENT_PERMISSION");
}

#[tokio::test]
async fn a_session_of_another_application_answers_like_a_missing_one() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let (other, token) = {
        let mut tx = app.api.db.write().await.unwrap();
        let new = applications::NewApplication {
            name: "Stranger",
            organisation: Some(app.org),
            billing_source: Some("test"),
            features: &domain::tenancy::Feature::ALL,
        };
        let other = applications::create(&mut tx, &*app.environment, &new).await.unwrap();
        let token = domain::tenancy::tokens::create(
            &mut tx,
            &*app.environment,
            other,
            "t",
            vec![TokenScope::IdvSessions],
            None,
        )
        .await;
        tx.commit().await.unwrap();
        (other, token.unwrap().token.expose().clone())
    };
    let ask = async |method: &str, path: &str| {
        let request =
            Request::builder().method(method).uri(path).header("Authorization", format!("Bearer {token}"));
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        (answer.status, answer.body)
    };
    let missing = "018f3c8e-0000-4000-8000-00000000000a";
    for (method, rest) in [
        ("GET", ""),
        ("DELETE", ""),
        ("GET", "/configuration"),
        ("GET", "/media/018f3c8e-0000-4000-8000-00000000000a/content"),
        ("DELETE", "/media/018f3c8e-0000-4000-8000-00000000000a/content"),
        ("GET", "/response-config"),
        ("PUT", "/response-config"),
        ("GET", "/tracked-devices"),
        ("POST", "/resources/face-capture"),
    ] {
        let foreign = ask(method, &session.path(rest)).await;
        assert_eq!(foreign.0.as_u16(), 404, "{method} {rest}");
        assert_eq!(
            foreign,
            ask(method, &format!("{BASE}/sessions/{missing}{rest}")).await,
            "{method} {rest}"
        );
    }
    let foreign_config = format!("{BASE}/apps/{}/response-config", app.app);
    assert_eq!(ask("GET", &foreign_config).await.0.as_u16(), 404);
    assert_eq!(ask("GET", &format!("{BASE}/apps/{other}/response-config")).await.0.as_u16(), 200);
}
