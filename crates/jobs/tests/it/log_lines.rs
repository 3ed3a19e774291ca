//! What the lines of a run say about its job.

use super::{Note, left, queue, shown, system, until};
use base::{AccountId, Id as _, ModerationId, SystemEnvironment};
use db::testing::TestDb;
use jobs::{Job, JobError, JobIds, JobOutcome, JobState, Lane, NewJob, RetryPolicy, Worker};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    io::Write,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;
use tracing_subscriber::fmt::MakeWriter;

#[derive(Debug, Serialize, Deserialize)]
struct Moderate {
    moderation: ModerationId,
}

impl Job for Moderate {
    const KIND: &'static str = "moderate";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy::NEVER;

    fn ids(&self) -> JobIds<'_> {
        JobIds { moderation: Some(self.moderation), ..JobIds::default() }
    }
}

/// What is logged, line by line.
#[derive(Clone)]
struct Log(Arc<Mutex<Vec<u8>>>);

/// Without a subscriber for the whole process, a callsite that is first reached on a thread without one would be switched off
/// on the test's thread as well, as long as the test's subscriber is the only one.
fn watch_every_callsite() {
    static WATCHED: std::sync::Once = std::sync::Once::new();
    WATCHED.call_once(|| {
        tracing::subscriber::set_global_default(tracing_subscriber::registry()).expect("there is no other");
    });
}

impl Log {
    fn new() -> Self {
        watch_every_callsite();
        Self(Arc::default())
    }

    /// The lines with this message.
    fn lines(&self, message: &str) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["message"] == message).collect()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn each_line_of_a_run_says_which_job_it_is_and_what_it_is_about() {
    let log = Log::new();
    // Even where only errors are logged.
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_max_level(tracing::Level::ERROR)
        .with_writer(log.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let test = TestDb::open().await;
    let moderation = ModerationId::new(&SystemEnvironment);
    let id = queue(&test.db, &Moderate { moderation }).await;
    let (stop, stopped) = watch::channel(false);
    let content = base::ContentId::new(&SystemEnvironment);
    let worker = Worker::new(test.db.clone(), system()).register(move |_: Moderate, _| async move {
        JobIds { content: Some(content), ..JobIds::default() }.record();
        tracing::error!("at work");
        Err(JobError { error: "it cannot be had".to_owned(), not_before: None, permanent: false })
    });
    let worker = tokio::spawn(worker.run(stopped));
    until("parking", || async { shown(&test.db, id).await.unwrap().state == JobState::Parked }).await;
    stop.send(true).unwrap();
    worker.await.unwrap();

    let during = json!({
        "name": "job", "job.kind": "moderate", "job.id": id, "job.attempt": 1,
        "moderation.id": moderation, "content.id": content,
    });
    let at_work = log.lines("at work");
    assert_eq!(at_work.iter().map(|line| &line["span"]).collect::<Vec<_>>(), [&during]);
    let mut after = during.clone();
    after["job.ended"] = json!("parked");
    let parked = log.lines("a job is parked; `assay jobs show` has its error");
    assert_eq!(parked.iter().map(|line| &line["span"]).collect::<Vec<_>>(), [&after]);
}

#[tokio::test]
async fn a_job_of_an_account_names_it() {
    let log = Log::new();
    let subscriber = tracing_subscriber::fmt().json().with_writer(log.clone()).flatten_event(true).finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let test = TestDb::open().await;
    let account = AccountId::new(&SystemEnvironment);
    let mut tx = test.db.write().await.unwrap();
    let note = Note { number: 1 };
    jobs::enqueue(&mut tx, NewJob::new(&SystemEnvironment, &note).of_account(account)).await.unwrap();
    tx.commit().await.unwrap();
    let (_stop, stopped) = watch::channel(false);
    let worker = Worker::new(test.db.clone(), system()).register(|_: Note, _| async {
        tracing::info!("at work");
        Ok(JobOutcome::Done)
    });
    tokio::spawn(worker.run(stopped));
    until("the end", || async { left(&test.db).await == 0 }).await;
    assert_eq!(log.lines("at work")[0]["span"]["account.id"], json!(account));
}
