//! The queue as those who use it see it, on whichever database the run is for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use base::{SignedDuration, StillWorld, SystemWorld, Uuid, World};
use db::{Db, sql, testing::TestDb};
use jobs::{
    Failure, Job, JobState, Lane, Outcome, Retry, Shelved, Worker, enqueue, enqueue_at, enqueue_unique,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
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
    const RETRY: Retry = Retry { waits: &[0, 0], jitter: 0.0 };
}

#[derive(Debug, Serialize, Deserialize)]
struct Film;

impl Job for Film {
    const KIND: &'static str = "film";
    const LANE: Lane = Lane::Heavy;
    const RETRY: Retry = Retry::NEVER;
}

fn system() -> Arc<dyn World> {
    Arc::new(SystemWorld)
}

/// Longer than any lease lasts that nobody extends.
const LEASE_LOST: SignedDuration = SignedDuration::from_mins(2);

async fn queue(db: &Db, job: &impl Job) -> Uuid {
    queue_in(db, &SystemWorld, job).await
}

async fn queue_in(db: &Db, world: &dyn World, job: &impl Job) -> Uuid {
    let mut tx = db.write().await.unwrap();
    let id = enqueue(&mut tx, world, job).await.unwrap();
    tx.commit().await.unwrap();
    id
}

