//! The queue as those who use it see it, on whichever database the run is for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use base::{
    AccountId, AppId, Environment, Id as _, ModerationId, SignedDuration, SystemEnvironment, TestEnvironment,
    Uuid,
};
use db::{Db, sql, testing::TestDb};
use jobs::{
    Job, JobError, JobIds, JobOutcome, JobRecord, JobState, Lane, QueuePosition, RetryPolicy, Worker,
    enqueue, enqueue_at, enqueue_for_application, enqueue_unique, withdraw,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::Write,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;
use tracing_subscriber::fmt::MakeWriter;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    number: i64,
}

impl Job for Note {
    const KIND: &'static str = "note";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy { waits: &[0, 0], jitter: 0.0 };
}

#[derive(Debug, Serialize, Deserialize)]
struct Film;

impl Job for Film {
    const KIND: &'static str = "film";
    const LANE: Lane = Lane::Heavy;
    const RETRY: RetryPolicy = RetryPolicy::NEVER;
}

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

fn system() -> Arc<dyn Environment> {
    Arc::new(SystemEnvironment)
}

/// Longer than any lease lasts that nobody extends.
const LEASE_LOST: SignedDuration = SignedDuration::from_mins(2);

async fn queue(db: &Db, job: &impl Job) -> Uuid {
    queue_in(db, &SystemEnvironment, job).await
}

async fn queue_in(db: &Db, environment: &dyn Environment, job: &impl Job) -> Uuid {
    let mut tx = db.write().await.unwrap();
    let id = enqueue(&mut tx, environment, job).await.unwrap();
    tx.commit().await.unwrap();
    id
}

async fn shown(db: &Db, id: Uuid) -> Option<JobRecord> {
    jobs::show(&mut db.read().await.unwrap(), id).await.unwrap()
}

/// Waits for something that other tasks bring about; ten minutes at most, which no machine needs that is only busy.
async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    for _ in 0..60_000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not happen");
}

async fn left(db: &Db) -> i64 {
    db.read().await.unwrap().count(sql!("SELECT count(*) FROM jobs")).await.unwrap()
}

#[tokio::test]
async fn what_is_not_committed_was_never_queued() {
    let test = TestDb::open().await;
    let mut tx = test.db.write().await.unwrap();
    enqueue(&mut tx, &SystemEnvironment, &Note { number: 1 }).await.unwrap();
    drop(tx);
    assert_eq!(left(&test.db).await, 0);
}

#[tokio::test]
async fn each_job_runs_once_with_several_workers_at_it() {
    let test = TestDb::open().await;
    for number in 0..200 {
        queue(&test.db, &Note { number }).await;
    }
    let runs = Arc::new(Mutex::new(HashMap::<i64, u32>::new()));
    let (stop, stopped) = watch::channel(false);
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let runs = runs.clone();
            let worker = Worker::new(test.db.clone(), system()).slots(Lane::Quick, 8).register(
                move |note: Note, _| {
                    *runs.lock().unwrap().entry(note.number).or_default() += 1;
                    async { Ok(JobOutcome::Done) }
                },
            );
            tokio::spawn(worker.run(stopped.clone()))
        })
        .collect();
    until("the end of all jobs", || async { left(&test.db).await == 0 }).await;
    stop.send(true).unwrap();
    for worker in workers {
        worker.await.unwrap();
    }
    let runs = runs.lock().unwrap();
    assert_eq!((runs.len(), runs.values().max()), (200, Some(&1)));
}

/// PostgreSQL runs the query inside an `IN` once for each row where it joins by nested loops, as it may after a table was
/// emptied and filled.
#[tokio::test]
async fn a_worker_leases_no_more_jobs_than_it_has_places_whatever_the_plan() {
    const SLOTS: usize = 3;
    let test = TestDb::open().await;
    for number in 0..20 {
        queue(&test.db, &Note { number }).await;
    }
    let mut url = test.url.clone();
    if url.starts_with("postgres") {
        let plans = ["hashjoin", "mergejoin", "hashagg", "sort", "material", "memoize", "bitmapscan"];
        let joint = if url.contains('?') { '&' } else { '?' };
        let off = plans.map(|plan| format!("-c%20enable_{plan}%3Doff")).join("%20");
        url = format!("{url}{joint}options={off}");
    }
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (stop, stopped) = watch::channel(false);
    let seen = most.clone();
    let worker = Worker::new(Db::open(&url, 4).unwrap(), system()).slots(Lane::Quick, SLOTS).register(
        move |_: Note, _| {
            seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let running = running.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(JobOutcome::Done)
            }
        },
    );
    let worker = tokio::spawn(worker.run(stopped));
    until("the end of all jobs", || async { worker.is_finished() || left(&test.db).await == 0 }).await;
    stop.send(true).unwrap();
    worker.await.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), SLOTS);
}

