//! `DELETE /idverify/v1/sessions/{sessionId}/media/{mediaId}/content`

use crate::document_verification::{relying_party_call, session_with_page};
use testkit::TestApp;

#[tokio::test]
async fn media_of_a_finished_session_are_deleted() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    session.finish(&app).await;
    let path = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
    assert_response_snapshot!(relying_party_call(&app, "DELETE", &path, None).await);
}

#[tokio::test]
async fn media_of_an_unfinished_session_are_not_deleted() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    let path = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
    assert_response_snapshot!(relying_party_call(&app, "DELETE", &path, None).await);
}
