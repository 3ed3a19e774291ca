//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction`

use crate::document_verification::end_to_end::passport_payload;
use crate::document_verification::{
    BASE, DocumentSessionFixture, FACES, SANDBOX, passport_specimen, photo_of,
};
use serde_json::json;
use testkit::TestApp;

/// With the fields that the sandbox reads.
#[tokio::test]
async fn the_text_of_an_identity_document_is_extracted() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let worker = app.spawn_worker();
    let id = session.add_document(&app, "PASSPORT", "GBR", &[b"\xff\xd8 page"]).await;
    let path = format!("/resources/id-documents/{id}/text-extraction");
    assert_response_snapshot!(session.end_user_call(&app, "PUT", &path, None).await);
    worker.stop().await;
}

#[tokio::test]
async fn a_picture_without_the_stated_document_must_be_taken_again() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(&app, BASE, &passport_payload()).await;
    let working = app.spawn_worker();
    let document = session.add_document(&app, "PASSPORT", "SWE", &[&FACES.0]).await;
    let task = session.extract_text(&app, &document).await;
    assert_eq!(task["recommendation"]["value"], "MUST_TRY_AGAIN", "{task}");
    assert_eq!(task["recommendation"]["reason"]["value"], "QUALITY");
    // The stated type of document counts, too.
    let card = session.add_document(&app, "NATIONAL_ID", "SWE", &[&photo_of(&passport_specimen(), 4)]).await;
    let task = session.extract_text(&app, &card).await;
    assert_eq!(
        task["recommendation"]["reason"],
        json!({ "value": "USER_ERROR", "detail": "INCORRECT_DOCUMENT_TYPE" })
    );
    working.stop().await;
}
