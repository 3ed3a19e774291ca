//! `GET /idverify/v1/sessions/{sessionId}/media/{mediaId}/content`

use crate::document_verification::{
    BASE, DocumentSessionFixture, blob_count, relying_party_call, row_count, session_with_page, signed_call,
};
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn the_contents_of_media_are_read() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    assert_response_snapshot!(session.media(&app, &media).await);
}

#[tokio::test]
async fn media_are_served_in_ranges_and_never_cached_and_deleted_when_the_session_is_over() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    let path = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
    let whole = relying_party_call(&app, "GET", &path, None).await;
    assert_eq!((whole.status_and_code().as_str(), whole.header("content-type")), ("200", "image/jpeg"));
    assert_eq!((whole.header("cache-control"), whole.header("accept-ranges")), ("no-store", "bytes"));
    assert!(whole.body == testkit::face_jpeg());
    let part = signed_call(&app, "GET", &path).header("Range", "bytes=100-199").send(&app).await;
    let size = testkit::face_jpeg().len();
    assert_eq!(
        (part.status.as_u16(), part.header("content-range")),
        (206, &*format!("bytes 100-199/{size}"))
    );
    assert!(part.body == testkit::face_jpeg()[100..200]);
    let beyond =
        signed_call(&app, "GET", &path).header("Range", format!("bytes={size}-").as_str()).send(&app).await;
    assert_eq!(
        (beyond.status_and_code().as_str(), beyond.header("content-range")),
        ("416 RANGE_NOT_SATISFIABLE", &*format!("bytes */{size}"))
    );
    let none = session.path("/media/018f3c8e-0000-4000-8000-00000000000a/content");
    assert_eq!(
        relying_party_call(&app, "GET", &none, None).await.status_and_code(),
        "404 MEDIA_CONTENT_NOT_FOUND"
    );

    // There is one row in the database, and one blob beside it.
    let sealed = row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await;
    assert_eq!((sealed, blob_count(&app, &session).await), (1, 1));

    assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "409 SESSION_LOCKED");
    session.finish(&app).await;
    assert_eq!(session.read(&app).await["state"], "COMPLETED", "nothing is to be checked");
    assert_eq!(
        session.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(),
        "401 BAD_TOKEN"
    );
    assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(
        relying_party_call(&app, "GET", &path, None).await.status_and_code(),
        "204",
        "it is withheld for good"
    );
    assert_eq!(blob_count(&app, &session).await, 0);
    assert_eq!(session.read(&app).await["resources"]["id_documents"][0]["pages"][0]["media"], Value::Null);
}

#[tokio::test]
async fn pictures_of_documents_of_withheld_countries_are_not_served() {
    let app = TestApp::start().await;
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT", "filter": { "allow_non_latin_documents": true } }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    session.add_document(&app, "PASSPORT", "PRK", &[testkit::face_jpeg()]).await;
    let media = session.read(&app).await["resources"]["id_documents"][0]["pages"][0]["media"].clone();
    let answer = session.media(&app, &media).await;
    assert_eq!((answer.status_and_code().as_str(), answer.body.len()), ("204", 0));
}
