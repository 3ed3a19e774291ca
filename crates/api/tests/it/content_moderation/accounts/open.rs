//! `POST /accounts`

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
