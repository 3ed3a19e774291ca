//! `POST /poa/v1/holder/credentials` and `GET /poa/v1/issuer/keys`: this server as an issuer of proofs.

use crate::proof_of_age::{ALL_SCOPES, outcome, scan, verify};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use axum::{body::Body, http::Request};
use base::{Environment as _, SignedDuration};
use credentials::issue::{self, IssuingKey};
use domain::{
    proof_of_age, signing_keys,
    tenancy::{ApplicationState, Feature, OrganisationStatus, applications, organisations},
};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

#[tokio::test]
async fn an_invitation_is_redeemed() {
    let app = TestApp::start().await;
    let mut tx = app.api.db.write().await.unwrap();
    let until = app.environment.now() + SignedDuration::from_hours(1);
    let code = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 2, until).await.unwrap();
    tx.commit().await.unwrap();
    assert_response_snapshot!(redeem(&app, code.expose()).await, "credentials.*");
}

#[tokio::test]
async fn an_invitation_is_redeemed_once_for_each_idempotency_key() {
    let app = TestApp::start().await;
    let mut tx = app.api.db.write().await.unwrap();
    let until = app.environment.now() + SignedDuration::from_hours(1);
    let code = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 2, until).await.unwrap();
    tx.commit().await.unwrap();
    let key = || {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        json!({ "keys": [base64_simd::URL_SAFE_NO_PAD.encode_to_string(key.public_key())] })
    };
    let redeem = async |name: &str, body: &Value| {
        let request = Request::post("/poa/v1/holder/credentials")
            .header("authorization", format!("Bearer {}", code.expose()))
            .header("idempotency-key", name);
        app.send(request.body(Body::from(body.to_string())).unwrap()).await
    };
    let (first, second) = (key(), key());
    let batch = redeem("one", &first).await;
    assert_eq!((batch.status.as_u16(), batch.json()["batches_left"].as_i64()), (200, Some(1)));
    let again = redeem("one", &first).await;
    assert_eq!((again.json(), again.header("cache-control")), (batch.json(), "no-store"));
    assert_eq!(redeem("one", &second).await.status.as_u16(), 409);
    assert_eq!(redeem("two", &second).await.json()["batches_left"], 0);
    assert_eq!(redeem("one", &first).await.json(), batch.json(), "also when it is used up");
    assert_eq!(redeem("three", &second).await.status.as_u16(), 401);
}

async fn redeem(app: &TestApp, code: &str) -> TestResponse {
    let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let body = json!({ "keys": [base64_simd::URL_SAFE_NO_PAD.encode_to_string(key.public_key())] });
    let request =
        Request::post("/poa/v1/holder/credentials").header("authorization", format!("Bearer {code}"));
    app.send(request.body(Body::from(body.to_string())).unwrap()).await
}

/// A holder's page drops an invitation that is refused with 401, so only one that gives nothing ever again may be.
#[tokio::test]
async fn an_invitation_waits_for_its_application_to_be_served_again() {
    let app = TestApp::start().await;
    let mut tx = app.api.db.write().await.unwrap();
    let until = app.environment.now() + SignedDuration::from_hours(1);
    let code = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 9, until).await.unwrap();
    tx.commit().await.unwrap();
    let set = async |state, status, features: &[Feature]| {
        let mut tx = app.api.db.write().await.unwrap();
        applications::set_state(&mut tx, app.app, state).await.unwrap();
        organisations::set_status(&mut tx, app.org, status).await.unwrap();
        applications::set_features(&mut tx, app.app, features).await.unwrap();
        tx.commit().await.unwrap();
    };
    let (enabled, active) = (ApplicationState::Enabled, OrganisationStatus::Active);
    let features = &[Feature::ProofOfAge];
    for (state, status, features) in [
        (ApplicationState::Disabled, active, &features[..]),
        (enabled, OrganisationStatus::Suspended, features),
        (enabled, active, &[Feature::Ages]),
    ] {
        set(state, status, features).await;
        let refused = redeem(&app, code.expose()).await;
        let error = refused.json()["error"].clone();
        assert_eq!((refused.status.as_u16(), error.as_str()), (403, Some("FEATURE_DISABLED")), "{state:?}");
        assert_eq!(redeem(&app, "wrong").await.status.as_u16(), 401, "nobody else learns of it");
        let mut tx = app.api.db.write().await.unwrap();
        let another = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 9, until).await;
        assert!(another.is_err(), "nor is there another one meanwhile");
    }
    set(enabled, active, features).await;
    let batch = redeem(&app, code.expose()).await;
    assert_eq!((batch.status.as_u16(), &batch.json()["batches_left"]), (200, &json!(8)), "none was taken");
}

