//! The bounded inference pool: worker threads, each with its own models, and a queue. Work that would wait for longer than
//! its limit, or that no longer fits into the queue, is refused at once.

use crate::{ModelInfo, ModelLoadError, VisionModels};
use base::RunningMean;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, oneshot};

/// Niceness of background workers: on a busy core they get about a tenth of the time of an ordinary thread.
const BACKGROUND_NICENESS: i32 = 10;

/// How often a job that waits its turn looks whether a full queue has room again.
const FULL_QUEUE_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a pool has had nothing to do when it gives back the memory that its jobs have freed. The C library keeps the
/// buffers of the nets in a heap for each worker, up to 20 MB; using them again costs a worker a few milliseconds, once.
const IDLE_BEFORE_MEMORY_IS_RETURNED: Duration = Duration::from_secs(5);

/// A job; returns whether there was anything to do.
type PoolJob = Box<dyn FnOnce(&mut VisionModels) -> bool + Send>;

/// How much work may wait in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Jobs that may wait, whatever they take: what bounds the memory of the queue.
    pub max_queued: usize,
    /// How long a job may have to wait, by the mean time that jobs take.
    pub max_wait: Duration,
}

impl QueueLimits {
    /// A limit on the number of jobs alone.
    pub fn by_count(max_queued: usize) -> Self {
        Self { max_queued, max_wait: Duration::MAX }
    }
}

/// A pool of workers. Dropping it waits for work that was accepted.
#[derive(Debug)]
pub struct InferencePool {
    sender: Option<SyncSender<PoolJob>>,
    workers: Vec<JoinHandle<()>>,
    /// One for each worker, handed out in the order of arrival; see [`InferencePool::run_in_turn`].
    turns: Semaphore,
    max_wait: Duration,
    models: Vec<ModelInfo>,
    counters: Arc<PoolCounters>,
}

#[derive(Debug, Default)]
struct PoolCounters {
    accepted: AtomicU64,
    started: AtomicU64,
    done: AtomicU64,
    refused: AtomicU64,
    panicked: AtomicU64,
    busy_microseconds: AtomicU64,
    mean_job_time: RunningMean,
}

/// Counters of a pool since its start, but for `queued` and `running`, which are of this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    pub queued: u64,
    pub running: u64,
    /// Finished, panicked work included.
    pub done: u64,
    /// Refused because the queue was full or the wait too long.
    pub refused: u64,
    pub panicked: u64,
    /// Time spent working, summed over all workers.
    pub busy_time: Duration,
}

/// The queue is full, or the wait would be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all workers are busy")]
pub struct PoolBusyError {
    /// How long to wait before trying again.
    pub retry_after: Duration,
}

/// The work was not finished: it panicked, or the pool was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was given up")]
pub struct PoolGoneError;

impl InferencePool {
    /// Loads the models of the pack in `folder` once for each of `workers` (at least one).
    pub fn start(folder: &Path, workers: usize, limits: QueueLimits) -> Result<Self, ModelLoadError> {
        Ok(Self::with_models(load_for(folder, workers)?, limits))
    }

    /// A pool with one worker for each set of models.
    pub fn with_models(models: Vec<VisionModels>, limits: QueueLimits) -> Self {
        Self::spawn(models, limits, 0)
    }

    /// Like [`Self::start`], but with workers of low priority, so that threads for which a request waits run first.
    /// Linux only: elsewhere the priority of a single thread cannot be set this way, and the workers have the ordinary
    /// one.
    pub fn start_background(
        folder: &Path,
        workers: usize,
        limits: QueueLimits,
    ) -> Result<Self, ModelLoadError> {
        Ok(Self::spawn(load_for(folder, workers)?, limits, BACKGROUND_NICENESS))
    }

