use crate::support::painted;
use base::{AppId, Uuid};
use fixtures::pack;
use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};
use vision::{
    InferencePool, ModelLoadError, PoolBusyError, PoolGoneError, PoolStats, QueueLimits, VisionError,
    VisionModels,
};

fn pool(workers: usize, queue: usize) -> InferencePool {
    pool_with(workers, QueueLimits::by_count(queue))
}

fn pool_with(workers: usize, limits: QueueLimits) -> InferencePool {
    InferencePool::with_models((0..workers).map(|_| VisionModels::scripted_nonsense()).collect(), limits)
}

/// A job that signals when it starts and ends when it is released.
fn blocking_job() -> (impl FnOnce(&mut VisionModels) + Send + 'static, Receiver<()>, Sender<()>) {
    let (started, starts) = channel();
    let (release, released) = channel::<()>();
    let job = move |_: &mut VisionModels| {
        started.send(()).unwrap();
        let _dropped = released.recv();
    };
    (job, starts, release)
}

/// Three applications.
fn applications() -> [Option<AppId>; 3] {
    [1, 2, 3].map(|number| Some(Uuid::from_u128(number).into()))
}

/// Jobs that note in which order they run.
#[derive(Clone, Default)]
struct RunOrder(Arc<Mutex<Vec<&'static str>>>);

impl RunOrder {
    fn job(&self, name: &'static str) -> impl FnOnce(&mut VisionModels) + Send + 'static {
        let order = self.0.clone();
        move |_| order.lock().unwrap().push(name)
    }

    fn taken(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn an_application_does_not_wait_for_the_queue_of_another() {
    let ([flood, quiet, _], pool, order) = (applications(), pool(1, 100), RunOrder::default());
    let (job, starts, release) = blocking_job();
    let running = pool.run(flood, job).unwrap();
    starts.recv().unwrap();
    let mut queued: Vec<_> = (0..3).map(|_| pool.run(flood, order.job("flood")).unwrap()).collect();
    queued.push(pool.run(quiet, order.job("quiet")).unwrap());
    release.send(()).unwrap();
    running.await.unwrap();
    for job in queued {
        job.await.unwrap();
    }
    assert_eq!(order.taken(), ["quiet", "flood", "flood", "flood"]);
}

/// Workers of requests give way to the threads that answer them, the express worker does not; in the background both do.
#[tokio::test]
async fn the_express_worker_goes_before_the_others_on_a_busy_core() {
    type Start = fn(&Path, usize, QueueLimits) -> Result<InferencePool, ModelLoadError>;
    let pools: [(Start, (i32, i32)); 2] =
        [(InferencePool::start, (3, 0)), (InferencePool::start_background, (10, 5))];
    let own = || rustix::process::getpriority_process(None).unwrap();
    // As in a process that gives way to others itself; on Linux this affects the calling thread only.
    if cfg!(target_os = "linux") {
        rustix::process::setpriority_process(None, (own() + 1).min(19)).unwrap();
    }
    let own = own();
    for (start, (worker_gives, express_gives)) in pools {
        let ([flood, quiet, _], pool) =
            (applications(), start(&pack(), 1, QueueLimits::by_count(8)).unwrap());
        let niceness = |_: &mut VisionModels| rustix::process::getpriority_process(None).unwrap();
        let worker = pool.run(flood, niceness).unwrap().await.unwrap();
        let (job, starts, release) = blocking_job();
        let running = pool.run(flood, job).unwrap();
        starts.recv().unwrap();
        let express = pool.run(quiet, niceness).unwrap().await.unwrap();
        release.send(()).unwrap();
        running.await.unwrap();
        // Elsewhere all have the ordinary one.
        let wanted = |gives: i32| if cfg!(target_os = "linux") { (own + gives).min(19) } else { own };
        assert_eq!((worker, express), (wanted(worker_gives), wanted(express_gives)));
    }
}

#[tokio::test]
async fn jobs_in_turn_leave_room_for_others_and_every_application_has_its_turn_among_them() {
    let ([flood, quiet, caller], pool, order) = (applications(), pool(1, 100), RunOrder::default());
    let (job, starts, release) = blocking_job();
    let running = pool.run(None, job).unwrap();
    starts.recv().unwrap();
    let flooding = || pool.run_in_turn(flood, order.job("flood"));
    let call = async {
        // Polled after the others, so they are queued.
        assert_eq!(pool.stats().queued, 2, "as many as there are workers, and one of who had nothing ready");
        let called = pool.run(caller, order.job("call")).unwrap();
        release.send(()).unwrap();
        called.await
    };
    let quiet = pool.run_in_turn(quiet, order.job("quiet"));
    let ended = tokio::join!(flooding(), flooding(), flooding(), quiet, call);
    assert_eq!((ended, running.await), ((Ok(()), Ok(()), Ok(()), Ok(()), Ok(())), Ok(())));
    let taken = order.taken();
    let place = |name| taken.iter().position(|taken| *taken == name).unwrap();
    assert_eq!(taken.len(), 5);
    assert!(place("call") <= 2 && place("quiet") <= 2, "{taken:?}");
}

#[tokio::test]
async fn whoever_has_queued_too_much_is_refused_and_others_are_not() {
    let [flood, quiet, _] = applications();
    let pool = pool_with(1, QueueLimits { max_queued: 100, max_wait: Duration::from_millis(700) });
    pool.run(None, |_| std::thread::sleep(Duration::from_millis(200))).unwrap().await.unwrap();
    let (job, starts, release) = blocking_job();
    let running = pool.run(None, job).unwrap();
    starts.recv().unwrap();
    let queued: Vec<_> = (0..20).map_while(|_| pool.run(flood, |_| ()).ok()).collect();
    assert!((1..=3).contains(&queued.len()), "{} of 200 ms each fit into 700 ms", queued.len());
    let accepted = pool.run(quiet, |_| ()).expect("it waits for two jobs at most");
    release.send(()).unwrap();
    running.await.unwrap();
    accepted.await.unwrap();
}

#[tokio::test]
async fn a_full_pool_refuses_at_once_and_takes_work_again_when_it_is_not() {
    let pool = pool(1, 2);
    let (job, starts, release) = blocking_job();
    let running = pool.run(None, job).unwrap();
    starts.recv().unwrap();
    let (one, two) = (pool.run(None, |_| 1).unwrap(), pool.run(None, |_| 2).unwrap());

    // Refused at once: the running job has not been released yet.
    let refused: PoolBusyError = pool.run(None, |_| 3).map(|_| ()).unwrap_err();
    assert_eq!(refused.retry_after, Duration::from_secs(1));
    let PoolStats { queued, running: busy, done, refused, .. } = pool.stats();
    assert_eq!((queued, busy, done, refused), (2, 1, 0, 1));

    release.send(()).unwrap();
    running.await.unwrap();
    assert_eq!((one.await, two.await), (Ok(1), Ok(2)));
    assert_eq!(pool.run(None, |_| 4).unwrap().await, Ok(4));
}

#[tokio::test]
async fn a_job_is_refused_only_where_those_before_it_take_longer_than_it_may_wait() {
    let max_wait = Duration::from_secs(3);
    let pool = pool_with(2, QueueLimits { max_queued: 100, max_wait });
    // Jobs take a second each, so with two workers at most six may be ahead of the next.
    for _ in 0..2 {
        pool.run(None, |_| std::thread::sleep(Duration::from_secs(1))).unwrap().await.unwrap();
    }
    let mut held = Vec::new();
    let mut hold = || {
        let (job, starts, release) = blocking_job();
        let running = pool.run(None, job).map_err(|busy| busy.retry_after)?;
        held.push((running, starts, release));
        Ok::<_, Duration>(held.len())
    };
    let accepted = (0..20).map_while(|_| hold().ok()).count();
    // The sleeping took a little more than a second, on a busy machine perhaps half as much again.
    assert!((4..=7).contains(&accepted), "{accepted} were accepted");
    assert_eq!(hold(), Err(Duration::from_secs(1)), "there is room again in less than a second");
    assert_eq!(pool.stats().refused, 2);
    for (_, _, release) in &held {
        let _ended = release.send(());
    }
    for (running, _, _) in held {
        running.await.unwrap();
    }
    pool.run(None, |_| ()).unwrap().await.unwrap();
}

/// However long a job takes: the one that has ended is not waited for.
#[tokio::test]
async fn whoever_asks_again_once_they_have_the_answer_is_not_refused() {
    let pool = pool_with(1, QueueLimits { max_queued: 100, max_wait: Duration::from_micros(1) });
    for round in 0..200 {
        let answer = pool.run(None, move |_| {
            std::thread::sleep(Duration::from_millis(1));
            round
        });
        assert_eq!(answer.expect("the worker is free").await, Ok(round));
    }
}

#[tokio::test]
async fn work_that_nobody_waits_for_does_not_shorten_the_expected_wait() {
    let job_time = Duration::from_millis(200);
    let pool = pool_with(1, QueueLimits { max_queued: 100, max_wait: Duration::from_millis(1500) });
    pool.run(None, move |_| std::thread::sleep(job_time)).unwrap().await.unwrap();
    let (job, starts, release) = blocking_job();
    let running = pool.run(None, job).unwrap();
    starts.recv().unwrap();
    // Queued while the worker is held, so each is skipped.
    for _ in 0..5 {
        drop(pool.run(None, |_| ()).unwrap());
    }
    std::thread::sleep(job_time);
    release.send(()).unwrap();
    running.await.unwrap();
    while pool.stats().running + pool.stats().queued > 0 {
        tokio::task::yield_now().await;
    }
    // At 200 ms each, the jobs before the ninth take longer than one may wait. Were the skipped ones counted, as if they
    // had taken no time, twelve would be accepted.
    let (job, _starts, release) = blocking_job();
    let _running = pool.run(None, job).unwrap();
    let accepted = (0..20).map_while(|_| pool.run(None, |_| ()).ok()).count();
    assert!(accepted < 9, "{accepted} were accepted behind the first");
    release.send(()).unwrap();
}

#[tokio::test]
async fn a_pool_without_a_queue_still_works_when_a_worker_is_free() {
    let pool = pool(1, 0);
    let deadline = Instant::now() + Duration::from_mins(10);
    let answer = loop {
        match pool.run(None, |_| 7) {
            Ok(answer) => break answer,
            Err(PoolBusyError { .. }) => assert!(Instant::now() < deadline, "the worker never waits"),
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(answer.await, Ok(7));
}

#[tokio::test]
async fn a_panic_fails_its_own_job_and_not_the_worker() {
    let pool = pool(1, 8);
    for round in 1..=3 {
        let panicked = pool.run(None, |_| -> () { panic!("a panic on purpose") }).unwrap();
        let next = pool.run(None, move |_| round).unwrap();
        assert_eq!(panicked.await, Err(PoolGoneError));
        assert_eq!(next.await, Ok(round));
        assert_eq!(pool.stats().panicked, round);
    }
}

#[tokio::test]
async fn work_whose_future_was_dropped_is_skipped() {
    let pool = pool(1, 8);
    let (job, starts, release) = blocking_job();
    let running = pool.run(None, job).unwrap();
    starts.recv().unwrap();
    let touched = Arc::new(AtomicBool::new(false));
    let touch = touched.clone();
    let abandoned = pool.run(None, move |_| touch.store(true, SeqCst)).unwrap();
    let next = pool.run(None, |_| 1).unwrap();
    drop(abandoned);
    release.send(()).unwrap();
    running.await.unwrap();
    assert_eq!(next.await, Ok(1));
    assert!(!touched.load(SeqCst));
}

#[tokio::test]
async fn dropping_the_future_of_running_work_does_no_harm() {
    let pool = pool(1, 8);
    let (job, starts, release) = blocking_job();
    let running = pool.run(None, job).unwrap();
    starts.recv().unwrap();
    drop(running);
    release.send(()).unwrap();
    assert_eq!(pool.run(None, |_| 1).unwrap().await, Ok(1));
}

#[tokio::test]
async fn dropping_the_pool_waits_for_accepted_work() {
    let pool = pool(2, 8);
    let answers: Vec<_> = (0..6).map(|number| pool.run(None, move |_| number).unwrap()).collect();
    drop(pool);
    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.await, Ok(number));
    }
}

#[tokio::test]
async fn an_answer_that_is_no_number_is_an_error() {
    let pool = pool(1, 8);
    let answer = pool.run(None, |vision| {
        let picture = painted(400, 400, |x, y| [x as u8, y as u8, 128]);
        let faces = vision.detect(&picture).unwrap();
        assert_eq!(faces.len(), 1, "the scripted net sees one face");
        vision.estimate_age(&picture, &faces[0])
    });
    let error = answer.unwrap().await.unwrap().unwrap_err();
    assert!(matches!(&error, VisionError::Unusable { model, .. } if model == "scripted"), "{error}");
    assert_eq!(pool.stats().panicked, 0);
}
