//! `PUT /accounts/{accountId}/contents/{id}/reports/{reportId}`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_report_is_resolved() {
    let fixture = AccountFixture::start().await;
    let id = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let path = format!("/contents/{id}/reports");
    let report = fixture.create(&path, json!({ "reason": "it shows a neighbour" })).await;
    let resolution = json!({ "resolution": "taken down" });
    assert_response_snapshot!(fixture.call("PUT", &format!("{path}/{report}"), Some(resolution)).await);
}
