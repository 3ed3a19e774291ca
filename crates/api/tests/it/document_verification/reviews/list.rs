//! `GET /idverify/v1/reviews`

use crate::document_verification::{BASE, relying_party_call, session_in_review};
use testkit::TestApp;

#[tokio::test]
async fn reviews_are_listed() {
    let app = TestApp::start().await;
    session_in_review(&app).await;
    assert_response_snapshot!(
        relying_party_call(&app, "GET", &format!("{BASE}/reviews"), None).await,
        "reviews.*.created_at"
    );
}
