//! What every answer has.

use crate::http::call;
use testkit::TestApp;

#[tokio::test]
async fn every_answer_has_a_request_id_and_plain_json() {
    let app = TestApp::start().await;
    for answer in [call().send(&app).await, app.get("/healthz").await, app.get("/nowhere").await] {
        assert_eq!(answer.header("x-request-id").len(), 36);
    }
    assert_eq!(call().send(&app).await.header("content-type"), "application/json");
}