#[tokio::test]
async fn a_failing_job_is_retried_then_parked_and_can_be_retried_or_discarded_by_hand() {
    let test = TestDb::open().await;
    let id = queue(&test.db, &Note { number: 7 }).await;
    let (stop, stopped) = watch::channel(false);
    let worker = Worker::new(test.db.clone(), system()).register(|note: Note, _| async move {
        Err(JobError {
            error: format!("note {} is unreadable", note.number),
            not_before: None,
            permanent: false,
        })
    });
    let worker = tokio::spawn(worker.run(stopped));
    until("parking", || async { shown(&test.db, id).await.unwrap().state == JobState::Parked }).await;
    let parked = shown(&test.db, id).await.unwrap();
    assert_eq!((parked.attempts, parked.last_error.as_deref()), (3, Some("note 7 is unreadable")));

    stop.send(true).unwrap();
    worker.await.unwrap();
    let mut tx = test.db.write().await.unwrap();
    jobs::retry(&mut tx, &SystemEnvironment, id).await.unwrap();
    tx.commit().await.unwrap();
    let again = shown(&test.db, id).await.unwrap();
    assert_eq!((again.state, again.attempts), (JobState::Waiting, 0));

    let mut tx = test.db.write().await.unwrap();
    jobs::discard(&mut tx, id).await.unwrap();
    assert!(jobs::discard(&mut tx, id).await.is_err(), "it is gone");
    tx.commit().await.unwrap();
    assert_eq!(left(&test.db).await, 0);
}

#[tokio::test]
async fn a_panic_is_a_failure_and_takes_nobody_along() {
    let test = TestDb::open().await;
    let bad = queue(&test.db, &Note { number: -1 }).await;
    queue(&test.db, &Note { number: 1 }).await;
    let (_stop, stopped) = watch::channel(false);
    let worker = Worker::new(test.db.clone(), system()).register(|note: Note, _| async move {
        assert!(note.number > 0, "a note nobody can stand");
        Ok(JobOutcome::Done)
    });
    tokio::spawn(worker.run(stopped));
    until("the end of both", || async {
        left(&test.db).await == 1
            && shown(&test.db, bad).await.is_some_and(|job| job.state == JobState::Parked)
    })
    .await;
    assert_eq!(shown(&test.db, bad).await.unwrap().last_error.as_deref(), Some("it panicked"));
}

#[tokio::test]
async fn a_lease_that_nobody_extends_passes_on_and_the_first_holder_can_change_nothing_more() {
    let test = TestDb::open().await;
    let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let id = queue_in(&test.db, &*environment, &Note { number: 1 }).await;
    let (_stop, stopped) = watch::channel(false);
    let (leases, mut taken) = tokio::sync::mpsc::unbounded_channel();
    // Never extended: this worker's loop is dropped as soon as it has its job, as if its process had died.
    let first = Worker::new(test.db.clone(), environment.clone()).register(move |_: Note, lease| {
        leases.send(lease).unwrap();
        std::future::pending()
    });
    let dying = tokio::spawn(first.run(stopped.clone()));
    let lost = taken.recv().await.unwrap();
    dying.abort();
    environment.advance(LEASE_LOST);

    let (_stop, stopped) = watch::channel(false);
    let second =
        Worker::new(test.db.clone(), environment).register(|_: Note, _| async { Ok(JobOutcome::Done) });
    tokio::spawn(second.run(stopped));
    until("the second holder's end", || async { left(&test.db).await == 0 }).await;

    let mut tx = test.db.write().await.unwrap();
    assert!(
        matches!(lost.finish(&mut tx).await, Err(jobs::LeaseError::Lost)),
        "{id} is no longer the first's"
    );
}

