//! Jobs that recur: housekeeping, of which one waits and none is given up.

use super::{Note, left, system, until};
use base::{Environment as _, SignedDuration, SystemEnvironment, TestEnvironment};
use db::{Db, sql, testing::TestDb};
use jobs::{Job, JobError, JobOutcome, JobState, NewJob, Worker, enqueue};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::watch;

#[tokio::test]
async fn what_recurs_has_one_row_and_comes_again() {
    let test = TestDb::open().await;
    let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
    for first in [true, false] {
        let mut tx = test.db.write().await.unwrap();
        let job = Note { number: 1 };
        let queued = enqueue(&mut tx, NewJob::new(&environment, &job).unique("hourly")).await.unwrap();
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

async fn queue_recurring(db: &Db, job: &impl Job) {
    let mut tx = db.write().await.unwrap();
    enqueue(&mut tx, NewJob::new(&SystemEnvironment, job).recurring()).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn what_recurs_is_never_parked() {
    let test = TestDb::open().await;
    queue_recurring(&test.db, &Note { number: 1 }).await;
    let mut tx = test.db.write().await.unwrap();
    // Its process died so often that any other job would be parked unseen.
    tx.execute(sql!("UPDATE jobs SET attempts = 20, interruptions = 20")).await.unwrap();
    tx.commit().await.unwrap();
    let (_stop, stopped) = watch::channel(false);
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let worker = Worker::new(test.db.clone(), system()).register(move |_: Note, _| {
        let run = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            // More often than the policy has attempts, and then for good.
            if run < 6 {
                return Err(JobError { error: "not yet".to_owned(), not_before: None, permanent: run > 4 });
            }
            Ok(JobOutcome::Done)
        }
    });
    tokio::spawn(worker.run(stopped));
    until("the end", || async { left(&test.db).await == 0 }).await;
    assert_eq!(runs.load(Ordering::SeqCst), 7);
}

#[tokio::test]
async fn what_recurs_and_was_parked_is_queued_again() {
    let test = TestDb::open().await;
    queue_recurring(&test.db, &Note { number: 1 }).await;
    let mut tx = test.db.write().await.unwrap();
    tx.execute(sql!("UPDATE jobs SET state = 'PARKED', attempts = 31, interruptions = 20")).await.unwrap();
    tx.commit().await.unwrap();
    queue_recurring(&test.db, &Note { number: 1 }).await;
    let all = jobs::list(&mut test.db.read().await.unwrap(), None, None).await.unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].state, all[0].attempts, all[0].interruptions), (JobState::Waiting, 0, 0));
}

/// A clock that was ahead when a round ended puts the next one off until then, and housekeeping with it.
#[tokio::test]
async fn what_recurs_and_waits_for_years_is_due_at_once() {
    let test = TestDb::open().await;
    let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
    let waits_until = async |hours: i64| {
        let mut tx = test.db.write().await.unwrap();
        enqueue(&mut tx, NewJob::new(&environment, &Note { number: 1 }).recurring()).await.unwrap();
        let run_at = environment.now() + SignedDuration::from_hours(hours);
        tx.execute(sql!("UPDATE jobs SET run_at = $1", run_at)).await.unwrap();
        enqueue(&mut tx, NewJob::new(&environment, &Note { number: 1 }).recurring()).await.unwrap();
        tx.commit().await.unwrap();
        let all = jobs::list(&mut test.db.read().await.unwrap(), None, None).await.unwrap();
        all[0].run_at.duration_since(environment.now())
    };
    assert_eq!(waits_until(24 * 365 * 10).await, SignedDuration::ZERO);
    assert_eq!(waits_until(24).await, SignedDuration::from_hours(24), "any other round is waited for");
}
