//! Retention: what is stored, for how long, and what deletion leaves.

use crate::document_verification::{blob_count, relying_party_call, row_count, session_with_page};
use base::SignedDuration;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_deleted_session_leaves_nothing() {
    let app = TestApp::start().await;
    let (session, _) = session_with_page(&app).await;
    assert_eq!(blob_count(&app, &session).await, 1);
    assert_eq!(relying_party_call(&app, "DELETE", &session.path(""), None).await.status_and_code(), "204");
    assert_eq!(
        relying_party_call(&app, "GET", &session.path(""), None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    assert_eq!(
        relying_party_call(&app, "DELETE", &session.path(""), None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    assert_eq!(
        session.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(),
        "401 BAD_TOKEN"
    );
    assert_eq!(blob_count(&app, &session).await, 0);
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
    assert!(app.api.account_deletion.find_orphans().await.unwrap().is_empty());

    // A file that arrived during the deletion is found by the sweep.
    let id: base::DocumentSessionId = session.id.parse().unwrap();
    let key = media::blobs::BlobKey::new(id, "media".parse::<media::blobs::BlobKeySegment>().unwrap(), id);
    app.api.blobs.put(&key, b"late").await.unwrap();
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap().len(), 1);
    app.world.advance(SignedDuration::from_mins(10));
    app.api.document_verification.sweep().await.unwrap();
    assert!(app.api.account_deletion.find_orphans().await.unwrap().is_empty());
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_leavings")).await, 0);
}

#[tokio::test]
async fn a_session_expires_then_its_resources_are_deleted_then_the_session_itself() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    let sweep = async |seconds: i64| {
        app.world.advance(SignedDuration::from_secs(seconds));
        app.api.document_verification.sweep().await.unwrap();
        session.read(&app).await
    };
    assert_eq!(sweep(599).await["state"], "ONGOING");
    assert_eq!(sweep(1).await["state"], "EXPIRED");
    assert_eq!(sweep(87_000 - 601).await["resources"]["id_documents"][0]["pages"][0]["media"], media);
    let read = sweep(1).await;
    assert_eq!((&read["state"], &read["resources"]["id_documents"]), (&json!("EXPIRED"), &json!([])));
    assert_eq!(blob_count(&app, &session).await, 0);
    assert_eq!(session.media(&app, &media).await.status_and_code(), "404 MEDIA_CONTENT_NOT_FOUND");
    app.world.advance(SignedDuration::from_hours(24 * 30));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(
        relying_party_call(&app, "GET", &session.path(""), None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
}
