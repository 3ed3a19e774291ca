//! `GET /idverify/v1/reviews/{checkId}`

use crate::document_verification::{BASE, relying_party_call, session_in_review};
use testkit::TestApp;

#[tokio::test]
async fn a_review_is_read() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/reviews/{}", session_in_review(&app).await);
    assert_response_snapshot!(
        relying_party_call(&app, "GET", &path, None).await,
        "review.created_at report.breakdown.*.details.*.value"
    );
}
