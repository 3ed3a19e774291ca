//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction`

use crate::document_verification::end_to_end::passport_payload;
use crate::document_verification::{
    BASE, DocumentSessionFixture, FACES, SANDBOX, blob_count, check, fail_commits, passport_specimen,
    photo_of, relying_party_call, row_count,
};
use base::SignedDuration;
use domain::document_verification::{DocumentSessionOutcome, DocumentVerificationSettings};
use serde_json::{Value, json};
use std::{
    fs,
    time::{Duration, Instant},
};
use testkit::{TestApp, specimens::SpecimenHolder};

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
async fn a_picture_without_the_stated_document_must_be_taken_again_on_sqlite() {
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

/// Asks for a document to be read, and returns the task once it has ended.
async fn read_document(app: &TestApp, session: &DocumentSessionFixture, document: &str) -> Value {
    session.extract_text(app, document).await;
    app.run_due_jobs().await;
    session.extract_text(app, document).await
}

/// A document that this server failed to read is read by its checks alone.
#[tokio::test]
async fn nothing_is_left_that_was_read_of_a_page_that_is_replaced_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let app = TestApp::builder()
        .blobs_in(folder.path())
        .document_verification(|settings| DocumentVerificationSettings {
            task_wait_timeout: Duration::from_millis(50),
            ..settings
        })
        .start()
        .await;
    let payload = json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let supplied = async || session.read(&app).await["resources"]["id_documents"][0].clone();
    let older = SpecimenHolder {
        born: "1961-05-03".parse().unwrap(),
        nationality: "SWE".to_owned(),
        portrait: FACES.2,
        ..SpecimenHolder::default()
    };
    let first = photo_of(&passport_specimen().holder(older), 4);
    let document = session.add_document(&app, "PASSPORT", "SWE", &[&first]).await;
    let task = read_document(&app, &session, &document).await;
    assert_eq!(task["state"], "DONE", "{task}");
    let read = supplied().await;
    let fields = session.media(&app, &read["document_fields"]["media"]).await.json();
    assert_eq!(fields["date_of_birth"], "1961-05-03", "{fields}");

    let path = format!("/resources/id-documents/{document}/pages/0");
    let put = session.upload(&app, "PUT", &path, &photo_of(&passport_specimen(), 4)).await;
    assert_eq!(put.status_and_code(), "200", "{}", put.json());
    let replaced = supplied().await;
    assert!(replaced["document_fields"].is_null() && replaced["document_id_photo"].is_null(), "{replaced}");
    let portrait = session.media(&app, &read["document_id_photo"]["media"]).await;
    assert_eq!(portrait.status_and_code(), "404 MEDIA_CONTENT_NOT_FOUND");
    assert_eq!(
        replaced["tasks"][0]["generated_media"], read["tasks"][0]["generated_media"],
        "what a task has read stays with it"
    );

    // The place of the session's files is taken: they can be neither read nor written.
    let (files, elsewhere) = (folder.path().join(session.id()), folder.path().join("elsewhere"));
    fs::rename(&files, &elsewhere).unwrap();
    fs::write(&files, "").unwrap();
    let task = read_document(&app, &session, &document).await;
    assert_eq!(task["state"], "FAILED", "{task}");
    fs::remove_file(&files).unwrap();
    fs::rename(&elsewhere, &files).unwrap();

    session.finish(&app).await;
    app.run_due_jobs().await;
    let text = check(&session.read(&app).await, "ID_DOCUMENT_TEXT_DATA_CHECK").clone();
    assert_eq!(text["report"]["recommendation"]["value"], "APPROVE", "{text}");
    assert_eq!(supplied().await["document_fields"], Value::Null);
    let documents = &app.api.document_verification;
    let id = session.id.parse().unwrap();
    let stored = documents.find_for_relying_party(app.app, id, false).await.unwrap();
    assert_eq!(documents.outcome(&stored).await.unwrap(), DocumentSessionOutcome::Approved(None));
}

/// People in the crowd, and how many documents are open at once in one process.
const CROWD: usize = 24;