/// What operators see of a key of proofs: its state, and seconds until that ends.
async fn key_lives(app: &TestApp) -> Vec<(String, Option<i64>)> {
    let mut view = app.api.db.read().await.unwrap();
    let keys = signing_keys::list(&mut view, &*app.environment).await.unwrap();
    let now = app.environment.now();
    let left = |until: base::Timestamp| until.as_second() - now.as_second();
    keys.iter().map(|key| (key.state.as_str().to_owned(), key.until.map(left))).collect()
}

#[tokio::test]
async fn a_retired_key_is_kept_no_longer_than_it_signs_and_verifies() {
    let app = TestApp::start().await;
    app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    app.environment.advance(SignedDuration::from_hours(24));
    let mut tx = app.api.db.write().await.unwrap();
    app.api.proof_issuer.rotate_signing_key(&mut tx, false).await.unwrap();
    tx.commit().await.unwrap();
    let purge = async || {
        proof_of_age::purge(&app.api.db, &*app.environment).await.unwrap();
        app.api.proof_issuer.issue_code(&[18]).await.unwrap();
        let mut view = app.api.db.read().await.unwrap();
        let private =
            view.count(db::sql!("SELECT count(*) FROM issuing_keys WHERE length(sealed) > 0")).await;
        let public = app.api.proof_issuer.key_set().await.unwrap().keys.len();
        (private.unwrap(), public)
    };
    let signing = |left| ("SIGNING".to_owned(), left);
    assert_eq!(purge().await, (2, 2), "the former one signs for 30 seconds more");
    assert_eq!(key_lives(&app).await, [signing(None), signing(Some(30))]);
    app.environment.advance(SignedDuration::from_secs(30));
    assert_eq!(purge().await, (1, 2), "what it signed is still verified");
    let retiring = ("RETIRING".to_owned(), Some(3 * 3600 - 30));
    assert_eq!(key_lives(&app).await, [signing(None), retiring]);
    app.environment.advance(SignedDuration::from_secs(3 * 3600 - 30));
    assert_eq!(purge().await, (1, 1));
    assert_eq!(key_lives(&app).await, [signing(None)]);
}

#[tokio::test]
async fn the_keys_of_the_issuer_are_published() {
    let app = TestApp::start().await;
    app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    assert_response_snapshot!(app.get("/poa/v1/issuer/keys").await, "keys.*.kid keys.*.x keys.*.y");
}