    fn spawn(worker_models: Vec<VisionModels>, limits: QueueLimits, nice: i32) -> Self {
        let models = worker_models.first().map(|vision| vision.models().to_vec()).unwrap_or_default();
        let (sender, receiver) = sync_channel(limits.max_queued);
        let queue = Arc::new(Mutex::new(JobQueue { receiver, has_freed_memory: false }));
        let counters = Arc::new(PoolCounters::default());
        let turns = Semaphore::new(worker_models.len().max(1));
        let workers = worker_models
            .into_iter()
            .map(|vision| {
                let (queue, counters) = (queue.clone(), counters.clone());
                let run = move || {
                    // On Linux this affects the calling thread only.
                    if nice != 0 && cfg!(target_os = "linux") {
                        let _refused = rustix::process::setpriority_process(None, nice);
                    }
                    run_worker(vision, &queue, &counters);
                };
                std::thread::Builder::new().name("inference".to_owned()).spawn(run).expect("a thread starts")
            })
            .collect();
        Self { sender: Some(sender), workers, turns, max_wait: limits.max_wait, models, counters }
    }

    /// Queues a job; the future resolves when a worker has done it. Refused at once where the queue is full or the job
    /// would probably wait for longer than allowed.
    pub fn run<T, F>(
        &self,
        job: F,
    ) -> Result<impl Future<Output = Result<T, PoolGoneError>> + Send + use<T, F>, PoolBusyError>
    where
        T: Send + 'static,
        F: FnOnce(&mut VisionModels) -> T + Send + 'static,
    {
        let wait = self.expected_wait();
        if wait > self.max_wait {
            return Err(self.refuse(wait));
        }
        let (work, result) = package(job);
        let sent = self.sender.as_ref().map(|sender| sender.try_send(work));
        match sent {
            Some(Ok(())) => {
                self.counters.accepted.fetch_add(1, Relaxed);
                Ok(async move { result.await.map_err(|_| PoolGoneError) })
            }
            Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) | None => Err(self.refuse(wait)),
        }
    }

    /// Runs a job for somebody who would rather wait than be refused, however long that takes. Such jobs begin in the order
    /// of arrival, and no more of them are queued or running than there are workers: a caller of [`Self::run`] finds at
    /// most so many of them ahead.
    pub async fn run_in_turn<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, PoolGoneError> {
        let _turn = self.turns.acquire().await.map_err(|_| PoolGoneError)?;
        let (mut work, result) = package(job);
        loop {
            match self.sender.as_ref().ok_or(PoolGoneError)?.try_send(work) {
                Ok(()) => break,
                Err(TrySendError::Full(returned)) => work = returned,
                Err(TrySendError::Disconnected(_)) => return Err(PoolGoneError),
            }
            tokio::time::sleep(FULL_QUEUE_POLL_INTERVAL).await;
        }
        self.counters.accepted.fetch_add(1, Relaxed);
        result.await.map_err(|_| PoolGoneError)
    }

    /// How long a job that is queued now will probably wait: the time that the jobs before it take.
    fn expected_wait(&self) -> Duration {
        let PoolStats { queued, running, .. } = self.stats();
        let workers = self.workers.len().max(1) as u64;
        // A worker that is free takes the job at once.
        let jobs_ahead = (queued + running + 1).saturating_sub(workers);
        let mean = self.counters.mean_job_time.get().unwrap_or_default();
        mean.saturating_mul(u32::try_from(jobs_ahead).unwrap_or(u32::MAX)) / workers as u32
    }

    /// Counts a refusal, and says when there will be room again.
    fn refuse(&self, wait: Duration) -> PoolBusyError {
        self.counters.refused.fetch_add(1, Relaxed);
        let seconds = wait.saturating_sub(self.max_wait).as_secs_f64().ceil().max(1.0);
        PoolBusyError { retry_after: Duration::from_secs(seconds as u64) }
    }

    /// The models that each worker has loaded.
    pub fn models(&self) -> &[ModelInfo] {
        &self.models
    }

    pub fn stats(&self) -> PoolStats {
        let PoolCounters { accepted, started, done, refused, panicked, busy_microseconds, .. } =
            &*self.counters;
        let (done, started) = (done.load(Relaxed), started.load(Relaxed));
        PoolStats {
            queued: accepted.load(Relaxed).saturating_sub(started),
            running: started.saturating_sub(done),
            done,
            refused: refused.load(Relaxed),
            panicked: panicked.load(Relaxed),
            busy_time: Duration::from_micros(busy_microseconds.load(Relaxed)),
        }
    }
}

