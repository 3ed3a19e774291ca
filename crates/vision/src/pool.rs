//! The bounded inference pool: one worker thread a core, each with its own models, and a short queue. What does not fit
//! is refused at once, so that accepted work is done in the time it takes.

use crate::{EmbeddingSpace, ModelInfo, ModelLoadError, VisionModels};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

/// The niceness of workers that step aside: their share of a busy core is a tenth of an ordinary thread's.
const BACKGROUND_NICENESS: i32 = 10;

type PoolJob = Box<dyn FnOnce(&mut VisionModels) + Send>;

/// A pool of workers. Dropping it lets running work end.
#[derive(Debug)]
pub struct InferencePool {
    sender: Option<SyncSender<PoolJob>>,
    workers: Vec<JoinHandle<()>>,
    models: Vec<ModelInfo>,
    space: EmbeddingSpace,
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
}

/// How a pool is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStats {
    /// Work that waits for a worker.
    pub queued: u64,
    /// Work that is being done.
    pub running: u64,
    /// Work that was done.
    pub done: u64,
    /// Work that was refused because the queue was full.
    pub refused: u64,
    /// Work that panicked.
    pub panicked: u64,
    /// Time spent working, over all workers.
    pub busy_time: Duration,
}

/// The queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all workers are busy")]
pub struct PoolBusyError {
    /// When to try again.
    pub retry_after: Duration,
}

/// The work did not come to an end: it panicked, or the pool was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was given up")]
pub struct PoolGoneError;

impl InferencePool {
    /// Loads the models of a folder once for each of `workers`; up to `queue` pieces of work may wait.
    pub fn start(folder: &Path, workers: usize, queue: usize) -> Result<Self, ModelLoadError> {
        let visions =
            (0..workers.max(1)).map(|_| VisionModels::load(folder)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::with_models(visions, queue))
    }

    /// A pool of workers with these models.
    pub fn with_models(visions: Vec<VisionModels>, queue: usize) -> Self {
        Self::of(visions, queue, 0)
    }

    /// A pool whose workers step aside for everybody else's: threads of this process that somebody waits for are served
    /// first. Where the system knows no such thing for one thread, they do not.
    pub fn start_background(folder: &Path, workers: usize, queue: usize) -> Result<Self, ModelLoadError> {
        let visions =
            (0..workers.max(1)).map(|_| VisionModels::load(folder)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of(visions, queue, BACKGROUND_NICENESS))
    }

    fn of(visions: Vec<VisionModels>, queue: usize, nice: i32) -> Self {
        let models = visions.first().map(|vision| vision.models().to_vec()).unwrap_or_default();
        let space = visions.first().map(|vision| vision.embedding_space().clone()).unwrap_or_default();
        let (sender, receiver) = sync_channel(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let counters = Arc::new(PoolCounters::default());
        let workers = visions
            .into_iter()
            .map(|vision| {
                let (receiver, counters) = (receiver.clone(), counters.clone());
                std::thread::spawn(move || {
                    // On Linux this is the calling thread alone.
                    if nice != 0 && cfg!(target_os = "linux") {
                        let _refused = rustix::process::setpriority_process(None, nice);
                    }
                    run_worker(vision, &receiver, &counters);
                })
            })
            .collect();
        Self { sender: Some(sender), workers, models, space, counters }
    }

    /// Queues work; the future ends when a worker has done it.
    pub fn run<T, F>(
        &self,
        job: F,
    ) -> Result<impl Future<Output = Result<T, PoolGoneError>> + Send + use<T, F>, PoolBusyError>
    where
        T: Send + 'static,
        F: FnOnce(&mut VisionModels) -> T + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let work: PoolJob = Box::new(move |vision| {
            // Whoever asked may have gone away while the work waited; then it is not done.
            if !answer.is_closed() {
                let _gone = answer.send(job(vision));
            }
        });
        let sent = self.sender.as_ref().map(|sender| sender.try_send(work));
        match sent {
            Some(Ok(())) => {
                self.counters.accepted.fetch_add(1, Relaxed);
                Ok(async move { answered.await.map_err(|_| PoolGoneError) })
            }
            Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) | None => {
                self.counters.refused.fetch_add(1, Relaxed);
                Err(PoolBusyError { retry_after: Duration::from_secs(1) })
            }
        }
    }

    /// The models that answer.
    pub fn models(&self) -> &[ModelInfo] {
        &self.models
    }

    /// The space of the embeddings that the workers make; the empty one for a pool without workers.
    pub fn embedding_space(&self) -> &EmbeddingSpace {
        &self.space
    }

    /// How the pool is doing.
    pub fn stats(&self) -> PoolStats {
        let PoolCounters { accepted, started, done, refused, panicked, busy_microseconds } = &*self.counters;
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

fn run_worker(mut vision: VisionModels, receiver: &Mutex<Receiver<PoolJob>>, counters: &PoolCounters) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        counters.started.fetch_add(1, Relaxed);
        let start = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| work(&mut vision))).is_err() {
            counters.panicked.fetch_add(1, Relaxed);
        }
        counters.busy_microseconds.fetch_add(start.elapsed().as_micros() as u64, Relaxed);
        counters.done.fetch_add(1, Relaxed);
    }
}
