//! The queue as those who use it see it, on whichever database the run is for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod fairness;
mod log_lines;
mod recurring;

use base::{Environment, SignedDuration, SystemEnvironment, TestEnvironment, Uuid};
use db::{Db, sql, testing::TestDb};
use jobs::{
    Job, JobError, JobOutcome, JobRecord, JobState, Lane, NewJob, QueuePosition, RetryPolicy, Worker,
    enqueue, withdraw,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

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
    let job = NewJob::new(environment, job);
    let id = job.id();
    assert!(enqueue(&mut tx, job).await.unwrap());
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
    enqueue(&mut tx, NewJob::new(&SystemEnvironment, &Note { number: 1 })).await.unwrap();
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
async fn a_worker_leases_no_more_jobs_than_it_has_slots_whatever_the_plan() {
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

/// As it is left if the connection is lost when the lease is committed: leased, and the worker does not know of it.
#[tokio::test]
async fn a_job_that_a_worker_was_not_told_of_runs_when_its_lease_is_over() {
    const LEASE: SignedDuration = SignedDuration::from_secs(4);
    let test = TestDb::open().await;
    let long = queue(&test.db, &Note { number: 1 }).await;
    let (_stop, stopped) = watch::channel(false);
    let (runs, mut ran) = tokio::sync::mpsc::unbounded_channel();
    let worker =
        Worker::new(test.db.clone(), system()).lease_duration(LEASE).register(move |note: Note, _| {
            runs.send(note.number).unwrap();
            async move {
                if note.number == 1 {
                    std::future::pending::<()>().await;
                }
                Ok(JobOutcome::Done)
            }
        });
    tokio::spawn(worker.run(stopped));
    assert_eq!(ran.recv().await, Some(1));
    let first_lease_ends = SystemEnvironment.now() + LEASE;

    let mut tx = test.db.write().await.unwrap();
    let note = Note { number: 2 };
    let untold = NewJob::new(&SystemEnvironment, &note);
    let id = untold.id();
    enqueue(&mut tx, untold).await.unwrap();
    tx.execute(sql!(
        "UPDATE jobs SET state = 'RUNNING', attempts = 1, leased_until = $2,
                worker = (SELECT worker FROM jobs WHERE id = $3)
          WHERE id = $1",
        id,
        SystemEnvironment.now() + SignedDuration::from_secs(2),
        long,
    ))
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let next = tokio::time::timeout(Duration::from_mins(2), ran.recv()).await;
    assert_eq!(next.expect("it runs"), Some(2));

    // What does run keeps its lease.
    until("the extension of a lease", || async {
        let extended = sql!(
            "SELECT count(*) FROM jobs WHERE id = $1 AND attempts = 1 AND leased_until > $2",
            long,
            first_lease_ends,
        );
        test.db.read().await.unwrap().count(extended).await.unwrap() == 1
    })
    .await;
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
            let film = NewJob::new(&SystemEnvironment, &Film).due_at("2999-01-01T00:00:00Z".parse()?);
            enqueue(&mut tx, film).await?;
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
async fn a_job_knows_how_many_of_its_lane_are_ahead() {
    let test = TestDb::open().await;
    let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
    let position = async |number: i64| {
        let mut view = test.db.read().await.unwrap();
        jobs::queue_position::<Note>(&mut view, &number.to_string()).await.unwrap()
    };
    let mut tx = test.db.write().await.unwrap();
    enqueue(&mut tx, NewJob::new(&environment, &Film)).await.unwrap();
    for number in 0..4 {
        environment.advance(SignedDuration::from_secs(1));
        let key = number.to_string();
        let job = Note { number };
        assert!(enqueue(&mut tx, NewJob::new(&environment, &job).unique(&key)).await.unwrap());
    }
    // Of two that are due at one moment, one is ahead of the other.
    enqueue(&mut tx, NewJob::new(&environment, &Note { number: 4 }).unique("4")).await.unwrap();
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

#[tokio::test]
async fn a_run_stores_how_far_it_got_and_loses_a_job_that_is_withdrawn() {
    let test = TestDb::open().await;
    let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
    let mut tx = test.db.write().await.unwrap();
    enqueue(&mut tx, NewJob::new(&*environment, &Note { number: 0 }).unique("one")).await.unwrap();
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

#[tokio::test]
async fn a_lane_that_a_process_is_not_ready_for_is_left_to_others() {
    let test = TestDb::open().await;
    let (film, note) = (queue(&test.db, &Film).await, queue(&test.db, &Note { number: 1 }).await);
    let ready = Arc::new(AtomicBool::new(false));
    let is_ready = ready.clone();
    let worker = Worker::new(test.db.clone(), system())
        .ready_when(move |lane| lane != Lane::Heavy || is_ready.load(Ordering::SeqCst))
        .register(|_: Film, _| async { Ok(JobOutcome::Done) })
        .register(|_: Note, _| async { Ok(JobOutcome::Done) });
    let (stop, stopped) = watch::channel(false);
    let working = tokio::spawn(worker.run(stopped));
    until("the note", async || shown(&test.db, note).await.is_none()).await;
    // Several looks at the other lane.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let waiting = shown(&test.db, film).await.unwrap();
    assert_eq!((waiting.state, waiting.attempts), (JobState::Waiting, 0));
    ready.store(true, Ordering::SeqCst);
    until("the film", async || shown(&test.db, film).await.is_none()).await;
    stop.send(true).unwrap();
    working.await.unwrap();
}