impl Drop for InferencePool {
    fn drop(&mut self) {
        self.sender = None;
        for worker in self.workers.drain(..) {
            let _panicked = worker.join();
        }
    }
}

/// The models of so many workers, at least one. They share what does not change.
fn load_for(folder: &Path, workers: usize) -> Result<Vec<VisionModels>, ModelLoadError> {
    let models = (0..workers.max(1)).map(|_| VisionModels::load_without_embedding(folder)).collect();
    heap::return_freed_memory();
    models
}

/// A job as the queue takes it, and where its result arrives.
fn package<T: Send + 'static>(
    job: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
) -> (PoolJob, oneshot::Receiver<T>) {
    let (result_sender, result) = oneshot::channel();
    let work: PoolJob = Box::new(move |vision| {
        // Skipped where the caller has dropped the future while the job was queued.
        if result_sender.is_closed() {
            return false;
        }
        let _dropped = result_sender.send(job(vision));
        true
    });
    (work, result)
}

/// Where the workers get their jobs; the one that holds it waits for the next.
struct JobQueue {
    receiver: Receiver<PoolJob>,
    /// Whether there were jobs since freed memory was given back.
    has_freed_memory: bool,
}

impl JobQueue {
    /// Waits for a job; calls `return_memory` where that takes longer than `patience` after another job. `None` once there will be
    /// no more.
    fn next(&mut self, patience: Duration, return_memory: impl FnOnce()) -> Option<PoolJob> {
        if self.has_freed_memory {
            match self.receiver.recv_timeout(patience) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Timeout) => {
                    return_memory();
                    self.has_freed_memory = false;
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        let job = self.receiver.recv().ok()?;
        self.has_freed_memory = true;
        Some(job)
    }
}

fn run_worker(mut vision: VisionModels, queue: &Mutex<JobQueue>, counters: &PoolCounters) {
    loop {
        let mut waiting = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let next = waiting.next(IDLE_BEFORE_MEMORY_IS_RETURNED, heap::return_freed_memory);
        drop(waiting);
        let Some(work) = next else { return };
        counters.started.fetch_add(1, Relaxed);
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut vision)));
        let took = start.elapsed();
        match outcome {
            Ok(true) => counters.mean_job_time.note(took),
            Ok(false) => (),
            Err(_) => _ = counters.panicked.fetch_add(1, Relaxed),
        }
        counters.busy_microseconds.fetch_add(took.as_micros() as u64, Relaxed);
        counters.done.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{JobQueue, PoolJob};
    use std::{sync::mpsc::sync_channel, time::Duration};

    #[test]
    fn memory_is_given_back_once_where_nothing_is_to_do_after_a_job() {
        let (sender, receiver) = sync_channel::<PoolJob>(1);
        let mut queue = JobQueue { receiver, has_freed_memory: false };
        let (short, long) = (Duration::from_millis(20), Duration::from_mins(10));
        let send = || sender.send(Box::new(|_| true)).expect("the queue is there");
        let returned = |queue: &mut JobQueue, patience| {
            let mut count = 0;
            let job = queue.next(patience, || count += 1);
            assert!(job.is_some(), "a job came");
            count
        };
        let late = |queue: &mut JobQueue| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(200));
                    send();
                });
                returned(queue, short)
            })
        };
        assert_eq!(late(&mut queue), 0, "there was no job before");
        assert_eq!(late(&mut queue), 1, "nothing was to do for longer than it waits");
        send();
        assert_eq!(returned(&mut queue, long), 0, "the next came at once");
        drop(sender);
        assert!(queue.next(long, || ()).is_none(), "there will be no more");
    }
}
