//! Retention: what is stored, for how long, and what deletion leaves.

use crate::document_verification::{
    BASE, DocumentSessionFixture, SANDBOX, blob_count, relying_party_call, row_count, session_with_page,
};
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
    app.environment.advance(SignedDuration::from_mins(10));
    app.api.document_verification.sweep().await.unwrap();
    assert!(app.api.account_deletion.find_orphans().await.unwrap().is_empty());
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_leavings")).await, 0);
}

#[tokio::test]
async fn a_session_expires_then_its_resources_are_deleted_then_the_session_itself() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    let sweep = async |seconds: i64| {
        app.environment.advance(SignedDuration::from_secs(seconds));
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
    app.environment.advance(SignedDuration::from_hours(24 * 30));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(
        relying_party_call(&app, "GET", &session.path(""), None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
}

/// No sweep has run since its end user's time passed.
#[tokio::test]
async fn a_session_that_has_just_expired_and_its_media_can_be_deleted() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    session.supply_document(&app).await;
    let read = session.read(&app).await;
    let media = &read["resources"]["id_documents"][0]["pages"][0]["media"];
    let content = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
    let delete = async |path: &str| relying_party_call(&app, "DELETE", path, None).await.status_and_code();

    app.environment.advance(SignedDuration::from_secs(599));
    let read = session.read(&app).await;
    assert_eq!((&read["state"], &read["checks"][0]["state"]), (&json!("ONGOING"), &json!("CREATED")));
    assert_eq!(delete(&content).await, "409 SESSION_LOCKED");
    assert_eq!(delete(&session.path("")).await, "409 CHECKS_NOT_FINISHED");

    app.environment.advance(SignedDuration::from_secs(1));
    assert_eq!(session.read(&app).await["state"], "EXPIRED");
    assert_eq!(delete(&content).await, "204");
    assert_eq!(delete(&session.path("")).await, "204");
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
}

#[tokio::test]
async fn resources_are_kept_for_longer_than_the_person_has() {
    let app = TestApp::start().await;
    let payload =
        json!({ "client_session_token_ttl": 172_800, "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    session.add_document(&app, "PASSPORT", "SWE", &[testkit::face_jpeg()]).await;
    let sweep = async |seconds: i64| {
        app.environment.advance(SignedDuration::from_secs(seconds));
        app.api.document_verification.sweep().await.unwrap();
        (session.read(&app).await["state"].clone(), blob_count(&app, &session).await)
    };
    assert_eq!(sweep(172_799).await, (json!("ONGOING"), 1));
    assert_eq!(sweep(1).await, (json!("EXPIRED"), 1));
    assert_eq!(sweep(3600).await, (json!("EXPIRED"), 0));
}

#[tokio::test]
async fn a_session_whose_resources_are_destroyed_takes_no_more() {
    let app = TestApp::start().await;
    let (session, _) = session_with_page(&app).await;
    // Its end user has time left, as in a session that an older build created.
    let mut tx = app.api.db.write().await.unwrap();
    tx.execute(db::sql!("UPDATE identity_sessions SET destroy_at = created_at")).await.unwrap();
    tx.commit().await.unwrap();
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(session.read(&app).await["state"], "EXPIRED");
    let body = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" });
    let late = session.end_user_call(&app, "POST", "/resources/id-documents", Some(body)).await;
    assert_eq!(late.status_and_code(), "409 SESSION_EXPIRED");
    assert_eq!(blob_count(&app, &session).await, 0);
}

/// A damaged row, or one whose key is gone, holds up no other, and what was supplied for it goes in its time.
#[tokio::test]
async fn sessions_that_do_not_open_end_like_all_others() {
    let app = TestApp::start().await;
    let (damaged, _) = session_with_page(&app).await;
    let (keyless, _) = session_with_page(&app).await;
    let (sound, _) = session_with_page(&app).await;
    let [damaged_id, keyless_id] =
        [&damaged, &keyless].map(|session| session.id.parse::<base::DocumentSessionId>().unwrap());
    let spoilt =
        db::sql!("UPDATE identity_sessions SET sealed = $2 WHERE id = $1", damaged_id, b"noise".to_vec());
    app.execute(spoilt).await;
    app.execute(db::sql!("DELETE FROM erasure_keys WHERE owner_id = $1", keyless_id)).await;
    let sweep = async |seconds: i64| {
        app.environment.advance(SignedDuration::from_secs(seconds));
        app.api.document_verification.sweep().await.unwrap();
    };
    let ongoing = async || {
        row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions WHERE state = 'ONGOING'")).await
    };

    sweep(600).await;
    assert_eq!(sound.read(&app).await["state"], "EXPIRED");
    assert_eq!(ongoing().await, 2, "nobody can tell what they were about");

    sweep(87_000 - 600).await;
    assert_eq!(ongoing().await, 0);
    for session in [&damaged, &keyless, &sound] {
        assert_eq!(blob_count(&app, session).await, 0);
    }
    let keys =
        db::sql!("SELECT count(*) FROM erasure_keys WHERE owner_id IN ($1, $2)", damaged_id, keyless_id);
    assert_eq!(row_count(&app, keys).await, 0);
    let stored = db::sql!("SELECT count(*) FROM stored_files WHERE bytes <> 0");
    assert_eq!(row_count(&app, stored).await, 0);

    sweep(30 * 24 * 3600).await;
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
}
