//! `DELETE /idverify/v1/sessions/{sessionId}/media/{mediaId}/content`

use crate::{
    document_verification::{
        BASE, DocumentSessionFixture, passport_specimen, photo_of, relying_party_call, session_with_page,
    },
    erasure::{assert_erased_from_files, stored_needle},
};
use db::sql;
use serde_json::json;
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

/// What was read of a picture is in its session.
#[tokio::test]
async fn what_went_with_a_media_is_in_no_file() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    session.finish(&app).await;
    let before = stored_needle(&app, sql!("SELECT sealed AS bytes FROM identity_sessions")).await;
    let path = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
    let deleting = relying_party_call(&app, "DELETE", &path, None);
    assert_eq!(assert_erased_from_files(&app, &before, deleting).await.status, 204);
}

#[tokio::test]
async fn what_was_read_of_a_document_is_deleted_with_the_media_that_says_it() {
    let app = TestApp::start().await;
    let payload = json!({
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
        "block_biometric_consent": true,
    });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    session.supply(&app, "SWE", &photo_of(&passport_specimen(), 4)).await;
    session.finish(&app).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED", "{read}");
    let document = &read["resources"]["id_documents"][0];
    let findings = async || {
        let mut view = app.api.db.read().await.unwrap();
        let id = session.id.parse().unwrap();
        let stored = app.api.document_verification.find(&mut view, app.app, id).await.unwrap().unwrap();
        stored.session.resources[0].findings.clone()
    };
    let delete = async |media: &serde_json::Value| {
        let path = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
        assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "204");
    };
    let before = findings().await.unwrap();
    assert!(!before.fields.is_empty() && before.zone.is_some());
    assert!(before.portrait.as_ref().is_some_and(|portrait| !portrait.embedding.is_empty()));

    delete(&document["document_fields"]["media"]).await;
    let left = findings().await.unwrap();
    assert!(left.fields.is_empty() && left.zone.is_none() && left.letter.is_none(), "{left:?}");
    assert_eq!((&left.measures, &left.portrait), (&before.measures, &before.portrait));
    delete(&document["document_id_photo"]["media"]).await;
    assert!(findings().await.unwrap().portrait.is_some_and(|portrait| portrait.embedding.is_empty()));
    delete(&document["pages"][0]["media"]).await;
    assert_eq!(findings().await, None);
}
