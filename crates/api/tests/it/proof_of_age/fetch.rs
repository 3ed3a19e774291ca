//! `GET /poa/v1/verify/{id}`

use crate::proof_of_age::{ALL_SCOPES, fetch, scan, verify};
use domain::tenancy::{Feature, applications};
use serde_json::Value;
use testkit::{TestApp, TestResponse};

#[tokio::test]
async fn a_verification_is_fetched() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    let id = verify(&app, &token, &scan(&app, &code)).await.json()["id"].as_str().unwrap().to_owned();
    assert_response_snapshot!(fetch(&app, &token, &id).await, "id");
}

#[tokio::test]
async fn a_missing_verification_is_refused() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    assert_response_snapshot!(fetch(&app, &token, "AAAAAAAAAAAAAAAAAAAAAA").await);
}

#[tokio::test]
async fn a_verification_of_another_tenant_answers_like_a_missing_one() {
    let app = TestApp::start().await;
    let token = app.bearer_token(&ALL_SCOPES).await;
    let code = app.api.proof_issuer.issue_code(&[18]).await.unwrap();
    let id = verify(&app, &token, &scan(&app, &code)).await.json()["id"].as_str().unwrap().to_owned();

    let mut tx = app.api.db.write().await.unwrap();
    let new = applications::NewApplication {
        name: "other",
        organisation: Some(app.org),
        billing_source: Some("b"),
        features: &Feature::ALL,
    };
    let other = applications::create(&mut tx, &*app.environment, &new).await.unwrap();
    let foreign_token =
        domain::tenancy::tokens::create(&mut tx, &*app.environment, other, "t", ALL_SCOPES.to_vec(), None)
            .await
            .unwrap();
    tx.commit().await.unwrap();
    let strip = |answer: TestResponse| {
        let mut json = answer.json();
        json["id"] = Value::Null;
        (answer.status, json)
    };
    let foreign = strip(fetch(&app, foreign_token.token.expose(), &id).await);
    let missing = strip(fetch(&app, foreign_token.token.expose(), "AAAAAAAAAAAAAAAAAAAAAA").await);
    assert_eq!(foreign, missing);
    assert_eq!(foreign.0.as_u16(), 404);
    for odd in ["x", "..%2f..%2fetc", "%00", "%ff", &"%ff".repeat(22), &"%00".repeat(22), &"A".repeat(5000)] {
        assert_eq!(fetch(&app, &token, odd).await.status.as_u16(), 404, "{odd:.20}");
    }
}
