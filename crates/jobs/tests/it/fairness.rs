//! How the applications share the slots of a lane.

use super::{Note, left, until};
use base::{AppId, Environment, Id as _, SystemEnvironment};
use db::{sql, testing::TestDb};
use jobs::{Job, JobOutcome, Lane, NewJob, RetryPolicy, Worker};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::watch;

#[derive(Debug, Serialize, Deserialize)]
struct Stream {
    name: String,
}

impl Job for Stream {
    const KIND: &'static str = "stream";
    const LANE: Lane = Lane::Live;
    const RETRY: RetryPolicy = RetryPolicy::NEVER;
}

/// Applications that have all slots of a lane, with work that never ends, give some to one that comes later.
#[tokio::test]
async fn endless_work_of_one_application_does_not_keep_another_from_a_slot() {
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
            jobs::enqueue(&mut tx, NewJob::new(&*environment, &job).of_application(app)).await.unwrap();
        }
        tx.commit().await.unwrap();
    };
    let wait_until = async |expected: [usize; 2]| {
        let slots = || {
            let running = running.lock().unwrap();
            ["greedy", "modest"].map(|name| running.get(name).copied().unwrap_or(0))
        };
        for _ in 0..3000 {
            if slots() == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{:?} and not {expected:?}", slots());
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
        jobs::enqueue(&mut tx, NewJob::new(&*environment, &Note { number }).of_application(app))
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

/// Endless work of one application gives the only slot of a lane to others in turn, and gets it back.
#[tokio::test]
async fn a_lane_with_one_slot_is_used_in_turns() {
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
        jobs::enqueue(&mut tx, NewJob::new(&*environment, &job).of_application(app)).await.unwrap();
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

/// Where there are more applications with endless work than slots, each gets one in turn.
#[tokio::test]
async fn more_applications_than_slots_take_turns() {
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
        jobs::enqueue(&mut tx, NewJob::new(&*environment, &job).of_application(app)).await.unwrap();
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
        jobs::enqueue(&mut tx, NewJob::new(&*environment, &Note { number }).of_application(app))
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

/// However much heavy work an application has, a slot is free for another one at once.
#[tokio::test]
async fn no_application_has_the_last_slot_for_heavy_work() {
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
            jobs::enqueue(&mut tx, NewJob::new(&*environment, &job).of_application(app)).await.unwrap();
        }
        tx.commit().await.unwrap();
    };
    let count = |name: &str| running.lock().unwrap().iter().filter(|ran| *ran == name).count();
    enqueue("flood", 8).await;
    until("it has its slots", async || count("flood") == 3).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(count("flood"), 3, "the last slot is kept");
    enqueue("quiet", 1).await;
    until("the other one has it", async || count("quiet") == 1).await;
    assert_eq!(count("flood"), 3);
    stop.send(true).unwrap();
    working.await.unwrap();
}
