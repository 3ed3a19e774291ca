//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction`

use crate::document_verification::end_to_end::passport_payload;
use crate::document_verification::{
    BASE, DocumentSessionFixture, FACES, SANDBOX, passport_specimen, photo_of,
};
use base::SignedDuration;
use domain::document_verification::DocumentVerificationSettings;
use serde_json::json;
use std::time::Duration;
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
