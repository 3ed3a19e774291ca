//! `POST /api/v1/rules`

use crate::age_verification::{BASE, relying_party_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_rule_is_created() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let rule = json!({ "ttl": 3600, "age_estimation": { "threshold": 21 } });
    assert_response_snapshot!(
        relying_party_call(&app, &key, "POST", &format!("{BASE}/rules"), Some(rule)).await
    );
}
