//! `POST /age/v1/keys/forget`

use crate::{
    age_verification::stored_results::{start_server, store_result},
    erasure::{assert_erased_from_files, stored_needle},
};
use axum::{body::Body, http::Request};
use db::sql;
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

async fn forget(app: &TestApp, body: &Value) -> TestResponse {
    let request = Request::post("/sandbox/age/v1/keys/forget").header("Content-Type", "application/json");
    app.send(request.body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test]
async fn the_browser_is_asked_for_the_passkey() {
    let app = start_server(&EgressPolicy::default()).await;
    let asked = forget(&app, &json!({})).await;
    assert_response_snapshot!(asked, "continuation options.publicKey.challenge");
}

#[tokio::test]
async fn a_stored_result_is_forgotten() {
    let app = start_server(&EgressPolicy::default()).await;
    let mut device = store_result(&app, json!({})).await;
    let mut forget_once = async || {
        let asked = forget(&app, &json!({})).await.json();
        let credential = device.get(&asked["options"]);
        forget(&app, &json!({ "continuation": asked["continuation"], "credential": credential })).await
    };
    let result = stored_needle(&app, sql!("SELECT sealed AS bytes FROM age_tokens")).await;
    assert_response_snapshot!(assert_erased_from_files(&app, &result, forget_once()).await);
    assert_eq!(forget_once().await.json()["forgotten"], false, "there is nothing left to forget");
}