#[tokio::test]
async fn a_job_whose_end_cannot_be_written_runs_again() {
    let test = TestDb::open().await;
    queue(&test.db, &Note { number: 1 }).await;
    let (_stop, stopped) = watch::channel(false);
    let (runs, mut ran) = tokio::sync::mpsc::unbounded_channel();
    let db = test.db.clone();
    let worker = Worker::new(test.db.clone(), system()).register(move |_: Note, lease| {
        let (db, runs) = (db.clone(), runs.clone());
        async move {
            let mut tx = db.write().await?;
            if lease.attempts == 1 {
                tx.execute(sql!("ALTER TABLE jobs RENAME TO jobs_that_are_away")).await?;
            }
            tx.commit().await?;
            runs.send(lease.attempts).unwrap();
            Ok(JobOutcome::Done)
        }
    });
    tokio::spawn(worker.run(stopped));
    assert_eq!(ran.recv().await, Some(1));
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut tx = test.db.write().await.unwrap();
    tx.execute(sql!("ALTER TABLE jobs_that_are_away RENAME TO jobs")).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ran.recv().await, Some(2));
    until("the end is written", || async { left(&test.db).await == 0 }).await;
}

#[tokio::test]
async fn interruptions_before_a_job_got_further_are_held_against_it_no_more() {
    for further in [false, true] {
        let test = TestDb::open().await;
        let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let id = queue_in(&test.db, &*environment, &Note { number: 1 }).await;
        let mut tx = test.db.write().await.unwrap();
        tx.execute(sql!("UPDATE jobs SET attempts = 19, interruptions = 19")).await.unwrap();
        tx.commit().await.unwrap();
        let (_stop, stopped) = watch::channel(false);
        let (sender, mut reached) = tokio::sync::mpsc::unbounded_channel();
        let db = test.db.clone();
        let first = Worker::new(test.db.clone(), environment.clone()).register(move |_: Note, lease| {
            let (db, sender) = (db.clone(), sender.clone());
            async move {
                let mut tx = db.write().await?;
                if further {
                    lease.record_progress(&mut tx).await?;
                }
                tx.commit().await?;
                sender.send(()).unwrap();
                std::future::pending().await
            }
        });
        let dying = tokio::spawn(first.run(stopped.clone()));
        reached.recv().await.unwrap();
        dying.abort();
        environment.advance(LEASE_LOST);

        let second = Worker::new(test.db.clone(), environment.clone())
            .register(|_: Note, _| async { Ok(JobOutcome::Done) });
        tokio::spawn(second.run(stopped));
        // The first waits for minutes, the other runs at once.
        until("what the next interruption means", || async {
            match shown(&test.db, id).await {
                Some(job) => {
                    !further
                        && job.state == JobState::Waiting
                        && job.run_at > environment.now() + SignedDuration::from_mins(2)
                }
                None => further,
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_job_ends_with_its_effect() {
    let test = TestDb::open().await;
    queue(&test.db, &Note { number: 5 }).await;
    let (_stop, stopped) = watch::channel(false);
    let db = test.db.clone();
    let worker = Worker::new(test.db.clone(), system()).register(move |_: Note, lease| {
        let db = db.clone();
        async move {
            let mut tx = db.write().await?;
            enqueue_at(&mut tx, &SystemEnvironment, &Film, "2999-01-01T00:00:00Z".parse()?).await?;
            lease.finish(&mut tx).await?;
            tx.commit().await?;
            Ok(JobOutcome::Done)
        }
    });
    tokio::spawn(worker.run(stopped));
    let films = || async {
        let mut view = test.db.read().await.unwrap();
        let waiting = jobs::list(&mut view, Some(JobState::Waiting), None).await.unwrap();
        waiting.len() == 1 && waiting[0].kind == "film"
    };
    until("the effect", films).await;
}

#[tokio::test]
async fn a_flood_of_long_work_does_not_hold_up_short_work() {
    let test = TestDb::open().await;
    for _ in 0..50 {
        queue(&test.db, &Film).await;
    }
    let (_stop, stopped) = watch::channel(false);
    let done = Arc::new(tokio::sync::Notify::new());
    let told = done.clone();
    let worker = Worker::new(test.db.clone(), system())
        .register(|_: Film, _| std::future::pending())
        .register(move |_: Note, _| {
            told.notify_one();
            async { Ok(JobOutcome::Done) }
        });
    tokio::spawn(worker.run(stopped));
    until("two films at once", || async {
        let mut view = test.db.read().await.unwrap();
        jobs::list(&mut view, Some(JobState::Running), Some("film")).await.unwrap().len() == 2
    })
    .await;
    queue(&test.db, &Note { number: 1 }).await;
    tokio::time::timeout(Duration::from_mins(10), done.notified()).await.unwrap();
}

#[tokio::test]
async fn a_worker_that_is_told_to_stop_lets_its_jobs_end() {
    let test = TestDb::open().await;
    queue(&test.db, &Note { number: 1 }).await;
    let (stop, stopped) = watch::channel(false);
    let (began, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let worker = Worker::new(test.db.clone(), system()).register(move |_: Note, _| {
        let began = began.clone();
        async move {
            began.send(()).unwrap();
            tokio::time::sleep(Duration::from_millis(200)).await;
            Ok(JobOutcome::Done)
        }
    });
    let worker = tokio::spawn(worker.run(stopped));
    begun.recv().await.unwrap();
    stop.send(true).unwrap();
    worker.await.unwrap();
    assert_eq!(left(&test.db).await, 0, "it ended, and its row went");
}

#[tokio::test]
async fn what_recurs_has_one_row_and_comes_again() {
    let test = TestDb::open().await;
    let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
    for first in [true, false] {
        let mut tx = test.db.write().await.unwrap();
        let queued = enqueue_unique(&mut tx, &environment, &Note { number: 1 }, "hourly", environment.now())
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(queued, first);
    }
    let (_stop, stopped) = watch::channel(false);
    let next = "2999-01-01T00:00:00Z".parse().unwrap();
    let worker = Worker::new(test.db.clone(), system())
        .register(move |_: Note, _| async move { Ok(JobOutcome::Again(next)) });
    tokio::spawn(worker.run(stopped));
    until("the next round", || async {
        let mut view = test.db.read().await.unwrap();
        let waiting = jobs::list(&mut view, None, None).await.unwrap();
        waiting.len() == 1 && waiting[0].run_at == next && waiting[0].attempts == 0
    })
    .await;
}

#[tokio::test]
async fn a_payload_nobody_can_read_is_parked_at_once() {
    let test = TestDb::open().await;
    let id = queue(&test.db, &Note { number: 1 }).await;
    let mut tx = test.db.write().await.unwrap();
    tx.execute(sql!("UPDATE jobs SET payload = $1", serde_json::json!({ "number": "one" }))).await.unwrap();
    tx.commit().await.unwrap();
    let (_stop, stopped) = watch::channel(false);
    let worker = Worker::new(test.db.clone(), system()).register(|_: Note, _| async { Ok(JobOutcome::Done) });
    tokio::spawn(worker.run(stopped));
    until("parking", || async { shown(&test.db, id).await.unwrap().state == JobState::Parked }).await;
    assert_eq!(shown(&test.db, id).await.unwrap().attempts, 1);
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
    let now = SystemEnvironment.now();
    jobs::enqueue_for_account(&mut tx, &SystemEnvironment, account, &Note { number: 1 }, now).await.unwrap();
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

#[tokio::test]
async fn a_job_knows_how_many_of_its_lane_are_ahead() {
    let test = TestDb::open().await;
    let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
    let position = async |number: i64| {
        let mut view = test.db.read().await.unwrap();
        jobs::queue_position::<Note>(&mut view, &number.to_string()).await.unwrap()
    };
    let mut tx = test.db.write().await.unwrap();
    enqueue(&mut tx, &environment, &Film).await.unwrap();
    for number in 0..4 {
        environment.advance(SignedDuration::from_secs(1));
        let key = number.to_string();
        assert!(
            enqueue_unique(&mut tx, &environment, &Note { number }, &key, environment.now()).await.unwrap()
        );
    }
    // Of two that are due at one moment, one is ahead of the other.
    enqueue_unique(&mut tx, &environment, &Note { number: 4 }, "4", environment.now()).await.unwrap();
    tx.commit().await.unwrap();
    let waiting = |ahead, running| Some(QueuePosition { is_running: false, ahead, running });
    assert_eq!(
        (position(0).await, position(2).await),
        (waiting(0, 0), waiting(2, 0)),
        "a film is in another lane"
    );
    let mut last = [position(3).await.unwrap().ahead, position(4).await.unwrap().ahead];
    last.sort_unstable();
    assert_eq!(last, [3, 4]);

    let mut tx = test.db.write().await.unwrap();
    let run = |state: &'static str, key: &'static str| {
        sql!("UPDATE jobs SET state = $1 WHERE unique_key = $2", state, key)
    };
    tx.execute(run("RUNNING", "0")).await.unwrap();
    tx.execute(run("PARKED", "1")).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(position(0).await, Some(QueuePosition { is_running: true, ahead: 0, running: 1 }));
    assert_eq!((position(1).await, position(2).await, position(9).await), (None, waiting(1, 1), None));
}

#[derive(Debug, Serialize, Deserialize)]
struct Stream {
    name: String,
}

impl Job for Stream {
    const KIND: &'static str = "stream";
    const LANE: Lane = Lane::Live;
    const RETRY: RetryPolicy = RetryPolicy::NEVER;
}

/// Applications that have all places of a lane, with work that never ends, give some to one that comes later.
#[tokio::test]
async fn endless_work_of_one_application_does_not_keep_another_from_a_place() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let (greedy, modest) = (AppId::new(&*environment), AppId::new(&*environment));
    let running: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let (seen, (stop, stopped)) = (running.clone(), watch::channel(false));
    let worker = Worker::new(test.db.clone(), environment.clone()).slots(Lane::Live, 4).register(
        move |job: Stream, lease| {
            let seen = seen.clone();
            async move {
                *seen.lock().unwrap().entry(job.name.clone()).or_default() += 1;
                lease.stop_requested().await;
                *seen.lock().unwrap().entry(job.name).or_default() -= 1;
                Ok(JobOutcome::Again(SystemEnvironment.now()))
            }
        },
    );
    let working = tokio::spawn(worker.run(stopped));
    let enqueue = async |app: AppId, name: &str, number: usize| {
        let mut tx = test.db.write().await.unwrap();
        for _ in 0..number {
            let job = Stream { name: name.to_owned() };
            enqueue_for_application(&mut tx, &*environment, app, &job, environment.now()).await.unwrap();
        }
        tx.commit().await.unwrap();
    };
    let wait_until = async |expected: [usize; 2]| {
        let places = || {
            let running = running.lock().unwrap();
            ["greedy", "modest"].map(|name| running.get(name).copied().unwrap_or(0))
        };
        for _ in 0..3000 {
            if places() == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{:?} and not {expected:?}", places());
    };
    enqueue(greedy, "greedy", 8).await;
    wait_until([4, 0]).await;
    enqueue(modest, "modest", 1).await;
    wait_until([3, 1]).await;
    enqueue(modest, "modest", 4).await;
    wait_until([2, 2]).await;
    // Both wait for more, and nobody has less than half: it stays like this.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    wait_until([2, 2]).await;
    stop.send(true).unwrap();
    working.await.unwrap();
}

/// Whoever has queued a thousand jobs waits for whoever has queued one.
#[tokio::test]
async fn a_flood_of_one_application_does_not_delay_the_first_job_of_another() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let (flood, quiet) = (AppId::new(&*environment), AppId::new(&*environment));
    let mut tx = test.db.write().await.unwrap();
    for (app, number) in std::iter::repeat_n((flood, 1), 1000).chain([(quiet, 2)]) {
        enqueue_for_application(&mut tx, &*environment, app, &Note { number }, environment.now())
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    let order: Arc<Mutex<Vec<i64>>> = Arc::default();
    let (seen, (stop, stopped)) = (order.clone(), watch::channel(false));
    let worker =
        Worker::new(test.db.clone(), environment).slots(Lane::Quick, 8).register(move |job: Note, _| {
            seen.lock().unwrap().push(job.number);
            async { Ok(JobOutcome::Done) }
        });
    let working = tokio::spawn(worker.run(stopped));
    for _ in 0..3000 {
        if order.lock().unwrap().contains(&2) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let before = order.lock().unwrap().iter().position(|number| *number == 2).expect("it has run");
    assert!(before < 8, "{before} jobs of the other one came first");
    stop.send(true).unwrap();
    working.await.unwrap();
}

/// Endless work of one application gives the only place of a lane to others in turn, and gets it back.
#[tokio::test]
async fn a_lane_with_one_place_is_used_in_turns() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let (endless, short) = (AppId::new(&*environment), AppId::new(&*environment));
    let order: Arc<Mutex<Vec<String>>> = Arc::default();
    let (seen, (stop, stopped)) = (order.clone(), watch::channel(false));
    let worker = Worker::new(test.db.clone(), environment.clone())
        .slots(Lane::Live, 1)
        .turn(Duration::from_secs(1))
        .register(move |job: Stream, lease| {
            let seen = seen.clone();
            async move {
                seen.lock().unwrap().push(job.name.clone());
                if job.name == "short" {
                    return Ok(JobOutcome::Done);
                }
                lease.stop_requested().await;
                Ok(JobOutcome::Again(SystemEnvironment.now()))
            }
        });
    let working = tokio::spawn(worker.run(stopped));
    let enqueue = async |app: AppId, name: &str| {
        let mut tx = test.db.write().await.unwrap();
        let job = Stream { name: name.to_owned() };
        enqueue_for_application(&mut tx, &*environment, app, &job, environment.now()).await.unwrap();
        tx.commit().await.unwrap();
    };
    let times = |name: &str| order.lock().unwrap().iter().filter(|ran| *ran == name).count();
    let wait_until = async |what: &str, holds: &dyn Fn() -> bool| {
        for _ in 0..3000 {
            if holds() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{what}: {:?}", order.lock().unwrap());
    };
    enqueue(endless, "endless").await;
    enqueue(endless, "endless").await;
    wait_until("it runs", &|| times("endless") == 1).await;
    for number in 1..=2 {
        enqueue(short, "short").await;
        wait_until("the other one gets its turn", &|| times("short") == number).await;
        wait_until("the endless one goes on", &|| times("endless") > number).await;
    }
    // Two endless ones take turns, and nobody is sent away while nobody else waits.
    enqueue(short, "other endless").await;
    wait_until("both get their turns", &|| times("other endless") >= 2).await;
    stop.send(true).unwrap();
    working.await.unwrap();
}

/// Where there are more applications with endless work than places, each gets one in turn.
#[tokio::test]
async fn more_applications_than_places_take_turns() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let order: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let (seen, (stop, stopped)) = (order.clone(), watch::channel(false));
    let worker = Worker::new(test.db.clone(), environment.clone())
        .slots(Lane::Live, 2)
        .turn(Duration::from_secs(1))
        .register(move |job: Stream, lease| {
            let seen = seen.clone();
            async move {
                *seen.lock().unwrap().entry(job.name).or_default() += 1;
                lease.stop_requested().await;
                Ok(JobOutcome::Again(SystemEnvironment.now()))
            }
        });
    let working = tokio::spawn(worker.run(stopped));
    for name in ["one", "two", "three"] {
        let (app, job) = (AppId::new(&*environment), Stream { name: name.to_owned() });
        let mut tx = test.db.write().await.unwrap();
        enqueue_for_application(&mut tx, &*environment, app, &job, environment.now()).await.unwrap();
        tx.commit().await.unwrap();
    }
    for _ in 0..3000 {
        let ran = order.lock().unwrap().clone();
        if ["one", "two", "three"].iter().all(|name| ran.get(*name).is_some_and(|times| *times >= 2)) {
            stop.send(true).unwrap();
            working.await.unwrap();
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?}", order.lock().unwrap());
}

/// However many workers there are, an application has no more running jobs than its limit, and all of them run in the end.
#[tokio::test]
async fn running_jobs_of_an_application_have_a_limit_over_all_workers() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let (limited, free) = (AppId::new(&*environment), AppId::new(&*environment));
    let mut tx = test.db.write().await.unwrap();
    tx.execute(sql!(
        "INSERT INTO applications (id, name, state, features, unclocked, created_at, running_jobs)
         VALUES ($1, 'limited', 'ENABLED', $2, FALSE, $3, 3)",
        limited,
        serde_json::json!([]),
        environment.now(),
    ))
    .await
    .unwrap();
    for (app, number) in std::iter::repeat_n((limited, 1), 40).chain(std::iter::repeat_n((free, 2), 40)) {
        enqueue_for_application(&mut tx, &*environment, app, &Note { number }, environment.now())
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    // How many run, and the most that ran at once, of each application.
    let running: Arc<Mutex<HashMap<i64, (usize, usize)>>> = Arc::default();
    let (stop, stopped) = watch::channel(false);
    let mut working = Vec::new();
    for _ in 0..3 {
        let seen = running.clone();
        let worker = Worker::new(test.db.clone(), environment.clone()).slots(Lane::Quick, 8).register(
            move |job: Note, _| {
                let seen = seen.clone();
                async move {
                    {
                        let mut seen = seen.lock().unwrap();
                        let (now, most) = seen.entry(job.number).or_default();
                        *now += 1;
                        *most = (*most).max(*now);
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    seen.lock().unwrap().entry(job.number).or_default().0 -= 1;
                    Ok(JobOutcome::Done)
                }
            },
        );
        working.push(tokio::spawn(worker.run(stopped.clone())));
    }
    until("all have run", async || left(&test.db).await == 0).await;
    let most = |number: i64| running.lock().unwrap()[&number].1;
    assert!((2..=3).contains(&most(1)), "{} at once", most(1));
    assert!(most(2) > 3, "{} at once: the other one has no limit", most(2));
    stop.send(true).unwrap();
    for working in working {
        working.await.unwrap();
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Image {
    name: String,
}

impl Job for Image {
    const KIND: &'static str = "image";
    const LANE: Lane = Lane::Heavy;
    const RETRY: RetryPolicy = RetryPolicy::NEVER;
}

/// However much heavy work an application has, a place is free for another one at once.
#[tokio::test]
async fn no_application_has_the_last_place_for_heavy_work() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let running: Arc<Mutex<Vec<String>>> = Arc::default();
    let (seen, (stop, stopped)) = (running.clone(), watch::channel(false));
    let worker = Worker::new(test.db.clone(), environment.clone()).slots(Lane::Heavy, 4).register(
        move |job: Image, lease| {
            seen.lock().unwrap().push(job.name);
            async move {
                lease.stop_requested().await;
                Ok(JobOutcome::Done)
            }
        },
    );
    let working = tokio::spawn(worker.run(stopped));
    let enqueue = async |name: &str, number: usize| {
        let app = AppId::new(&*environment);
        let mut tx = test.db.write().await.unwrap();
        for _ in 0..number {
            let job = Image { name: name.to_owned() };
            enqueue_for_application(&mut tx, &*environment, app, &job, environment.now()).await.unwrap();
        }
        tx.commit().await.unwrap();
    };
    let count = |name: &str| running.lock().unwrap().iter().filter(|ran| *ran == name).count();
    enqueue("flood", 8).await;
    until("it has its places", async || count("flood") == 3).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(count("flood"), 3, "the last place is kept");
    enqueue("quiet", 1).await;
    until("the other one has it", async || count("quiet") == 1).await;
    assert_eq!(count("flood"), 3);
    stop.send(true).unwrap();
    working.await.unwrap();
}

#[tokio::test]
async fn a_run_stores_how_far_it_got_and_loses_a_job_that_is_withdrawn() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let mut tx = test.db.write().await.unwrap();
    enqueue_unique(&mut tx, &*environment, &Note { number: 0 }, "one", environment.now()).await.unwrap();
    tx.commit().await.unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (runs, db, now) = (seen.clone(), test.db.clone(), environment.clone());
    let worker = Worker::new(test.db.clone(), environment.clone()).register(move |note: Note, lease| {
        let (runs, db, now) = (runs.clone(), db.clone(), now.clone());
        async move {
            runs.lock().unwrap().push(note.number);
            if note.number == 2 {
                let mut tx = db.write().await?;
                assert!(withdraw::<Note>(&mut tx, "one").await?);
                assert!(!withdraw::<Note>(&mut tx, "one").await?, "it is gone");
                tx.commit().await?;
                let mut tx = db.write().await?;
                let lost = lease.record_checkpoint(&mut tx, &Note { number: 3 }).await;
                assert!(matches!(lost, Err(jobs::LeaseError::Lost)), "{lost:?}");
                return Ok(JobOutcome::Done);
            }
            let mut tx = db.write().await?;
            lease.record_checkpoint(&mut tx, &Note { number: note.number + 1 }).await?;
            tx.commit().await?;
            Ok(JobOutcome::Again(now.now()))
        }
    });
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(worker.run(stopped));
    let jobs_left =
        async || test.db.read().await.unwrap().count(sql!("SELECT count(*) FROM jobs")).await.unwrap();
    while jobs_left().await > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [0, 1, 2]);
}