#[tokio::test]
async fn an_invitation_is_redeemed_for_credentials_of_the_holders_keys() {
    let app = TestApp::start().await;
    let mut tx = app.api.db.write().await.unwrap();
    let until = app.environment.now() + SignedDuration::from_hours(1);
    let code = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 1, until).await.unwrap();
    tx.commit().await.unwrap();
    let holders: Vec<_> = (0..3).map(|_| IssuingKey::generate(&*app.environment)).collect();
    let point = |key: &IssuingKey| {
        let jwk = key.jwk();
        let part =
            |name: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(jwk[name].as_str().unwrap()).unwrap();
        base64_simd::URL_SAFE_NO_PAD.encode_to_string([vec![4], part("x"), part("y")].concat())
    };
    let redeem = async |code: &str, body: Value| {
        let request =
            Request::post("/poa/v1/holder/credentials").header("authorization", format!("Bearer {code}"));
        app.send(request.body(Body::from(body.to_string())).unwrap()).await
    };
    let keys = json!({ "keys": holders.iter().map(point).collect::<Vec<_>>() });
    for (code, body, status) in [
        ("wrong", keys.clone(), 401),
        (code.expose().as_str(), json!({ "keys": [] }), 422),
        (code.expose().as_str(), json!({ "keys": vec!["x"; 121] }), 422),
        (code.expose().as_str(), json!({ "keys": ["x"] }), 422),
        (code.expose().as_str(), json!({}), 400),
    ] {
        assert_eq!(redeem(code, body).await.status.as_u16(), status);
    }
    let answer = redeem(code.expose(), keys.clone()).await;
    let batch = answer.json();
    assert_eq!((answer.status.as_u16(), batch["batches_left"].as_i64()), (200, Some(0)), "{batch}");
    assert_eq!(redeem(code.expose(), keys).await.status.as_u16(), 401, "used up");

    let token = app.bearer_token(&ALL_SCOPES).await;
    app.environment.advance(SignedDuration::from_mins(50));
    for (credential, holder) in batch["credentials"].as_array().unwrap().iter().zip(&holders) {
        let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(credential.as_str().unwrap()).unwrap();
        let shown = issue::present(&bytes, holder, app.environment.now()).unwrap();
        assert!(shown.len() <= 500, "{} characters", shown.len());
        let answer = verify(&app, &token, &scan(&app, &shown)).await;
        assert_eq!(outcome(&answer), "200 SUCCESS -", "{}", answer.json());
        assert!(answer.json()["result"]["checks"].as_array().unwrap().contains(&json!("HOLDER_BOUND")));
        // A new presentation of the same credential counts as a repeat.
        let again = issue::present(&bytes, holder, app.environment.now()).unwrap();
        assert_eq!(
            outcome(&verify(&app, &token, &scan(&app, &again)).await),
            "200 FAILURE PRESENTATION_ALREADY_USED"
        );
        // It is worth nothing without the holder's signature.
        let thief = IssuingKey::generate(&*app.environment);
        let stolen = issue::present(&bytes, &thief, app.environment.now()).unwrap();
        assert!(outcome(&verify(&app, &token, &scan(&app, &stolen)).await).starts_with("200 FAILURE"));
    }
    // A key that was rotated out still verifies what it signed.
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    let mut tx = app.api.db.write().await.unwrap();
    app.api.proof_issuer.rotate_signing_key(&mut tx, false).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(outcome(&verify(&app, &token, &scan(&app, &code)).await), "200 SUCCESS -");
    let published = app.get("/poa/v1/issuer/keys").await.json();
    assert_eq!(published["keys"].as_array().unwrap().len(), 2);
    assert!(published["keys"][0].get("d").is_none(), "no private part");
}

#[tokio::test]
async fn a_revoked_invitation_gives_no_more_credentials() {
    let app = TestApp::start().await;
    let until = app.environment.now() + SignedDuration::from_hours(1);
    let mut tx = app.api.db.write().await.unwrap();
    let code = app.api.proof_issuer.create_holder_grant(&mut tx, app.app, &[18], 9, until).await.unwrap();
    assert!(
        app.api
            .proof_issuer
            .create_holder_grant(&mut tx, base::AppId::from(app.environment.uuid_v7()), &[18], 9, until)
            .await
            .is_err()
    );
    tx.commit().await.unwrap();
    let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let keys = [base64_simd::URL_SAFE_NO_PAD.encode_to_string(key.public_key())];
    assert!(app.api.proof_issuer.redeem(code.expose(), &keys).await.is_ok());

    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Disabled).await.unwrap();
    tx.commit().await.unwrap();
    assert!(app.api.proof_issuer.redeem(code.expose(), &keys).await.is_err(), "its application is disabled");
    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Enabled).await.unwrap();
    assert!(app.api.proof_issuer.revoke_holder_grant(&mut tx, code.expose()).await.unwrap());
    assert!(!app.api.proof_issuer.revoke_holder_grant(&mut tx, code.expose()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(app.api.proof_issuer.redeem(code.expose(), &keys).await.is_err());
}