fn open_at_once() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Nobody in a crowd is refused, overtaken or forgotten, and each is told at once how long it takes.
#[tokio::test]
async fn a_crowd_is_read_in_order_and_told_how_long_it_takes_on_sqlite() {
    #[derive(db::FromRow)]
    struct WaitingJob {
        unique_key: String,
    }

    let app = TestApp::builder()
        .document_verification(|settings| DocumentVerificationSettings {
            task_wait_timeout: Duration::from_millis(50),
            ..settings
        })
        .start()
        .await;
    let payload = json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let page = photo_of(&passport_specimen(), 4);
    let (mut people, mut tasks, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..CROWD {
        let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
        let document = session.add_document(&app, "PASSPORT", "SWE", &[&page]).await;
        let path = format!("/resources/id-documents/{document}/text-extraction");
        let answer = session.end_user_call(&app, "PUT", &path, None).await;
        assert_eq!((answer.status_and_code().as_str(), &answer.json()["state"]), ("200", &json!("PENDING")));
        tasks.push(answer.json()["id"].as_str().unwrap().to_owned());
        told.push(answer.header("retry-after").parse::<u64>().unwrap());
        people.push((session, path));
        app.environment.advance(SignedDuration::from_millis(1));
    }
    assert!(told.is_sorted() && told[0] <= 3 && told[CROWD - 1] >= 2 * told[0], "{told:?}");

    let working = app.spawn_worker();
    let mut finished: Vec<String> = Vec::new();
    while finished.len() < CROWD {
        let waiting: Vec<WaitingJob> = app
            .api
            .db
            .read()
            .await
            .unwrap()
            .fetch_all(db::sql!("SELECT unique_key FROM jobs WHERE kind = 'read-document'"))
            .await
            .unwrap();
        let is_waiting = |task: &String| waiting.iter().any(|job| job.unique_key == *task);
        let first_waiting = tasks.iter().position(is_waiting).unwrap_or(CROWD);
        let last_done = tasks.iter().rposition(|task| !is_waiting(task)).unwrap_or(0);
        // Those who are read at the same moment may end in any order.
        assert!(
            last_done < first_waiting + 2 * open_at_once(),
            "{last_done} is read, {first_waiting} still waits"
        );
        finished = tasks.iter().filter(|task| !is_waiting(task)).cloned().collect();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    working.stop().await;
    for (session, path) in people {
        let answer = session.end_user_call(&app, "PUT", &path, None).await;
        let task = answer.json();
        assert_eq!(
            (&task["state"], &task["recommendation"]["value"]),
            (&json!("DONE"), &json!("PROGRESS")),
            "nobody is refused for the crowd: {task}"
        );
        assert!(answer.headers.get("retry-after").is_none(), "nobody waits for it any more");
    }
}

/// A session of the sandbox whose document waits to be read: no worker runs.
async fn waiting_task() -> (TestApp, DocumentSessionFixture) {
    let app = TestApp::builder()
        .document_verification(|settings| DocumentVerificationSettings {
            task_wait_timeout: Duration::from_millis(50),
            ..settings
        })
        .start()
        .await;
    let payload = json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let document = session.add_document(&app, "PASSPORT", "GBR", &[b"\xff\xd8 page"]).await;
    assert_eq!(session.extract_text(&app, &document).await["state"], "PENDING");
    (app, session)
}

#[tokio::test]
async fn what_was_read_stays_where_the_session_may_list_it() {
    let (app, session) = waiting_task().await;
    assert_eq!(blob_count(&app, &session).await, 1, "the page");

    fail_commits(&app).await;
    let worker = app.spawn_worker();
    let failed =
        || db::sql!("SELECT count(*) FROM jobs WHERE kind = 'read-document' AND last_error IS NOT NULL");
    let begun = Instant::now();
    while row_count(&app, failed()).await == 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the commit does not fail");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.stop().await;
    assert!(blob_count(&app, &session).await > 1);
}

#[tokio::test]
async fn nothing_is_kept_of_a_page_that_was_deleted_before_it_was_read() {
    let (app, session) = waiting_task().await;
    let supplied = async || session.read(&app).await["resources"]["id_documents"][0].clone();
    let media = supplied().await["pages"][0]["media"]["id"].as_str().unwrap().to_owned();

    // Once the session has expired its media can be deleted, while the task still waits.
    app.environment.advance(SignedDuration::from_mins(11));
    let path = session.path(&format!("/media/{media}/content"));
    assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "204");
    app.run_due_jobs().await;
    let document = supplied().await;
    let task = &document["tasks"][0];
    assert_eq!((&task["state"], &task["generated_media"]), (&json!("DONE"), &json!([])), "{document}");
    assert!(document["document_fields"].is_null() && document["document_id_photo"].is_null(), "{document}");
    assert_eq!(blob_count(&app, &session).await, 0);
}