async fn shown(db: &Db, id: Uuid) -> Option<Shelved> {
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
    enqueue(&mut tx, &SystemWorld, &Note { number: 1 }).await.unwrap();
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
            let worker =
                Worker::new(test.db.clone(), system()).slots(Lane::Quick, 8).handle(move |note: Note, _| {
                    *runs.lock().unwrap().entry(note.number).or_default() += 1;
                    async { Ok(Outcome::Done) }
                });
            tokio::spawn(worker.work(stopped.clone()))
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

#[tokio::test]
async fn a_failing_job_is_retried_then_parked_and_can_be_retried_or_discarded_by_hand() {
    let test = TestDb::open().await;
    let id = queue(&test.db, &Note { number: 7 }).await;
    let (stop, stopped) = watch::channel(false);
    let worker = Worker::new(test.db.clone(), system()).handle(|note: Note, _| async move {
        Err(Failure {
            error: format!("note {} is unreadable", note.number),
            not_before: None,
            hopeless: false,
        })
    });
    let worker = tokio::spawn(worker.work(stopped));
    until("parking", || async { shown(&test.db, id).await.unwrap().state == JobState::Parked }).await;
    let parked = shown(&test.db, id).await.unwrap();
    assert_eq!((parked.attempts, parked.last_error.as_deref()), (3, Some("note 7 is unreadable")));

    stop.send(true).unwrap();
    worker.await.unwrap();
    let mut tx = test.db.write().await.unwrap();
    jobs::retry(&mut tx, &SystemWorld, id).await.unwrap();
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
    let worker = Worker::new(test.db.clone(), system()).handle(|note: Note, _| async move {
        assert!(note.number > 0, "a note nobody can stand");
        Ok(Outcome::Done)
    });
    tokio::spawn(worker.work(stopped));
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
    let world = Arc::new(StillWorld::at("2026-01-16T14:40:00Z"));
    let id = queue_in(&test.db, &*world, &Note { number: 1 }).await;
    let (_stop, stopped) = watch::channel(false);
    let (leases, mut taken) = tokio::sync::mpsc::unbounded_channel();
    // Never extended: this worker's loop is dropped as soon as it has its job, as if its process had died.
    let first = Worker::new(test.db.clone(), world.clone()).handle(move |_: Note, lease| {
        leases.send(lease).unwrap();
        std::future::pending()
    });
    let dying = tokio::spawn(first.work(stopped.clone()));
    let lost = taken.recv().await.unwrap();
    dying.abort();
    world.advance(LEASE_LOST);

    let (_stop, stopped) = watch::channel(false);
    let second = Worker::new(test.db.clone(), world).handle(|_: Note, _| async { Ok(Outcome::Done) });
    tokio::spawn(second.work(stopped));
    until("the second holder's end", || async { left(&test.db).await == 0 }).await;

    let mut tx = test.db.write().await.unwrap();
    assert!(
        matches!(lost.finish(&mut tx).await, Err(jobs::LostLease::Lost)),
        "{id} is no longer the first's"
    );
}

#[tokio::test]
async fn interruptions_before_a_job_got_further_are_held_against_it_no_more() {
    for further in [false, true] {
        let test = TestDb::open().await;
        let world = Arc::new(StillWorld::at("2026-01-16T14:40:00Z"));
        let id = queue_in(&test.db, &*world, &Note { number: 1 }).await;
        let mut tx = test.db.write().await.unwrap();
        tx.execute(sql!("UPDATE jobs SET attempts = 19, interruptions = 19")).await.unwrap();
        tx.commit().await.unwrap();
        let (_stop, stopped) = watch::channel(false);
        let (sender, mut reached) = tokio::sync::mpsc::unbounded_channel();
        let db = test.db.clone();
        let first = Worker::new(test.db.clone(), world.clone()).handle(move |_: Note, lease| {
            let (db, sender) = (db.clone(), sender.clone());
            async move {
                let mut tx = db.write().await?;
                if further {
                    lease.advance(&mut tx).await?;
                }
                tx.commit().await?;
                sender.send(()).unwrap();
                std::future::pending().await
            }
        });
        let dying = tokio::spawn(first.work(stopped.clone()));
        reached.recv().await.unwrap();
        dying.abort();
        world.advance(LEASE_LOST);

        let second =
            Worker::new(test.db.clone(), world.clone()).handle(|_: Note, _| async { Ok(Outcome::Done) });
        tokio::spawn(second.work(stopped));
        // The first waits for minutes, the other runs at once.
        until("what the next interruption means", || async {
            match shown(&test.db, id).await {
                Some(job) => {
                    !further
                        && job.state == JobState::Waiting
                        && job.run_at > world.now() + SignedDuration::from_mins(2)
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
    let worker = Worker::new(test.db.clone(), system()).handle(move |_: Note, lease| {
        let db = db.clone();
        async move {
            let mut tx = db.write().await?;
            enqueue_at(&mut tx, &SystemWorld, &Film, "2999-01-01T00:00:00Z".parse()?).await?;
            lease.finish(&mut tx).await?;
            tx.commit().await?;
            Ok(Outcome::Done)
        }
    });
    tokio::spawn(worker.work(stopped));
    let films = || async {
        let mut view = test.db.read().await.unwrap();
        let waiting = jobs::list(&mut view, Some("WAITING"), None).await.unwrap();
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
    let worker = Worker::new(test.db.clone(), system()).handle(|_: Film, _| std::future::pending()).handle(
        move |_: Note, _| {
            told.notify_one();
            async { Ok(Outcome::Done) }
        },
    );
    tokio::spawn(worker.work(stopped));
    until("two films at once", || async {
        let mut view = test.db.read().await.unwrap();
        jobs::list(&mut view, Some("RUNNING"), Some("film")).await.unwrap().len() == 2
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
    let worker = Worker::new(test.db.clone(), system()).handle(move |_: Note, _| {
        let began = began.clone();
        async move {
            began.send(()).unwrap();
            tokio::time::sleep(Duration::from_millis(200)).await;
            Ok(Outcome::Done)
        }
    });
    let worker = tokio::spawn(worker.work(stopped));
    begun.recv().await.unwrap();
    stop.send(true).unwrap();
    worker.await.unwrap();
    assert_eq!(left(&test.db).await, 0, "it ended, and its row went");
}

#[tokio::test]
async fn what_recurs_has_one_row_and_comes_again() {
    let test = TestDb::open().await;
    let world = StillWorld::at("2026-01-16T14:40:00Z");
    for first in [true, false] {
        let mut tx = test.db.write().await.unwrap();
        let queued =
            enqueue_unique(&mut tx, &world, &Note { number: 1 }, "hourly", world.now()).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(queued, first);
    }
    let (_stop, stopped) = watch::channel(false);
    let next = "2999-01-01T00:00:00Z".parse().unwrap();
    let worker = Worker::new(test.db.clone(), system())
        .handle(move |_: Note, _| async move { Ok(Outcome::Again(next)) });
    tokio::spawn(worker.work(stopped));
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
    let worker = Worker::new(test.db.clone(), system()).handle(|_: Note, _| async { Ok(Outcome::Done) });
    tokio::spawn(worker.work(stopped));
    until("parking", || async { shown(&test.db, id).await.unwrap().state == JobState::Parked }).await;
    assert_eq!(shown(&test.db, id).await.unwrap().attempts, 1);
}
