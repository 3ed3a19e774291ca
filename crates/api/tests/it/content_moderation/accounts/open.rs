//! `POST /accounts`

use crate::content_moderation::first_error;
use axum::http::Request;
use domain::accounts;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_account_is_opened() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let opened = app.call_moderation("POST", "/accounts", &key, Some(json!({ "name": "Production" }))).await;
    assert_response_snapshot!(opened);
}

#[tokio::test]
async fn a_second_account_of_the_same_name_is_refused() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let open =
        async || app.call_moderation("POST", "/accounts", &key, Some(json!({ "name": "Production" }))).await;
    open().await;
    assert_response_snapshot!(open().await);
}

#[tokio::test]
async fn an_application_has_a_hundred_accounts_and_no_more() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let open = async |name: &str| {
        app.call_moderation("POST", "/accounts", &key, Some(json!({ "name": name }))).await.status_and_code()
    };
    let mut tx = app.api.db.write().await.unwrap();
    for number in 1..100 {
        let name = format!("Account {number}");
        accounts::create(&mut tx, &*app.environment, app.app, &name, i64::MAX).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(open("Account 100").await, "201");
    assert_eq!(open("Account 101").await, "422 TOO_MANY_ACCOUNTS");
    assert_eq!(open("Account 100").await, "409 DUPLICATE_ACCOUNT_NAME", "a taken name is told first");
}

#[tokio::test]
async fn an_account_of_another_content_type_is_refused() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    for content_type in [None, Some("text/plain")] {
        let mut request = Request::post("/accounts")
            .header("Authorization", &key)
            .header("Svc-Sdk-Id", app.app.to_string());
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        let refused = app.send(request.body(r#"{"name":"Production"}"#.into()).unwrap()).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{content_type:?}");
        assert_eq!(first_error(&refused)["property"], "Content-Type");
    }
}
